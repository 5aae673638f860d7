internal import Platform
internal import Statistics

/// The totals that a tracker states, next to how long its answers took, which tell of another unit than nanoseconds.
///
/// A total above the wait cannot be. Those of one frame may come from a coarse clock, so medians decide, and only a total
/// of ten times the wait that is also longer by more than the coarsest clock's step is refused: units differ by 1000, and
/// recorded or made-up times of some milliseconds stay allowed.
///
/// A total far below the wait can be right: pixels take time on their way, and answers to be written. So the time counts
/// from when the pixels were taken, and only a total that becomes three tenths of that time or more, and no more than it,
/// once it is read in a coarser unit is suspect, in nine frames of ten. A tracker that does next to nothing states
/// microseconds, which would be too long in any of these units, or its answers come too soon to tell.
package struct StatedTimes {
  /// A frame: the tracker's total, the time from the request to the answer, and from its last byte to the answer.
  private var frames: [(total: Int64, wait: Int64, work: Int64)] = []
  private let isCommand: Bool

  /// How many frames it takes to refuse a tracker before its end.
  private static let enough = 16
  /// How many times the wait a total must be.
  private static let factor: Int64 = 10
  /// The shortest work that tells of a unit too coarse, in nanoseconds.
  private static let leastWork: Int64 = 2_000_000
  /// The least time that is told to be in no total, in nanoseconds.
  private static let leastUntold: Int64 = 5_000_000
  /// Nanoseconds of the units that are taken for it.
  private static let units: [Double] = [1e3, 1e6, 1e9]

  /// Starts without frames; a tracker on another machine says nothing of short times.
  package init(isCommand: Bool) { self.isCommand = isCommand }

  /// Adds a frame, in nanoseconds.
  package mutating func add(total: UInt64, wait: UInt64, work: UInt64) {
    frames.append((Int64(clamping: total), Int64(clamping: wait), Int64(clamping: work)))
  }

  /// What was expected and found where totals are longer than the waits; nil as long as they can be right.
  ///
  /// In a run it is asked after each frame, and answers once there are enough.
  package func fault(atEnd: Bool) -> (expected: String, found: String)? {
    guard atEnd || frames.count == Self.enough,
      let total = median(frames.map(\.total)), let wait = median(frames.map(\.wait)),
      total / Self.factor >= wait, total - wait > Int64(TrackerProcess.coarsestClock)
    else { return nil }
    return (
      "stages_ns in nanoseconds, with a total of at most the \(Self.text(wait)) from the request to the "
        + "answer", "\(Self.text(total)) (medians of \(frames.count) frames)"
    )
  }

  /// Nanoseconds of the unit that totals seem to be in; nil where they can be nanoseconds.
  package var unit: Double? { recentUnit(over: frames.count) }

  /// The same by the last so many frames.
  package func recentUnit(over count: Int) -> Double? {
    let frames = frames.suffix(count)
    guard isCommand, frames.count >= 5, let work = median(frames.map(\.work)),
      work >= Self.leastWork
    else { return nil }
    return Self.units.first { unit in
      let fitting = frames.filter {
        let share = Double($0.total) * unit / Double(max($0.work, 1))
        return share >= 0.3 && share <= 1.02
      }
      return fitting.count * 10 >= frames.count * 9
    }
  }

  /// That most of the work is in no total, as where a tracker does not wait for its GPU; nil where it is in it.
  ///
  /// Writing the points of some faces takes a few milliseconds in Python.
  package var note: String? {
    guard isCommand, unit == nil, frames.count >= 5, let total = median(frames.map(\.total)),
      let work = median(frames.map(\.work)), work - total >= Self.leastUntold, work / 5 >= total
    else { return nil }
    return
      "its total is \(Self.text(total)) of the \(Self.text(work)) from a frame's last byte to its answer "
      + "(medians): work that a GPU still does when the clock is read, or that no stage has, is not in its latency"
  }

  private static func text(_ time: Int64) -> String { "\((Double(time) / 1e6).shortText()) ms" }

  private func median(_ values: [Int64]) -> Int64? {
    NearestRank.percentile(50, ofSorted: values.sorted())
  }
}
