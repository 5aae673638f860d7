/// A named set of facial points in a fixed order; points of two schemes do not interchange.
package struct LandmarkScheme: Sendable, Hashable, Codable {
  /// The name that files use, such as `ibug68`.
  package let name: String
  /// How many points the scheme has.
  package let count: Int

  private init(name: String, count: Int) {
    self.name = name
    self.count = count
  }

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

  /// Every scheme that files may name.
  package static let all = [ibug68, wflw98, cofw29, five, lapa106, aflw21, aflw19, mediapipe478]

  /// The scheme of that name, or nil.
  package static func named(_ name: String) -> LandmarkScheme? {
    all.first { $0.name == name }
  }

  /// The scheme with that many points, or nil.
  package static func withCount(_ count: Int) -> LandmarkScheme? {
    all.first { $0.count == count }
  }
}
