internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Metrics
internal import Platform
internal import Statistics
internal import Synchronization

/// Takes all settings over a dataset, a few videos or stills side by side, and sums up what they did.
struct SweepPass {
  let plan: EvaluationPlan
  let settings: [FaceLandmarkerOptions]
  let models: SweepModels
  let clusters: FrameClusters
  /// The stored output of an earlier run of image mode, which replaces inferences.
  let stored: SharedPredictions?
  let monitor: RunMonitor

  /// The loosest setting.
  private var loosest: Int? {
    settings.indices.min { first, second in
      (settings[first].minFaceDetectionConfidence, settings[first].minFacePresenceConfidence)
        < (settings[second].minFaceDetectionConfidence, settings[second].minFacePresenceConfidence)
    }
  }

  /// What the frames of a pass came to.
  struct Outcome {
    var sums: ResampledSums
    var cost = SweepCost()
    var bad: [PredictionPass.BadFrame] = []
    var costs = SweepMetric.StageCosts()
    var scores = SweptScores()
    var wrong = WrongFrames(settings: 0)
  }

  /// Frames that are taken one after another: a video, or some stills.
  private struct Unit: Sendable {
    var frames: [Frame]
    var isVideo: Bool
  }

  /// What the settings did in a unit.
  private struct Finding: Sendable {
    var tallies: [(cluster: Int, settings: [Int], tally: SweepCounts)] = []
    var wrong: [(settings: [Int], entries: [WrongFrames.Entry])] = []
    var cost = SweepCost()
    var bad: [PredictionPass.BadFrame] = []
    var scores = SweptScores()
  }

  private static let stillsAtOnce = 16

  /// Runs over every frame, from where the folder's checkpoint is; `listener` hears of predictions with one job.
  func run(
    over dataset: DatasetReader, into sums: ResampledSums, folder: RunFolder? = nil,
    listener: SweepRun.Listener? = nil
  ) throws -> Outcome {
    var outcome = Outcome(sums: sums)
    outcome.wrong = WrongFrames(settings: settings.count)
    var times = BranchingReplay.Times()
    var (done, doneFrames) = (0, 0)
    if let folder, let checkpoint = try SweepCheckpoint(in: folder) {
      guard outcome.sums.goOn(from: checkpoint.sums),
        checkpoint.wrong.settings.count == settings.count
      else {
        throw SweepCheckpoint.misfit(in: folder)
      }
      outcome.cost = checkpoint.cost
      outcome.scores.state = checkpoint.scores
      outcome.wrong = checkpoint.wrong
      outcome.bad = checkpoint.bad.map {
        PredictionPass.BadFrame(frame: $0.frame, reason: $0.reason)
      }
      (times, done, doneFrames) = (checkpoint.times, checkpoint.units, checkpoint.frames)
      monitor.advance(by: doneFrames)
    }
    let workers = (0..<plan.jobs).map { _ in
      LockedWorker(
        BranchingReplay(
          models, detector: plan.detector, settings: settings,
          rotationDegrees: plan.rotationDegrees, isLabelled: dataset.isLabelled))
    }
    func allTimes() -> BranchingReplay.Times {
      workers.map { $0.replay.withLock { $0.times } }.reduce(into: times) { all, own in
        all.detector += own.detector
        all.region += own.region
      }
    }
    func keep() throws {
      guard let folder else { return }
      try SweepCheckpoint(units: done, frames: doneFrames, outcome, times: allTimes())
        .write(into: folder)
    }
    var waiting: [Unit] = []
    var written = ContinuousClock.now
    func work() throws {
      let wave = waiting
      waiting = []
      for finding in try findings(of: wave, in: dataset, workers, listener) {
        for (cluster, settings, tally) in finding.tallies {
          outcome.sums.add(tally, of: settings, cluster: cluster)
        }
        for (settings, entries) in finding.wrong { outcome.wrong.add(entries, of: settings) }
        outcome.cost.add(finding.cost)
        outcome.bad += finding.bad
        outcome.scores.add(finding.scores)
        try plan.checkBad(outcome.bad, of: dataset)
      }
      done += wave.count
      doneFrames += wave.reduce(0) { $0 + $1.frames.count }
      if written.duration(to: .now) > .seconds(30) {
        try keep()
        written = .now
      }
    }
    do {
      var rest = done
      try units(of: dataset) { unit in
        guard rest == 0 else {
          rest -= 1
          return
        }
        waiting.append(unit)
        if waiting.count == workers.count { try work() }
      }
      try work()
    } catch let error as EvaluationError where error.kind == .interrupted {
      try keep()
      throw error
    }
    times = allTimes()
    outcome.costs.detector = Self.median(times.detector)
    outcome.costs.region = Self.median(times.region)
    return outcome
  }

