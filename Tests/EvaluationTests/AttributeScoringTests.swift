import Datasets
import FaceCore
import FacePipeline
import Foundation
import Metrics
import Records
import Running
import Scoring
import TestSupport
import Testing

/// Blendshapes, expressions and poses of given predictions against a dataset's labels.
@Suite struct AttributeScoringTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func face(
    smile: Float? = nil, expression: String? = nil, quarterTurn: Bool? = nil
  ) -> FaceLabel {
    var face = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 10, height: 10))
    face.blendshapes = smile.map { smile in
      Blendshape.allCases.map { $0 == .mouthSmileLeft ? smile : 0 }
    }
    face.expression = expression
    if let quarterTurn {
      face.pose = HeadPose(
        matrix: quarterTurn
          ? [0, 0, 1, .nan, 0, 1, 0, .nan, -1, 0, 0, .nan, 0, 0, 0, 1]
          : [1, 0, 0, .nan, 0, 1, 0, .nan, 0, 0, 1, .nan, 0, 0, 0, 1])
    }
    return face
  }

  private func evaluate(
    _ labels: [FaceLabel], _ predicted: [FaceLabel], rules: String? = nil, gates: String? = nil
  ) throws -> Record {
    let dataset = folder.file("d.h5")
    let writer = try DatasetWriter(dataset, name: "d", replacing: true)
    for (index, face) in labels.enumerated() {
      try writer.add(
        name: "\(index)", image: [], size: ImageSize(width: 0, height: 0), faces: [face])
    }
    try writer.finish()
    try GivenFaces.write(predicted.map { [$0] }, on: dataset, to: folder.file("p.h5"))
    var evaluation = EvaluationPlan(dataset: dataset, run: folder.file("run"))
    evaluation.predictions = folder.file("p.h5")
    evaluation.replaces = true
    evaluation.minSliceCount = 1
    evaluation.expressions = try rules.map { try folder.write($0, to: "rules.json") }
    evaluation.gates = try gates.map { try folder.write($0, to: "gates.json") }
    return try evaluation.finish().record
  }

  private static let rules = """
    {"schema": "facegauge.expressions", "version": 1, "rules": [
      {"name": "grin", "value": "mouthSmileLeft - 0.1", "above": 0.5, "labels": ["joy"]}]}
    """

  @Test func `frames of a run with rules of its own have no expressions by other rules`() throws {
    for (rules, expected) in [(nil, "happy"), (Self.rules, nil)] as [(String?, String?)] {
      _ = try evaluate(
        [face(smile: 0.5), face(smile: 0.5)],
        [face(smile: 0.5), face(smile: 0.5, expression: "sad")], rules: rules)
      var words: [String?] = []
      try #require(try FrameReading(of: folder.file("run"))).read {
        words.append($0.expressions.predicted)
        return true
      }
      #expect(words == [expected, "sad"])
    }
  }

  @Test func `a coefficient can be gated by itself`() throws {
    let gates = """
      {"schema": "facegauge.gates", "version": 2, "gates": [{"metric": "blendshapes.mae",
        "slice": "coefficient=mouthSmileLeft", "direction": "at_most", "limit": 0.1}]}
      """
    let record = try evaluate(
      [face(smile: 0.25), face(smile: 0.75)], [face(smile: 0.375), face(smile: 0.5)], gates: gates)
    let own = record.measurements.filter { $0.slice == "coefficient=mouthSmileLeft" }
    #expect(own.first { $0.name == "blendshapes.mae" }?.value == 0.1875)
    #expect(own.first { $0.name == "blendshapes.mae.conditional" }?.n == 2)
    #expect(record.gates.map(\.verdict) == [.fail] && record.gates[0].value == 0.1875)
    let still = record.measurements.first {
      $0.slice == "coefficient=jawOpen" && $0.name == "blendshapes.ccc"
    }
    #expect(still?.value == .none && still?.reason?.contains("dead") == true)
  }

  @Test func `each family is evaluated where the dataset has labels of it`() throws {
    let record = try evaluate(
      [
        face(smile: 0, expression: "Happiness", quarterTurn: false),
        face(smile: 1, expression: "Neutral", quarterTurn: false),
      ],
      [face(smile: 0.5, quarterTurn: true), face(smile: 1, quarterTurn: false)])
    #expect(record.value("blendshapes.mae") == 0.25)
    #expect(record.value("blendshapes.dead_channels") == 50)
    #expect(record.value("expressions.happy.recall") == 1)
    #expect(record.value("expressions.happy.precision") == 0.5)
    #expect(record.value("expressions.neutral.recall") == 0)
    let angle = try #require(record.value("pose.geodesic"))
    #expect(abs(angle - 45) < 1e-9)
    #expect(record.series.contains { $0.name == "blendshapes.channels" })
    #expect(record.series.contains { $0.name == "pose.by_yaw" })
    #expect(record.notes.contains { $0.hasPrefix("Dead blendshapes") })
  }

  @Test func `a dataset without such labels has none of the metrics`() throws {
    let record = try evaluate([face(), face()], [face(smile: 1), face(smile: 1)])
    let families = ["blendshapes", "expressions", "pose"]
    let given = Set(HeadOutput.definitions.map(\.name))
    #expect(
      !record.measurements.contains { families.contains($0.stage) && !given.contains($0.name) })
    #expect(!record.series.contains { $0.name.hasPrefix("expressions") })
  }

  @Test func `a user's rules replace the built-in ones and may have gates`() throws {
    let gates = """
      {"schema": "facegauge.gates", "version": 2, "gates": [
        {"metric": "expressions.grin.recall", "direction": "at_least", "limit": 0.9}]}
      """
    let record = try evaluate(
      [face(expression: "joy"), face(expression: "joy")], [face(smile: 1), face(smile: 0.55)],
      rules: Self.rules, gates: gates)
    #expect(record.value("expressions.grin.recall") == 0.5)
    #expect(record.measurement("expressions.happy.recall") == nil)
    #expect(record.gates.map(\.verdict) == [.fail])
    #expect(throws: EvaluationError.self) {
      try evaluate([face(expression: "joy")], [face(smile: 1)], gates: gates)
    }
  }

  @Test func `a number has an interval by the clusters that it is labelled in`() throws {
    func valence(_ value: Double?) -> FaceLabel {
      var label = face()
      label.attributes["valence"] = value
      return label
    }
    for count in [5, 12] {
      let record = try evaluate(
        (0..<12).map { valence($0 < count ? Double($0 % 4) / 4 : nil) },
        (0..<12).map { valence(Double($0 % 3) / 4) })
      let error = try #require(record.measurement("attributes.valence.mae"))
      #expect(error.value != nil && error.n == count)
      #expect((error.interval.low != nil) == (count == 12))
      #expect(error.interval.reason == (count == 12 ? nil : ClusterBootstrap.tooFew(5)))
    }
  }

  @Test func `rules that cannot be read end the run before anything is evaluated`() throws {
    let error = #expect(throws: EvaluationError.self) {
      try evaluate(
        [face()], [face()], rules: Self.rules.replacing("mouthSmileLeft", with: "mouthSmileLeff"))
    }
    #expect(error?.kind == .wrongData)
    #expect(error?.description.contains("perhaps 'mouthSmileLeft'") == true)
    #expect(!FileManager.default.fileExists(atPath: folder.file("run.partial").path))
  }
}
