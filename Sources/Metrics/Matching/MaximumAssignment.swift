/// Pairs rows with columns, each at most once, so that the sum of the weights is as large as possible.
///
/// Kuhn's Hungarian method by shortest augmenting paths: rows are inserted one by one, and the pairs are the best
/// ones after each. The same weights give the same pairs. A pair of weight 0 stands for none.
struct MaximumAssignment {
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
  static func columns(_ weights: PairWeights) -> [Int?] {
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
        path.reach(column, at: base + reduced)
      }
      guard let nearest = path.nearest(where: { rowOfColumn[$0] == nil }) else { break }
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
  private var reached: [Int] = []
  /// Position in `rows` of the row before each column.
  private var rowBefore: [Int]
  /// The column by which each of `rows` was reached.
  private var columnBefore: [Int?] = []

  init(columns: Int) {
    distance = Array(repeating: .infinity, count: columns)
    isDone = Array(repeating: false, count: columns)
    rowBefore = Array(repeating: 0, count: columns)
  }

  mutating func row(_ row: Int, at distance: Double, alone: Double) {
    rows.append((row, distance))
    columnBefore.append(done.last)
    guard alone < length else { return }
    length = alone
    last = rows.count - 1
  }

  mutating func reach(_ column: Int, at newDistance: Double) {
    guard newDistance < distance[column] else { return }
    if distance[column] == .infinity { reached.append(column) }
    distance[column] = newDistance
    rowBefore[column] = rows.count - 1
  }

  mutating func finish(_ column: Int) {
    isDone[column] = true
    done.append(column)
  }

  /// The nearest column that is not done, a free one first, unless a row that stays alone is nearer.
  mutating func nearest(where isFree: (Int) -> Bool) -> Int? {
    var best: Int?
    reached.removeAll { isDone[$0] }
    for column in reached {
      guard let other = best else {
        best = column
        continue
      }
      let (own, others) = (distance[column], distance[other])
      if own < others || own == others && isFree(column) && (!isFree(other) || column < other) {
        best = column
      }
    }
    guard let best, distance[best] <= length else { return nil }
    return best
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
