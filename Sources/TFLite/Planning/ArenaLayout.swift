/// Positions for tensors in one block of memory, shared by tensors that are never needed together.
struct ArenaLayout: Sendable {
  /// One tensor, or scratch memory, and the steps during which it is needed.
  struct Request {
    var key: Int
    /// Number of floats.
    var count: Int
    /// First and last step that needs it.
    var life: ClosedRange<Int>
  }

  /// First float of each request, by its key; a multiple of 16.
  private(set) var offsets: [Int: Int] = [:]
  /// Floats in all.
  private(set) var count = 0

  /// Gives the largest request the lowest free position, then the next largest.
  init(_ requests: [Request]) {
    var positioned: [(position: Range<Int>, life: ClosedRange<Int>)] = []
    let order = requests.sorted { ($1.count, $0.key) < ($0.count, $1.key) }
    for request in order {
      let size = (request.count + 15) / 16 * 16
      var offset = 0
      for other in positioned where other.life.overlaps(request.life) {
        if offset + size <= other.position.lowerBound { break }
        offset = max(offset, other.position.upperBound)
      }
      let position = offset..<offset + size
      let index = positioned.firstIndex { $0.position.lowerBound > offset } ?? positioned.endIndex
      positioned.insert((position, request.life), at: index)
      offsets[request.key] = offset
      count = max(count, position.upperBound)
    }
  }
}
