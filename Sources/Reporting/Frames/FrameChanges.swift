import FaceCore

/// What changed in each frame from a base run to another.
struct FrameChanges {
  private struct Change {
    var frame: Int
    /// How many more errors, and how much larger an error of landmarks; 0 where neither is known.
    var errors: Int, nme: Double
    /// How far the points moved, in thousandths of the faces' diagonals; NaN where it is unknown.
    var moved: Float
  }

  private var changes: [Change] = []

  /// A smaller difference of errors (NME) is none.
  private static let leastDifference = 1e-4

  /// Takes in a frame of both runs.
  mutating func add(_ frame: Int, _ entry: FrameEntry, against base: FrameEntry, moved: Float) {
    let nme =
      Double(Float(entry.errors.max() ?? .nan)) - Double(Float(base.errors.max() ?? .nan))
    let isKnown = nme.isFinite && nme.magnitude >= Self.leastDifference
    changes.append(
      Change(
        frame: frame, errors: entry.errorCount - base.errorCount, nme: isKnown ? nme : 0,
        moved: moved))
  }

  /// Selections with their words and frames: those that got worse and better, by errors, then NME; and by how far
  /// the points moved. None where there is no base.
  var orders: [(name: String, title: String, frames: [Int])] {
    guard !changes.isEmpty else { return [] }
    func changed(_ sign: Int) -> [Int] {
      let own = changes.filter {
        $0.errors == 0 ? Double(sign) * $0.nme > 0 : sign * $0.errors > 0
      }
      return own.sorted { first, second in
        let (a, b) = (sign * first.errors, sign * second.errors)
        let (c, d) = (Double(sign) * first.nme, Double(sign) * second.nme)
        return a == b ? (c == d ? first.frame < second.frame : c > d) : a > b
      }.map(\.frame)
    }
    let moved = changes.filter { $0.moved > 0 }
      .sorted { ($1.moved, $0.frame) < ($0.moved, $1.frame) }.map(\.frame)
    return [
      ("change:worse", "Frames that got worse", changed(1)),
      ("change:better", "Frames that got better", changed(-1)),
      ("change:moved", "Frames by points moved", moved),
    ]
  }

  /// The frame that got worst, else the one whose points moved most.
  var first: Int? {
    let orders = orders
    return orders.first?.frames.first ?? orders.last?.frames.first
  }
}
