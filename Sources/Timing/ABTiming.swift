internal import Datasets
internal import FaceCore
package import Foundation
internal import Metrics
internal import Platform
package import Profiling
internal import Records
package import Running
internal import Statistics

/// Times a candidate and a base alternating on the same frames until a relative gate decides or a limit is reached.
///
/// Three processes run: the base, the base again, and the candidate. Each frame goes to all three, in all six orders
/// one after the other. Each process comes first, and runs right after each of the others, equally often. The
/// processes are restarted after each block of pairs. Lasting properties of a process, such as its memory layout,
/// then count as noise. Tracking restarts too, so the pairs of clips include the detector's stages.
package struct ABTiming: Sendable {
  /// The result.
  package struct Outcome: Sendable {
    /// The name that the base reports.
    package let base: String
    /// The name that the candidate reports.
    package let candidate: String
    /// How many pairs were measured.
    package let pairs: Int
    /// How often the processes were started.
    package let starts: Int
    /// The stages, and the tail of the total.
    package let findings: [RelativeFinding]
    /// Additional notes, one sentence each.
    package let notes: [String]

    /// The verdict over all stages.
    package var verdict: RelativeFinding.Verdict { RelativeFinding.overall(findings) }
  }

  /// The dataset.
  package var dataset: URL
  /// Where the base is: a command line, or an address to which it connects twice.
  private let base: TrackerPlace
  /// Where the candidate is.
  private let candidate: TrackerPlace
  /// Whether videos are tracked; else each frame is a single image.
  package var isVideo = false
  /// How pairs are evaluated.
  package var gate = RelativeGate()
  /// Pairs before the first look; they are doubled until all stages are decided (`PairedLooks`).
  package var minPairs = 192
  /// Maximum number of pairs.
  package var maxPairs = 1536
  /// Seconds after which nothing more is measured; nil for no limit.
  package var secondsLimit: Double?
  /// How many of the dataset's frames are used, from the first on; nil for all.
  package var frameLimit: Int?
  /// How long a process may take to start, to answer and to end, in seconds.
  package var secondsToAnswer = 60
  /// Pairs between two starts of the processes.
  package var pairsOfStart = 16
  /// Frames that each process sees after its start before it is timed.
  package var warmUpFrames = 3
  /// The way that frames come; nil means what each program prefers.
  package var input: TrackerRun.Input?
  /// Where resampling starts.
  package var seed: UInt64 = 1

  /// Plans to time trackers at two command lines or addresses; throws `.wrongData` for an address of a wrong form.
  package init(dataset: URL, base: String, candidate: String) throws(EvaluationError) {
    self.dataset = dataset
    self.base = try TrackerPlace(base)
    self.candidate = try TrackerPlace(candidate)
  }

  /// The minimum slow-down that counts, as a share.
  package var minTolerance: Double {
    get { gate.minTolerance }
    set { gate.minTolerance = newValue }
  }

  /// Also from the last of one frame to the first of the next each follows each other one, and none itself.
  package static let orders = [
    [0, 1, 2], [0, 2, 1], [2, 1, 0], [1, 0, 2], [1, 2, 0], [2, 0, 1],
  ]

  /// Measures and evaluates.
  package func run(monitor: RunMonitor = .silent) throws(EvaluationError) -> Outcome {
    let monitor = monitor.keepingNothing
    return try EvaluationError.wrapping {
      let reader = try DatasetReader(dataset)
      try reader.requireImages()
      try FrameStretch.check(reader) { isVideo && reader.kind(ofSequence: $0.sequence) == .video }
      guard reader.frameCount > 0 else {
        throw EvaluationError.wrongData(
          "cannot time \(dataset.relativePath): expected frames, found none")
      }
      return try measure(reader, monitor)
    }
  }

  /// Starts the base once and ends it, to find out before anything else whether it can be timed.
  package func tryBase(monitor: RunMonitor = .silent) throws(EvaluationError) {
    try EvaluationError.wrapping { _ = try tried(base, monitor) }
  }

  /// Starts base and candidate once and ends them; returns the stages that both time, and a way in which both take
  /// frames, decoded pixels first.
  ///
  /// Throws `.wrongData` where one does not speak the protocol, or does not take frames as `input` says.
  package func tryBoth(
    monitor: RunMonitor = .silent
  ) throws(EvaluationError) -> (stages: [String], input: TrackerRun.Input?) {
    try EvaluationError.wrapping {
      let feed = TrackerFeed(try DatasetReader(dataset), isVideo: isVideo, input: input)
      if !base.isCommand {
        monitor.note("the first tracker also runs against itself: two of it must connect")
      }
      let hellos = try [base, candidate].map { place in
        let process = try tried(place, monitor)
        try feed.check(process)
        return process
      }
      let known = Set(hellos[0].stages)
      let shared = TrackerRun.Input.allCases.reversed().first { way in
        hellos.allSatisfy { $0.hello.inputs.contains(way) }
      }
      return (hellos[1].stages.filter(known.contains), input ?? shared)
    }
  }

  /// A tracker that was started and has ended; throws `.wrongUse` where it cannot be started again.
  private func tried(
    _ place: TrackerPlace, _ monitor: RunMonitor
  ) throws(EvaluationError) -> TrackerProcess {
    let process = try TrackerProcess(place, limit: .seconds(secondsToAnswer), monitor: monitor)
    guard process.canRestart else {
      throw EvaluationError(
        .wrongUse,
        "cannot time '\(place.shown)': expected a tracker that can be started again and again, or "
          + "connects again, found one that does not (restarts)")
    }
    try process.finish()
    return process
  }

  private func measure(_ reader: DatasetReader, _ monitor: RunMonitor) throws -> Outcome {
    let begin = MonotonicClock.nanoseconds()
    var feed = TrackerFeed(reader, isVideo: isVideo, input: input)
    feed.timesOnly = true
    var frames = FrameCycle(reader, limit: frameLimit)
    var processes: [TrackerProcess] = []
    var stages: [StagePairs] = []
    var looks = PairedLooks(gate, minPairs: minPairs, maxPairs: maxPairs)
    var (pairs, starts) = (0, 0)
    var broken = 0
    monitor.begin(.timingPairs, maxPairs)
    func timeShare() -> Double {
      secondsLimit.map { Double(MonotonicClock.nanoseconds() &- begin) / ($0 * 1e9) } ?? 0
    }
    while true {
      if pairs % pairsOfStart == 0, pairs / pairsOfStart == starts {
        try processes.forEach { tracker throws in try tracker.finish() }
        processes = try start(turn: starts, monitor)
        starts += 1
        if stages.isEmpty { stages = common(processes).map { StagePairs(stage: $0) } }
        try warmUp(processes, &frames, &feed)
      }
      try monitor.check("after \(pairs) pairs")
      let (frame, isFirst) = try frames.next()
      guard let times = try ask(processes, frame, isFirst: isFirst, turn: pairs, &feed) else {
        broken += 1
        guard broken < frames.count else {
          throw EvaluationError.wrongData(
            "cannot time \(dataset.relativePath): expected a frame that base and candidate analyse, "
              + "found none in \(broken)")
        }
        continue
      }
      broken = 0
      for index in stages.indices {
        let stage = stages[index].stage
        if let base = times[0][stage], let again = times[1][stage], let candidate = times[2][stage]
        {
          stages[index].add(base: base, again: again, candidate: candidate, start: starts)
        }
      }
      pairs += 1
      monitor.advance(by: 1)
      var generator = SplitMix64(seed: seed)
      // Files are decoded in every frame or in none: a pipeline without times gets none later.
      let awaited = stages.filter { $0.count > 0 || $0.stage != MetricName.pipeline }
      if looks.isDone(awaited, pairs: pairs, time: timeShare(), using: &generator) { break }
    }
    let findings = looks.findings
    let notes = notes(
      processes, stages, findings, isOverTime: timeShare() >= 1 && pairs < maxPairs)
    let names = processes.map(\.hello.name)
    try processes.forEach { tracker throws in try tracker.finish() }
    return Outcome(
      base: names[0], candidate: names[2], pairs: pairs, starts: starts, findings: findings,
      notes: notes)
  }

  /// Starts base, base again and candidate, in another order each time.
  private func start(turn: Int, _ monitor: RunMonitor) throws(EvaluationError) -> [TrackerProcess] {
    let places = [base, base, candidate]
    var processes: [Int: TrackerProcess] = [:]
    for position in Self.orders[turn % Self.orders.count] {
      processes[position] = try TrackerProcess(
        places[position], limit: .seconds(secondsToAnswer), monitor: monitor)
    }
    return processes.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The stages that both time, in the candidate's order.
  private func common(_ processes: [TrackerProcess]) -> [String] {
    let known = Set(processes[0].stages)
    let stages = processes[2].stages.filter(known.contains)
    let hasPipeline = [MetricName.decode, MetricName.total].allSatisfy(stages.contains)
    return hasPipeline ? stages + [MetricName.pipeline] : stages
  }

  private func warmUp(
    _ processes: [TrackerProcess], _ frames: inout FrameCycle, _ feed: inout TrackerFeed
  ) throws {
    for turn in 0..<warmUpFrames {
      let (frame, isFirst) = try frames.next()
      _ = try ask(processes, frame, isFirst: isFirst || turn == 0, turn: turn, &feed)
    }
    frames.interrupt()
  }

  /// The times of a frame by stage, of each process; nil where the image is broken.
  private func ask(
    _ processes: [TrackerProcess], _ frame: Frame, isFirst: Bool, turn: Int,
    _ feed: inout TrackerFeed
  ) throws -> [[String: UInt64]]? {
    var times: [[String: UInt64]?] = [nil, nil, nil]
    for position in Self.orders[turn % Self.orders.count] {
      var stages = try feed.ask(processes[position], frame, isFirst: isFirst).answer?.nanoseconds
      let pipeline = StageLatency.pipelineNanoseconds(
        total: stages?[MetricName.total], decode: stages?[MetricName.decode])
      stages?[MetricName.pipeline] = pipeline
      times[position] = stages
    }
    let known = times.compactMap { $0 }
    return known.count == times.count ? known : nil
  }

  private func notes(
    _ processes: [TrackerProcess], _ stages: [StagePairs], _ findings: [RelativeFinding],
    isOverTime: Bool
  ) -> [String] {
    var notes: [String] = []
    let (base, candidate) = (processes[0], processes[2])
    if base.hello.models != candidate.hello.models {
      notes.append("Base and candidate run different models.")
    }
    let (first, second) = (base.hello.options ?? [:], candidate.hello.options ?? [:])
    let changed = Set(first.keys).union(second.keys).filter { first[$0] != second[$0] }.sorted()
    if !changed.isEmpty {
      notes.append("Options differ: \(changed.joined(separator: ", ")).")
    }
    let lone = Set(base.stages).symmetricDifference(candidate.stages).sorted()
    if !lone.isEmpty {
      notes.append(
        "Only one of the two programs times \(lone.joined(separator: ", ")): not compared.")
    }
    // Gates of a file say themselves what they lack, and decoded pixels need no decoding.
    let absent = stages.filter { $0.count == 0 }.map(\.stage)
      .filter { gate.asked == nil && ![MetricName.decode, MetricName.pipeline].contains($0) }
    if !absent.isEmpty {
      notes.append(
        "In no pair both programs ran \(absent.joined(separator: ", ")): not compared.")
    }
    if isOverTime { notes.append("The time limit ended the measuring.") }
    for finding in findings where finding.lacksPairs {
      notes.append(
        "\(finding.stage) \(finding.untestedReason ?? "was not evaluated"): a change in it would "
          + "not be noticed.")
    }
    for finding in findings where finding.isTooNoisy && finding.isDecisive {
      notes.append(
        "\(finding.stage) is so noisy here that only slow-downs of more than "
          + "\(Int((100 * finding.tolerance).rounded())) % would be told from it, and "
          + "\((100 * finding.asked).shortText()) % was asked: it cannot pass. A quieter machine or "
          + "more pairs lower this.")
    }
    return notes
  }
}

/// The frames of a dataset again and again.
struct FrameCycle {
  private let reader: DatasetReader
  /// How many frames there are.
  let count: Int
  private var frames: [Frame] = []
  private var position = 0
  private var following = 0
  private var last: Int?

  init(_ reader: DatasetReader, limit: Int? = nil) {
    self.reader = reader
    count = min(limit ?? .max, reader.frameCount)
  }

  /// The next frame, and whether what a tracker saw before is of no more use.
  mutating func next() throws(FileError) -> (frame: Frame, isFirst: Bool) {
    if position == frames.count {
      let end = min(following + 256, count)
      frames = try reader.frames(following..<end)
      if following == 0 { last = nil }
      following = end == count ? 0 : end
      position = 0
    }
    let frame = frames[position]
    defer {
      position += 1
      last = frame.sequence
    }
    return (frame, frame.sequence != last)
  }

  /// Makes the next frame count as a first one.
  mutating func interrupt() { last = nil }
}
