/// Frames, ascending, none twice; neighbours take no memory.
package struct FrameRuns: Sendable, Hashable, RandomAccessCollection, ExpressibleByArrayLiteral {
  /// Of few bytes, because the frames of a slice may be many short stretches.
  private struct Run: Sendable, Hashable {
    private let firstFrame, firstPosition: UInt32

    init(first: Int, position: Int) {
      firstFrame = UInt32(first)
      firstPosition = UInt32(position)
    }

    var first: Int { Int(firstFrame) }
    /// How many frames are before it.
    var position: Int { Int(firstPosition) }
  }

  private var runs: [Run] = []
  /// How many frames there are.
  package private(set) var count = 0

  /// Starts without frames.
  package init() {}

  package init(arrayLiteral frames: Int...) { self.init(frames) }

  /// Takes ascending frames.
  package init(_ frames: some Swift.Sequence<Int>) {
    for frame in frames { append(frame) }
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { count }

  package subscript(position: Int) -> Int {
    let run = runs[self.run { $0.position <= position }]
    return run.first + position - run.position
  }

  /// The last run for which something holds that holds for all before it.
  private func run(_ isBefore: (Run) -> Bool) -> Int {
    runs.indices.partitioningIndex { !isBefore(runs[$0]) } - 1
  }

  private func end(of run: Int) -> Int {
    runs[run].first + (run + 1 < runs.count ? runs[run + 1].position : count) - runs[run].position
  }

  /// The stretches of neighbours.
  package var ranges: [Range<Int>] { runs.indices.map { runs[$0].first..<end(of: $0) } }

  /// The stretches of neighbours among those at some positions.
  func ranges(at positions: Range<Int>) -> [Range<Int>] {
    guard !positions.isEmpty else { return [] }
    var ranges: [Range<Int>] = []
    var index = run { $0.position <= positions.lowerBound }
    while index < runs.count, runs[index].position < positions.upperBound {
      let shift = runs[index].first - runs[index].position
      let low = Swift.max(runs[index].first, positions.lowerBound + shift)
      ranges.append(low..<Swift.min(end(of: index), positions.upperBound + shift))
      index += 1
    }
    return ranges
  }

  /// Those of a range.
  package func within(_ frames: Range<Int>) -> FrameRuns {
    var own = FrameRuns()
    for range in ranges(at: position(of: frames.lowerBound)..<position(of: frames.upperBound)) {
      own.append(range)
    }
    return own
  }

  /// Adds frames that come after those that are there.
  package mutating func append(_ later: FrameRuns) {
    for range in later.ranges { append(range) }
  }

  /// The frames that are in any of some stretches.
  package init(unionOf stretches: [Range<Int>]) {
    var open = 0..<0
    for stretch in stretches.sorted(by: { $0.lowerBound < $1.lowerBound }) where !stretch.isEmpty {
      if stretch.lowerBound <= open.upperBound, !open.isEmpty {
        open = open.lowerBound..<Swift.max(open.upperBound, stretch.upperBound)
      } else {
        append(open)
        open = stretch
      }
    }
    append(open)
  }

  /// Adds a frame after those that are there.
  package mutating func append(_ frame: Int) { append(frame..<frame + 1) }

  /// Adds frames after those that are there.
  package mutating func append(_ frames: Range<Int>) {
    guard !frames.isEmpty else { return }
    if runs.isEmpty || end(of: runs.count - 1) != frames.lowerBound {
      runs.append(Run(first: frames.lowerBound, position: count))
    }
    count += frames.count
  }

  /// Where a frame is, or would be.
  package func position(of frame: Int) -> Int {
    let run = run { $0.first <= frame }
    return run < 0 ? 0 : runs[run].position + Swift.min(frame, end(of: run)) - runs[run].first
  }

  /// Whether a frame is there.
  package func contains(_ frame: Int) -> Bool {
    let run = run { $0.first <= frame }
    return run >= 0 && frame < end(of: run)
  }

  /// How many bytes they take.
  package var byteCount: Int { runs.count * MemoryLayout<Run>.stride }

  /// Gives frames in their order.
  package struct Iterator: IteratorProtocol {
    private let runs: FrameRuns
    private var run = 0
    private var frame = 0
    private var left: Int

    fileprivate init(_ runs: FrameRuns) {
      self.runs = runs
      left = runs.count
      frame = runs.runs.first?.first ?? 0
    }

    package mutating func next() -> Int? {
      guard left > 0 else { return nil }
      left -= 1
      if frame == runs.end(of: run) {
        run += 1
        frame = runs.runs[run].first
      }
      frame += 1
      return frame - 1
    }
  }

  package func makeIterator() -> Iterator { Iterator(self) }
}
