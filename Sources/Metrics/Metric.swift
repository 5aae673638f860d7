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
  associatedtype Entry: Packable & Sendable

  /// What is kept of each frame.
  var frames: FrameTable<Entry> { get set }

  /// The metric that errors of the table name; the first one unless it is stated.
  static var table: String { get }

  /// Throws where another accumulator has settings that do not go with these.
  func check(_ other: Self) throws(MetricError)

  /// Keeps the frames that a draw takes, as often as it takes them.
  mutating func draw(_ draw: FrameDraw)

  /// The frames that the metrics rest on.
  var countedFrames: FrameRuns { get }

  /// Takes in what another accumulator keeps beside its table.
  mutating func mergeRest(_ other: Self) throws(MetricError)

  /// Forgets what is kept beside the table, of which nothing can be drawn.
  mutating func removeRest()

  /// How many bytes are kept beside the table.
  var restByteCount: Int { get }
}

extension FrameMetric {
  package static var table: String { definitions[0].name }
  package func check(_ other: Self) throws(MetricError) {}
  package mutating func mergeRest(_ other: Self) throws(MetricError) {}
  package mutating func removeRest() {}
  package var restByteCount: Int { 0 }

  package mutating func merge(_ other: Self) throws(MetricError) {
    try check(other)
    try frames.merge(other.frames, in: Self.table)
    try mergeRest(other)
  }

  package mutating func draw(_ draw: FrameDraw) {
    frames = frames.drawn(by: draw)
    removeRest()
  }

  /// How many bytes what is kept takes.
  package var byteCount: Int { frames.byteCount + restByteCount }

  /// Swaps the chosen frames with another accumulator's; both have the same settings.
  package mutating func swapFrames(with other: inout Self, where isChosen: (Int) -> Bool) {
    frames.swapFrames(with: &other.frames, where: isChosen)
  }

  /// Adds a frame; throws where it is there already.
  mutating func add(_ entry: Entry, for frame: Int) throws(MetricError) {
    try frames.add(entry, for: frame, in: Self.table)
  }

  package var countedFrames: FrameRuns { frames.keys }
}

extension FrameMetric where Entry: Collection {
  /// Adds a frame, which takes no memory where nothing of it counts; throws where it is there already.
  mutating func addCounted(_ entry: Entry, for frame: Int) throws(MetricError) {
    if !entry.isEmpty || frames.contains(frame) { try add(entry, for: frame) }
  }

  package var countedFrames: FrameRuns { frames.keys(where: { !$0.isEmpty }) }

  /// Every face, in the order of the frames' keys and their labels.
  var faces: [Entry.Element] { frames.entries.flatMap { $0 } }
}

extension FrameMetric where Entry: SequenceEntry {
  package mutating func draw(_ draw: FrameDraw) {
    frames = frames.drawn(by: draw)
    removeRest()
  }
}
