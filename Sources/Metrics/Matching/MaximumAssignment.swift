/// Pairs rows with columns, each at most once, so that the sum of the weights is as large as possible.
///
/// Kuhn's Hungarian method by shortest augmenting paths: rows are inserted one by one, and the pairs are the best
/// ones after each. The same weights give the same pairs. A pair of weight 0 stands for none.
package struct MaximumAssignment {
  /// The row of each column, nil for none.
  private(set) var rowOfColumn: [Int?]
  private var rowPotential: [Double] = []
  private var columnPotential: [Double]

  /// No rows yet.
  init(columns: Int) {
    rowOfColumn = Array(repeating: nil, count: columns)
    columnPotential = Array(repeating: 0, count: columns)
  }

  /// The column of each row, nil for none.
  package static func columns(_ weights: PairWeights) -> [Int?] {
    var assignment = Self(columns: weights.columns)
    for _ in 0..<weights.count { assignment.insertRow(of: weights) }
    var result = [Int?](repeating: nil, count: weights.count)
    for case (let column, let row?) in assignment.rowOfColumn.enumerated() { result[row] = column }
    return result
  }

  /// Gives the next row of the weights a column, or none, moving earlier rows along the cheapest alternating path.
  ///
  /// Costs are weights with their sign turned. Every row may also stay alone, at cost 0.
  mutating func insertRow(of weights: PairWeights) {
    var path = Path(columns: rowOfColumn.count)
    var row = rowPotential.count
    rowPotential.append(0)
    path.row(row, at: 0, alone: 0)
    var base = 0.0
    while true {
      weights.forEach(inRow: row) { column, weight in
        guard !path.isDone[column] else { return }
        let reduced = -weight - rowPotential[row] - columnPotential[column]
        path.reach(column, at: base + reduced, isFree: rowOfColumn[column] == nil)
      }
      guard let nearest = path.nearest() else { break }
      guard let next = rowOfColumn[nearest] else {
        path.end = nearest
        path.length = path.distance[nearest]
        break
      }
      base = path.distance[nearest]
      path.finish(nearest)
      row = next
      path.row(row, at: base, alone: base - rowPotential[row])
    }
    for (row, distance) in path.rows { rowPotential[row] += path.length - distance }
    for column in path.done { columnPotential[column] -= path.length - path.distance[column] }
    path.follow { column, row in rowOfColumn[column] = row }
  }
}

/// The shortest alternating path from a new row.
private struct Path {
  /// Distance to each column.
  var distance: [Double]
  /// Whether the distance is final.
  var isDone: [Bool]
  /// Columns with a final distance.
  private(set) var done: [Int] = []
  /// The rows on all paths with their distances.
  private(set) var rows: [(row: Int, distance: Double)] = []
  /// The free column that ends the path; nil where a row ends it that stays alone.
  var end: Int?
  /// Length of the path.
  var length = Double.infinity
  private var last = 0
  /// The columns to visit, nearest first; a column that came nearer is in it again.
  private var queue = NearestQueue()
  /// How many columns were reached before each.
  private var order: [Int]
  private var reachedCount = 0
  /// Position in `rows` of the row before each column.
  private var rowBefore: [Int]
  /// The column by which each of `rows` was reached.
  private var columnBefore: [Int?] = []

  init(columns: Int) {
    distance = Array(repeating: .infinity, count: columns)
    isDone = Array(repeating: false, count: columns)
    rowBefore = Array(repeating: 0, count: columns)
    order = Array(repeating: 0, count: columns)
  }

  mutating func row(_ row: Int, at distance: Double, alone: Double) {
    rows.append((row, distance))
    columnBefore.append(done.last)
    guard alone < length else { return }
    length = alone
    last = rows.count - 1
  }

  mutating func reach(_ column: Int, at newDistance: Double, isFree: Bool) {
    guard newDistance < distance[column] else { return }
    if distance[column] == .infinity {
      order[column] = reachedCount
      reachedCount += 1
    }
    distance[column] = newDistance
    rowBefore[column] = rows.count - 1
    queue.insert(
      NearestQueue.Entry(
        distance: newDistance, isTaken: !isFree, rank: isFree ? column : order[column],
        column: column))
  }

  mutating func finish(_ column: Int) {
    isDone[column] = true
    done.append(column)
  }

  /// The nearest column that is not done, a free one first, unless a row that stays alone is nearer.
  mutating func nearest() -> Int? {
    while let first = queue.first {
      guard !isDone[first.column], first.distance == distance[first.column] else {
        queue.removeFirst()
        continue
      }
      return first.distance <= length ? first.column : nil
    }
    return nil
  }

  /// The columns of the path's rows, from its end.
  func follow(_ assign: (_ column: Int, _ row: Int?) -> Void) {
    var position: Int
    if let end {
      position = rowBefore[end]
      assign(end, rows[position].row)
    } else {
      position = last
    }
    while let column = columnBefore[position] {
      position = rowBefore[column]
      assign(column, rows[position].row)
    }
  }
}

/// A binary heap of columns: by distance, free ones first, then by rank.
private struct NearestQueue {
  struct Entry {
    var distance: Double
    var isTaken: Bool
    var rank: Int
    var column: Int

    func isBefore(_ other: Entry) -> Bool {
      if distance != other.distance { return distance < other.distance }
      if isTaken != other.isTaken { return !isTaken }
      return rank < other.rank
    }
  }

  private var entries: [Entry] = []

  var first: Entry? { entries.first }

  mutating func insert(_ entry: Entry) {
    entries.append(entry)
    var position = entries.count - 1
    while position > 0 {
      let parent = (position - 1) / 2
      guard entry.isBefore(entries[parent]) else { break }
      entries[position] = entries[parent]
      position = parent
    }
    entries[position] = entry
  }

  mutating func removeFirst() {
    guard let last = entries.popLast(), !entries.isEmpty else { return }
    var position = 0
    while true {
      var child = 2 * position + 1
      guard child < entries.count else { break }
      if child + 1 < entries.count, entries[child + 1].isBefore(entries[child]) { child += 1 }
      guard entries[child].isBefore(last) else { break }
      entries[position] = entries[child]
      position = child
    }
    entries[position] = last
  }
}
