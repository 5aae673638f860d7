/// Places for tensors in one block of memory, shared by those that are never needed together.
struct ArenaLayout: Sendable {
  /// One tensor, or scratch memory, and the steps between which it must stay.
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

  /// Gives the largest request the lowest free place, then the next largest.
  init(_ requests: [Request]) {
    var placed: [(place: Range<Int>, life: ClosedRange<Int>)] = []
    let order = requests.sorted { ($1.count, $0.key) < ($0.count, $1.key) }
    for request in order {
      let size = (request.count + 15) / 16 * 16
      var offset = 0
      for other in placed where other.life.overlaps(request.life) {
        if offset + size <= other.place.lowerBound { break }
        offset = max(offset, other.place.upperBound)
      }
      let place = offset..<offset + size
      let index = placed.firstIndex { $0.place.lowerBound > offset } ?? placed.endIndex
      placed.insert((place, request.life), at: index)
      offsets[request.key] = offset
      count = max(count, place.upperBound)
    }
  }
}
