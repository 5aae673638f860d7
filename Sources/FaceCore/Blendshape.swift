/// The 52 expression coefficients of MediaPipe's Face Landmarker, in its order.
///
/// Left and right are the subject's. ARKit has the same names without `neutral`, and `tongueOut` in
/// addition.
package enum Blendshape: String, Sendable, Hashable, CaseIterable, Codable {
  case neutral = "_neutral"
  case browDownLeft
  case browDownRight
  case browInnerUp
  case browOuterUpLeft
  case browOuterUpRight
  case cheekPuff
  case cheekSquintLeft
  case cheekSquintRight
  case eyeBlinkLeft
  case eyeBlinkRight
  case eyeLookDownLeft
  case eyeLookDownRight
  case eyeLookInLeft
  case eyeLookInRight
  case eyeLookOutLeft
  case eyeLookOutRight
  case eyeLookUpLeft
  case eyeLookUpRight
  case eyeSquintLeft
  case eyeSquintRight
  case eyeWideLeft
  case eyeWideRight
  case jawForward
  case jawLeft
  case jawOpen
  case jawRight
  case mouthClose
  case mouthDimpleLeft
  case mouthDimpleRight
  case mouthFrownLeft
  case mouthFrownRight
  case mouthFunnel
  case mouthLeft
  case mouthLowerDownLeft
  case mouthLowerDownRight
  case mouthPressLeft
  case mouthPressRight
  case mouthPucker
  case mouthRight
  case mouthRollLower
  case mouthRollUpper
  case mouthShrugLower
  case mouthShrugUpper
  case mouthSmileLeft
  case mouthSmileRight
  case mouthStretchLeft
  case mouthStretchRight
  case mouthUpperUpLeft
  case mouthUpperUpRight
  case noseSneerLeft
  case noseSneerRight

  /// The names in order, as MediaPipe writes them.
  package static let names = allCases.map(\.rawValue)

  /// Position in the order, 0 to 51.
  package var index: Int { Self.positions[self] ?? 0 }

  private static let positions = Dictionary(
    uniqueKeysWithValues: allCases.enumerated().map { ($1, $0) })
}
