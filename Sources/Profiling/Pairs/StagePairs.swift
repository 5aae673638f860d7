/// Times of one stage on the same frames, measured alternating: by a base, by the base again, by a candidate.
package struct StagePairs: Sendable, Hashable {
  /// Name of the stage.
  package let stage: String
  /// Nanoseconds by the base, one a pair in the order of measuring.
  package private(set) var base: [UInt64] = []
  /// Nanoseconds by a second process of the base, which differs from the first by noise alone.
  package private(set) var again: [UInt64] = []
  /// Nanoseconds by the candidate.
  package private(set) var candidate: [UInt64] = []
  /// The pairs of each start of the processes, in order.
  package private(set) var blocks: [Range<Int>] = []
  private var lastStart: Int?

  /// Starts without pairs.
  package init(stage: String) {
    self.stage = stage
  }

  /// Adds a frame that all three analysed, times in nanoseconds; `start` counts the starts of the processes.
  package mutating func add(base: UInt64, again: UInt64, candidate: UInt64, start: Int) {
    if start == lastStart, let block = blocks.last {
      blocks[blocks.count - 1] = block.lowerBound..<count + 1
    } else {
      blocks.append(count..<count + 1)
      lastStart = start
    }
    self.base.append(base)
    self.again.append(again)
    self.candidate.append(candidate)
  }

  /// How many pairs there are.
  package var count: Int { base.count }
}
