import Calibration
import FaceCore
import Foundation
import Metrics
import Records
import Statistics
import TestSupport
import Testing

@Suite("Thresholds of expressions")
struct ExpressionThresholdTests {
  private let happy = ExpressionRule("happy", .coefficient(.mouthSmileLeft), words: ["happy"])
  private let calm = ExpressionRule(
    "calm", .strongest, side: .atMost, words: ["neutral"])

  /// One face per frame that smiles by `smile`, labelled happy or neutral.
  private func accuracy(
    _ rule: ExpressionRule, _ faces: [(smile: Double?, isHappy: Bool)]
  ) throws -> ExpressionAccuracy {
    var accuracy = ExpressionAccuracy(rules: ExpressionRules([rule]))
    for (frame, face) in faces.enumerated() {
      let box = BoundingBox(x: 0, y: 0, width: 10, height: 10)
      var label = FaceLabel(box: box)
      label.expression = face.isHappy ? "happy" : "neutral"
      var predicted: [FacePrediction] = []
      if let smile = face.smile {
        var coefficients = [Float](repeating: 0, count: 52)
        coefficients[Blendshape.mouthSmileLeft.index] = Float(smile)
        predicted = [
          FacePrediction(
            region: nil, isTracked: false, detectionScore: nil, presence: nil, scheme: nil,
            points: [], ownBox: box, blendshapes: coefficients)
        ]
      }
      let matching = try FaceMatching(frame: frame, labels: [label], faces: predicted)
      try accuracy.add(frame: frame, labels: [label], faces: predicted, matching: matching)
    }
    return accuracy
  }

  private func search(_ objective: String = "max f1") throws -> ThresholdSearch {
    try ThresholdSearch(Objective(parsing: objective))
  }

  /// The rule with the recommended threshold decides every face as the optimum does, so its F1 is the metric.
  @Test(arguments: 0..<24)
  func `decide by the rule as the search decided by the score`(seed: Int) throws {
    var stream = SplitMix64(seed: UInt64(seed))
    let rule = seed % 2 == 0 ? happy : calm
    let levels = [7, 1000, 1 << 24][seed % 3]
    let faces = (0..<120).map { _ -> (smile: Double?, isHappy: Bool) in
      let isHappy = stream.below(3) == 0
      let smile = Double(stream.below(levels)) / Double(levels)
      return (stream.below(20) == 0 ? nil : isHappy ? max(smile, stream.share()) : smile, isHappy)
    }
    let scored = try accuracy(rule, faces)
    let found = try ExpressionThreshold(
      rule, outcomes: scored.outcomes(of: rule), cluster: { $0 }, search: search(),
      bootstrap: ClusterBootstrap(resamples: 200))
    let better = try #require(found.rule)
    #expect(better.formula == rule.formula && better.side == rule.side)
    let evaluated = try accuracy(
      ExpressionRule(
        rule.name, rule.formula, threshold: found.threshold, side: rule.side,
        words: rule.words.sorted()), faces)
    let name = "expressions.\(rule.name).f1"
    let metric = try #require(evaluated.summarize().first { $0.name == name }?.value)
    #expect(abs(metric - found.metric) < 1e-12)
    let present = try #require(scored.summarize().first { $0.name == name }?.value)
    #expect(abs(present - (found.presentMetric ?? -1)) < 1e-12)
    #expect(found.metric >= found.presentMetric ?? 0)
    let (low, high) = (try #require(found.interval.low), try #require(found.interval.high))
    #expect(low <= high && found.threshold >= low - 0.1 && found.threshold <= high + 0.1)
    #expect(found.metric >= found.heldOut ?? 1)
  }

  @Test func `are the number of fewest decimals that decides alike`() throws {
    let faces: [(Double?, Bool)] = (0..<40).map { ($0 % 2 == 0 ? 0.25 : 0.4375, $0 % 2 == 1) }
    let scored = try accuracy(happy, faces)
    let found = try ExpressionThreshold(
      happy, outcomes: scored.outcomes(of: happy), cluster: { $0 }, search: search(),
      bootstrap: ClusterBootstrap(resamples: 20))
    #expect(found.threshold == 0.4 && found.metric == 1 && found.heldOut == 1)
    #expect(found.interval.low == 0.4 && found.interval.high == 0.4)
    let still = try accuracy(calm, faces)
    let other = try ExpressionThreshold(
      calm, outcomes: still.outcomes(of: calm), cluster: { $0 }, search: search(),
      bootstrap: ClusterBootstrap(resamples: 20))
    #expect(other.threshold == 0.4 && other.metric == 1)
    #expect(other.interval.low == 0.4 && other.interval.high == 0.4)
  }

  @Test func `of a limit with a confidence are stricter, and contain the best on this data alone`()
    throws
  {
    var stream = SplitMix64(seed: 8)
    let faces = (0..<600).map { index -> (smile: Double?, isHappy: Bool) in
      let smile = stream.share()
      return (smile, stream.share() < smile)
    }
    let scored = try accuracy(happy, faces)
    func found(_ objective: String) throws -> ExpressionThreshold {
      try ExpressionThreshold(
        happy, outcomes: scored.outcomes(of: happy), cluster: { $0 / 10 },
        search: search(objective), bootstrap: ClusterBootstrap(resamples: 200))
    }
    let plain = try found("max recall where precision >= 0.8")
    #expect(plain.warnings.contains { $0.contains("breaks a limit on all data") })
    #expect(try #require(plain.limits?.brokenShare) > 0.2 && plain.limits?.plainThreshold == nil)
    let sure = try found("max recall where precision >= 0.8 with 95 %")
    #expect(sure.threshold > plain.threshold && sure.metric < plain.metric)
    #expect(sure.limits?.plainThreshold == plain.threshold)
    #expect(sure.limits?.plainMetric == plain.metric)
    #expect(!sure.warnings.contains { $0.contains("breaks a limit") })
    #expect(throws: CalibrationError.self) {
      _ = try found("max recall where precision >= 0.999 with 95 %")
    }
  }

