import Calibration
import Datasets
import FaceCore
import FacePipeline
import Foundation
import Metrics
import Platform
import Records
import Running
import TestSupport
import Testing
import Tuning

extension CalibrationRunTests {
  private static let options = [
    "mode": "image", "compatibility": "standard", "detector": "short-range", "landmarks": "v2",
    "rotation": "0", "num-faces": "1", "min-face-detection-confidence": "0.5",
    "min-face-presence-confidence": "0.25", "min-tracking-confidence": "0.5",
    "min-suppression-threshold": "auto", "smoothing-min-cutoff": "0.05",
    "smoothing-beta": "80.0", "smoothing-derivative-cutoff": "1.0",
  ]

  /// The run as if the pipeline had made it, in a folder of its own.
  private func pipelineRun() throws -> URL {
    let models = [("blazeface-short-range", "detection"), ("face-landmarks-v2", "landmarks")]
    let reader = try PredictionsReader(run.appending(path: "predictions.h5"))
    var header = reader.header
    header.models = models.map { .init(name: $0, stage: $1, sha256: "ab") }
    header.mode = "image"
    header.options = Self.options
    try folder.write(
      String(decoding: folder.bytes("run/record.json"), as: UTF8.self), to: "ours/record.json")
    let writer = try PredictionsWriter(folder.file("ours/predictions.h5"), header: header)
    for prediction in try reader.predictions(0..<reader.frameCount) { try writer.add(prediction) }
    try writer.finish()
    return folder.file("ours")
  }

  /// Writes a sweep of the detection confidence that prefers 0.4 to the default of 0.5.
  private func writeSweep(
    _ conclusion: Sweep.Gain.Conclusion, _ change: (inout Record) -> Void = { _ in }
  ) throws {
    let parameter = "min-face-detection-confidence"
    var record = try Record(json: folder.bytes("run/record.json"))
    record.options = Self.options
    record.models = []
    var advice = Sweep.Advice(objective: "max f1", metric: "f1", reason: nil)
    advice.setting = 1
    advice.parameters = [.init(name: parameter, value: 0.4, interval: .none("few"), share: nil)]
    advice.metrics = [
      .init(name: "f1", value: 0.9, interval: .none("few"), heldOut: [], heldOutMean: nil)
    ]
    advice.gain = .init(value: 0.1, interval: .none("few"), conclusion: conclusion)
    advice.warnings = ["it is flat"]
    record.sweep = Sweep(
      mode: "image", parameters: [.init(name: parameter, values: [0.4, 0.5])],
      metrics: [.init(name: "f1", title: "F1", unit: "1", better: .higher)],
      settings: [[0.5], [0.4]], columns: ["f1": [0.8, 0.9]], defaultSetting: 0,
      cost: .init(
        settings: 2, frames: 600, detectorInferences: 0, landmarkInferences: 0,
        blendshapeInferences: 0, inferencesOfFullRuns: 0), advice: [advice])
    change(&record)
    try folder.write(String(decoding: record.json(), as: UTF8.self), to: "sweep/record.json")
  }

  @Test
  func `what follows from a sweep is kept with its evidence, all settings of one configuration`()
    throws
  {
    var plan = self.plan()
    plan.run = try pipelineRun()
    plan.subjects = []
    plan.replaces = true
    plan.sweep = folder.file("sweep")
    for (conclusion, value, metric) in [
      (Sweep.Gain.Conclusion.better, 0.4, 0.9), (.noEvidence, 0.5, 0.8), (.unknown, 0.5, 0.8),
    ] {
      try writeSweep(conclusion)
      let finished = try CalibrationRun.run(plan)
      let settings = try #require(finished.file.settings)
      #expect(settings.values["min-face-detection-confidence"] == value)
      // What was not swept is the sweep's own, not the run's or a default.
      #expect(settings.values["min-face-presence-confidence"] == 0.25)
      #expect(settings.values["min-suppression-threshold"] == 0.5 && settings.values.count == 8)
      #expect(settings.swept == ["min-face-detection-confidence"])
      #expect(settings.objective == "max f1" && settings.metric == metric)
      #expect(settings.verdict.hasPrefix(value == 0.4 ? "use " : "keep the default"))
      // Where the default is kept, what is said of the best setting names it.
      let best = "of the best on this data, min-face-detection-confidence 0.4: "
      #expect(settings.warnings == [(value == 0.4 ? "" : best) + "it is flat"])
      #expect(settings.dataset.name == "d" && settings.dataset.frames == 600)
      #expect(finished.record.notes.contains("Settings, by 'max f1': \(settings.verdict)."))
      let source = try finished.file.source(in: .kotlin)
      #expect(source.contains(".setMinFaceDetectionConfidence(\(value)f)"))
      #expect(source.contains("// Verdict on 'max f1': \(settings.verdict.prefix(30))"))
      #expect(source.contains("// Warning: \(settings.warnings[0])."))
    }
  }

