internal import Datasets
internal import FaceCore
internal import FacePipeline
package import Foundation
internal import Metrics
internal import Profiling
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
    /// Nanoseconds of each frame of the dataset, in their order; nil where its image is broken.
    package var timed: [UInt64?] = []
    /// Nanoseconds of the frames that it analysed.
    package var nanoseconds: [UInt64] { timed.compactMap { $0 } }
    /// Stages that it times.
    package var stages: [String]
    /// How frames came: `rgb` or `dataset`.
    package var input: String
  }

  /// How frames may be handed over.
  package enum Input: String, Sendable, CaseIterable {
    case dataset, rgb
  }

  /// The dataset.
  package var dataset: URL
  /// The trackers; with several they take turns on each frame.
  package var trackers: [Tracker]
  /// Whether videos are tracked.
  package var isVideo = true
  /// The way that frames come; nil means the preferred one of a single tracker, and of several one that all take,
  /// decoded pixels first, so decoding is timed for all or for none.
  package var input: Input?
  /// How long a tracker may take to start, to answer and to end, in seconds.
  package var secondsToAnswer = 60
  /// How many broken images are tolerated.
  package var maxBadFrames = 0
  /// Whether existing files are replaced.
  package var replaces = false

  /// Plans a run.
  package init(dataset: URL, trackers: [Tracker]) {
    self.dataset = dataset
    self.trackers = trackers
  }

  /// The option of a predictions file that is the same where trackers took turns on each frame.
  static let turns = "turns"

  /// Runs the trackers over every frame; the files appear when all are whole.
  package func run(monitor: RunMonitor = .silent) throws(EvaluationError) -> [Summary] {
    var monitor = monitor
    monitor.interruptionNote = "nothing was written"
    do {
      let reader = try DatasetReader(dataset)
      try reader.requireImages()
      try FrameStretch.check(reader) { isVideo && reader.kind(ofSequence: $0.sequence) == .video }
      for tracker in trackers { try check(tracker.output, reader) }
      let sha256 = try monitor.hash(reader)
      var feed = TrackerFeed(
        reader, isVideo: isVideo, input: input.flatMap { .init(rawValue: $0.rawValue) })
      let turns = trackers.count > 1 ? UUID().uuidString : nil
      let processes = try trackers.map { tracker in
        let process = try TrackerProcess(
          tracker.command, limit: .seconds(secondsToAnswer), isInterrupted: monitor.isInterrupted)
        try feed.check(process)
        return process
      }
      if feed.input == nil, processes.count > 1 {
        feed.input = [.rgb, .dataset].first { way in
          processes.allSatisfy { $0.hello.inputs.contains(way) }
        }
      }
      var lanes: [Lane] = []
      for (tracker, process) in zip(trackers, processes) {
        var header = header(process, reader, sha256: sha256)
        header.options["input"] = feed.way(to: process).rawValue
        header.options[Self.turns] = turns
        lanes.append(
          Lane(
            process: process, writer: try PredictionsWriter(tracker.output, header: header),
            summary: Summary(
              name: process.hello.name, stages: process.stages,
              input: feed.way(to: process).rawValue)))
      }
      monitor.begin(.tracking, reader.frameCount)
      var last: Int?
      for range in PredictionPass.ranges(of: reader.frameCount) {
        for frame in try reader.frames(range) {
          try monitor.check(after: frame.index, of: reader.frameCount)
          for turn in lanes.indices {
            let lane = (turn + frame.index) % lanes.count
            try lanes[lane].analyse(frame, isFirst: frame.sequence != last, &feed, self)
          }
          last = frame.sequence
          monitor.advance(by: 1)
        }
      }
      for lane in lanes { try lane.process.finish() }
      for lane in lanes { try lane.writer.finish(facts: lane.facts) }
      return lanes.map(\.summary)
    } catch {
      throw EvaluationError(error)
    }
  }

  private struct Lane {
    let process: TrackerProcess
    let writer: PredictionsWriter
    var summary: Summary
    /// What every answer so far contains.
    private var shown: Set<PredictionsHeader.Fact> = [.detectorRan, .detectorBoxes]

    init(process: TrackerProcess, writer: PredictionsWriter, summary: Summary) {
      self.process = process
      self.writer = writer
      self.summary = summary
    }

    /// What the tracker facts: what its first line names, else what all of its answers hold.
    var facts: Set<PredictionsHeader.Fact> {
      if let facts = process.hello.facts {
        return Set(facts.compactMap(PredictionsHeader.Fact.init))
      }
      return summary.frames == 0 ? [] : shown
    }

    mutating func analyse(
      _ frame: Frame, isFirst: Bool, _ feed: inout TrackerFeed, _ run: TrackerRun
    ) throws {
      let (answer, broken) = try feed.ask(process, frame, isFirst: isFirst)
      guard let answer else {
        summary.broken += 1
        guard summary.broken <= run.maxBadFrames else {
          throw EvaluationError(
            .wrongData,
            "cannot track in \(run.dataset.relativePath): expected at most \(run.maxBadFrames) "
              + "broken images (--max-bad-frames), found \(summary.broken), the last in frame "
              + "\(frame.index) '\(frame.name)': \(broken ?? "")")
        }
        summary.timed.append(nil)
        try writer.add(FramePrediction(frame: frame.index, notAnalysed: .broken))
        return
      }
      let prediction = try process.prediction(answer, frame: frame)
      if answer.detectorRan == nil { shown.remove(.detectorRan) }
      let hasOwnBoxes =
        answer.detections != nil || (answer.faces ?? []).allSatisfy { $0.points == nil }
      if !hasOwnBoxes { shown.remove(.detectorBoxes) }
      if answer.faces?.contains(where: { $0.unsmoothed != nil }) == true {
        shown.insert(.unsmoothed)
      }
      summary.frames += 1
      summary.faces += prediction.faces.count
      summary.timed.append(prediction.stageNanoseconds.last.flatMap { $0 } ?? 0)
      try writer.add(prediction)
    }
  }

  private func check(_ output: URL, _ reader: DatasetReader) throws(EvaluationError) {
    let positions = trackers.map { $0.output.resolvingSymlinksInPath() }
    let isInput = reader.files.contains {
      $0.resolvingSymlinksInPath() == output.resolvingSymlinksInPath()
    }
    guard !isInput, Set(positions).count == positions.count else {
      throw EvaluationError(
        .cannotWrite,
        "cannot write \(output.relativePath): expected a file of its own for each tracker, found "
          + (isInput ? "the dataset" : "the same twice"))
    }
    guard replaces || !FileManager.default.fileExists(atPath: output.path) else {
      throw EvaluationError(
        .cannotWrite,
        "cannot write \(output.relativePath): it exists already (--force replaces it)")
    }
  }

  private func header(
    _ process: TrackerProcess, _ reader: DatasetReader, sha256: String
  ) -> PredictionsHeader {
    let hello = process.hello
    var options = hello.options ?? [:]
    options["command"] = process.command
    let models = hello.models ?? []
    // A still is processed the same way in both modes, so the tracker's own mode is more informative.
    let isImages = options[RunOption.mode] == RunningMode.image.rawValue
    let mode: RunningMode = isVideo && !isImages ? .video : .image
    if hello.isPipeline {
      options[RunOption.mode] = mode.rawValue
    } else {
      options[RunOption.tracker] = hello.name
      for model in models { options["model.\(model.stage)"] = model.sha256 }
    }
    return PredictionsHeader(
      datasetName: reader.name, datasetSHA256: sha256,
      datasetPath: reader.url.standardizedFileURL.path, mode: mode.rawValue,
      models: hello.isPipeline
        ? models.map { .init(name: $0.name, stage: $0.stage, sha256: $0.sha256) } : [],
      candidateFloor: hello.candidateFloor ?? 0, stages: process.stages, options: options)
  }
}

extension TrackerRun.Summary {
  /// How many times as long as another tracker this one takes for a frame: the median and its 95 % interval.
  ///
  /// From ln of the ratio frame by frame, in blocks of 16 frames that both analysed; nil where there are none.
  package func ratio(
    to other: TrackerRun.Summary
  ) -> (median: Double, low: Double, high: Double)? {
    let pairs = zip(other.timed, timed).compactMap { base, own in
      base.flatMap { base in own.map { (base, $0) } }
    }
    let ratios = PairedRatios(base: pairs.map(\.0), candidate: pairs.map(\.1))
    var generator = SplitMix64(seed: 1)
    guard let median = ratios.median,
      let bounds = BlockBootstrap().interval(of: ratios.values, level: 0.95, using: &generator)
    else { return nil }
    return (exp(median), exp(bounds.low), exp(bounds.high))
  }
}
