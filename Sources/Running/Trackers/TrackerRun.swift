internal import Datasets
internal import FaceCore
internal import FacePipeline
package import Foundation
internal import Platform
internal import Profiling
internal import Records
internal import Statistics

/// Runs trackers as other programs on a dataset, alternating frame by frame, and writes predictions files.
package struct TrackerRun: Sendable {
  /// A tracker, and where its predictions go.
  package struct Tracker: Sendable {
    /// The command line that starts it.
    package var command: String
    /// The predictions file to write.
    package var output: URL

    /// Names a tracker.
    package init(command: String, output: URL) {
      self.command = command
      self.output = output
    }
  }

  /// What came of one tracker.
  package struct Summary: Sendable {
    /// Name and version that it reports.
    package var name: String
    /// Frames that it analysed.
    package var frames = 0
    /// Faces in them.
    package var faces = 0
    /// Frames with a broken image.
    package var broken = 0
    /// Frames of a paced run that a newer one replaced before the tracker was free; nil of other runs.
    package var dropped: Int?
    /// Nanoseconds from the moment that each analysed frame of a paced run's videos was due to its answer.
    package var responses: [UInt64] = []
    /// The longest time from the moment that such a frame was due to its offer.
    package var nanosecondsLate: UInt64 = 0
    /// Nanoseconds of each frame of the dataset, in their order; nil where its image is broken.
    package var timed: [UInt64?] = []
    /// When the answer of each analysed frame was there, by `MonotonicClock`.
    package var answers: [UInt64] = []
    /// Lasting changes of the time of its frames.
    package var shifts: [TimeShift] { TimeShift.all(answers: answers, nanoseconds: nanoseconds) }
    /// The slow first frames before the first such change.
    package var start: SlowStart? { SlowStart(answers: answers, nanoseconds: nanoseconds, shifts) }
    /// The frames between two starts of the trackers, in order; one range where they were started once.
    package var starts: [Range<Int>] = []
    /// Nanoseconds of the frames that it analysed.
    package var nanoseconds: [UInt64] { timed.compactMap { $0 } }
    /// Stages that it times.
    package var stages: [String]
    /// How frames came: `rgb`, `image` or `dataset`.
    package var input: String
    /// Whether it was reached over a network.
    package var isRemote = false
    /// What its totals leave out of the time of its answers; nil where they have nearly all of it.
    package var timesNote: String?
    /// Its clock against ours; nil where it does not tell the time.
    package var clock: TrackerClock.Fit?
    /// Nanoseconds of the way to it and back, of the frames that it analysed; none where it does not tell the time.
    package var transfers: [UInt64] = []
  }

  /// When the frames of videos come.
  package enum Pace: Sendable, Hashable {
    /// Each when the one before it is answered.
    case closed
    /// At their own times, or so many a second, whatever the tracker does: the newest waits, others are dropped.
    case paced(framesPerSecond: Double?)
  }

  /// How frames may be handed over.
  package typealias Input = TrackerHello.Input

  /// The dataset.
  package var dataset: URL
  /// The trackers; with several they take turns on each frame.
  package var trackers: [Tracker]
  /// Whether videos are tracked.
  package var isVideo = true
  /// When frames come; only one tracker can be paced.
  package var pace = Pace.closed
  /// The way that frames come; nil means the preferred one of a single tracker, and of several one that all take,
  /// decoded pixels first, so decoding is timed for all or for none.
  package var input: Input?
  /// How long a tracker may take to start, to answer and to end, in seconds.
  package var secondsToAnswer = 60
  /// How often several trackers are started, at most; where videos are tracked, before a sequence.
  package var starts = 12
  /// Frames that each of several trackers sees after a start before it is timed.
  package var warmUpFrames = 3
  /// How many broken images are tolerated.
  package var maxBadFrames = 0
  /// Whether existing files are replaced.
  package var replaces = false
  /// Whether a run of one tracker that ended early is continued.
  package var resumes = false

  /// Plans a run.
  package init(dataset: URL, trackers: [Tracker]) {
    self.dataset = dataset
    self.trackers = trackers
  }

  /// The option of a predictions file that is the same where trackers took turns on each frame.
  package static let turns = "turns"

  /// Whether what was tracked is kept when the run ends early.
  private var isResumable: Bool { trackers.count == 1 && pace == .closed }

  /// Runs the trackers over every frame; the files appear when all are whole, that of a paced run also when it ends early.
  package func run(monitor: RunMonitor = .silent) throws(EvaluationError) -> [Summary] {
    let monitor = monitor.keepingNothing
    var lanes: [TrackerLane] = []
    do {
      let reader = try DatasetReader(dataset)
      try reader.requireImages()
      try FrameStretch.check(reader) { isVideo && reader.kind(ofSequence: $0.sequence) == .video }
      for tracker in trackers { try check(tracker.output, reader) }
      let sha256 = try monitor.hash(reader)
      var feed = TrackerFeed(reader, isVideo: isVideo, input: input)
      let places = try trackers.map { try TrackerPlace($0.command) }
      let turns = trackers.count > 1 ? UUID().uuidString : nil
      let processes = try places.map { place in
        let process = try start(place, monitor)
        try feed.check(process)
        return process
      }
      if feed.input == nil, processes.count > 1 {
        feed.input = [.rgb, .image, .dataset].first { way in
          processes.allSatisfy { $0.hello.inputs.contains(way) }
        }
      }
      for (tracker, process) in zip(trackers, processes) {
        var header = header(process, reader, sha256: sha256)
        header.options["input"] = feed.way(to: process).rawValue
        header.options[Self.turns] = turns
        let output =
          isResumable
          ? try TrackerOutput(
            tracker.output, header: header, frameCount: reader.frameCount, resumes: resumes,
            replaces: replaces, monitor)
          : try TrackerOutput(tracker.output, header: header)
        lanes.append(
          try TrackerLane(
            process: process, output: output,
            summary: Summary(
              name: process.hello.name, dropped: pace == .closed ? nil : 0,
              stages: process.stages, input: feed.way(to: process).rawValue)))
      }
      monitor.begin(.tracking, reader.frameCount)
      if case .paced(let rate) = pace {
        do {
          try lanes[0].follow(reader, framesPerSecond: rate, &feed, self, monitor)
          try lanes[0].finish()
        } catch {
          let kept = try lanes[0].writeAnswered(of: reader, monitor)
          throw Self.ended(
            EvaluationError(error), keeping: kept,
            "in \(trackers[0].output.relativePath), the others count as not run")
        }
        try lanes[0].write(monitor)
        return lanes.map(\.summary)
      }
      var begin = lanes[0].output.earlierFrames
      var last = try catchUp(lanes[0].process, reader, to: begin, &feed, monitor)
      let starts = processes.allSatisfy(\.canRestart) ? starts : 1
      let framesOfStart = (reader.frameCount + starts - 1) / max(starts, 1)
      for range in PredictionPass.ranges(of: begin..<reader.frameCount) {
        for frame in try reader.frames(range) {
          try monitor.check(after: frame.index, of: reader.frameCount)
          let isFirst = frame.sequence != last
          if lanes.count > 1, frame.index == 0 {
            for lane in lanes { try warmUp(lane.process, reader, from: 0, &feed) }
          } else if lanes.count > 1, isFirst || !isVideo, frame.index - begin >= framesOfStart {
            try restart(&lanes, reader, at: frame.index, &feed, monitor)
            begin = frame.index
          }
          for turn in lanes.indices {
            let lane = (turn + frame.index) % lanes.count
            try lanes[lane].analyse(frame, isFirst: isFirst, &feed, self)
            lanes[lane].summary.starts.extend(from: begin, over: frame.index)
          }
          last = frame.sequence
          monitor.advance(by: 1)
        }
      }
      for lane in lanes.indices { try lanes[lane].finish() }
      for lane in lanes.indices { try lanes[lane].write(monitor) }
      return lanes.map(\.summary)
    } catch {
      throw Self.ended(
        EvaluationError(error), keeping: lanes.first?.output.keepFinished() ?? 0,
        "kept (--resume goes on)")
    }
  }

  /// The error of a run that ended early, with how many frames are kept, and where.
  private static func ended(
    _ error: EvaluationError, keeping frames: Int, _ place: String
  ) -> EvaluationError {
    guard frames > 0 else { return error }
    let reason = error.description.replacing("; \(RunMonitor.nothingKept)", with: "")
    return EvaluationError(
      error.kind, "\(reason); the first \(frames) frames are \(place)",
      cause: error.cause)
  }

  /// Hands over the frames of a video that an interrupted run has finished again, for what the tracker remembers.
  ///
  /// Returns the sequence of the last frame before `next`.
  private func catchUp(
    _ process: TrackerProcess, _ reader: DatasetReader, to next: Int, _ feed: inout TrackerFeed,
    _ monitor: RunMonitor
  ) throws -> Int? {
    guard next > 0 else { return nil }
    let sequence = try reader.frames(next - 1..<next)[0].sequence
    guard isVideo, let frames = reader.video(ofSequence: sequence)?.frames,
      next < frames.upperBound
    else {
      monitor.advance(by: next)
      return sequence
    }
    monitor.advance(by: frames.lowerBound)
    for range in PredictionPass.ranges(of: frames.lowerBound..<next) {
      for frame in try reader.frames(range) {
        try monitor.check(after: next, of: reader.frameCount)
        _ = try feed.ask(process, frame, isFirst: frame.index == frames.lowerBound)
        monitor.advance(by: 1)
      }
    }
    return sequence
  }

  private func start(
    _ place: TrackerPlace, _ monitor: RunMonitor
  ) throws(EvaluationError) -> TrackerProcess {
    try TrackerProcess(place, limit: .seconds(secondsToAnswer), monitor: monitor)
  }

  /// Ends all trackers and starts them anew: what lasts for a process, such as its memory layout, counts as noise.
  private func restart(
    _ lanes: inout [TrackerLane], _ reader: DatasetReader, at frame: Int, _ feed: inout TrackerFeed,
    _ monitor: RunMonitor
  ) throws {
    for lane in lanes { try lane.process.finish() }
    let starts = lanes[0].summary.starts.count
    for turn in lanes.indices {
      // Another tracker is started first each time, as for timed pairs.
      let lane = (turn + starts) % lanes.count
      let process = try start(lanes[lane].process.place, monitor)
      guard process.hello == lanes[lane].process.hello else {
        throw EvaluationError.wrongData(
          "cannot track with '\(process.command)', start before frame \(frame): expected the "
            + "first line of the start before, found another")
      }
      lanes[lane].process = process
      try warmUp(process, reader, from: frame, &feed)
    }
  }

  /// Hands over the next frames without timing them; one of another sequence begins anew.
  private func warmUp(
    _ process: TrackerProcess, _ reader: DatasetReader, from frame: Int, _ feed: inout TrackerFeed
  ) throws {
    let frames = try reader.frames(frame..<min(frame + warmUpFrames, reader.frameCount))
    for (turn, one) in frames.enumerated() {
      _ = try feed.ask(
        process, one, isFirst: turn == 0 || one.sequence != frames[turn - 1].sequence)
    }
  }

  private func check(_ output: URL, _ reader: DatasetReader) throws(FileError) {
    let positions = trackers.map { $0.output.withoutLinks }
    let isInput = reader.files.contains { (try? output.requireOther(than: $0)) == nil }
    guard !isInput, Set(positions).count == positions.count else {
      throw FileError(
        writing: output,
        "expected a file of its own for each tracker, found "
          + (isInput ? "the dataset" : "the same twice"))
    }
    guard replaces || !output.isThere else {
      throw FileError(writing: output, "it exists already (--force replaces it)")
    }
  }

  private func header(
    _ process: TrackerProcess, _ reader: DatasetReader, sha256: String
  ) -> PredictionsHeader {
    let hello = process.hello
    var options = hello.options ?? [:]
    options["command"] = process.command
    for (name, value) in hello.device ?? [:] { options["device.\(name)"] = value }
    let models = hello.models ?? []
    // A still is processed the same way in both modes, so the tracker's own mode is more informative.
    let isImages = options[RunOption.mode] == RunningMode.image.rawValue
    let mode: RunningMode = pace != .closed ? .live : isVideo && !isImages ? .video : .image
    var stages = process.stages
    if pace != .closed { stages.insert(MetricName.response, at: stages.count - 1) }
    var numerics: PredictionsHeader.Numerics?
    if hello.isPipeline {
      options[RunOption.mode] = mode.rawValue
      if let core = options[RunOption.blasCore], let kernels = options[RunOption.kernels] {
        numerics = .init(kernels: kernels, blasCore: core)
        options[RunOption.blasCore] = nil
        options[RunOption.kernels] = nil
      }
    } else {
      options[RunOption.tracker] = hello.name
      for model in models { options["\(RunOption.trackerModel)\(model.stage)"] = model.sha256 }
    }
    var described = PredictionsHeader(
      datasetName: reader.name, datasetSHA256: sha256,
      datasetPath: reader.url.standardizedFileURL.path, mode: mode.rawValue,
      models: hello.isPipeline ? models.map { .init($0) } : [],
      candidateFloor: hello.candidateFloor ?? 0, stages: stages, options: options,
      numerics: numerics)
    described.readings = [PredictionsHeader.answered] + (hello.readings ?? [])
    return described
  }
}

