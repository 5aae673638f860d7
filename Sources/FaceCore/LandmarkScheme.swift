/// A named set of facial points in a fixed order; points of two schemes do not interchange.
package struct LandmarkScheme: Sendable, Hashable, Codable {
  /// The name that files use, such as `ibug68`.
  package let name: String
  /// How many points the scheme has.
  package let count: Int

  /// The 68 points of 300-W: jaw 0-16, brows 17-26, nose 27-35, eyes 36-47, mouth 48-67.
  package static let ibug68 = LandmarkScheme(name: "ibug68", count: 68)

  /// The 98 points of WFLW: contour 0-32, brows 33-50, nose 51-59, eyes 60-75, mouth 76-95, pupils 96-97.
  package static let wflw98 = LandmarkScheme(name: "wflw98", count: 98)

  /// The 29 points of COFW: brows 0-7, eyes 8-17, nose 18-21, mouth 22-27, chin 28.
  package static let cofw29 = LandmarkScheme(name: "cofw29", count: 29)

  /// Right eye, left eye, nose tip, right and left mouth corner (the subject's), as RetinaFace labels WIDER.
  package static let five = LandmarkScheme(name: "five", count: 5)

  /// The 106 points of LaPa and JD-landmark: contour 0-32, brows 33-50, nose 51-65, eyes 66-83, mouth 84-103, pupils.
  package static let lapa106 = LandmarkScheme(name: "lapa106", count: 106)

  /// The 21 points of AFLW: brows 0-5, eyes 6-11, left ear, nose 13-15, right ear, mouth 17-19, chin 20.
  package static let aflw21 = LandmarkScheme(name: "aflw21", count: 21)

  /// The points of AFLW without the ears: brows 0-5, eyes 6-11, nose 12-14, mouth 15-17, chin 18.
  package static let aflw19 = LandmarkScheme(name: "aflw19", count: 19)

  /// The 478 points of MediaPipe's Face Landmarker: mesh 0-467, irises 468-477.
  package static let mediapipe478 = LandmarkScheme(name: "mediapipe478", count: 478)

  /// The five points of dlib's `shape_predictor_5_face_landmarks` (github.com/davisking/dlib-models): outer and inner
  /// corner of the subject's left eye, outer and inner corner of the right eye, base of the nose.
  package static let dlib5 = LandmarkScheme(name: "dlib5", count: 5)

  /// The six points of BlazeFace (MediaPipe's face detection): right eye, left eye, nose tip, mouth centre, right and
  /// left ear tragion, the subject's.
  package static let blazeface6 = LandmarkScheme(name: "blazeface6", count: 6)

  /// The 83 points of Face++'s Detect API in the order of their names, `contour_chin` to
  /// `right_eyebrow_upper_right_quarter`; its left is the image's.
  package static let facepp83 = LandmarkScheme(name: "facepp83", count: 83)

  /// The 194 points of Helen (Le et al. 2012): jaw 0-40, nose 41-57, outer lips 58-85, inner lips 86-113, eyes 114-153,
  /// brows 154-193.
  package static let helen194 = LandmarkScheme(name: "helen194", count: 194)

  /// Whether the tight box of its points is about that of a face; eyes, nose and mouth span a part of it.
  package var spansFace: Bool { ![.five, .dlib5, .blazeface6].contains(self) }

  /// Every scheme that files may name.
  package static let all = [
    ibug68, wflw98, cofw29, five, lapa106, aflw21, aflw19, mediapipe478, dlib5, blazeface6,
    facepp83, helen194,
  ]

  /// The scheme of that name, or nil.
  package static func named(_ name: String) -> LandmarkScheme? {
    all.first { $0.name == name }
  }

  /// The schemes with that many points.
  package static func withCount(_ count: Int) -> [LandmarkScheme] {
    all.filter { $0.count == count }
  }
}
