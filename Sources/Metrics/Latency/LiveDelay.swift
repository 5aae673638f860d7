internal import Platform
package import Records
internal import Statistics

/// How far a live run was behind its clock: the delay of each offer, the frames that were never offered, and the
/// time from the last frame of a clip to its last result.
///
/// A frame is due at the time that it is stamped with, counted from the first frame of its clip. It is offered then,
/// or as soon as it is decoded. One that is not decoded when the next one is due is passed over.
package struct LiveDelay: DefinedMetrics, Sendable {
  /// In their order, each with the clip that it is of.
  private var delays: [(nanoseconds: Int64, cluster: Int)] = []
  private var passedOver = 0
  private var longestOverrun: Int64?
  private var clips = 0

  /// Nothing was offered yet.
  package init() {}

  /// Counts a frame that was offered so many nanoseconds after it was due.
  package mutating func add(nanoseconds: UInt64) {
    delays.append((Int64(clamping: nanoseconds), clips))
  }

  /// Counts a frame that was passed over.
  package mutating func addPassedOver() { passedOver += 1 }

  /// Counts a clip whose last result came so many nanoseconds after its last frame was due.
  package mutating func addClip(nanoseconds: UInt64) {
    longestOverrun = Swift.max(longestOverrun ?? 0, Int64(clamping: nanoseconds))
    clips += 1
  }

  /// The 95th percentile and the maximum of the delays, and the frames that were passed over, and the longest overrun.
  package func summarize() -> [Measurement] {
    let sorted = delays.map(\.nanoseconds).sorted()
    let due = sorted.count + passedOver
    let none = "no frame of a video sequence was offered"
    var p95 = Self.p95.measurement(
      NearestRank.percentile(95, ofSorted: sorted).map(StageLatency.milliseconds), n: sorted.count,
      else: none)
    if !sorted.isEmpty { p95.interval = PercentileInterval(delays).interval(ofPercentile: 95) }
    return [
      p95,
      Self.max.measurement(
        sorted.last.map(StageLatency.milliseconds), n: sorted.count, else: none),
      Self.undecoded.measurement(due == 0 ? nil : Double(passedOver), n: due, else: none),
      Self.overrun.measurement(
        longestOverrun.map(StageLatency.milliseconds), n: clips, else: "no clip ran"),
    ]
  }

  /// What a reader of a live run must know; nil where no frame was due.
  package var note: String? {
    guard let last = delays.map(\.nanoseconds).max() else { return nil }
    func milliseconds(_ time: Int64) -> String {
      "\(StageLatency.milliseconds(time).shortText(significantDigits: 3)) ms"
    }
    let frames = passedOver == 1 ? "1 frame was" : "\(passedOver) frames were"
    let overrun = longestOverrun.map {
      " The last result of a clip came up to \(milliseconds($0)) after its last frame was due."
    }
    return "The clips ran on their own clock: a frame was offered up to "
      + "\(milliseconds(last)) after its time, and \(frames) passed over because decoding was late."
      + (overrun ?? "")
  }
}

extension LiveDelay {
  /// The metrics of live mode's clock.
  package static let definitions = [p95, max, undecoded, overrun]

  private static let p95 = definition(
    "behind_clock_ms.p95", "Offered behind the clock, 95th percentile",
    "time from a frame's stamp to its offer in live mode, nearest rank; undefined where nothing was offered"
  )
  private static let max = definition(
    "behind_clock_ms.max", "Offered behind the clock, longest",
    "the longest time from a frame's stamp to its offer in live mode")
  private static let undecoded = definition(
    "undecoded_frames", "Frames not decoded in time", unit: "frames",
    "frames of live mode that were not decoded when the next one was due; they count as dropped too"
  )

  private static let overrun = definition(
    "clip_overrun_ms.max", "Last result after a clip's last frame, longest",
    "the longest time from the stamp of a clip's last frame to the clip's last result in live mode")

  private static let definition = DefinitionGroup(
    prefix: "tracking.", unit: "ms", source: "FaceGauge")

  package static let presentation = MetricPresentation(
    extremes: [max.name, overrun.name])
}
