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

  /// The coefficient of a name in any of its usual spellings, such as `JawOpen`, `jaw_open`, `JAWOPEN`, `eyeBlink_L` or
  /// `eye_blink_left`; nil for names of other rigs.
  package init?(spelled name: String) {
    if let own = Self(rawValue: name) {
      self = own
      return
    }
    guard name.first?.isLetter == true, let own = Self.spellings[Self.folded(name)] else {
      return nil
    }
    self = own
  }

  /// Whether a name is that of ARKit's `tongueOut` in any of its usual spellings, which is none of these.
  package static func isTongue(spelled name: String) -> Bool { folded(name) == "tongueout" }

  /// A name in lower case without what separates its words.
  private static func folded(_ name: some StringProtocol) -> String {
    name.lowercased().filter { !"_- ".contains($0) }
  }

  /// By folded name, with the sides also as one letter.
  private static let spellings: [String: Blendshape] = {
    var spellings: [String: Blendshape] = [:]
    for shape in allCases where shape != .neutral {
      let name = folded(shape.rawValue)
      spellings[name] = shape
      for side in ["left", "right"] where name.hasSuffix(side) {
        spellings[String(name.dropLast(side.count - 1))] = shape
      }
    }
    return spellings
  }()

  private static let positions = Dictionary(
    uniqueKeysWithValues: allCases.enumerated().map { ($1, $0) })
}
