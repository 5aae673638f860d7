package import Records

/// A mergeable accumulator: images go in by frame, in any order and any split, and metrics come out.
///
/// `accumulate(A ∪ B) == merge(accumulate(A), accumulate(B))` bit for bit.
package protocol Metric: DefinedMetrics, Sendable, Equatable {
  /// Takes in the frames of another accumulator; throws where a frame is in both or settings differ.
  mutating func merge(_ other: Self) throws(MetricError)

  /// The metrics over all frames so far; an undefined one is there without a value, with a reason.
  func summarize() -> [Measurement]
}

/// A metric whose state is a table of frames, so that frames can be taken from it and put into it.
package protocol FrameMetric: Metric {
  /// What is kept of a frame.
  associatedtype Entry: Sendable & Hashable

  /// What is kept of each frame.
  var frames: FrameTable<Entry> { get set }

  /// The metric that errors of the table name.
  static var table: String { get }

  /// Throws where another accumulator has settings that do not go with these.
  func check(_ other: Self) throws(MetricError)

  /// Keeps the frames that a draw takes, as often as it takes them.
  mutating func draw(_ draw: FrameDraw)

  /// The frames that the metrics rest on, ascending.
  var countedFrames: [Int] { get }
}

extension FrameMetric {
  package func check(_ other: Self) throws(MetricError) {}

  package mutating func merge(_ other: Self) throws(MetricError) {
    try check(other)
    try frames.merge(other.frames, in: Self.table)
  }

  package mutating func draw(_ draw: FrameDraw) {
    frames = frames.drawn(by: draw)
  }

  /// Swaps the chosen frames with another accumulator's; both have the same settings.
  package mutating func swapFrames(with other: inout Self, where isChosen: (Int) -> Bool) {
    frames.swapFrames(with: &other.frames, where: isChosen)
  }

  /// Adds a frame; throws where it is there already.
  mutating func add(_ entry: Entry, for frame: Int) throws(MetricError) {
    try frames.add(entry, for: frame, in: Self.table)
  }
}

extension FrameMetric {
  package var countedFrames: [Int] { frames.keys }
}

extension FrameMetric where Entry: Collection {
  package var countedFrames: [Int] { frames.keyed.filter { !$1.isEmpty }.map(\.0) }
}

extension FrameMetric where Entry: SequenceEntry {
  package mutating func draw(_ draw: FrameDraw) {
    frames = frames.drawn(by: draw)
  }
}
