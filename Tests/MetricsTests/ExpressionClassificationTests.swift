import FaceCore
import Metrics
import Records
import TestSupport
import Testing

@Suite("One expression a face against one label")
struct ExpressionClassificationTests {
  @Test(
    .tags(.oracle))
  func `accuracy and macro F1 of 150 random cases equal scikit-learn's, a missed face being wrong`()
    throws
  {
    struct Cases: Decodable {
      var classes: [[Double?]]
    }
    let oracle = try Oracles.read("expression_metrics", as: Cases.self)
    #expect(oracle.classes.count >= 100)
    for (number, expected) in oracle.classes.enumerated() {
      var metric = ExpressionClassification(rules: ExpressionCases.rules)
      for (frame, face) in ExpressionCases.made(number).enumerated() {
        try metric.add(face.scored(frame))
      }
      let metrics = metric.summarize()
      #expect(metrics.map(\.n) == [expected[2], expected[2]].map { Int($0 ?? -1) }, "\(number)")
      for (metric, value) in zip(metrics, expected) {
        #expect((metric.value == nil) == (value == nil), "case \(number)")
        #expect(abs((metric.value ?? 0) - (value ?? 0)) < 1e-12, "case \(number)")
      }
    }
  }

  @Test func `a tracker's own words are compared as rules and FER+ group them, with a confusion`()
    throws
  {
    var metric = ExpressionClassification()
    let pairs: [(String, String?)] = [
      ("Happiness", "happy"), ("surprise", "Surprised"), ("fear", "happiness"), ("joy", "joy"),
      ("sadness", nil),
    ]
    for (frame, pair) in pairs.enumerated() {
      var face = LabelledFaceCase(isFound: pair.1 != nil)
      face.label.expression = pair.0
      face.face?.expression = pair.1
      try metric.add(face.scored(frame))
    }
    let metrics = metric.summarize()
    #expect(metrics[0].value == 0.6 && metrics[0].n == 5)
    // By hand: fear 0, happy 2/3, joy 1, sad 0, surprise 1.
    let macro = try #require(metrics[1].value)
    let expected: Double = (2.0 / 3 + 2) / 5
    #expect(abs(macro - expected) < 1e-12)
    guard case .table(let table)? = metric.confusionTable()?.content else {
      Issue.record("expected a table")
      return
    }
    #expect(table.columns == ["labelled", "fear", "happy", "joy", "sad", "surprise", "missed"])
    #expect(table.rows[0] == ["fear", "0", "1", "0", "0", "0", "0"])
    #expect(table.rows[3] == ["sad", "0", "0", "0", "0", "0", "1"])
  }
}
