/// The part of a chunk inside the requested rows, as runs of bytes in chunk and target.
struct ChunkPart {
  /// Per axis: count, start in the chunk, start in the target.
  private let counts: [Int]
  private let sourceStarts: [Int]
  private let targetStarts: [Int]
  private let sourceStrides: [Int]
  private let targetStrides: [Int]
  private let elementBytes: Int

  /// `rows` must overlap the chunk at `offset`, in elements of the dataset.
  init(offset: [Int], chunk: [Int], shape: [Int], rows: Range<Int>, elementBytes: Int) {
    self.elementBytes = elementBytes
    let lower = max(offset[0], rows.lowerBound)
    let upper = min(offset[0] + min(chunk[0], shape[0] - offset[0]), rows.upperBound)
    let axes = shape.indices.dropFirst()
    counts = [upper - lower] + axes.map { min(chunk[$0], shape[$0] - offset[$0]) }
    sourceStarts = [lower - offset[0]] + axes.map { _ in 0 }
    targetStarts = [lower - rows.lowerBound] + offset.dropFirst()
    sourceStrides = Self.strides(chunk, elementBytes)
    targetStrides = Self.strides(shape, elementBytes)
  }

  private static func strides(_ extents: [Int], _ elementBytes: Int) -> [Int] {
    var strides = [Int](repeating: elementBytes, count: extents.count)
    for axis in extents.indices.dropLast().reversed() {
      strides[axis] = strides[axis + 1] * extents[axis + 1]
    }
    return strides
  }

  /// The first axis from which runs are contiguous in both chunk and target.
  private var runAxis: Int {
    var axis = counts.count - 1
    while axis > 0, sourceStrides[axis - 1] == counts[axis] * sourceStrides[axis],
      targetStrides[axis - 1] == counts[axis] * targetStrides[axis]
    {
      axis -= 1
    }
    return axis
  }

  var isContiguous: Bool { runAxis == 0 }
  private var sourceStart: Int {
    zip(sourceStarts, sourceStrides).reduce(0) { $0 + $1.0 * $1.1 }
  }
  /// The bytes of the chunk that hold the rows.
  var sourceRows: Range<Int> {
    let start = sourceStarts[0] * sourceStrides[0]
    return start..<start + counts[0] * sourceStrides[0]
  }
  /// Target range of the bytes; valid if `isContiguous`.
  var targetRange: Range<Int> {
    let start = zip(targetStarts, targetStrides).reduce(0) { $0 + $1.0 * $1.1 }
    return start..<start + counts[0] * targetStrides[0]
  }

  /// Calls `body` with start in the chunk, start in the target, and byte count of every run.
  func forEachRun(_ body: (_ source: Int, _ target: Int, _ count: Int) -> Void) {
    guard !counts.contains(0) else { return }
    let axis = runAxis
    let count = counts[axis] * sourceStrides[axis]
    var source = sourceStart
    var target = targetRange.lowerBound
    var index = [Int](repeating: 0, count: axis)
    while true {
      body(source, target, count)
      var step = axis - 1
      while step >= 0 {
        index[step] += 1
        source += sourceStrides[step]
        target += targetStrides[step]
        if index[step] < counts[step] { break }
        source -= counts[step] * sourceStrides[step]
        target -= counts[step] * targetStrides[step]
        index[step] = 0
        step -= 1
      }
      if step < 0 { return }
    }
  }

  /// Copies from the bytes of the chunk from `first` on.
  func copy(
    from source: UnsafeRawBufferPointer, startingAt first: Int = 0,
    to target: UnsafeMutableRawBufferPointer
  ) {
    forEachRun { from, to, count in
      let bytes = source[from - first..<from - first + count]
      UnsafeMutableRawBufferPointer(rebasing: target[to..<to + count])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes))
    }
  }
}
