package import FaceCore

/// What a person is asked to do before the camera, and which coefficients that labels.
package struct FacePrompt: Sendable, Hashable {
  /// The name in files of prompts.
  package let name: String
  /// The labelled coefficients, 0 to 1; the others are not known.
  package let labels: [Blendshape: Float]

  /// Names labels; a prompt of a user's own.
  init(_ name: String, _ labels: [Blendshape: Float]) {
    self.name = name
    self.labels = labels
  }

  private init(_ name: String, full: [Blendshape], none: [Blendshape] = []) {
    self.init(
      name,
      Dictionary(uniqueKeysWithValues: full.map { ($0, Float(1)) } + none.map { ($0, Float(0)) }))
  }

  /// The 52 labels in the order of `Blendshape`, NaN where one is not known.
  package var coefficients: [Float] { Blendshape.allCases.map { labels[$0] ?? .nan } }

  /// Whether it asks for a face at rest.
  package var isRest: Bool { labels.values.allSatisfy { $0 == 0 } && labels.count > 1 }

  /// The prompts of the catalogue. 1 is the most that this person does when asked.
  package static let all: [FacePrompt] = [
    FacePrompt("neutral", full: [], none: Blendshape.allCases.filter { $0 != .neutral }),
    FacePrompt("close-eyes", full: [.eyeBlinkLeft, .eyeBlinkRight]),
    FacePrompt("wink-left", full: [.eyeBlinkLeft], none: [.eyeBlinkRight]),
    FacePrompt("wink-right", full: [.eyeBlinkRight], none: [.eyeBlinkLeft]),
    FacePrompt("wide-eyes", full: [.eyeWideLeft, .eyeWideRight]),
    FacePrompt("look-up", full: [.eyeLookUpLeft, .eyeLookUpRight]),
    FacePrompt("look-down", full: [.eyeLookDownLeft, .eyeLookDownRight]),
    FacePrompt("look-left", full: [.eyeLookOutLeft, .eyeLookInRight]),
    FacePrompt("look-right", full: [.eyeLookInLeft, .eyeLookOutRight]),
    FacePrompt("raise-brows", full: [.browInnerUp, .browOuterUpLeft, .browOuterUpRight]),
    FacePrompt("lower-brows", full: [.browDownLeft, .browDownRight]),
    FacePrompt("puff-cheeks", full: [.cheekPuff]),
    FacePrompt("jaw-open", full: [.jawOpen]),
    FacePrompt("jaw-left", full: [.jawLeft], none: [.jawRight]),
    FacePrompt("jaw-right", full: [.jawRight], none: [.jawLeft]),
    FacePrompt("smile", full: [.mouthSmileLeft, .mouthSmileRight]),
    FacePrompt("smile-left", full: [.mouthSmileLeft], none: [.mouthSmileRight]),
    FacePrompt("smile-right", full: [.mouthSmileRight], none: [.mouthSmileLeft]),
    FacePrompt("frown", full: [.mouthFrownLeft, .mouthFrownRight]),
    FacePrompt("pucker", full: [.mouthPucker]),
    FacePrompt("funnel", full: [.mouthFunnel]),
    FacePrompt("mouth-left", full: [.mouthLeft], none: [.mouthRight]),
    FacePrompt("mouth-right", full: [.mouthRight], none: [.mouthLeft]),
  ]

  /// The prompt of that name in the catalogue, or nil.
  package static func named(_ name: String) -> FacePrompt? { all.first { $0.name == name } }
}
