import CommandSyntax
import Foundation
import Platform
import Running

/// The summary that `track` prints: faces, times, and the time relative to the first tracker.
struct TrackingSummary {
  let summaries: [TrackerRun.Summary]

  /// What is printed of one tracker, as JSON has it.
  struct Line: Encodable {
    var tracker: String
    var frames: Int
    var input: String
    var faces: Int
    var broken: Int
    var p50: Double?
    var p90: Double?
    var ratio: Ratio?
    var dropped: Int?
    /// Percentiles of the response of a paced run, and the longest delay of an offer.
    var responseP50: Double?
    var responseP95: Double?
    var longestLate: Double?
    /// The median time of the way to the tracker and back.
    var transferP50: Double?
    var clock: Clock?
    /// The slow first frames.
    var start: Start?
    /// Lasting changes of the time of its frames.
    var shifts: [Shift]
    /// What a reader is told of both.
    var notes: [String] = []
    /// Whether it was reached over a network.
    var isRemote: Bool
  }

  /// The tracker's clock less ours at its start, within so many milliseconds, and how much faster it goes.
  struct Clock: Encodable {
    var offset: Double
    var uncertainty: Double
    var partsPerMillion: Double?
    var rateUncertainty: Double?

    var text: String {
      String(
        format: ", its clock %.3f ms %@ ours within %.3f ms", abs(offset),
        offset < 0 ? "behind" : "ahead of", uncertainty)
        + (partsPerMillion.flatMap { rate in
          rateUncertainty.map { String(format: ", %+.1f ppm within %.1f", rate, $0) }
        } ?? "")
    }
  }

  /// The first frames took longer than those after them.
  struct Start: Encodable {
    var frames: Int
    var seconds: Double
    /// Medians in milliseconds.
    var before: Double
    var after: Double

    init(_ start: SlowStart) {
      (frames, seconds) = (start.frames, start.seconds)
      (before, after) = (start.before / 1e6, start.after / 1e6)
    }
  }

  /// From so many seconds after the first answer on, within an interval, a frame took other milliseconds.
  struct Shift: Encodable {
    var seconds: Double
    var low: Double
    var high: Double
    var before: Double
    var after: Double

    init(_ shift: TimeShift) {
      (seconds, before, after) = (shift.seconds, shift.before / 1e6, shift.after / 1e6)
      (low, high) = (max(shift.interval.lowerBound, 0), shift.interval.upperBound)
    }
  }

  /// How many times as long as the first tracker, with a 95 % interval over starts of the trackers.
  struct Ratio: Encodable {
    var median: Double
    var low: Double?
    var high: Double?
    var starts: Int
  }

  /// A line for each tracker.
  var lines: [Line] {
    summaries.enumerated().map { position, one in
      let (times, responses) = (one.nanoseconds.sorted(), one.responses.sorted())
      func percentile(_ percent: Int, of times: [UInt64]) -> Double? {
        times.isEmpty ? nil : Double(times[(times.count * percent + 99) / 100 - 1]) / 1e6
      }
      let ratio = position == 0 ? nil : one.ratio(to: summaries[0])
      let (start, shifts) = (one.start, one.shifts)
      return Line(
        tracker: one.name, frames: one.frames, input: one.input, faces: one.faces,
        broken: one.broken,
        p50: percentile(50, of: times), p90: percentile(90, of: times),
        ratio: ratio.map {
          Ratio(
            median: $0.median, low: $0.interval?.lowerBound, high: $0.interval?.upperBound,
            starts: $0.starts)
        }, dropped: one.dropped, responseP50: percentile(50, of: responses),
        responseP95: percentile(95, of: responses),
        longestLate: one.dropped == nil ? nil : Double(one.nanosecondsLate) / 1e6,
        transferP50: percentile(50, of: one.transfers.sorted()),
        clock: one.clock.map {
          Clock(
            offset: Double($0.offset) / 1e6, uncertainty: $0.uncertainty / 1e6,
            partsPerMillion: $0.partsPerMillion, rateUncertainty: $0.rateUncertainty)
        }, start: start.map(Start.init), shifts: shifts.map(Shift.init),
        notes: ([decodingNote(of: one), start?.text, one.timesNote] + shifts.map(\.text))
          .compactMap { $0 },
        isRemote: one.isRemote)
    }
  }

  /// That a tracker decodes images itself where another gets pixels; nil where all have the same work.
  private func decodingNote(of one: TrackerRun.Summary) -> String? {
    let pixels = TrackerRun.Input.rgb.rawValue
    guard one.input != pixels, summaries.contains(where: { $0.input == pixels }) else { return nil }
    return "its times include decoding, those of trackers that get pixels (rgb) do not"
  }

  /// A line for each tracker, and its notes.
  var text: String {
    lines.map { line in
      var text =
        "\(line.tracker): \(line.frames) frames as \(line.input), \(line.faces) faces"
        + (line.broken > 0 ? ", \(line.broken) broken images" : "")
      if let dropped = line.dropped { text += ", \(dropped) dropped" }
      if let p50 = line.responseP50, let p95 = line.responseP95, let late = line.longestLate {
        text += String(
          format: ", response p50 %.1f ms, p95 %.1f ms, offered up to %.1f ms late", p50, p95, late)
      }
      if let p50 = line.p50, let p90 = line.p90 {
        text += String(format: ", total p50 %.3f ms, p90 %.3f ms", p50, p90)
      }
      if let transfer = line.transferP50 {
        text += String(format: ", transfer p50 %.3f ms", transfer)
      }
      if let clock = line.clock, line.isRemote { text += clock.text }
      if let ratio = line.ratio {
        text += String(format: ", %.3f times the first", ratio.median)
        if let low = ratio.low, let high = ratio.high {
          text += String(
            format: " (95 %% interval %.3f to %.3f, %d starts)", low, high, ratio.starts)
        } else {
          text +=
            " (no interval: the trackers were started \(ratio.starts) times, an interval needs "
            + "\(TrackerRun.Ratio.minStarts))"
        }
      }
      let notes = line.notes.map { "note: \(line.tracker): \($0)" }
      return ([text] + notes).printed
    }.joined()
  }

  /// The same as JSON, times in milliseconds.
  func json() throws -> String {
    try JSONEncoder.document.text(of: lines)
  }
}
