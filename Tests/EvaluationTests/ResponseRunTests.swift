import Datasets
import FaceCore
import Foundation
import Metrics
import Platform
import Records
import Running
import Scoring
import TestSupport
import Testing

/// The response of made-up trackers to labelled clips, from files to JSON.
@Suite struct ResponseRunTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let frames = 90
  private static let shapes: [Blendshape] = [.jawOpen, .mouthSmileLeft, .mouthSmileRight]

  private static func face(_ values: [Double]?) -> FaceLabel {
    var face = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 4, height: 4))
    guard let values else { return face }
    var coefficients = [Float](repeating: 0, count: Blendshape.allCases.count)
    for (shape, value) in zip(shapes, values) { coefficients[shape.index] = Float(value) }
    face.blendshapes = coefficients
    return face
  }

  private static func labels(_ frame: Int, clip: Int) -> [Double] {
    (0..<3).map { shape in
      let phase = Double(frame) / Double(5 + 2 * shape) + Double(clip * (shape + 2))
      return 0.5 + 0.4 * sin(phase)
    }
  }

  /// Clips of three coefficients that move on their own, from `first` of their frames on.
  private func dataset(clips: Int, from first: Int = 0) throws -> URL {
    let url = folder.file("d\(first).h5")
    let writer = try DatasetWriter(url, name: "moves", replacing: true)
    for clip in 0..<clips {
      writer.beginSequence(
        SequenceDescription(name: "clip \(clip)", kind: .video, framesPerSecond: 30))
      for frame in 0..<Self.frames {
        try writer.add(
          name: "\(clip)/\(frame)", image: [], size: ImageSize(width: 0, height: 0),
          timestampMicroseconds: Int64(frame) * 33_333,
          faces: [Self.face(Self.labels(first + frame, clip: clip))])
      }
    }
    try writer.finish()
    return url
  }

  /// Runs a tracker that gives its values, or nothing, for each frame.
  private func run(
    _ dataset: URL, clips: Int, named name: String = "run",
    _ values: (_ frame: Int, _ clip: Int) -> [Double]?
  ) throws -> URL {
    let predicted = (0..<clips).flatMap { clip in
      (0..<Self.frames).map { frame in values(frame, clip).map { [Self.face($0)] } ?? [] }
    }
    try GivenFaces.write(predicted, on: dataset, to: folder.file("p.h5"))
    var evaluation = EvaluationPlan(dataset: dataset, run: folder.file(name))
    evaluation.predictions = folder.file("p.h5")
    evaluation.bootstrap.resamples = 0
    evaluation.replaces = true
    _ = try evaluation.finish()
    return folder.file(name)
  }

  private func gates(_ entries: String) throws -> URL {
    try folder.write(
      #"{"schema": "facegauge.gates", "version": 2, "gates": [\#(entries)]}"#, to: "gates.json")
  }

  @Test func `against a base the difference has an interval over the same clips, and gates`() throws
  {
    let dataset = try dataset(clips: 12)
    /// Follows with a gain that differs from clip to clip alike in both runs.
    func tracker(_ gain: Double) -> (Int, Int) -> [Double]? {
      { frame, clip in
        let labels = Self.labels(frame, clip: clip)
        return [(gain + 0.02 * Double(clip % 5)) * labels[0], labels[1], labels[2]]
      }
    }
    let base = try run(dataset, clips: 12, named: "base", tracker(0.4))
    let better = try run(dataset, clips: 12, named: "better", tracker(0.5))
    var plan = MeasurementPlan(source: better)
    plan.bootstrap.resamples = 200
    plan.base = base
    plan.gates = try gates(
      #"{"metric": "response.gain", "slice": "coefficient=jawOpen", "max_worsening": 0}, "#
        + #"{"metric": "response.gain", "slice": "coefficient=jawOpen", "direction": "at_least", "#
        + #""limit": 0.6}, {"metric": "response.gain", "slice": "coefficient=browDownLeft", "#
        + #""direction": "at_least", "limit": 0.1}, "#
        + #"{"metric": "response.own_share", "direction": "at_least", "limit": 0.5, "#
        + #""evaluated_by": "interval"}"#)
    let verdicts = try #require(try ResponseRun.run(plan).result.verdicts)
    let jaw = verdicts.sureChanges.first {
      $0.metric == "response.gain" && $0.slice == "coefficient=jawOpen"
    }
    let change = try #require(jaw)
    // The gain is nearer to 1 by .1, in each clip alike: far surer than the gains themselves.
    let (low, high) = (try #require(change.difference.low), try #require(change.difference.high))
    #expect(low < -0.1 + 1e-6 && high > -0.1 - 1e-6 && high - low < 0.01)
    #expect(verdicts.gates.map(\.verdict) == [.pass, .fail, .fail, .pass])
    #expect(verdicts.gates[2].message.contains("was not measured"))
    plan.base = nil
    let error = #expect(throws: EvaluationError.self) { try ResponseRun.run(plan) }
    #expect(error?.description.contains("expected a base run") == true)
    (plan.source, plan.base) = (base, better)
    plan.gates = try gates(
      #"{"metric": "response.gain", "slice": "coefficient=jawOpen", "max_worsening": 0.05}"#)
    let worse = try #require(try ResponseRun.run(plan).result.verdicts)
    #expect(worse.gates.map(\.verdict) == [.fail])
  }

  @Test func `a run against itself differs by nothing, and no gate on changes fails`() throws {
    let dataset = try dataset(clips: 10)
    let own = try run(dataset, clips: 10) { frame, clip in
      Self.labels(frame - 1, clip: clip).map { 0.7 * $0 }
    }
    var plan = MeasurementPlan(source: own)
    plan.bootstrap.resamples = 100
    plan.base = own
    plan.gates = try gates(
      #"{"metric": "response.gain", "max_worsening": 0}, "#
        + #"{"metric": "response.own_share", "max_worsening": 0}, "#
        + #"{"metric": "response.delay", "slice": "coefficient=jawOpen", "direction": "at_most", "#
        + #""limit": 500}"#)
    let verdicts = try #require(try ResponseRun.run(plan).result.verdicts)
    #expect(verdicts.changes.count > 10)
    #expect(verdicts.changes.allSatisfy { $0.difference.value == 0 })
    #expect(verdicts.sureChanges.isEmpty)
    #expect(verdicts.gates.allSatisfy { $0.verdict == .pass })
    #expect(
      verdicts.units == ["response.gain": "1", "response.own_share": "1", "response.delay": "ms"])
  }

  @Test func `another dataset of as many frames is refused, given or of the base`() throws {
    let own = try run(dataset(clips: 2), clips: 2) { Self.labels($0, clip: $1) }
    let other = try dataset(clips: 2, from: 7)
    let base = try run(other, clips: 2, named: "base") { Self.labels($0 + 7, clip: $1) }
    var plan = MeasurementPlan(source: own)
    plan.bootstrap.resamples = 0
    plan.dataset = other
    let given = #expect(throws: EvaluationError.self) { try ResponseRun.run(plan) }
    #expect(given?.description.contains("expected the dataset of the run, SHA-256") == true)
    (plan.dataset, plan.base) = (nil, base)
    let mixed = #expect(throws: EvaluationError.self) { try ResponseRun.run(plan) }
    #expect(mixed?.description.contains("expected runs on the same frames") == true)
  }

  @Test func `gates on a run whose coefficients are percent decide nothing`() throws {
    let dataset = try dataset(clips: 10)
    let own = try run(dataset, clips: 10) { frame, clip in
      Self.labels(frame, clip: clip).map { 100 * $0 }
    }
    var plan = MeasurementPlan(source: own)
    plan.bootstrap.resamples = 100
    plan.gates = try gates(#"{"metric": "response.gain", "direction": "at_least", "limit": 0.5}"#)
    let response = try ResponseRun.run(plan).result
    let gate = try #require(response.verdicts?.gates.first)
    #expect(gate.verdict == .inconclusive)
    #expect(gate.message.contains("evaluate the run again with --accept coefficients.percent"))
    let note = try #require(response.notes.first)
    #expect(note.hasPrefix("run: The input is suspect (coefficients.percent)"), "\(note)")
    plan.source = try run(dataset, clips: 10, named: "half") { frame, clip in
      Self.labels(frame, clip: clip).map { 0.5 * $0 }
    }
    plan.base = own
    plan.gates = try gates(#"{"metric": "response.gain", "max_worsening": 0.1}"#)
    let change = try #require(try ResponseRun.run(plan).result.verdicts?.gates.first)
    #expect(change.verdict == .inconclusive)
    #expect(change.message.contains("Of the base: The input is suspect"), "\(change.message)")
    var evaluation = EvaluationPlan(dataset: dataset, run: folder.file("again"))
    evaluation.predictions = folder.file("p.h5")
    evaluation.bootstrap.resamples = 0
    evaluation.base = own
    evaluation.gates = try gates(#"{"metric": "blendshapes.mae", "max_worsening": 0.1}"#)
    let later = try #require(try evaluation.finish().record.gates.first)
    #expect(later.verdict == .inconclusive && later.message.contains("Of the base: "))
  }

  @Test func `gain, exchange, crosstalk and delay of a made-up tracker are found`() throws {
    let dataset = try dataset(clips: 12)
    let run = try run(dataset, clips: 12) { frame, clip in
      guard frame != 7 else { return nil }
      let late = Self.labels(frame - 3, clip: clip)
      return [0.1 + 0.5 * late[0], late[2], late[1] + 0.2 * late[0]]
    }
    var plan = MeasurementPlan(source: run)
    plan.bootstrap.resamples = 200
    let response = try ResponseRun.run(plan).result
    #expect(response.source == "predictions of run on moves" && response.resampled == "clips")
    #expect(response.faces == 12 * 89 && response.missed == 12 && response.units == 12)
    #expect(response.channels.map(\.coefficient) == Self.shapes.map(\.rawValue))
    let jaw = response.channels[0]
    #expect(try abs(#require(jaw.delayFrames.value) - 3) < 0.1 && jaw.clips == 12)
    #expect(try abs(#require(jaw.delayMilliseconds.value) - 100) < 4)
    let low = try #require(jaw.gain.low)
    #expect(low < 0.5 && jaw.ownRank == 1)
    #expect(response.channels[1].other?.coefficient == "mouthSmileRight")
    #expect(response.channels[1].ownRank > 1)
    #expect(response.notes.contains { $0.hasPrefix("12 of 1,080 labelled faces take no part") })
    #expect(response.leftOut.count == 48)
    #expect(try Response(json: response.json(), source: "response.json") == response)
  }

  @Test func `a tracker against itself follows every label at once`() throws {
    let dataset = try dataset(clips: 10)
    let run = try run(dataset, clips: 10) { Self.labels($0, clip: $1) }
    var plan = MeasurementPlan(source: run)
    plan.bootstrap.resamples = 50
    let response = try ResponseRun.run(plan).result
    for (index, channel) in response.channels.enumerated() {
      #expect(try abs(#require(channel.gain.value) - 1) < 1e-6)
      #expect(try abs(#require(channel.offset.value)) < 1e-6)
      #expect(try abs(#require(channel.delayFrames.value)) < 1e-6)
      #expect(try #require(channel.nonlinearity.value) < 1e-6)
      #expect(try channel.ownRank == 1 && abs(#require(channel.ownShare.value) - 1) < 1e-9)
      let column = try #require(response.matrix.columns.firstIndex(of: channel.coefficient))
      for (row, slopes) in zip(response.matrix.rows, response.matrix.slopes)
      where row != channel.coefficient {
        #expect(abs(slopes[column].value) < 1e-6, "\(index) moves \(row)")
      }
    }
  }

  @Test func `without labels that differ there is an error that says what was found`() throws {
    let dataset = try dataset(clips: 1)
    let missing = try run(dataset, clips: 1) { _, _ in nil }
    let error = #expect(throws: EvaluationError.self) {
      try ResponseRun.run(MeasurementPlan(source: missing))
    }
    #expect(error?.kind == .wrongData)
    #expect(error?.description.contains("found 90 missed") == true, "\(error?.description ?? "")")
  }
}