  @Test func `a sweep's folder gives the same settings without a calibration`() throws {
    var plan = self.plan()
    plan.run = try pipelineRun()
    plan.subjects = []
    plan.replaces = true
    plan.sweep = folder.file("sweep")
    try writeSweep(.better) {
      $0.models = [
        .init(name: "blazeface-short-range", stage: "detection", sha256: "ab"),
        .init(name: "face-landmarks-v2", stage: "landmarks", sha256: "ab"),
      ]
    }
    let calibrated = try CalibrationRun.run(plan).file
    let alone = try SweptSettings.calibration(of: folder.file("sweep"))
    #expect(alone.settings == calibrated.settings && alone.scores.isEmpty)
    let source = try alone.source(in: .kotlin)
    #expect(source.contains(".setMinFaceDetectionConfidence(0.4f)"))
    #expect(source.contains("// Swept on d (600 frames") && !source.contains("Calibrated on"))
    let error = #expect(throws: EvaluationError.self) {
      _ = try SweptSettings.calibration(of: self.run)
    }
    #expect(error?.description.contains("expected a sweep, found a run of another kind") == true)
  }

  @Test(.timeLimit(.minutes(1)))
  func `each of thousands of settings takes no longer than one of few`() throws {
    let values = (0..<100).map { Double($0) / 100 }
    let settings = values.flatMap { first in values.map { [first, $0] } }
    var record: Record?
    try writeSweep(.noEvidence) {
      $0.sweep?.parameters.append(.init(name: "min-face-presence-confidence", values: values))
      $0.sweep?.settings = settings
      $0.sweep?.columns = ["f1": settings.map { $0[0] }]
      record = $0
    }
    let reader = SweptSettings.Reader(try #require(record), source: "the sweep")
    for (position, setting) in settings.enumerated() {
      let own = try #require(try reader.calibration(position).settings).values
      guard own["min-face-presence-confidence"] != setting[1] else { continue }
      Issue.record("setting \(position) has other values")
      break
    }
  }

  @Test func `a sweep of other data, another mode or number of faces is refused`() throws {
    let ours = try pipelineRun()
    func refusal(
      of run: URL? = nil, sweep: URL? = nil, _ change: (inout Record) -> Void
    ) throws -> String {
      try writeSweep(.better, change)
      var plan = self.plan("x.json")
      plan.run = run ?? ours
      plan.subjects = []
      plan.sweep = sweep ?? folder.file("sweep")
      let error = #expect(throws: EvaluationError.self) { _ = try CalibrationRun.run(plan) }
      #expect(error?.kind == .wrongData)
      #expect(!FileManager.default.fileExists(atPath: folder.file("x.json").path))
      return error?.description ?? ""
    }
    #expect(
      try refusal { $0.dataset.sha256 = String(repeating: "0", count: 64) }
        .contains("expected a sweep over the dataset of the run"))
    for (name, value) in [
      ("mode", "video"), ("num-faces", "2"), ("compatibility", "ios"), ("detector", "full-range"),
    ] {
      #expect(
        try refusal { $0.options[name] = value }.hasSuffix(
          "expected \(name) \(Self.options[name] ?? "") as in the run, found \(value)"))
    }
    #expect(
      try refusal { $0.models = [.init(name: "n", stage: "landmarks", sha256: "cd")] }
        .contains("expected the landmarks model of the run"))
    #expect(
      try refusal(of: run) { _ in }.contains(
        "expected a sweep of the output of theirs, found a run of the pipeline"))
    #expect(try refusal(sweep: run) { _ in }.contains("expected a sweep, found a run"))
  }
}
