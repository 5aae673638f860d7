import Calibration
import Datasets
import FaceCore
import FacePipeline
import Foundation
import Metrics
import Platform
import Records
import Running
import Scoring
import Statistics
import TestSupport
import Testing
import Tuning

/// A tracker whose scores claim too much, and whose smiles are too weak, over labelled stills of ten subjects.
@Suite struct CalibrationRunTests {
  let folder: TemporaryFolder
  let dataset: URL
  let run: URL

  init() throws {
    folder = try TemporaryFolder()
    dataset = folder.file("d.h5")
    run = folder.file("run")
    try Self.make(dataset, run: run, in: folder, seed: 1)
  }

  /// A score s is true with probability s²; half of the true faces smile by .2 to 1, of which .6 is predicted.
  ///
  /// `unlabelled` frames without known labels end each video.
  private static func make(
    _ dataset: URL, run: URL, in folder: TemporaryFolder, seed: UInt64, subjects: Int = 10,
    unlabelled: Int = 0
  ) throws {
    var stream = SplitMix64(seed: seed)
    let writer = try DatasetWriter(dataset, name: "d", replacing: true)
    var predicted: [[FaceLabel]] = []
    for subject in 0..<subjects {
      for index in 0..<60 {
        if index == 0 {
          writer.beginSequence(
            SequenceDescription(
              name: "clip\(seed)-\(subject)", kind: .video, subject: "s\(subject)",
              framesPerSecond: 30))
        }
        let score = Double.random(in: 0.05..<1, using: &stream)
        let isTrue = Double.random(in: 0..<1, using: &stream) < score * score
        let isHappy = Bool.random(using: &stream)
        let smile = isHappy ? Double.random(in: 0.2..<1, using: &stream) : 0.02
        var label = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 10, height: 10))
        label.expression = isHappy ? "happy" : "neutral"
        label.blendshapes = coefficients(smile)
        var face = FaceLabel(
          box: BoundingBox(x: isTrue ? 0 : 50, y: 0, width: 10, height: 10))
        face.score = score
        face.blendshapes = coefficients(0.1 + 0.6 * smile)
        try writer.add(
          name: "\(subject)-\(index)", image: [], size: ImageSize(width: 100, height: 50),
          timestampMicroseconds: Int64(index) * 33_333, faces: [label])
        predicted.append([face])
      }
      let size = ImageSize(width: 100, height: 50)
      for index in 60..<60 + unlabelled {
        try writer.add(
          name: "\(subject)-\(index)", image: [], size: size,
          timestampMicroseconds: Int64(index) * 33_333, faces: [.unlabelled(size)])
        predicted.append([])
      }
    }
    try writer.finish()
    let file = folder.file("\(run.lastPathComponent).h5")
    try GivenFaces.write(predicted, on: dataset, to: file)
    var plan = EvaluationPlan(dataset: dataset, run: run)
    plan.predictions = file
    plan.bootstrap.resamples = 0
    _ = try plan.finish()
  }

  private static func coefficients(_ smile: Double) -> [Float] {
    var list = [Float](repeating: 0, count: 52)
    list[Blendshape.mouthSmileLeft.index] = Float(smile)
    list[Blendshape.mouthSmileRight.index] = Float(smile * smile)
    return list
  }

  func plan(_ output: String = "c.json") -> CalibrationPlan {
    var plan = CalibrationPlan(run: run, output: folder.file(output))
    plan.bootstrap.resamples = 200
    return plan
  }

  private func evaluated(
    _ name: String, _ calibration: URL?, dataset: URL? = nil, predictions: URL? = nil
  ) throws -> (record: Record, predictions: [FramePrediction]) {
    var plan = EvaluationPlan(dataset: dataset ?? self.dataset, run: folder.file(name))
    plan.predictions = predictions ?? folder.file("run.h5")
    plan.calibration = calibration
    plan.bootstrap.resamples = 0
    return try plan.finish()
  }

  @Test func `all that has labels is calibrated, and helps on another dataset`() throws {
    var plan = self.plan()
    plan.report = folder.file("report")
    let finished = try CalibrationRun.run(plan)
    try finished.folder?.commit()
    let file = finished.file
    #expect(file.scores.prefix(2).map(\.of) == ["detection", "presence"])
    #expect(file.scores.allSatisfy { $0.clusters == 10 && $0.folds == 5 })
    let happy = try #require(file.thresholds.first { $0.name == "happy" })
    #expect(happy.metric > (happy.presentMetric ?? 0) || happy.metric == 1)
    let (before, after) = (
      try #require(file.blendshapes?.before), try #require(file.blendshapes?.after)
    )
    #expect(after.meanAbsoluteError < 0.5 * before.meanAbsoluteError)
    let bytes = try folder.bytes("c.json")
    #expect(try CalibrationFile(json: bytes, source: "c.json") == file)
    let object = try JSONSerialization.jsonObject(with: Data(bytes))
    let schema = try Schema("calibration")
    #expect(schema.problems(in: object) == [])
    let names = finished.record.series.map(\.name)
    #expect(names.contains("calibration.reliability.detection"))
    #expect(names.contains("calibration.metrics") && names.contains("calibration.channels"))
    #expect(names.contains("calibration.thresholds"))

    let other = folder.file("e.h5")
    try Self.make(other, run: folder.file("other"), in: folder, seed: 99)
    let raw = try evaluated("raw", nil, dataset: other, predictions: folder.file("other.h5"))
    let better = try evaluated(
      "better", plan.output, dataset: other, predictions: folder.file("other.h5"))
    for name in ["detection.ece", "detection.brier", "presence.ece", "blendshapes.mae.conditional"]
    {
      let (one, two) = (
        try #require(raw.record.value(name)), try #require(better.record.value(name))
      )
      #expect(two < one, "\(name): \(one) to \(two)")
    }
    #expect(raw.record.value("detection.ap50") == better.record.value("detection.ap50"))
    #expect(
      raw.record.value("detection.recall@score") == better.record.value("detection.recall@score"))
    #expect(better.record.options["calibration"]?.hasPrefix("c.json (SHA-256 ") == true)
  }

  @Test func `scores are mapped one by one, and the stored predictions state it`() throws {
    var plan = self.plan()
    plan.choice = .platt
    plan.subjects = [.detection]
    let file = try CalibrationRun.run(plan).file
    let map = try #require(file.calibrator(of: .detection))
    let raw = try evaluated("raw", nil)
    let mapped = try evaluated("mapped", plan.output)
    for (one, other) in zip(raw.predictions, mapped.predictions) {
      #expect(one.detections.map(\.box) == other.detections.map(\.box))
      // Files keep scores in single precision.
      #expect(
        one.detections.map { Float(map.calibrated($0.score)) }
          == other.detections.map { Float($0.score) })
      #expect(one.faces.map(\.presence) == other.faces.map(\.presence))
      #expect(one.faces.map(\.blendshapes) == other.faces.map(\.blendshapes))
    }
    let header = try PredictionsReader(folder.file("mapped/predictions.h5")).header
    #expect(header.options["calibration"] == mapped.record.options["calibration"])
    #expect(header.options["calibration-of-detections"]?.contains("\"method\":\"platt\"") == true)
    #expect(mapped.record.options["calibration-of-detections"] == nil)
    // Evaluated again from its own predictions, the run has the same metrics.
    let again = try evaluated(
      "again", nil, predictions: folder.file("mapped/predictions.h5"))
    #expect(again.record.accuracy == mapped.record.accuracy)
  }

  @Test func `thresholds of expressions are the file's, for rules of the same formula`() throws {
    var plan = self.plan()
    plan.subjects = [.expressions]
    let file = try CalibrationRun.run(plan).file
    let happy = try #require(file.thresholds.first { $0.name == "happy" })
    let found = try evaluated("found", plan.output)
    let metric = try #require(found.record.value("expressions.happy.f1"))
    #expect(abs(metric - happy.metric) < 1e-9)
    #expect(found.predictions.contains { $0.faces.first?.attributes["probability_happy"] != nil })
    try folder.write(
      """
      {"schema": "facegauge.expressions", "version": 1,
       "rules": [{"name": "happy", "value": "mouthSmileLeft"}]}
      """, to: "rules.json")
    var other = EvaluationPlan(dataset: dataset, run: folder.file("rules"))
    other.predictions = folder.file("run.h5")
    other.calibration = plan.output
    other.expressions = folder.file("rules.json")
    let error = try #require(other.failure())
    #expect(error.kind == .wrongData && error.description.contains("expected the rule 'happy'"))
  }

  @Test func `the threshold of another tracker's scores has the metric that evaluate finds there`()
    throws
  {
    var plan = self.plan()
    plan.subjects = [.detection]
    plan.objective = "max f1"
    let found = try #require(try CalibrationRun.run(plan).file.detectionThreshold)
    #expect(found.positives == 600 && found.metric > found.presentMetric ?? 1)
    #expect(found.heldOut != nil && found.interval.low != nil && found.metricInterval.low != nil)
    var evaluation = EvaluationPlan(dataset: dataset, run: folder.file("there"))
    evaluation.predictions = folder.file("run.h5")
    evaluation.settings.minFaceDetectionConfidence = found.threshold
    evaluation.bootstrap.resamples = 0
    let record = try evaluation.finish().record
    let recall = try #require(record.value("detection.recall@score"))
    let precision = try #require(record.value("detection.precision@score"))
    #expect(abs(2 * recall * precision / (recall + precision) - found.metric) < 1e-6)
    // The videos' minutes count, the last frame's own time included: 10 videos of 60 frames at 30 a second.
    plan.output = folder.file("limited.json")
    plan.objective = "max recall where fp_per_minute <= 300"
    let limited = try #require(try CalibrationRun.run(plan).file.detectionThreshold)
    plan.output = folder.file("sure.json")
    plan.objective = "max recall where fp_per_minute <= 300 with 95 %"
    let sure = try #require(try CalibrationRun.run(plan).file.detectionThreshold)
    #expect(sure.threshold > limited.threshold && sure.limits?.plainThreshold == limited.threshold)
    // Frames whose labels are not known add no minutes.
    let sparsely = folder.file("labels.h5")
    try Self.make(sparsely, run: folder.file("longer"), in: folder, seed: 1, unlabelled: 60)
    var sparse = CalibrationPlan(run: folder.file("longer"), output: folder.file("sparse.json"))
    sparse.bootstrap.resamples = 200
    sparse.subjects = [.detection]
    sparse.objective = "max recall where fp_per_minute <= 300"
    let same = try #require(try CalibrationRun.run(sparse).file.detectionThreshold)
    #expect(same.threshold == limited.threshold && same.metric == limited.metric)
    plan.output = folder.file("none.json")
    plan.objective = "max specificity"
    let file = try CalibrationRun.run(plan).file
    #expect(file.detectionThreshold == nil)
    #expect(file.notes.contains { $0.contains("counts true negatives") })
  }

  @Test func `seconds at rest need no labels`() throws {
    var plan = self.plan()
    plan.subjects = [.blendshapes]
    plan.rest = 0...1.9
    let file = try CalibrationRun.run(plan).file
    #expect(file.blendshapes?.subjects.count == 10)
    #expect(file.notes.allSatisfy { !$0.contains("chose no threshold") })
    // Held-out faces are corrected as the file corrects them, from the rest of each subject.
    plan.rest = nil
    plan.output = folder.file("labelled.json")
    let labelled = try CalibrationRun.run(plan).file
    #expect(labelled.blendshapes?.after != file.blendshapes?.after)
    plan.rest = 0...1.9
    plan.objective = "max precision"
    plan.output = folder.file("unasked.json")
    let unasked = try CalibrationRun.run(plan).file
    #expect(unasked.notes.contains { $0.contains("'max precision' chose no threshold") })
    plan.rest = 50...60
    plan.output = folder.file("d.json")
    let error = #expect(throws: EvaluationError.self) { _ = try CalibrationRun.run(plan) }
    #expect(error?.description.contains("cannot measure the face at rest of 's0'") == true)
    let other = folder.file("elsewhere.h5")
    try Self.make(other, run: folder.file("rest"), in: folder, seed: 2)
    try Data(contentsOf: dataset).write(to: other)
    (plan.rest, plan.restingRun) = (0...1.9, folder.file("rest"))
    let changed = #expect(throws: EvaluationError.self) { _ = try CalibrationRun.run(plan) }
    #expect(changed?.description.contains("expected the dataset of the run at rest") == true)
  }

  @Test func `metrics on the data of the fit have a warning, with the held-out ones`() throws {
    let plan = self.plan()
    let file = try CalibrationRun.run(plan).file
    let same = try evaluated("same", plan.output).record
    let warning = try #require(same.notes.first)
    #expect(warning.hasPrefix("WARNING: c.json was fitted on this dataset"))
    let score = try #require(file.scores.first { $0.of == "detection" })
    let error = String(format: "%.3f", score.after.expectedError)
    #expect(warning.contains("detection ECE \(error)"))
    let table = try #require(same.series.first { $0.name == "calibration.held_out" })
    guard case .table(let rows) = table.content else { throw CancellationError() }
    let row = try #require(rows.rows.first { $0[0] == "detection ECE" })
    let here = try #require(same.value("detection.ece"))
    #expect(row[1] == String(format: "%.3f", here) && row[2] == error && row[3] == "5 folds")
    let other = folder.file("e.h5")
    try Self.make(other, run: folder.file("other"), in: folder, seed: 99)
    let fresh = try evaluated(
      "fresh", plan.output, dataset: other, predictions: folder.file("other.h5")
    ).record
    #expect(!fresh.notes.contains { $0.hasPrefix("WARNING") })
    #expect(!fresh.series.contains { $0.name == "calibration.held_out" })
    let raw = try evaluated("raw", nil).record
    #expect(!raw.notes.contains { $0.hasPrefix("WARNING") })
    // Three of the ten subjects, in a file of their own.
    let part = folder.file("f.h5")
    try Self.make(part, run: folder.file("part"), in: folder, seed: 1, subjects: 3)
    let known = try evaluated(
      "known", plan.output, dataset: part, predictions: folder.file("part.h5")
    ).record
    #expect(
      known.notes.first?.hasPrefix(
        "WARNING: c.json was fitted on 180 of the 180 different frames of this dataset") == true)
    #expect(known.series.contains { $0.name == "calibration.held_out" })
  }

  @Test func `an objective that no threshold meets is told apart from one that is`() throws {
    var plan = self.plan()
    plan.subjects = [.detection]
    plan.objective = "max recall where precision >= 0.999 with 95 %"
    let finished = try CalibrationRun.run(plan)
    #expect(finished.hasUnmetObjective && finished.file.detectionThreshold == nil)
    plan.output = folder.file("met.json")
    plan.objective = "max recall"
    #expect(try !CalibrationRun.run(plan).hasUnmetObjective)
    plan.output = folder.file("none.json")
    plan.subjects = [.expressions]
    plan.objective = "max recall where precision >= 2"
    let error = #expect(throws: EvaluationError.self) { _ = try CalibrationRun.run(plan) }
    #expect(error?.kind == .objectiveUnmet)
  }

  @Test func `what cannot be calibrated is one line and leaves no file`() throws {
    func failure(
      _ change: (inout CalibrationPlan) -> Void
    ) -> (kind: EvaluationError.Kind?, text: String) {
      var plan = self.plan("x.json")
      change(&plan)
      let error = #expect(throws: EvaluationError.self) { _ = try CalibrationRun.run(plan) }
      #expect(!FileManager.default.fileExists(atPath: folder.file("x.json").path))
      return (error?.kind, error?.description ?? "")
    }
    #expect(failure { $0.folds = 20 }.text.contains("as folds (20), found 10"))
    #expect(failure { $0.run = folder.file("none") }.kind == .notFound)
    #expect(failure { $0.objective = "max nothing" }.text.contains("found 'nothing'"))
    #expect(failure { $0.dataset = folder.file("none.h5") }.kind == .notFound)
    #expect(failure { $0.recording = folder.file("none.h5") }.kind == .notFound)
    try Self.make(folder.file("e.h5"), run: folder.file("other"), in: folder, seed: 99)
    #expect(failure { $0.dataset = folder.file("e.h5") }.text.contains("the dataset of the run"))
    var first = plan()
    first.subjects = [.detection]
    _ = try CalibrationRun.run(first)
    let again = #expect(throws: EvaluationError.self) { _ = try CalibrationRun.run(first) }
    #expect(again?.kind == .cannotWrite)
    _ = try evaluated("mapped", first.output)
    #expect(failure { $0.run = folder.file("mapped") }.text.contains("expected raw scores, found"))
    var twice = EvaluationPlan(dataset: dataset, run: folder.file("twice"))
    twice.predictions = folder.file("mapped/predictions.h5")
    twice.calibration = first.output
    #expect(twice.failure()?.description.contains("expected raw scores, found") == true)
    try folder.write(
      String(decoding: folder.bytes("c.json"), as: UTF8.self)
        .replacing("\"tracker\" : \"theirs\"", with: "\"tracker\" : \"another\""), to: "t.json")
    twice.predictions = folder.file("run.h5")
    twice.calibration = folder.file("t.json")
    #expect(twice.failure()?.description.contains("expected the tracker another") == true)
  }

  /// Coefficients that swing at rates of their own, and a recording of a mirrored face.
  @Test func `between our own pipeline and a recording the recording is wrong`()
    throws
  {
    let size = ImageSize(width: 100, height: 100)
    var order = Blendshape.otherSides
    func made(_ index: Int) -> (frame: Frame, recorded: [Float], prediction: FramePrediction) {
      let values = Blendshape.allCases.indices.map { shape -> Float in
        let rate = 0.11 + 0.013 * Double(shape * 7 % 52)
        return Float(0.5 + 0.4 * sin(rate * Double(index) + Double(shape)))
      }
      var prediction = FramePrediction(
        frame: index, size: size, stageNanoseconds: [nil], detections: [], candidates: [])
      prediction.faces = [
        FacePrediction(
          region: nil, isTracked: false, detectionScore: 1, presence: nil, scheme: nil, points: [],
          blendshapes: values)
      ]
      let frame = Frame(
        index: index, name: "\(index)", sequence: 0, timestampMicroseconds: 0, size: size)
      let recorded = order.map { values[$0] }
      return (frame: frame, recorded: recorded, prediction: prediction)
    }
    func found(
      _ format: String?, _ name: String = "coefficients.sides"
    ) throws -> (summary: String, remedy: String) {
      let findings = [Finding].of((0..<200).map(made), format: format)
      #expect(findings.map(\.name) == [name])
      let finding = try #require(findings.first)
      return (finding.summary, try #require(finding.remedy))
    }
    let sides = "Left and right coefficients of the "
    let own = try found(nil)
    #expect(own.summary.hasPrefix("\(sides)recording are exchanged: where the predictions move on"))
    #expect(own.remedy == "Import the recording again with --repair exchange-sides.")
    let imported = try found("livelink")
    #expect(
      imported.summary.hasPrefix("\(sides)predictions are exchanged: where the recorded ones move"))
    #expect(imported.remedy == "Import the predictions again with --repair exchange-sides.")
    #expect(try found("mine 1.0").remedy.hasPrefix("These predictions come from no import: "))
    order = Array(Blendshape.allCases.indices)
    order.swapAt(Blendshape.mouthLeft.index, Blendshape.mouthRight.index)
    for format in [nil, "livelink"] {
      let side = format == nil ? "recording" : "predictions"
      let opposite = try found(format, "coefficients.order")
      #expect(opposite.remedy == "Exchange the two of each, and import the \(side) again.")
    }
  }
}