  @Test func `are held out in folds that the seed deals out`() throws {
    var stream = SplitMix64(seed: 8)
    let faces = (0..<200).map { _ -> (smile: Double?, isHappy: Bool) in
      let smile = stream.share()
      return (smile, stream.share() < smile)
    }
    let scored = try accuracy(happy, faces)
    let heldOut = try (1...8).map { seed in
      try ExpressionThreshold(
        happy, outcomes: scored.outcomes(of: happy), cluster: { $0 / 10 }, search: search(),
        bootstrap: ClusterBootstrap(resamples: 20, seed: UInt64(seed))
      ).heldOut
    }
    #expect(Set(heldOut).count > 1 && !heldOut.contains(nil))
  }

  @Test func `are refused where all faces are alike and where no threshold keeps the limit`() throws
  {
    let faces: [(Double?, Bool)] = (0..<40).map { (Double($0) / 40, $0 % 3 == 1) }
    for (faces, objective, reason) in [
      (faces.map { ($0.0, true) }, "max f1", "all 40 labelled faces are happy"),
      (faces.map { ($0.0, false) }, "max f1", "are not happy"),
      (faces, "max recall where precision >= 0.99", "meets precision >= 0.99"),
      (faces, "max f1 where fp_per_minute <= 1", "minutes"),
    ] {
      let scored = try accuracy(happy, faces)
      let error = #expect(throws: CalibrationError.self) {
        _ = try ExpressionThreshold(
          happy, outcomes: scored.outcomes(of: happy), cluster: { $0 },
          search: try search(objective), bootstrap: ClusterBootstrap(resamples: 20))
      }
      #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }
  }

  @Test(
    arguments: [
      "strongest", "max(mouthSmileLeft, mouthSmileRight)",
      "((mouthSmileLeft + mouthSmileRight) / 2.0) - 0.1", "abs(eyeBlinkLeft - eyeBlinkRight)",
      "-(jawOpen * 2.0)", "-min(jawOpen, 0.5)", "1.0 - (jawOpen - (jawLeft / jawRight))",
    ])
  func `formulas are written as they are read`(text: String) throws {
    let formula = try ExpressionFormula(parsing: text)
    #expect(formula.description == text)
    #expect(try ExpressionFormula(parsing: formula.description) == formula)
  }
}
