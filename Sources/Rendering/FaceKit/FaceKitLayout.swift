internal import FaceCore

/// Where the parts of ICT-FaceKit's mesh are among its vertices, by its README; left and right are the subject's.
package enum FaceKitLayout {
  /// How many vertices each of its meshes has.
  package static let vertexCount = 26_719

  /// The narrow face area, without ears; it reaches below the chin and into the hair.
  private static let narrowFace = 0..<6_706
  /// Heights of the chin's underside and of the upper forehead in the neutral mesh, in centimetres.
  private static let faceHeights: ClosedRange<Float> = -8...8.6
  static let skin = 0..<11_248
  static let mouthSocket = 11_248..<13_294
  static let eyeSockets = 13_294..<14_062
  static let gumsAndTongue = 14_062..<17_039
  static let teeth = 17_039..<21_451
  static let eyeLeft = 21_451..<22_221
  static let eyeRight = 23_021..<23_791

  /// What is not drawn: the inner layer of the eyeballs, the transparent layers before them, and lashes.
  static let undrawn = [22_221..<23_021, 23_791..<26_719]

  /// The vertices of the face as detectors frame it: from the chin to the upper forehead.
  package static func faceRegion(of neutral: [SIMD3<Float>]) -> [Int] {
    narrowFace.filter { faceHeights.contains(neutral[$0].y) }
  }

  /// The vertices of the 68 points of 300-W, in their order.
  package static let landmarks68 = [
    1225, 1888, 1052, 367, 1719, 1722, 2199, 1447, 966, 3661, 4390, 3927, 3924, 2608, 3272, 4088,
    3443, 268, 493, 1914, 2044, 1401, 3615, 4240, 4114, 2734, 2509, 978, 4527, 4942, 4857, 1140,
    2075, 1147, 4269, 3360, 1507, 1542, 1537, 1528, 1518, 1511, 3742, 3751, 3756, 3721, 3725, 3732,
    5708, 5695, 2081, 0, 4275, 6200, 6213, 6346, 6461, 5518, 5957, 5841, 5702, 5711, 5533, 6216,
    6207, 6470, 5517, 5966,
  ]

  /// The meshes that make a coefficient; none for `_neutral`.
  static func meshes(of shape: Blendshape) -> [String] {
    switch shape {
    case .neutral: return []
    case .browInnerUp, .cheekPuff: return ["\(shape.rawValue)_L", "\(shape.rawValue)_R"]
    default: break
    }
    for (side, suffix) in [("Left", "_L"), ("Right", "_R")]
    where shape.rawValue.hasSuffix(side) && !["jaw", "mouth"].contains(shape.stem(side)) {
      return [shape.stem(side) + suffix]
    }
    return [shape.rawValue]
  }
}

extension Blendshape {
  fileprivate func stem(_ side: String) -> String { String(rawValue.dropLast(side.count)) }
}

extension FaceKitLayout {
  /// What is added to the mesh's coordinates to make those of MediaPipe's canonical face, in centimetres.
  ///
  /// Both have x to the subject's left, y up, z ahead. It is the mean difference of 14 points that both name: corners of
  /// eyes and mouth, nose, lips, chin. A turn is left out: fits of one differ by more than 6° between sets of points.
  package static let canonicalShift = SIMD3<Double>(0, -0.83, -5.67)
}
