internal import FaceCore

/// Frames that belong together, joined pair by pair (a union-find forest).
struct FrameGroups {
  private var parents: [Int32]

  init(count: Int) { parents = (0..<count).map { Int32(clamping: $0) } }

  /// The representative of a frame's group.
  mutating func root(of frame: Int) -> Int {
    var at = frame
    while Int(parents[at]) != at {
      parents[at] = parents[Int(parents[at])]
      at = Int(parents[at])
    }
    return at
  }

  /// Joins the groups of two frames.
  mutating func join(_ first: Int, _ second: Int) {
    let (a, b) = (root(of: first), root(of: second))
    if a != b { parents[max(a, b)] = Int32(clamping: min(a, b)) }
  }

  /// The group number of each frame, in the order of first frames, and the number of groups.
  mutating func numbered() -> (groups: [Int32], count: Int) {
    var numbers = [Int32](repeating: -1, count: parents.count)
    var next: Int32 = 0
    for frame in parents.indices {
      let root = root(of: frame)
      if numbers[root] < 0 {
        numbers[root] = next
        next += 1
      }
      numbers[frame] = numbers[root]
    }
    return (numbers, Int(next))
  }
}
