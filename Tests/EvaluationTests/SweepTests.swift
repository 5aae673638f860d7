import Calibration
import Datasets
import FaceCore
import FacePipeline
import Foundation
import Metrics
import Platform
import Profiling
import Records
import Running
import Scoring
import Synchronization
import TestSupport
import Testing
import Tuning

@Suite(.enabled(if: PulledModels.giveLandmarks, "needs the models of 'models pull'"))
struct SweepTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Clips with losses, a cut, and stills between them.
  private static let parts = [
    DrawnClips.Part(
      "a", DrawnClips.moving(24) + DrawnClips.empty(5) + DrawnClips.moving(14, from: 3)),
    DrawnClips.Part(stills: DrawnClips.moving(2, from: 1)),
    DrawnClips.Part("b", DrawnClips.moving(12) + DrawnClips.moving(12, from: 4)),
  ]

  private func plan(
    _ values: [SweptValues], mode: RunningMode = .video, faces: Int = 1
  ) throws -> SweepPlan {
    var evaluation = EvaluationPlan.test(
      try DrawnClips.write(Self.parts, in: folder), run: "sweep \(mode.rawValue) \(faces)")
    evaluation.settings.runningMode = mode
    evaluation.settings.numFaces = faces
    return SweepPlan(evaluation, values: values)
  }

  private static let thresholds = [
    SweptValues("min-face-detection-confidence", [0.2, 0.5, 0.7, 0.8, 0.9, 1]),
    SweptValues("min-face-presence-confidence", [0, 0.3, 0.9, 0.99, 0.999, 1]),
  ]

  /// What each setting gave out, frame by frame.
  private func swept(_ plan: SweepPlan) throws -> (
    settings: [FaceLandmarkerOptions], predictions: [[FramePrediction]], cost: SweepCost
  ) {
    let found = Mutex<[Int: [FramePrediction]]>([:])
    let (settings, cost) = try SweepRun.replay(plan) { settings, prediction in
      found.withLock { found in
        for setting in settings { found[setting, default: []].append(prediction) }
      }
    }
    return (
      settings, settings.indices.map { position in found.withLock { $0[position] ?? [] } }, cost
    )
  }

  /// What a landmarker gives out with options, frame by frame, as an evaluation runs it.
  private func alone(_ plan: SweepPlan, _ options: FaceLandmarkerOptions) throws
    -> [FramePrediction]
  {
    let models = try FaceLandmarkerModels(detector: .shortRange, from: plan.evaluation.models)
    var still = options
    still.runningMode = .image
    let stills = try FaceLandmarker(models, options: still)
    let clips = try FaceLandmarker(models, options: options)
    var timer = StageTimer(stages: PipelineStage.names)
    let dataset = try DatasetReader(plan.evaluation.dataset)
    var last: Int?
    return try dataset.frames(0..<dataset.frameCount).map { frame in
      let image = try dataset.image(frame.index).decoded(minSide: plan.evaluation.minDecodedSide)
      if frame.sequence != last { clips.trackingState = TrackingState() }
      last = frame.sequence
      var result =
        options.runningMode == .video && dataset.kind(ofSequence: frame.sequence) == .video
        ? try clips.detect(
          image, timestampMicroseconds: frame.timestampMicroseconds, timer: &timer)
        : try stills.detect(image, timer: &timer)
      result.candidates = []
      return result.prediction(frame: frame.index, stageNanoseconds: [])
    }
  }

  private func record(
    _ plan: SweepPlan, _ options: FaceLandmarkerOptions, run: Int
  ) throws -> Record {
    var evaluation = plan.evaluation
    evaluation.settings = options
    evaluation.bootstrap.resamples = 0
    evaluation.run = folder.file("full run \(run)")
    return try evaluation.finish().record
  }

  @Test(arguments: [(RunningMode.video, 1), (.video, 2), (.image, 1), (.image, 2)])
  func `each setting does what a run of it does, to the last bit`(
    mode: RunningMode, faces: Int
  ) throws {
    let plan = try plan(Self.thresholds, mode: mode, faces: faces)
    let (settings, predictions, cost) = try swept(plan)
    #expect(settings.count == 42)
    var inferences = 0
    for (position, options) in settings.enumerated() where position % 5 == faces % 5 {
      let alone = try alone(plan, options)
      #expect(predictions[position] == alone, "\(options)")
      inferences += alone.count(where: \.detectorRan)
      inferences += alone.reduce(0) { $0 + $1.faces.count + $1.rejected.count }
    }
    #expect(Set(predictions.map { $0.map { $0.faces.count } }).count >= 3)
    #expect(cost.inferencesOfFullRuns > 4 * inferences)
    #expect(2 * (cost.detectorInferences + cost.landmarkInferences) < cost.inferencesOfFullRuns)
  }

  @Test(arguments: [RunningMode.video, .image])
  func `each setting does so too where JPEGs are decoded smaller`(mode: RunningMode) throws {
    var plan = try plan(Self.thresholds, mode: mode)
    let whole = try swept(plan).predictions
    plan.evaluation.minDecodedSide = 128
    let (settings, predictions, _) = try swept(plan)
    #expect(predictions != whole)
    for (position, options) in settings.enumerated() where position % 9 == 0 {
      #expect(try predictions[position] == alone(plan, options), "\(options)")
    }
  }

  @Test func `smoothing, tracking and suppression are swept as exactly as thresholds`() throws {
    for (faces, values) in [
      (
        1,
        [
          SweptValues("smoothing-min-cutoff", [0.05, 0.5]), SweptValues("smoothing-beta", [0, 80]),
        ]
      ),
      (2, [SweptValues("min-tracking-confidence", [0.1, 0.9])]),
      (2, [SweptValues("min-suppression-threshold", [0.05, 0.3, 0.9])]),
    ] {
      let plan = try plan(values, faces: faces)
      let (settings, predictions, _) = try swept(plan)
      for (position, options) in settings.enumerated() {
        #expect(
          try predictions[position] == alone(plan, options),
          "\(values.map(\.parameter)) setting \(position)")
      }
    }
  }

  @Test func `metrics are those of a run`() throws {
    var plan = try plan(Self.thresholds)
    plan.bootstrap.resamples = 0
    let sweep = try #require(try SweepRun.run(plan).record.sweep)
    for position in [0, 8, 21] {
      var options = plan.evaluation.settings
      options.minFaceDetectionConfidence = sweep.settings[position][0]
      options.minFacePresenceConfidence = sweep.settings[position][1]
      let record = try record(plan, options, run: position)
      for (metric, name) in [
        ("f1", "faces.f1"), ("recall", "faces.recall"), ("precision", "faces.precision"),
        ("detection_error", "faces.score_ece"), ("presence_error", "faces.presence_ece"),
        ("nme", "landmarks.nme.interocular.conditional"),
        ("tracked_share", "tracking.tracked_share"),
        ("losses_per_minute", "tracking.losses_per_minute"), ("jitter", "jitter.second"),
        ("motion", "jitter.static.interocular"), ("lag", "lag.ms"),
      ] {
        // A metric that no setting has makes no column.
        let own = sweep.columns[metric].flatMap { $0[position] }
        let other = record.value(name)
        #expect((own == nil) == (other == nil), "\(metric) \(position)")
        if let own, let other {
          #expect(abs(own - other) <= 1e-12 * max(1, abs(other)), "\(metric) \(position)")
        }
      }
    }
  }

  @Test func `jobs change nothing`() throws {
    var plan = try plan(Self.thresholds)
    plan.bootstrap.resamples = 20
    let one = try #require(try SweepRun.run(plan).record.sweep)
    plan.evaluation.jobs = 3
    plan.evaluation.replaces = true
    let three = try #require(try SweepRun.run(plan).record.sweep)
    for name in one.columns.keys where name != "model_time" {
      #expect(one.columns[name] == three.columns[name], "\(name)")
    }
    #expect(one.cost == three.cost)
  }

  @Test func `with one face the tracking confidence has no effect, and a reason is given`() throws {
    var plan = try plan([SweptValues("min-tracking-confidence", [0.1, 0.5, 0.9])])
    plan.bootstrap.resamples = 0
    let sweep = try #require(try SweepRun.run(plan).record.sweep)
    #expect(!sweep.effects.isEmpty)
    for effect in sweep.effects where effect.isThere != nil {
      #expect(effect.isThere == false, "\(effect.metric)")
      #expect(effect.reason?.contains("overlap threshold") == true)
    }
  }

  @Test func `an interrupted sweep goes on to the same result`() throws {
    var plan = try plan(Self.thresholds)
    plan.bootstrap.resamples = 20
    let whole = try #require(try SweepRun.run(plan).record.sweep)
    plan.evaluation.run = folder.file("resumed")
    var stops = 0
    for frames in [3, 50, 61] {
      let done = Mutex(0)
      let monitor = RunMonitor(
        begin: { phase, _ in done.withLock { $0 = phase == .sweeping ? 0 : $0 } },
        advanceBy: { steps in done.withLock { $0 += steps } },
        isInterrupted: { done.withLock { $0 } == frames })
      let error = #expect(throws: EvaluationError.self) {
        try SweepRun.run(plan, monitor: monitor)
      }
      #expect(error?.kind == .interrupted)
      #expect(error?.description.hasSuffix("--resume goes on") == true)
      plan.evaluation.resumes = true
      stops += 1
    }
    #expect(stops == 3)
    var other = plan
    other.values = [SweptValues("min-face-detection-confidence", [0.2, 0.5])]
    #expect(throws: EvaluationError.self) { try SweepRun.run(other) }
    let resumed = try #require(try SweepRun.run(plan).record.sweep)
    for name in whole.columns.keys where name != "model_time" {
      #expect(whole.columns[name] == resumed.columns[name], "\(name)")
    }
    #expect(whole.advice.map(\.parameters) == resumed.advice.map(\.parameters))
  }

  @Test(arguments: [false, true])
  func `the default is tried though no value names it`(isOneAtATime: Bool) throws {
    var plan = try plan(
      [
        SweptValues("min-face-detection-confidence", [0.2, 0.9]),
        SweptValues("min-tracking-confidence", [0.1, 0.9]),
      ], mode: .image)
    plan.isOneAtATime = isOneAtATime
    plan.bootstrap.resamples = 0
    let sweep = try #require(try SweepRun.run(plan).record.sweep)
    let standard = try #require(sweep.defaultSetting)
    #expect(sweep.settings[standard] == [0.5, 0.5])
    #expect(sweep.settings.count == (isOneAtATime ? 5 : 9))
    #expect(sweep.parameters.map(\.values) == [[0.2, 0.9], [0.1, 0.9]])
    // Nothing is tracked in image mode: the tracking confidence is left alone.
    let advice = try #require(sweep.advice.first)
    #expect(advice.parameters[1].value == 0.5)
    #expect(sweep.isEffective(1, for: advice) == false)
  }

  @Test func `a stored run without landmarks is swept without a model`() throws {
    let models = try folder.write(
      Data(contentsOf: PulledModels.shortRange),
      to: "models/\(PulledModels.shortRange.lastPathComponent)"
    ).deletingLastPathComponent()
    var evaluation = EvaluationPlan.test(
      try DrawnClips.write([DrawnClips.Part(stills: DrawnClips.moving(4))], in: folder))
    evaluation.models = models
    #expect(try evaluation.finish().predictions.contains { !$0.detections.isEmpty })
    evaluation.models = folder.file("nowhere")
    evaluation.run = folder.file("sweep")
    var plan = try SweepPlan(
      evaluation, predictions: folder.file("run/predictions.h5"),
      values: [SweptValues("min-face-detection-confidence", [0.5, 0.9])])
    plan.bootstrap.resamples = 0
    let cost = try #require(try SweepRun.run(plan).record.sweep).cost
    #expect(cost.detectorInferences == 0 && cost.landmarkInferences == 0)
  }

  /// A clip of drawn faces that are all labelled in a corner, so that each is a false positive.
  private static func misplaced(_ count: Int) -> [DrawnDataset.Image] {
    DrawnClips.moving(count).map { image in
      var image = image
      image.faces = [FaceLabel(box: BoundingBox(x: 0, y: 0, width: 8, height: 8))]
      return image
    }
  }

  private func column(
    _ name: String, _ parts: [DrawnClips.Part], isLabelled: Bool = true
  ) throws -> [Double?]? {
    var evaluation = EvaluationPlan.test(
      try DrawnClips.write(parts, isLabelled: isLabelled, as: "fp.h5", in: folder), run: "fp run")
    evaluation.settings.runningMode = .video
    evaluation.replaces = true
    var plan = SweepPlan(
      evaluation, values: [SweptValues("min-face-presence-confidence", [0, 0.5])])
    plan.objectives = [try Objective(parsing: "max coverage")]
    plan.bootstrap.resamples = 0
    let finished = try SweepRun.run(plan)
    defer { finished.folder.discard() }
    return finished.record.sweep?.columns[name]
  }

  @Test func `false positives a minute are of labelled clips, over all their frames`() throws {
    let clip = DrawnClips.Part("a", Self.misplaced(15))
    let alone = try #require(try column("fp_per_minute", [clip]))
    // At presence 0 each frame of 1/30 s has a face, up to rounding of the times to microseconds.
    let largest = try #require(alone[0])
    #expect(abs(largest - 1800) < 0.1, "\(largest)")
    let mixed = try #require(
      try column("fp_per_minute", [clip, DrawnClips.Part(stills: Self.misplaced(3))]))
    #expect(mixed == alone)
    #expect(try column("fp_per_minute", [clip], isLabelled: false) == nil)
    #expect(try column("fp_per_frame", [clip], isLabelled: false) == nil)
    #expect(try column("fp_per_minute", [DrawnClips.Part(stills: Self.misplaced(3))]) == nil)
    // Labelled frames without a face have false positives too, and may have none.
    let empty = DrawnClips.Part("e", DrawnClips.empty(5))
    #expect(try column("fp_per_minute", [empty])?.allSatisfy { $0 == 0 } == true)
    #expect(try column("fp_per_frame", [empty])?.allSatisfy { $0 == 0 } == true)
  }

  @Test func `a run whose scores are calibrated is not swept`() throws {
    let dataset = try DrawnClips.write(Self.parts, in: folder)
    let raw = try EvaluationPlan.test(dataset, run: "raw").finish()
    var file = CalibrationFile(
      tool: raw.record.tool, created: raw.record.created,
      dataset: .init(name: "d", sha256: raw.record.dataset.sha256, frames: 0), tracker: nil,
      models: raw.record.models, options: [:])
    let cases = (0..<200).map { index in
      let isPositive = index > 150 || index % 3 == 0
      return ScoredCase(score: Double(index) / 200, isPositive: isPositive, cluster: index % 20)
    }
    file.scores = [try ScoreFit(of: .presence, cases: cases, by: .platt).calibration]
    try folder.write(String(decoding: file.json(), as: UTF8.self), to: "c.json")
    var evaluation = EvaluationPlan.test(dataset, run: "calibrated")
    evaluation.calibration = folder.file("c.json")
    _ = try evaluation.finish()
    let values = [SweptValues("min-face-presence-confidence", [0.1, 0.5])]
    let error = #expect(throws: EvaluationError.self) {
      try SweepPlan(ofRun: folder.file("calibrated"), into: folder.file("s"), values: values)
    }
    #expect(error?.kind == .wrongData)
    #expect(error?.description.contains("expected raw scores, found those of c.json") == true)
    #expect(throws: Never.self) {
      try SweepPlan(ofRun: folder.file("raw"), into: folder.file("s"), values: values)
    }
  }

  @Test func `an objective without its metric is refused before anything runs`() throws {
    var plan = try plan(Self.thresholds)
    plan.objectives = [try Objective(parsing: "max recal where lag <= 3")]
    let error = #expect(throws: EvaluationError.self) { try SweepRun.run(plan) }
    #expect(error?.kind == .wrongData)
    #expect(error?.description.contains("perhaps 'recall'") == true)
  }
}