  /// In milliseconds; 0 for none.
  private static func median(_ nanoseconds: [UInt64]) -> Double? {
    let sorted = nanoseconds.map { Int64(clamping: $0) }.sorted()
    return NearestRank.percentile(50, ofSorted: sorted).map { Double($0) / 1e6 }
  }

  private func units(of dataset: DatasetReader, _ use: (Unit) throws -> Void) throws {
    var open: Unit?
    for start in stride(from: 0, to: dataset.frameCount, by: 4096) {
      for frame in try dataset.frames(start..<min(start + 4096, dataset.frameCount)) {
        let isVideo = dataset.kind(ofSequence: frame.sequence) == .video
        if let unit = open {
          let goesOn =
            isVideo
            ? unit.isVideo && unit.frames.last?.sequence == frame.sequence
            : !unit.isVideo && unit.frames.count < Self.stillsAtOnce
          if goesOn {
            open?.frames.append(frame)
            continue
          }
          try use(unit)
        }
        open = Unit(frames: [frame], isVideo: isVideo)
      }
    }
    if let open { try use(open) }
  }

  private func findings(
    of units: [Unit], in dataset: DatasetReader, _ workers: [LockedWorker],
    _ listener: SweepRun.Listener?
  ) throws -> [Finding] {
    guard units.count > 1 else {
      return try zip(units, workers).map { unit, member in
        try member.replay.withLock { try finding(of: unit, in: dataset, $0, listener) }
      }
    }
    return try units.indices.concurrentMap { index in
      try workers[index].replay.withLock { try finding(of: units[index], in: dataset, $0, nil) }
    }
  }

  private static let stretch = 32

  private func finding(
    of unit: Unit, in dataset: DatasetReader, _ replay: BranchingReplay,
    _ listener: SweepRun.Listener?
  ) throws -> Finding {
    var finding = Finding()
    let isTracked = unit.isVideo && plan.settings.runningMode != .image
    var branches = replay.start(isTracked: isTracked)
    for start in stride(from: 0, to: unit.frames.count, by: Self.stretch) {
      let frames = unit.frames[start..<min(start + Self.stretch, unit.frames.count)]
      guard let first = frames.first, let last = frames.last else { continue }
      let range = first.index..<last.index + 1
      let labels = try dataset.faces(range)
      let kept = try stored?.predictions(range)
      for (frame, labels) in zip(frames, labels) {
        try monitor.check(after: frame.index, of: dataset.frameCount)
        if !unit.isVideo { branches = replay.start(isTracked: false) }
        let step = BranchingReplay.Step(
          frame: frame, isTracked: isTracked, isVideo: unit.isVideo, labels: labels)
        let image: BranchingReplay.Image =
          if let stored = kept?[frame.index - first.index] {
            .known(stored, { try dataset.image(frame.index) })
          } else {
            .new(try dataset.image(frame.index))
          }
        let advanced = try replay.advance(
          &branches, over: step, image: image, watching: loosest, listener: listener)
        if let advanced {
          finding.cost.add(advanced.cost)
          if dataset.isLabelled, plan.settings.runningMode == .image,
            let watched = advanced.watched
          {
            try finding.scores.add(watched, labels: labels)
          }
        } else {
          finding.bad.append(
            PredictionPass.BadFrame(frame: frame.index, reason: "the image is broken"))
        }
        if !unit.isVideo { add(branches, of: frame, interval: 0, to: &finding) }
        monitor.advance(by: 1)
      }
    }
    if unit.isVideo, let first = unit.frames.first, let last = unit.frames.last {
      let span = Double(last.timestampMicroseconds - first.timestampMicroseconds)
      add(
        branches, of: first, interval: span / Double(max(1, unit.frames.count - 1)), to: &finding)
    }
    return finding
  }

  private func add(
    _ branches: [BranchingReplay.Branch], of frame: Frame, interval: Double,
    to finding: inout Finding
  ) {
    guard let cluster = clusters.cluster(of: frame.index) else { return }
    for branch in branches {
      finding.tallies.append(
        (cluster, branch.settings, branch.tally.finished(microsecondsPerFrame: interval)))
      finding.wrong.append((branch.settings, branch.tally.wrong))
    }
  }

  /// A worker that any thread may use, one at a time.
  private final class LockedWorker: Sendable {
    let replay: Mutex<BranchingReplay>

    init(_ replay: sending BranchingReplay) {
      self.replay = Mutex(replay)
    }
  }
}
