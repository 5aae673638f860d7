internal import Datasets
internal import FaceCore
internal import Foundation
internal import Platform
internal import Records

/// A tracker of a run: its process, its file, and what came of it.
struct TrackerLane {
  var process: TrackerProcess
  private(set) var output: TrackerOutput
  var summary: TrackerRun.Summary
  private var times: StatedTimes
  /// The unit of the times of an interrupted run, by its last part; nil where they can be nanoseconds.
  private var earlierUnit: Double?
  /// When the first answer was there.
  private var firstAnswer: UInt64?
  /// When the last answer of an interrupted run was there, in nanoseconds after its first.
  private var earlierNanoseconds: UInt64 = 0
  /// What every answer so far contains.
  private var shown: Set<PredictionsHeader.Fact> = [.detectorRan, .detectorBoxes]

  /// Goes on after what the output holds already.
  init(process: TrackerProcess, output: TrackerOutput, summary: TrackerRun.Summary) throws {
    self.process = process
    self.output = output
    self.summary = summary
    times = StatedTimes(isCommand: process.place.isCommand)
    try output.readEarlier { restore($0, $1) }
  }

  private mutating func restore(_ prediction: FramePrediction, _ header: PredictionsHeader) {
    (shown, earlierUnit) = (header.facts, header.timesUnit)
    guard prediction.status == .analysed else {
      summary.broken += 1
      summary.timed.append(nil)
      return
    }
    // A time that no run has, or one before the last, tells nothing.
    let seconds = prediction.readings.first.flatMap { $0 } ?? 0
    if (0..<1e9).contains(seconds) {
      earlierNanoseconds = max(earlierNanoseconds, UInt64(seconds * 1e9))
    }
    count(prediction, answered: earlierNanoseconds)
    let transfer = output.stages.firstIndex(of: MetricName.transfer)
    if let time = transfer.flatMap({ prediction.stageNanoseconds[$0] }) {
      summary.transfers.append(time)
    }
  }

  private mutating func count(_ prediction: FramePrediction, answered: UInt64) {
    summary.frames += 1
    summary.faces += prediction.faces.count
    summary.answers.append(answered)
    summary.timed.append(prediction.stageNanoseconds.last.flatMap { $0 } ?? 0)
  }

  /// What the tracker facts: what its first line names, else what all of its answers hold.
  var facts: Set<PredictionsHeader.Fact> {
    if let facts = process.hello.facts {
      return Set(facts.compactMap(PredictionsHeader.Fact.init))
    }
    return summary.frames == 0 && firstAnswer == nil ? [] : shown
  }

  /// Offers the frames of videos at their times and the others one after another.
  mutating func follow(
    _ reader: DatasetReader, framesPerSecond: Double?, _ feed: inout TrackerFeed,
    _ run: TrackerRun, _ monitor: RunMonitor
  ) throws {
    var next = 0
    func check() throws { try monitor.check(after: next, of: reader.frameCount) }
    while next < reader.frameCount {
      try check()
      let frame = try reader.frames(next..<next + 1)[0]
      guard reader.kind(ofSequence: frame.sequence) == .video else {
        try analyse(frame, isFirst: true, &feed, run)
        next += 1
        monitor.advance(by: 1)
        continue
      }
      let frames = reader.sequences[frame.sequence].frames
      let camera = Camera(
        reader, frames: frames, framesPerSecond: framesPerSecond,
        decodes: feed.way(to: process) == .rgb)
      defer { camera.stop() }
      var isFirst = true
      while let shot = try camera.next() {
        try check()
        try drop(next..<shot.frame.index, monitor)
        if let image = shot.image { feed.keep(image, of: shot.frame) }
        summary.nanosecondsLate = max(summary.nanosecondsLate, shot.offered &- shot.due)
        try analyse(shot.frame, isFirst: isFirst, due: shot.due, &feed, run)
        isFirst = false
        next = shot.frame.index + 1
        monitor.advance(by: 1)
      }
      try drop(next..<frames.upperBound, monitor)
      next = frames.upperBound
    }
  }