struct SweptValuesTests {
  @Test func `a range has both ends and the decimals that were meant`() throws {
    #expect(
      try SweptValues(parsing: "min-face-detection-confidence=0.1:0.5:0.1").values
        == [0.1, 0.2, 0.3, 0.4, 0.5])
    #expect(
      try SweptValues(parsing: "min-face-presence-confidence=0.3:0.3:0.1").values == [0.3])
    #expect(
      try SweptValues(parsing: "min-tracking-confidence=0:1:0.4").values == [0, 0.4, 0.8])
    #expect(
      try SweptValues(parsing: "smoothing-beta=80,0,10,80").values == [0, 10, 80])
  }

  @Test func `the guide names the limits of a sweep`() throws {
    let guide = Checkout.root.appending(path: "Sources/facegauge/Guides.docc/SweepingSettings.md")
    let text = try String(contentsOf: guide, encoding: .utf8)
    #expect(text.contains("at most \(SweptValues.limit.groupedText) values"))
    #expect(text.contains("at most \(SweepPlan.settingLimit.groupedText) settings"))
  }

  @Test(arguments: [
    ("", "a name of"), ("nonsense=0:1:1", "a name of"),
    ("min-face-detection-confidnce=0:1:0.5", "perhaps 'min-face-detection-confidence'"),
    ("min-face-detection-confidence", "LOW:HIGH:STEP"),
    ("min-face-detection-confidence=", "LOW:HIGH:STEP"),
    ("min-face-detection-confidence=0.9:0.1:0.1", "not empty"),
    ("min-face-detection-confidence=0:1:0", "a step above 0"),
    ("min-face-detection-confidence=0:1:-0.1", "a step above 0"),
    ("min-face-detection-confidence=0:1:nan", "a step above 0"),
    ("min-face-detection-confidence=nan:1:0.1", "numbers from 0 to 1"),
    ("min-face-detection-confidence=0:1.5:0.1", "numbers from 0 to 1"),
    ("min-face-detection-confidence=0:1", "LOW:HIGH:STEP"),
    ("min-face-detection-confidence=0:1:0.1:3", "LOW:HIGH:STEP"),
    ("min-face-detection-confidence=0,,1", "numbers from 0 to 1"),
    ("min-face-detection-confidence=0:1:0.00001", "at most 10000 values"),
    ("smoothing-min-cutoff=0:1:0.5", "numbers from 1e-06"),
  ])
  func `other texts are refused with what was expected`(text: String, expected: String) {
    let error = #expect(throws: SweptValues.Mismatch.self) { try SweptValues(parsing: text) }
    #expect(error?.expected.contains(expected) == true, "\(error?.expected ?? "")")
  }
}
