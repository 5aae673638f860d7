package import Datasets
internal import FaceCore
internal import Foundation
internal import Metrics
internal import Platform
package import Records
internal import Running
internal import Statistics

/// How a tracker's run went over time: what a frame took, how many frames came, and what the device said of itself.
///
/// The run is cut into windows of 1 s, or 600 longer ones. A window has the median and the 95th percentile (nearest rank) of
/// its answers' times. `TimeShift` and `SlowStart` find the stretches.
package struct RunTimeline {
  /// What a reader must know of it.
  package let notes: [String]
  /// Curves and a table.
  package let series: [Series]

  /// An answer of the tracker.
  private struct Answer {
    let seconds: Double
    let total: UInt64
    let response: UInt64?
    /// Frames that were dropped since the answer before.
    let dropped: Int
  }

  /// A stretch of the run of a fixed length: its middle in seconds, and what was answered in it.
  private typealias Window = (middle: Double, answers: ArraySlice<Answer>)

  /// Reads times and readings; nil where the file does not say when answers came, or has fewer than two.
  package init?(_ predictions: PredictionsReader) throws {
    let header = predictions.header
    guard let when = header.readings.firstIndex(of: PredictionsHeader.answered),
      let total = header.stages.firstIndex(of: StageLatency.total)
    else { return nil }
    let response = header.stages.firstIndex(of: StageLatency.response)
    var answers: [Answer] = []
    var readings: [[Double]] = header.readings.map { _ in [] }
    var dropped = 0
    for range in PredictionPass.ranges(of: predictions.frameCount) {
      for moment in try predictions.moments(range) {
        if moment.status == .dropped { dropped += 1 }
        guard moment.status == .analysed, let seconds = moment.readings[when],
          let time = moment.stageNanoseconds[total], (0..<1e9).contains(seconds),
          seconds >= answers.last?.seconds ?? 0
        else { continue }
        answers.append(
          Answer(
            seconds: seconds, total: time,
            response: response.flatMap { moment.stageNanoseconds[$0] }, dropped: dropped))
        for (index, value) in moment.readings.enumerated() {
          readings[index].append(value ?? .nan)
        }
        dropped = 0
      }
    }
    guard let last = answers.last, last.seconds > 0 else { return nil }
    let instants = answers.map { UInt64($0.seconds * 1e9) }
    let shifts = TimeShift.all(answers: instants, nanoseconds: answers.map(\.total))
    let start = SlowStart(answers: instants, nanoseconds: answers.map(\.total), shifts)
    notes = ([start?.text] + shifts.map(\.text)).compactMap { $0 }.map {
      "Over the run, \($0)."
    }
    let names = header.readings.indices.filter { $0 != when }
    let unit = max(1, last.seconds / 600)
    let windows = Self.windows(answers, seconds: unit)
    var series: [Series] = []
    if windows.count > 1 {
      series.append(Self.times(windows, hasResponse: response != nil, start, shifts))
      series += [Self.rate(answers, seconds: 5 * unit, isPaced: response != nil)].compactMap { $0 }
      series += names.compactMap { Self.reading(header.readings[$0], readings[$0], windows) }
    }
    series.append(
      Self.phases(
        answers, start, shifts, names.map { (header.readings[$0], readings[$0]) }, response != nil))
    self.series = series
  }

  /// The answers of each window that has any, with the middle of the window in seconds.
  private static func windows(_ answers: [Answer], seconds: Double) -> [Window] {
    var windows: [Window] = []
    var begin = 0
    while begin < answers.count {
      let number = Int(answers[begin].seconds / seconds)
      let end =
        answers[begin...].firstIndex { Int($0.seconds / seconds) != number } ?? answers.count
      windows.append(((Double(number) + 0.5) * seconds, answers[begin..<end]))
      begin = end
    }
    return windows
  }

  /// A percentile in milliseconds; nil for none.
  private static func milliseconds(_ percent: Int, _ times: [UInt64]) -> Double? {
    NearestRank.percentile(percent, ofSorted: times.map { Int64(clamping: $0) }.sorted())
      .map { Double($0) / 1e6 }
  }

  private static func times(
    _ windows: [Window], hasResponse: Bool, _ start: SlowStart?, _ shifts: [TimeShift]
  ) -> Series {
    func line(_ label: String, _ value: (ArraySlice<Answer>) -> Double?) -> Series.Line {
      let points = windows.compactMap { window in
        value(window.answers).map { (window.middle, $0) }
      }
      return Series.Line(label: label, x: points.map(\.0), y: points.map(\.1))
    }
    var lines = [
      line("total, median") { milliseconds(50, $0.map(\.total)) },
      line("total, p95") { milliseconds(95, $0.map(\.total)) },
    ]
    if hasResponse {
      lines.append(line("response, median") { milliseconds(50, $0.compactMap(\.response)) })
    }
    var marks = shifts.map {
      Series.Mark(label: String(format: "%.2f times", $0.ratio), x: $0.seconds, y: $0.after / 1e6)
    }
    if let start {
      marks.insert(Series.Mark(label: "steady", x: start.seconds, y: start.after / 1e6), at: 0)
    }
    return Series(
      name: SeriesName.timelineTimes, title: "Time of a frame over the run",
      xLabel: "time in the run (s)", yLabel: "time of a frame (ms)", lines: lines, marks: marks)
  }

  /// Frames a second, over whole windows; nil where there are fewer than two.
  private static func rate(_ answers: [Answer], seconds: Double, isPaced: Bool) -> Series? {
    let count = Int((answers.last?.seconds ?? 0) / seconds)
    guard count > 1 else { return nil }
    var (analysed, dropped) = (
      [Double](repeating: 0, count: count), [Double](repeating: 0, count: count)
    )
    for answer in answers {
      let window = Int(answer.seconds / seconds)
      guard window < count else { break }
      analysed[window] += 1 / seconds
      dropped[window] += Double(answer.dropped) / seconds
    }
    let middles = (0..<count).map { (Double($0) + 0.5) * seconds }
    return Series(
      name: SeriesName.timelineRate,
      title: "Frames a second over the run, over \(seconds.shortText()) s",
      xLabel: "time in the run (s)", yLabel: "frames a second",
      lines: [.init(label: "analysed", x: middles, y: analysed)]
        + (isPaced ? [.init(label: "dropped", x: middles, y: dropped)] : []))
  }

  /// The last value of each window; nil where none is known.
  private static func reading(
    _ name: String, _ values: [Double], _ windows: [Window]
  ) -> Series? {
    let points = windows.compactMap { window in
      values[window.answers.indices].last { !$0.isNaN }.map { (window.middle, $0) }
    }
    guard !points.isEmpty else { return nil }
    return Series(
      name: SeriesName.timelineReading + name, title: "\(name) over the run",
      xLabel: "time in the run (s)", yLabel: name,
      lines: [.init(label: name, x: points.map(\.0), y: points.map(\.1))])
  }

  /// The slow start, and the stretches between lasting changes.
  private static func phases(
    _ answers: [Answer], _ start: SlowStart?, _ shifts: [TimeShift],
    _ readings: [(name: String, values: [Double])], _ isPaced: Bool
  ) -> Series {
    var edges =
      [0]
      + shifts.map { shift in
        answers.firstIndex { $0.seconds >= shift.seconds } ?? answers.count
      }
    if let start { edges.insert(start.frames, at: 1) }
    edges.append(answers.count)
    func text(_ value: Double?) -> String { value.map { $0.shortText() } ?? "–" }
    let rows = zip(edges, edges.dropFirst()).enumerated().map { position, edge -> [String] in
      let part = answers[edge.0..<edge.1]
      let (begin, end) = (part.first?.seconds ?? 0, part.last?.seconds ?? 0)
      let name =
        start != nil && position == 0
        ? "slow start" : position - (start == nil ? 0 : 1) == 0 ? "steady" : "after a change"
      return [name, text(begin), text(end), "\(part.count)"]
        + [milliseconds(50, part.map(\.total)), milliseconds(95, part.map(\.total))].map(text)
        + (isPaced
          ? [
            text(milliseconds(50, part.compactMap(\.response))),
            text(milliseconds(95, part.compactMap(\.response))),
            "\(part.reduce(0) { $0 + $1.dropped })",
          ] : [])
        + [text(end > begin ? Double(part.count - 1) / (end - begin) : nil)]
        + readings.map { reading in
          let known = reading.values[edge.0..<edge.1].filter { !$0.isNaN }
          guard let low = known.min(), let high = known.max() else { return "–" }
          return low == high ? text(low) : "\(text(low)) to \(text(high))"
        }
    }
    return Series(
      name: SeriesName.timelinePhases, title: "Stretches of the run, times in ms",
      columns: ["stretch", "from (s)", "to (s)", "frames", "total p50", "total p95"]
        + (isPaced ? ["response p50", "response p95", "dropped"] : []) + ["frames a second"]
        + readings.map(\.name), rows: rows)
  }
}