extension TrackerRun.Summary {
  /// How many times as long as another tracker this one takes for a frame: the median and its 95 % interval.
  ///
  /// From ln of the ratio frame by frame, of frames that both analysed; nil where there are none. The interval draws
  /// whole starts of the trackers, for two starts of one program differ by more than its frames tell.
  package func ratio(to other: TrackerRun.Summary) -> TrackerRun.Ratio? {
    var pairs: [(UInt64, UInt64)] = []
    var blocks: [Range<Int>] = []
    for start in starts {
      let first = pairs.count
      pairs += start.compactMap { frame in
        guard let base = other.timed[frame], let own = timed[frame] else { return nil }
        return (base, own)
      }
      if pairs.count > first { blocks.append(first..<pairs.count) }
    }
    let ratios = PairedRatios(base: pairs.map(\.0), candidate: pairs.map(\.1))
    guard let median = ratios.median else { return nil }
    var ratio = TrackerRun.Ratio(median: exp(median), starts: blocks.count)
    var generator = SplitMix64(seed: 1)
    guard blocks.count >= TrackerRun.Ratio.minStarts,
      let bounds = BlockBootstrap().interval(
        of: ratios.values, blocks: blocks, level: 0.95, using: &generator)
    else { return ratio }
    ratio.interval = exp(bounds.low)...exp(bounds.high)
    return ratio
  }
}

extension TrackerRun {
  /// How many times as long as another tracker one takes for a frame.
  package struct Ratio: Sendable, Hashable {
    /// The median over frames.
    package var median: Double
    /// How many starts of the trackers it is of.
    package var starts: Int
    /// The 95 % interval over starts; nil for fewer than `minStarts`.
    package var interval: ClosedRange<Double>?

    /// How many starts an interval needs.
    package static let minStarts = 6
  }
}

extension [Range<Int>] {
  /// Adds a frame to the start that began at another frame.
  fileprivate mutating func extend(from begin: Int, over frame: Int) {
    if last?.lowerBound == begin {
      self[count - 1] = begin..<frame + 1
    } else {
      append(begin..<frame + 1)
    }
  }
}
