internal import Datasets
internal import FaceCore
package import FacePipeline
internal import Metrics
internal import Platform
internal import Running
internal import Scoring
internal import Statistics
internal import Synchronization

/// Takes all settings over a dataset, a few videos or stills side by side, and sums up what they did.
struct SweepPass {
  let plan: EvaluationPlan
  let settings: [FaceLandmarkerOptions]
  /// The models; nil where the settings apply to stored faces.
  let models: SweepModels?
  /// The stored output of an earlier run, which replaces inferences.
  let stored: SharedPredictions?
  /// The rules that settings differ in; nil for none.
  let expressions: SweptExpressions?
  /// Which sums there are.
  let layout: SweepCounts.Layout
  /// The frames of a clip that is the whole dataset, and is cut into stretches; nil where there is more.
  let clip: Range<Int>?
  /// How often what was done is kept for '--resume'.
  let checkpointInterval: Duration
  let monitor: RunMonitor

  /// The loosest setting.
  private var loosest: Int? { settings.loosest(with: models?.variant) }

  /// What the frames of a pass came to.
  struct Outcome {
    var sums: ResampledSums
    var cost = SweepCost()
    var bad: [PredictionPass.BadFrame] = []
    var costs = SweepMetric.StageCosts()
    var scores = SweptScores()
    var wrong: WrongFrames

    init(sums: ResampledSums) {
      self.sums = sums
      wrong = WrongFrames(settings: sums.settingCount)
    }

    /// Takes in what the settings did in the frames that follow.
    mutating func add(_ finding: Finding, of clusters: FrameClusters) {
      for branch in finding.branches {
        if let cluster = clusters.cluster(of: branch.firstFrame) {
          sums.add(branch.tally, of: branch.settings, cluster: cluster)
        }
        wrong.add(branch.wrong, of: branch.settings)
      }
      cost.add(finding.cost)
      bad += finding.bad
      scores.add(finding.scores)
    }

    /// Takes the median times of the models, in milliseconds; nil without any.
    mutating func take(_ times: BranchingReplay.Times) {
      costs.detector = Self.median(times.detector)
      costs.region = Self.median(times.region)
    }

    private static func median(_ nanoseconds: [UInt64]) -> Double? {
      let sorted = nanoseconds.map { Int64(clamping: $0) }.sorted()
      return NearestRank.percentile(50, ofSorted: sorted).map { Double($0) / 1e6 }
    }
  }

  /// Frames that are taken one after another: a video, or some stills.
  private struct Unit: Sendable {
    var frames: [Frame]
    var isVideo: Bool

    /// The mean interval of the frames of a video, in microseconds; 0 for stills.
    var microsecondsPerFrame: Double {
      guard isVideo, let first = frames.first, let last = frames.last else { return 0 }
      return Double(last.timestampMicroseconds - first.timestampMicroseconds)
        / Double(max(1, frames.count - 1))
    }
  }

  /// What the settings did in a unit.
  struct Finding: Sendable {
    var frames = 0
    var branches: [Branch] = []
    var cost = SweepCost()
    var bad: [PredictionPass.BadFrame] = []
    var scores = SweptScores()

    /// What settings with the same results did over a video or a still, or decided about expressions in it.
    struct Branch: Sendable {
      var firstFrame: Int
      var settings: [Int]
      var tally: SweepCounts
      var wrong: [WrongFrames.Entry]
    }
  }

  /// Why a frame was skipped.
  static let brokenImage = "the image is broken"

  private static let stillsAtOnce = 16

  /// Those who work side by side, each over one unit at a time.
  struct Workers {
    fileprivate let members: [LockedWorker]

    /// How long models took, over all workers.
    var times: BranchingReplay.Times {
      members.map { $0.replay.withLock { $0.times } }.reduce(into: .init()) { $0.add($1) }
    }
  }

  /// As many workers as the plan has jobs.
  func workers(for dataset: DatasetReader) -> Workers {
    Workers(
      members: (0..<plan.jobs).map { _ in
        LockedWorker(replay(of: dataset))
      })
  }