  private mutating func drop(_ frames: Range<Int>, _ monitor: RunMonitor) throws {
    for frame in frames {
      try add(FramePrediction(frame: frame, notAnalysed: .dropped))
      summary.timed.append(nil)
    }
    summary.dropped = (summary.dropped ?? 0) + frames.count
    monitor.advance(by: frames.count)
  }

  private mutating func add(_ prediction: FramePrediction) throws {
    let (facts, times) = (self.facts, self.times)
    try output.add(
      prediction, facts: facts, timesUnit: times.recentUnit(over: SegmentWriter.length))
  }

  /// Writes the file.
  mutating func write(_ monitor: RunMonitor) throws {
    let facts = facts
    try output.finish(facts: facts, timesUnit: times.unit ?? earlierUnit, monitor)
  }

  /// Writes the file of a run that ended early: frames after the last answer are not in its source.
  ///
  /// Returns how many frames it holds, 0 where there is no file: nothing was answered, or with wrong times.
  mutating func writeAnswered(of reader: DatasetReader, _ monitor: RunMonitor) throws -> Int {
    let count = summary.timed.count
    guard summary.frames > 0, times.fault(atEnd: true) == nil else { return 0 }
    let times = [UInt64?](repeating: nil, count: output.stages.count)
    for range in PredictionPass.ranges(of: count..<reader.frameCount) {
      for frame in try reader.frames(range) {
        var prediction = FramePrediction(
          frame: frame.index, size: frame.size, stageNanoseconds: times, detections: [],
          candidates: [])
        prediction.isInSource = false
        try add(prediction)
      }
    }
    try write(monitor)
    return count
  }

  /// Lets the tracker end.
  mutating func finish() throws(EvaluationError) {
    try process.finish()
    if let fault = times.fault(atEnd: true) { throw process.wrong(fault) }
    summary.timesNote = times.note
    summary.clock = process.clock.fit()
    summary.isRemote = !process.place.isCommand
  }

  /// `due` is when a frame of a paced run was to come.
  mutating func analyse(
    _ frame: Frame, isFirst: Bool, due: UInt64? = nil, _ feed: inout TrackerFeed,
    _ run: TrackerRun
  ) throws {
    let (answer, broken) = try feed.ask(process, frame, isFirst: isFirst)
    guard let answer else {
      summary.broken += 1
      guard summary.broken <= run.maxBadFrames else {
        throw EvaluationError.wrongData(
          "cannot track in \(run.dataset.relativePath): expected at most \(run.maxBadFrames) "
            + "broken images (--max-bad-frames), found \(summary.broken), the last in frame "
            + "\(frame.index) '\(frame.name)': \(broken ?? "")")
      }
      summary.timed.append(nil)
      try add(FramePrediction(frame: frame.index, notAnalysed: .broken))
      return
    }
    if let total = answer.nanoseconds?[MetricName.total] {
      times.add(total: total, wait: process.took.whole, work: process.took.afterRequest)
      if let fault = times.fault(atEnd: false) { throw process.wrong(fault) }
    }
    var prediction = try process.prediction(answer, frame: frame)
    if run.pace != .closed {
      let response = due.map { process.answered &- $0 }
      if let response { summary.responses.append(response) }
      prediction.stageNanoseconds.insert(response, at: prediction.stageNanoseconds.count - 1)
    }
    let first = firstAnswer ?? process.answered &- earlierNanoseconds
    firstAnswer = first
    prediction.readings =
      [Double(process.answered &- first) / 1e9]
      + (process.hello.readings ?? []).map { answer.readings?[$0] ?? nil }
    if answer.detectorRan == nil { shown.remove(.detectorRan) }
    let hasOwnBoxes =
      answer.detections != nil || (answer.faces ?? []).allSatisfy { $0.points == nil }
    if !hasOwnBoxes { shown.remove(.detectorBoxes) }
    if answer.faces?.contains(where: { $0.unsmoothed != nil }) == true {
      shown.insert(.unsmoothed)
    }
    if let transfer = answer.nanoseconds?[MetricName.transfer] {
      summary.transfers.append(transfer)
    }
    do {
      try add(prediction)
    } catch let error as FileError where error.kind == .wrongData {
      throw process.wrong(error)
    }
    count(prediction, answered: process.answered &- first)
  }
}
