import FaceCore
import Foundation
import Metrics
import Statistics
import TestSupport

/// Faces with expressions and votes, the same as in Tests/Oracles/expression_metrics.py.
enum ExpressionCases {
  static let rules: ExpressionRules = {
    let smirk = try? ExpressionFormula(parsing: "(mouthSmileLeft - mouthSmileRight)/2 - 0.1")
    return ExpressionRules(
      ExpressionRules.builtIn.rules
        + [
          ExpressionRule("smirk", smirk ?? .number(0), threshold: 0.05, words: ["contempt"])
        ])
  }()

  private static let used: [Blendshape] = [
    .mouthSmileLeft, .mouthSmileRight, .mouthFrownLeft, .mouthFrownRight, .browDownLeft,
    .browDownRight, .jawOpen,
  ]

  static func coefficients(_ values: [Blendshape: Float]) -> [Float] {
    Blendshape.allCases.map { values[$0] ?? 0 }
  }

  static func made(_ number: Int) -> [LabelledFaceCase] {
    var stream = SplitMix64(seed: UInt64(9000 + number))
    let count = stream.below(40)
    let misses = stream.below(3) > 0
    let isCoarse = stream.below(4) == 0
    let words = ["happiness", "sadness", "anger", "neutral", "contempt", "surprise"]
    let voted = ["happiness", "sadness", "anger", "neutral", "contempt", "unknown", "NF"]
    return (0..<count).map { _ in
      let kind = stream.below(5)
      let isMissed = stream.below(7) == 0 && misses
      var values = used.map { _ in
        isCoarse ? Float(stream.below(3)) * 0.25 : Float(stream.below(64)) / 64
      }
      let isQuiet = stream.below(4) == 0
      let hole = stream.below(40)
      if isQuiet { values = values.map { $0 / 4 } }
      if hole < used.count { values[hole] = .nan }
      let word = words[stream.below(words.count)]
      let votes = voted.map { ($0, stream.below(5)) }
      var face = LabelledFaceCase(isFound: !isMissed)
      face.face?.blendshapes = coefficients(
        Dictionary(uniqueKeysWithValues: zip(used, values)))
      if kind > 0 { face.label.expression = word.capitalized }
      if kind > 2 {
        for (name, count) in votes { face.label.attributes["votes_\(name)"] = Double(count) }
      }
      return face
    }
  }
}