  /// What takes the settings over frames: the models, or the stored faces alone.
  private func replay(of dataset: DatasetReader) -> sending any SettingsReplay {
    let isLabelledClip = clip != nil && dataset.faceCount > 0
    if let models {
      return BranchingReplay(
        models, plan.running, settings: settings, pairing: plan.pairing,
        isLabelled: dataset.isLabelled, expressions: expressions, layout: layout,
        isLabelledClip: isLabelledClip)
    }
    return StoredReplay(
      settings, isForeign: stored?.origin.isForeign ?? true,
      evaluate: SequenceTally.Evaluate(
        scheme: stored?.origin.scheme ?? .mediapipe478, isLabelled: dataset.isLabelled,
        isDetectorOnly: false, hasPoints: stored?.origin.noPoints == nil,
        hasPositions: stored?.origin.hasPositions ?? true, pairing: plan.pairing,
        facts: stored?.origin.trackerFacts ?? [.scores, .presences],
        frozenFrames: stored?.origin.frozenFrames ?? [],
        expressions: expressions, layout: layout, isLabelledClip: isLabelledClip))
  }

  /// Runs over every frame, from where the folder's checkpoint is; `listener` hears of predictions with one job.
  func run(
    over dataset: DatasetReader, into sums: ResampledSums, clusters: FrameClusters,
    folder: RunFolder? = nil, listener: SweepRun.Listener? = nil
  ) throws -> Outcome {
    var outcome = Outcome(sums: sums)
    var earlier = BranchingReplay.Times()
    var (done, doneFrames) = (0, 0)
    if let folder, let checkpoint = try SweepCheckpoint(in: folder) {
      guard outcome.sums.goOn(from: checkpoint.sums),
        checkpoint.wrong.areOf(settings: settings.count, frames: dataset.frameCount),
        checkpoint.units >= 0, (0...dataset.frameCount).contains(checkpoint.frames)
      else {
        throw SweepCheckpoint.misfit(in: folder)
      }
      outcome.cost = checkpoint.cost
      outcome.scores.state = checkpoint.scores
      outcome.wrong = checkpoint.wrong
      outcome.bad = checkpoint.bad
      (earlier, done, doneFrames) = (checkpoint.times, checkpoint.units, checkpoint.frames)
      monitor.advance(by: doneFrames)
    }
    let workers = workers(for: dataset)
    func times() -> BranchingReplay.Times {
      var times = earlier
      times.add(workers.times)
      return times
    }
    func keep() throws {
      guard let folder else { return }
      try SweepCheckpoint(units: done, frames: doneFrames, outcome, times: times())
        .write(into: folder)
    }
    var written = ContinuousClock.now
    do {
      try run(
        over: 0..<dataset.frameCount, of: dataset, after: done, workers, listener: listener
      ) { finding in
        outcome.add(finding, of: clusters)
        try plan.running.checkBad(outcome.bad, of: dataset)
        done += 1
        doneFrames += finding.frames
        if written.duration(to: .now) > checkpointInterval {
          try keep()
          written = .now
        }
      }
    } catch let error as EvaluationError where error.kind == .interrupted {
      try keep()
      throw error
    }
    outcome.take(times())
    return outcome
  }

  /// Runs over some frames, which begin and end with a sequence, but for the first units, and hands on what the units
  /// came to, in their order.
  func run(
    over frames: Range<Int>, of dataset: DatasetReader, after done: Int = 0, _ workers: Workers,
    listener: SweepRun.Listener? = nil, take: (Finding) throws -> Void
  ) throws {
    var rest = done
    let work = OrderedWork(workers.members) { (member: LockedWorker, unit: Unit) in
      try member.replay.withLock { try finding(of: unit, in: dataset, $0, nil) }
    }
    try units(of: dataset, in: frames) { unit in
      guard rest == 0 else {
        rest -= 1
        return
      }
      if workers.members.count > 1 {
        try work.add(unit, take: take)
      } else {
        // Taken without the worker's lock, as a checkpoint asks all workers for their times.
        let found = try workers.members[0].replay.withLock {
          try finding(of: unit, in: dataset, $0, listener)
        }
        try take(found)
      }
    }
    try work.finish(take: take)
  }

