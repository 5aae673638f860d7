package import FaceCore

/// A region of the face that has points of its own in a scheme.
package enum FacePart: String, CaseIterable, Sendable {
  case jaw, brows, nose, eyes, mouth
}

/// Which points of a scheme are the eye corners, the eyes and the parts.
///
/// Left and right are those of the image of a frontal, upright face.
package struct LandmarkLayout: Sendable, Hashable {
  /// The outer corner of the left eye; nil in a scheme without.
  package let leftOuterCorner: Int?
  /// The outer corner of the right eye; nil in a scheme without.
  package let rightOuterCorner: Int?
  /// The outline of the left eye, or its centre alone.
  package let leftEye: [Int]
  /// The outline of the right eye, or its centre alone.
  package let rightEye: [Int]
  /// The points of each part that has some.
  package let parts: [FacePart: [Int]]
  /// Seven points spread over the face: outer eye corners, nose tip, mouth corners, upper lip, chin;
  /// none in a scheme that lacks one.
  package let anchors: [Int]

  /// The layout of a scheme, or nil where none is known.
  package static func of(_ scheme: LandmarkScheme) -> LandmarkLayout? { all[scheme] }

  /// Points that follow one another.
  private static func span(_ points: ClosedRange<Int>) -> [Int] { Array(points) }

  private static let all: [LandmarkScheme: LandmarkLayout] = [
    .ibug68: ibug68, .mediapipe478: mediapipe478, .wflw98: wflw98, .cofw29: cofw29, .five: five,
    .lapa106: lapa106, .aflw21: aflw21, .aflw19: aflw19, .dlib5: dlib5, .blazeface6: blazeface6,
    .facepp83: facepp83, .helen194: helen194,
  ]

  /// The scheme of 300-W (Sagonas et al. 2013), counted from 0.
  private static let ibug68 = LandmarkLayout(
    leftOuterCorner: 36, rightOuterCorner: 45, leftEye: span(36...41), rightEye: span(42...47),
    parts: [
      .jaw: span(0...16), .brows: span(17...26), .nose: span(27...35), .eyes: span(36...47),
      .mouth: span(48...67),
    ],
    anchors: [36, 45, 30, 48, 54, 51, 8])

  /// The scheme of WFLW (Wu et al. 2018), counted from 0; the pupils, 96 and 97, are eyes and in no outline.
  private static let wflw98 = LandmarkLayout(
    leftOuterCorner: 60, rightOuterCorner: 72, leftEye: span(60...67), rightEye: span(68...75),
    parts: [
      .jaw: span(0...32), .brows: span(33...50), .nose: span(51...59),
      .eyes: span(60...75) + [96, 97], .mouth: span(76...95),
    ],
    anchors: [60, 72, 54, 76, 82, 79, 16])

  /// The scheme of COFW (Burgos-Artizzu et al. 2013), counted from 0; the pupils are 16 and 17.
  private static let cofw29 = LandmarkLayout(
    leftOuterCorner: 8, rightOuterCorner: 9, leftEye: [8, 10, 12, 13], rightEye: [9, 11, 14, 15],
    parts: [
      .jaw: [28], .brows: span(0...7), .nose: span(18...21), .eyes: span(8...17),
      .mouth: span(22...27),
    ],
    anchors: [8, 9, 20, 22, 23, 24, 28])

  /// Eye centres, nose tip and mouth corners, as RetinaFace labels WIDER; there are no eye corners.
  private static let five = LandmarkLayout(
    leftOuterCorner: nil, rightOuterCorner: nil, leftEye: [0], rightEye: [1],
    parts: [.nose: [2], .eyes: [0, 1], .mouth: [3, 4]], anchors: [])

  /// The scheme of LaPa (Liu et al. 2020), counted from 0; 74 and 83 are centres of eyes, 104 and 105 pupils.
  private static let lapa106 = LandmarkLayout(
    leftOuterCorner: 66, rightOuterCorner: 79, leftEye: span(66...73), rightEye: span(75...82),
    parts: [
      .jaw: span(0...32), .brows: span(33...50), .nose: span(51...65),
      .eyes: span(66...83) + [104, 105], .mouth: span(84...103),
    ],
    anchors: [66, 79, 54, 84, 90, 87, 16])

  /// The scheme of AFLW (Köstinger et al. 2011), counted from 0; 12 and 16 are the ears.
  private static let aflw21 = LandmarkLayout(
    leftOuterCorner: 6, rightOuterCorner: 11, leftEye: [6, 7, 8], rightEye: [9, 10, 11],
    parts: [
      .jaw: [12, 16, 20], .brows: span(0...5), .nose: span(13...15), .eyes: span(6...11),
      .mouth: span(17...19),
    ], anchors: [])

  /// AFLW's scheme without the ears (Zhu et al. 2016), counted from 0.
  private static let aflw19 = LandmarkLayout(
    leftOuterCorner: 6, rightOuterCorner: 11, leftEye: [6, 7, 8], rightEye: [9, 10, 11],
    parts: [
      .jaw: [18], .brows: span(0...5), .nose: span(12...14), .eyes: span(6...11),
      .mouth: span(15...17),
    ], anchors: [])

  /// dlib's five points: the corners of the eyes and the base of the nose.
  private static let dlib5 = LandmarkLayout(
    leftOuterCorner: 2, rightOuterCorner: 0, leftEye: [2, 3], rightEye: [0, 1],
    parts: [.nose: [4], .eyes: [0, 1, 2, 3]], anchors: [])

  /// BlazeFace's six points; 4 and 5 are the ears.
  private static let blazeface6 = LandmarkLayout(
    leftOuterCorner: nil, rightOuterCorner: nil, leftEye: [0], rightEye: [1],
    parts: [.jaw: [4, 5], .nose: [2], .eyes: [0, 1], .mouth: [3]], anchors: [])

  /// The scheme of Face++ by the names of its points, whose left is the image's too.
  private static let facepp83 = LandmarkLayout(
    leftOuterCorner: 21, rightOuterCorner: 71, leftEye: [21, 25, 26, 19],
    rightEye: [67, 71, 72, 65],
    parts: [
      .jaw: span(0...18), .brows: span(29...36) + span(75...82), .nose: span(55...64),
      .eyes: span(19...28) + span(65...74), .mouth: span(37...54),
    ],
    anchors: [21, 71, 64, 37, 46, 54, 0])

  /// The scheme of Helen (Le et al. 2012), counted from 0; its eyes are outlines without named corners.
  private static let helen194 = LandmarkLayout(
    leftOuterCorner: nil, rightOuterCorner: nil, leftEye: span(114...133),
    rightEye: span(134...153),
    parts: [
      .jaw: span(0...40), .brows: span(154...193), .nose: span(41...57),
      .eyes: span(114...153), .mouth: span(58...113),
    ], anchors: [])

  /// The outlines of MediaPipe's mesh; the jaw is the face oval below the eyes, and the subject's right eye is left.
  private static let mediapipe478 = LandmarkLayout(
    leftOuterCorner: 33, rightOuterCorner: 263,
    leftEye: FaceMeshConnections.rightEye.points, rightEye: FaceMeshConnections.leftEye.points,
    parts: [
      .jaw: [
        127, 234, 93, 132, 58, 172, 136, 150, 149, 176, 148, 152, 377, 400, 378, 379, 365, 397, 288,
        361, 323, 454, 356,
      ],
      .brows: FaceMeshConnections.rightEyebrow.points + FaceMeshConnections.leftEyebrow.points,
      .nose: [
        168, 6, 197, 195, 5, 4, 1, 19, 94, 2, 98, 97, 326, 327, 294, 278, 344, 440, 275, 45, 220,
        115, 48, 64,
      ],
      .eyes: FaceMeshConnections.rightEye.points + FaceMeshConnections.leftEye.points,
      .mouth: FaceMeshConnections.lips.points,
    ],
    anchors: [33, 263, 4, 61, 291, 0, 152])
}
