import Calibration
import Datasets
import FaceCore
import FacePipeline
import Foundation
import Metrics
import Records
import Running
import Scoring
import Statistics
import TestSupport
import Testing
import Tuning

/// Sweeps over the stored output of another tracker, without a model.
@Suite struct StoredSweepTests: StoredFramesSuite {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ frames: [StoredFrame], isVideo: Bool = false) throws {
    try StoredFrame.write(frames, dataset: dataset, predictions: predictions, isVideo: isVideo)
  }

  private func plan(_ values: [SweptValues]) throws -> SweepPlan {
    var evaluation = EvaluationPlan(dataset: dataset, run: folder.file("sweep"))
    evaluation.replaces = true
    var plan = try SweepPlan(evaluation, predictions: predictions, values: values)
    plan.bootstrap.resamples = 0
    return plan
  }

  private struct Expected: Decodable {
    var settings: [[Double]]
    var counts: [[[Double]]]
  }

  /// The frames of Tests/Oracles/stored_sweep.py.
  private static func frames(_ number: Int) -> [StoredFrame] {
    var stream = SplitMix64(seed: UInt64(52_000 + number))
    return (0..<2 + stream.below(4)).map { _ in
      var frame = StoredFrame(labels: (0..<4).filter { _ in stream.below(4) > 0 }.map { 40 * $0 })
      for place in 0..<5 {
        for _ in 0..<stream.below(4) {
          let (x, y) = (40 * place + stream.below(9), stream.below(5))
          let score = Float(stream.below(65)) / 64
          frame.faces.append(
            .square(x: x, y: y, score: score, presence: Float(stream.below(65)) / 64))
        }
      }
      return frame
    }
  }

  @Test
  func `every setting of scores, presences and suppression keeps the faces that NumPy keeps`()
    throws
  {
    let expected = try Oracles.read("stored_sweep", as: Expected.self)
    for (number, counts) in expected.counts.enumerated() {
      let frames = Self.frames(number)
      try write(frames)
      let names = [
        "min-face-detection-confidence", "min-face-presence-confidence",
        "min-suppression-threshold",
      ]
      let plan = try plan(
        names.enumerated().map { index, name in
          SweptValues(name, Set(expected.settings.map { $0[index] }).sorted())
        })
      let sweep = try #require(try SweepRun.run(plan).record.sweep)
      for (setting, wanted) in zip(expected.settings, counts) {
        let position = try #require(sweep.settings.firstIndex(of: setting))
        func value(_ name: String) -> Double? { sweep.columns[name].flatMap { $0[position] } }
        let (found, wrong, labelled) = (wanted[0], wanted[1], wanted[2])
        let recall = labelled > 0 ? found / labelled : nil
        let precision = labelled > 0 && found + wrong > 0 ? found / (found + wrong) : nil
        #expect(value("recall") == recall, "case \(number), \(setting)")
        #expect(value("precision") == precision, "case \(number), \(setting)")
        let falsePositives = try #require(value("fp_per_frame"))
        #expect(abs(falsePositives - wrong / Double(frames.count)) < 1e-12)
      }
      #expect(sweep.cost.inferencesOfFullRuns == 0 && sweep.columns["model_time"] == nil)
    }
  }

  @Test(arguments: [0.1, 0.3, 0.7, 0.9])
  func `a face whose score is the threshold is kept, by an evaluation too`(score: Double) throws {
    var frame = StoredFrame(labels: [0])
    frame.faces.append(.square(x: 0, y: 0, score: Float(score), presence: nil))
    try write([frame, frame])
    let plan = try plan([SweptValues("min-face-detection-confidence", [score])])
    let sweep = try #require(try SweepRun.run(plan).record.sweep)
    let position = try #require(sweep.settings.firstIndex(of: [score]))
    #expect(sweep.columns["recall"].flatMap { $0[position] } == 1)
    var evaluation = EvaluationPlan(dataset: dataset, run: folder.file("run"))
    evaluation.predictions = predictions
    evaluation.settings.minFaceDetectionConfidence = score
    let record = try evaluation.finish().record
    #expect(record.measurement("faces.recall")?.value == 1)
    #expect(record.measurement("detection.recall@score")?.value == 1)
  }

  @Test func `an objective by bins of confidences is not resampled, and says so`() throws {
    try write(Self.expressive(24))
    var plan = try plan([SweptValues("min-face-detection-confidence", [0.25, 0.5])])
    plan.bootstrap.resamples = 20
    plan.objectives = [try Objective("min detection_error", of: plan)]
    let advice = try #require(try SweepRun.run(plan).record.sweep?.advice.first)
    let parameter = try #require(advice.parameters.first)
    #expect(advice.setting != nil && advice.draws == 0 && parameter.share == nil)
    #expect(parameter.interval.reason == "resamples change the bins of confidences")
    #expect(!advice.warnings.contains { $0.contains("of the resamples") })
  }

  @Test func `an error by points that the labels lack names those by others`() throws {
    try write(Self.expressive(24))
    var plan = try plan([SweptValues("min-face-detection-confidence", [0.25, 0.5])])
    plan.objectives = [try Objective("min nme", of: plan)]
    let sweep = try #require(try SweepRun.run(plan).record.sweep)
    let reason = try #require(sweep.advice.first?.reason)
    #expect(reason.hasPrefix("nme is undefined in all of "))
    #expect(
      reason.contains("use 'landmarks.nme.interpupil.conditional' or 'landmarks.nme.box.cond"))
  }

  /// A face with coefficients beside the label's own.
  private static func expressive(_ frames: Int) -> [StoredFrame] {
    var stream = SplitMix64(seed: 7)
    return (0..<frames).map { index in
      var frame = StoredFrame(labels: [0, 40])
      for place in 0..<2 {
        var face = FacePrediction.square(
          x: 40 * place + stream.below(5), y: 0, score: Float(stream.below(65)) / 64, presence: nil)
        var coefficients = [Float](repeating: 0, count: Blendshape.allCases.count)
        coefficients[Blendshape.mouthSmileLeft.index] = Float(stream.below(65)) / 64
        coefficients[Blendshape.mouthFrownLeft.index] = Float(stream.below(65)) / 64
        face.blendshapes = coefficients
        frame.faces.append(face)
        frame.expressions.append(["happiness", "sadness", "neutral"][stream.below(3)])
        frame.blendshapes.append(coefficients.map { $0 / 2 })
      }
      if index % 5 == 0 { frame.faces.append(.square(x: 80, y: 0, score: 0.75, presence: nil)) }
      return frame
    }
  }

  @Test(arguments: [(24, false), (200, true)])
  func `F1 has the interval that an evaluation gives it, also where a setting was chosen`(
    frames: Int, isVideo: Bool
  ) throws {
    try write(Self.expressive(frames), isVideo: isVideo)
    var plan = try plan([SweptValues("min-face-detection-confidence", [0.5])])
    plan.bootstrap = ClusterBootstrap(resamples: 200)
    plan.objectives = [
      try Objective("max f1", of: plan), try Objective("min faces.failure_to_acquire", of: plan),
    ]
    let sweep = try #require(try SweepRun.run(plan).record.sweep)
    #expect(sweep.settings == [[0.5]])
    #expect(sweep.intervals?["faces.failure_to_acquire"]?[0]?.count == 2)
    var evaluation = EvaluationPlan(dataset: dataset, run: folder.file("run"))
    evaluation.predictions = predictions
    evaluation.bootstrap = plan.bootstrap
    evaluation.settings.minFaceDetectionConfidence = 0.5
    let wanted = try #require(try evaluation.finish().record.measurement("faces.f1")?.interval)
    let advised = try #require(sweep.advice[0].metrics.first { $0.name == "f1" }?.interval)
    #expect(wanted.low != nil && advised == wanted && wanted.isOfThisClip == isVideo)
    #expect(sweep.intervals?["f1"]?[0] == [wanted.low, wanted.high].compactMap(\.self))
    #expect(sweep.advice[0].warnings.contains { $0.contains("one clip only") } == isVideo)
  }

  @Test func `the settings of a clip have held-out metrics and a gain, of stretches of this clip`()
    throws
  {
    try write(Self.expressive(200), isVideo: true)
    var plan = try plan([SweptValues("min-face-detection-confidence", [0.25, 0.5, 0.75])])
    plan.bootstrap = ClusterBootstrap(resamples: 200)
    plan.objectives = [try Objective("max f1", of: plan)]
    let record = try SweepRun.run(plan).record
    let advice = try #require(record.sweep?.advice.first)
    let f1 = try #require(advice.metrics.first { $0.name == "f1" })
    let whole = try #require(f1.value)
    // Ten stretches of 20 frames in five folds.
    let heldOut = try #require(f1.heldOutMean)
    #expect(f1.heldOut.count == 5 && abs(heldOut - whole) < 0.1)
    let method = try #require(advice.gain?.interval.method)
    #expect(method.hasSuffix("10 stretches, 200 resamples, seed 1, this clip only"))
    #expect(record.notes.contains { $0.hasPrefix("The dataset is one clip") })
  }

  @Test(arguments: [false, true])
  func `each setting has the metrics that an evaluation with it has`(isVideo: Bool) throws {
    try write(Self.expressive(24), isVideo: isVideo)
    var plan = try plan([
      SweptValues("min-face-detection-confidence", [0.25, 0.625]),
      SweptValues(.expression("happy"), [0.25, 0.5]), SweptValues(.expression("sad"), [0.125]),
    ])
    let named = [
      "faces.failure_to_acquire", "tracking.losses", "tracking.false_track_s_per_minute",
      "blendshapes.given_share", "blendshapes.change", "landmarks.auc.box@0.08",
    ]
    let higher: Set = ["blendshapes.given_share", "landmarks.auc.box@0.08"]
    plan.objectives = try named.map { name in
      try Objective("\(higher.contains(name) ? "max" : "min") \(name)", of: plan)
    }
    let finished = try SweepRun.run(plan)
    let sweep = try #require(finished.record.sweep)
    #expect(sweep.settings.count == 3 * 3 * 2)
    #expect(finished.record.notes.first?.hasPrefix("No model ran") == true)
    for (position, setting) in sweep.settings.enumerated() {
      try folder.write(
        """
        {"schema": "facegauge.expressions", "version": 1, "rules": [
          {"name": "happy", "value": "max(mouthSmileLeft, mouthSmileRight)", "above": \(setting[1]),
           "labels": ["happy", "happiness"]},
          {"name": "sad", "value": "max(mouthFrownLeft, mouthFrownRight)", "above": \(setting[2]),
           "labels": ["sad", "sadness"]},
          {"name": "angry", "value": "max(browDownLeft, browDownRight)", "labels": ["angry"]},
          {"name": "neutral", "value": "strongest", "at_most": 0.3}]}
        """, to: "rules.json")
      var evaluation = EvaluationPlan(dataset: dataset, run: folder.file("run"))
      evaluation.predictions = predictions
      evaluation.replaces = true
      evaluation.bootstrap.resamples = 0
      evaluation.settings.minFaceDetectionConfidence = setting[0]
      evaluation.expressions = folder.file("rules.json")
      let record = try evaluation.finish().record
      var compared = 0
      var names = [
        ("f1", "faces.f1"), ("recall", "faces.recall"), ("precision", "faces.precision"),
        ("detection_error", "faces.score_ece"), ("tracked_share", "tracking.tracked_share"),
        ("losses_per_minute", "tracking.losses_per_minute"), ("jitter", "jitter.second"),
        ("lag", "lag.ms"), ("detector_rate", "tracking.detector_rate"),
        ("coefficient_error", "blendshapes.mae"),
      ]
      names += named.map { ($0, $0) }
      for kind in ["f1", "precision", "recall", "balanced_accuracy", "mcc"] {
        for rule in ["happy", "sad", "neutral"] {
          names.append(("expressions.\(rule).\(kind)", "expressions.\(rule).\(kind)"))
        }
      }
      for (metric, name) in names {
        let own = sweep.columns[metric].flatMap { $0[position] }
        // The catalogue's mean leaves out coefficients that never move.
        guard metric != "coefficient_error" else {
          #expect(own != nil)
          continue
        }
        let other = record.value(name)
        #expect((own == nil) == (other == nil), "\(metric) \(setting)")
        if let own, let other {
          compared += 1
          #expect(abs(own - other) <= 1e-12 * max(1, abs(other)), "\(metric) \(setting)")
        }
      }
      #expect(compared >= 17)
      func column(_ name: String) -> Double? { sweep.columns[name].flatMap { $0[position] } }
      let happy = try #require(column("expressions.happy.f1"))
      let sad = try #require(column("expressions.sad.f1"))
      let mean = try #require(column("expressions.mean_f1"))
      #expect(abs(mean - (happy + sad) / 2) < 1e-12)
    }
  }

  private func sweep(_ frames: [StoredFrame], resamples: Int = 100) throws -> (
    sweep: Sweep, advice: Sweep.Advice, record: Record
  ) {
    try write(frames)
    var plan = try plan([SweptValues("min-face-detection-confidence", [0.25, 0.75])])
    plan.bootstrap.resamples = resamples
    let record = try SweepRun.run(plan).record
    let sweep = try #require(record.sweep)
    return (sweep, try #require(sweep.advice.first), record)
  }

  @Test func `ties, runs without faces and few frames end in the default, with the reason`() throws
  {
    func frames(_ count: Int, _ faces: [FacePrediction]) -> [StoredFrame] {
      (0..<count).map { _ in
        var frame = StoredFrame(labels: [0])
        frame.faces = faces
        return frame
      }
    }
    // All scores alike: every threshold keeps all faces.
    let tied = try sweep(frames(20, [.square(x: 0, y: 0, score: 0.75, presence: nil)]))
    #expect(tied.sweep.isEffective(0, for: tied.advice) == false)
    #expect(tied.sweep.verdict(of: tied.advice)?.keepsDefault == true)
    let none = try sweep(frames(20, []))
    #expect(none.sweep.columns["recall"]?.allSatisfy { $0 == 0 } == true)
    #expect(none.sweep.columns["precision"] == nil)
    #expect(none.sweep.verdict(of: none.advice)?.keepsDefault == true)
    // The second face is wrong, so 0.75 is better; one still alone cannot show it.
    let wrong = FacePrediction.square(x: 80, y: 0, score: 0.5, presence: nil)
    let right = FacePrediction.square(x: 0, y: 0, score: 0.875, presence: nil)
    let single = try sweep(frames(1, [right, wrong]))
    #expect(single.advice.gain?.conclusion == .unknown)
    #expect(single.advice.parameters.first?.value == 0.75)
    #expect(single.sweep.verdict(of: single.advice)?.keepsDefault == true)
    let many = try sweep(frames(30, [right, wrong]) + frames(10, [right]))
    #expect(many.sweep.verdict(of: many.advice)?.keepsDefault == false)
    try write(Array(repeating: StoredFrame(labels: []), count: 20))
    let plan = try plan([SweptValues("min-face-detection-confidence", [0.25])])
    let unlabelled = try SweepRun.run(plan).record
    #expect(unlabelled.sweep?.advice.isEmpty == true)
    #expect(unlabelled.notes.contains { $0.hasPrefix("Nothing is recommended") })
  }

  @Test func `curves match faces without positions as metrics do`() throws {
    try write(
      (0..<24).map { index in
        var face = FacePrediction.square(
          x: 0, y: 0, score: nil, presence: Float(32 + index) / 64)
        face.ownBox = nil
        face.blendshapes = [Float](repeating: 0.5, count: Blendshape.allCases.count)
        var frame = StoredFrame(labels: [0])
        frame.faces = [face]
        return frame
      })
    let plan = try plan([SweptValues("min-face-presence-confidence", [0.25, 0.75])])
    let record = try SweepRun.run(plan).record
    #expect(record.sweep?.columns["recall"]?.contains(1) == true)
    guard case .curve(let curve)? = record.series(named: "sweep.pr")?.content else {
      Issue.record("expected a curve")
      return
    }
    #expect(curve.lines.map(\.label) == ["presence"])
    #expect(curve.lines[0].x.contains(1) && curve.lines[0].y.allSatisfy { $0 == 1 })
  }

  @Test func `what has no effect on stored faces is refused in one line`() throws {
    try write([StoredFrame(labels: [0])])
    func refusal(_ values: [SweptValues]) throws -> String {
      let error = #expect(throws: EvaluationError.self) { _ = try SweepRun.run(try plan(values)) }
      #expect(error?.kind == .wrongData)
      return error?.description ?? ""
    }
    let tracking = try refusal([SweptValues("min-tracking-confidence", [0.5])])
    #expect(tracking.contains("because no model runs for the output of theirs"), "\(tracking)")
    let rule = try refusal([SweptValues(.expression("hapy"), [0.5])])
    #expect(rule.contains("expected a rule of happy, sad, angry, neutral"), "\(rule)")
    #expect(rule.contains("perhaps 'happy'"), "\(rule)")
  }

  @Test
  func `the settings of another tracker are written as JSON, and in no language of MediaPipe`()
    throws
  {
    try write(Self.expressive(60))
    var plan = try plan([
      SweptValues("min-face-detection-confidence", [0.25]),
      SweptValues(.expression("happy"), [0.125, 0.5]),
    ])
    plan.objectives = [try Objective("max expressions.happy.f1", of: plan)]
    let finished = try SweepRun.run(plan)
    try finished.folder.commit()
    let file = try SweptSettings.calibration(of: folder.file("sweep"))
    struct Settings: Decodable {
      var schema, objective, verdict, tracker: String
      var settings: [String: Double]
      var swept: [String]
      var expressions: [RecommendedSettings.Expression]
    }
    let text = try file.source(in: .json)
    let written = try JSONDecoder().decode(Settings.self, from: Data(text.utf8))
    let sweep = try #require(finished.record.sweep)
    let advice = try #require(sweep.advice.first)
    let verdict = try #require(sweep.verdict(of: advice))
    #expect(written.schema == "facegauge.settings" && written.tracker == "theirs")
    #expect(written.verdict == verdict.text && written.objective == "max expressions.happy.f1")
    #expect(written.swept == ["min-face-detection-confidence", "expression:happy"])
    let chosen = sweep.settings[verdict.setting]
    #expect(written.settings["min-face-detection-confidence"] == chosen[0])
    #expect(
      written.expressions == [
        .init(
          name: "happy", value: "max(mouthSmileLeft, mouthSmileRight)", side: "above",
          threshold: chosen[1])
      ])
    #expect(try file.source(in: .python).contains("\"happy\": (\"above\", \(chosen[1]))"))
    var alone = file
    alone.settings?.expressions = nil
    #expect(throws: CalibrationError.self) { try alone.source(in: .swift) }
  }

  @Test func `a checkpoint is kept between two units of frames`() throws {
    try write(Self.frames(0))
    var plan = try plan([SweptValues("min-face-detection-confidence", [0.3, 0.5])])
    plan.checkpointInterval = .zero
    #expect(try SweepRun.run(plan).record.sweep?.settings.count == 2)
  }
}