  private func units(
    of dataset: DatasetReader, in range: Range<Int>, _ use: (Unit) throws -> Void
  ) throws {
    var open: Unit?
    for start in stride(from: range.lowerBound, to: range.upperBound, by: 4096) {
      for frame in try dataset.frames(start..<min(start + 4096, range.upperBound)) {
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

  private static let stretch = 32

  private func finding(
    of unit: Unit, in dataset: DatasetReader, _ replay: any SettingsReplay,
    _ listener: SweepRun.Listener?
  ) throws -> Finding {
    var finding = Finding(frames: unit.frames.count)
    let isTracked = unit.isVideo && plan.settings.runningMode != .image
    var branches = replay.start(isTracked: isTracked)
    let interval = unit.microsecondsPerFrame
    for start in stride(from: 0, to: unit.frames.count, by: Self.stretch) {
      let frames = unit.frames[start..<min(start + Self.stretch, unit.frames.count)]
      guard let first = frames.first, let last = frames.last else { continue }
      let range = first.index..<last.index + 1
      let labels = try dataset.faces(range)
      let kept = try stored?.predictions(range)
      for (frame, labels) in zip(frames, labels) {
        try monitor.check(after: frame.index, of: dataset.frameCount)
        if !unit.isVideo { branches = replay.start(isTracked: false) }
        if beginsStretch(frame.index) {
          for index in branches.indices {
            branches[index].tally.cut(
              before: frame.index, microsecondsPerFrame: interval, by: replay.evaluate)
          }
        }
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
          if dataset.isLabelled, plan.settings.runningMode == .image || models == nil,
            let watched = advanced.watched
          {
            try finding.scores.add(
              watched, labels: labels, facesHavePositions: replay.evaluate.hasPositions)
          }
        } else {
          finding.bad.append(PredictionPass.BadFrame(frame: frame.index, reason: Self.brokenImage))
        }
        if !unit.isVideo {
          add(branches, from: frame, interval: interval, by: replay.evaluate, to: &finding)
        }
        monitor.advance(by: 1)
      }
    }
    if unit.isVideo, let first = unit.frames.first {
      add(branches, from: first, interval: interval, by: replay.evaluate, to: &finding)
    }
    return finding
  }

  private func beginsStretch(_ frame: Int) -> Bool {
    guard let clip, frame > clip.lowerBound else { return false }
    return FrameClusters.stretch(of: frame, in: clip)
      != FrameClusters.stretch(of: frame - 1, in: clip)
  }

  private func add(
    _ branches: [BranchingReplay.Branch], from first: Frame, interval: Double,
    by evaluate: SequenceTally.Evaluate, to finding: inout Finding
  ) {
    for branch in branches {
      var wrong = branch.tally.wrong
      for (frame, sums) in branch.tally.stretches(
        from: first.index, microsecondsPerFrame: interval, by: evaluate)
      {
        finding.branches.append(
          Finding.Branch(
            firstFrame: frame, settings: branch.settings, tally: sums[0], wrong: wrong))
        wrong = []
        for (rules, decisions) in sums.dropFirst().enumerated() {
          let settings = expressions?.settings(among: branch.settings, with: rules) ?? []
          guard !settings.isEmpty, !decisions.isEmpty else { continue }
          finding.branches.append(
            Finding.Branch(firstFrame: frame, settings: settings, tally: decisions, wrong: []))
        }
      }
    }
  }

  /// A worker that any thread may use, one at a time.
  fileprivate final class LockedWorker: Sendable {
    let replay: Mutex<any SettingsReplay>

    init(_ replay: sending any SettingsReplay) {
      self.replay = Mutex(replay)
    }
  }
}

extension [FaceLandmarkerOptions] {
  /// The position of the loosest settings: by scores, then presences, then by how far detections may overlap; nil
  /// without any.
  package func loosest(with landmarks: LandmarkVariant?) -> Int? {
    func thresholds(_ position: Int) -> (Double, Double, Double) {
      let options = self[position]
      return (
        options.minFaceDetectionConfidence, options.minFacePresenceConfidence,
        -options.suppressionThreshold(with: landmarks)
      )
    }
    return indices.min { thresholds($0) < thresholds($1) }
  }
}
