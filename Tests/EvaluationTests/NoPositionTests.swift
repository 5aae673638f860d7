import Datasets
import FaceCore
import Foundation
import Metrics
import Records
import Running
import Scoring
import TestSupport
import Testing

/// A tracker that gives coefficients alone, on labels with boxes.
@Suite struct NoPositionTests {
  private let folder: TemporaryFolder
  private let dataset: URL
  private static let count = 60

  init() throws {
    folder = try TemporaryFolder()
    dataset = folder.file("d.h5")
    let writer = try DatasetWriter(dataset, name: "d", replacing: true)
    writer.beginSequence(SequenceDescription(name: "clip", kind: .video, framesPerSecond: 30))
    for index in 0..<Self.count {
      // A second person comes in at the end.
      let faces = [Self.label(index)] + (index < 50 ? [] : [Self.label(index, x: 400)])
      try writer.add(
        name: "\(index).png", image: [], size: ImageSize(width: 640, height: 480),
        timestampMicroseconds: Int64(index) * 33_333, faces: faces)
    }
    try writer.finish()
  }

  private static func label(
    _ frame: Int, x: Double = 100, hasBox: Bool = true, error: Double = 0
  ) -> FaceLabel {
    let box = BoundingBox(x: x + Double(frame), y: 50, width: 90, height: 100)
    var label = FaceLabel(box: hasBox ? box : BoundingBox(x: 0, y: 0, width: 0, height: 0))
    label.blendshapes = (0..<52).map {
      let wave = 0.4 * sin(Double(frame) / 5 + Double($0)) + error * sin(Double(7 * frame + $0))
      return $0 == 0 ? .nan : Float(0.5 + wave)
    }
    return label
  }

  private func run(_ name: String, hasBox: Bool, missing: Set<Int> = []) throws -> URL {
    let predicted = folder.file("\(name).h5")
    try GivenFaces.write(
      (0..<Self.count).map { frame in
        missing.contains(frame) ? [] : [Self.label(frame, hasBox: hasBox, error: 0.01)]
      }, on: dataset, to: predicted)
    var plan = EvaluationPlan(dataset: dataset, run: folder.file(name))
    plan.predictions = predicted
    plan.bootstrap.resamples = 0
    _ = try plan.finish()
    return plan.run
  }

  private func record(_ run: URL) throws -> Record { try StoredRun(run).record }

  @Test func `coefficients are compared by frame, and detection is undefined, not 0`() throws {
    let record = try record(run("coefficients", hasBox: false, missing: [3, 4]))
    #expect(record.value("blendshapes.mae") == nil, "two labels are missed")
    let mae = try #require(record.value("blendshapes.mae.conditional"))
    #expect(mae > 0 && mae < 0.01)
    #expect(record.value("blendshapes.found_share") == 48 / 50.0)
    #expect(record.value("faces.recall") == 48 / 50.0 && record.value("faces.precision") == 1)
    let detection = record.measurements.filter { $0.name.hasPrefix("detection.") }
    #expect(!detection.isEmpty && detection.allSatisfy { $0.value == nil })
    #expect(
      record.measurement("detection.recall@score")?.reason
        == "predicted faces have neither a box nor points")
    #expect(!record.measurements.contains { $0.name == "tracking.success_auc" })
    #expect(record.notes.contains { $0.hasPrefix("In 48 frames the only prediction is that of") })
    #expect(
      record.notes.contains {
        $0.hasPrefix("20 labelled faces are in frames with several faces, labelled or given out")
      })
    #expect(record.findings?.contains { $0.severity == .suspect } == false)
  }

  @Test func `a tracker with boxes is found by them`() throws {
    let record = try record(run("boxes", hasBox: true))
    #expect(record.value("faces.recall") == Double(Self.count) / 70)
    #expect(record.value("detection.recall@score") == Double(Self.count) / 70)
    #expect(!record.notes.contains { $0.contains("the only prediction is that of") })
  }

  @Test func `runs with and without positions are compared in what both have`() throws {
    let plan = ComparisonPlan(
      runs: [try run("base", hasBox: true), try run("candidate", hasBox: false)])
    let comparison = try RunComparison.run(plan).result
    #expect(
      comparison.difference("detection.recall@score")?.reason?.contains(
        "faces of the candidate have neither a box nor points") == true)
    #expect(comparison.difference("blendshapes.mae.conditional")?.difference != nil)
    #expect(comparison.notes.contains { $0.hasPrefix("Faces of the candidate have neither") })
  }

  @Test func `of three runs each one without positions is named`() throws {
    let runs = try [
      run("first", hasBox: true), run("second", hasBox: false), run("third", hasBox: false),
    ]
    let ranking = try RunRanking.run(ComparisonPlan(runs: runs)).result
    let start = "Faces of second, third have neither a box nor points: of these"
    #expect(ranking.notes.contains { $0.hasPrefix(start) }, "\(ranking.notes)")
  }

  /// Nothing tells which of their faces is which, so they neither agree nor differ.
  @Test func `agreement leaves out runs without positions`() throws {
    var runs = try [
      run("first", hasBox: true), run("second", hasBox: false), run("third", hasBox: true),
    ]
    func agreement() throws -> Ranking.Agreement {
      var plan = ComparisonPlan(runs: runs)
      plan.bootstrap.resamples = 100
      return try RunRanking.run(plan).result.agreement
    }
    let three = try agreement()
    #expect(three.pairs.map(\.faces.value) == [nil, 1, nil])
    #expect(three.runs.allSatisfy { $0.alone.value == nil && $0.frames.isEmpty })
    runs.append(try run("fourth", hasBox: true, missing: [3, 4, 5]))
    let four = try agreement()
    #expect(four.runs.map(\.alone.value) == [0, nil, 0, 0.05])
    #expect(four.runs[3].frames.first?.text == "0 faces, the others 1")
  }
}
