/// Pairs rows with columns, each at most once, so that the sum of the weights is as large as possible.
///
/// Kuhn's Hungarian method by shortest augmenting paths, O(n² m); the same weights give the same
/// pairs. A pair of weight 0 stands for none.
enum MaximumAssignment {
  /// The column of each row, nil for none; `weight` must be finite and 0 or more.
  static func columns(
    rows: Int, columns: Int, weight: (_ row: Int, _ column: Int) -> Double
  ) -> [Int?] {
    if rows > columns {
      let transposed = Self.columns(rows: columns, columns: rows) { weight($1, $0) }
      var result = [Int?](repeating: nil, count: rows)
      for case (let column, let row?) in transposed.enumerated() { result[row] = column }
      return result
    }
    var search = ShortestPaths(rows: rows, columns: columns, weight: weight)
    for row in 0..<rows { search.insert(row) }
    var result = [Int?](repeating: nil, count: rows)
    for case (let column, let row?) in search.rowOfColumn.enumerated()
    where weight(row, column) > 0 {
      result[row] = column
    }
    return result
  }
}

/// The state of the method for at most as many rows as columns; costs are weights with their sign turned.
private struct ShortestPaths {
  let columns: Int
  let weights: [Double]
  var rowOfColumn: [Int?]
  private var rowPotential: [Double]
  private var columnPotential: [Double]

  init(rows: Int, columns: Int, weight: (_ row: Int, _ column: Int) -> Double) {
    self.columns = columns
    weights = (0..<rows).flatMap { row in (0..<columns).map { weight(row, $0) } }
    rowOfColumn = Array(repeating: nil, count: columns)
    rowPotential = Array(repeating: 0, count: rows)
    columnPotential = Array(repeating: 0, count: columns)
  }

  /// Gives a row a column, moving earlier rows along the cheapest alternating path.
  mutating func insert(_ newRow: Int) {
    var distance = [Double](repeating: .infinity, count: columns)
    var cameFrom = [Int?](repeating: nil, count: columns)
    var isDone = [Bool](repeating: false, count: columns)
    var doneRows = [newRow]
    var row = newRow
    var column: Int?
    while true {
      var nearest: Int?
      for candidate in 0..<columns where !isDone[candidate] {
        let reduced =
          -weights[row * columns + candidate] - rowPotential[row] - columnPotential[candidate]
        if reduced < distance[candidate] {
          distance[candidate] = reduced
          cameFrom[candidate] = column
        }
        if nearest.map({ distance[candidate] < distance[$0] }) ?? true { nearest = candidate }
      }
      guard let nearest else { return }
      let step = distance[nearest]
      for done in doneRows { rowPotential[done] += step }
      for candidate in 0..<columns {
        if isDone[candidate] {
          columnPotential[candidate] -= step
        } else {
          distance[candidate] -= step
        }
      }
      isDone[nearest] = true
      column = nearest
      guard let next = rowOfColumn[nearest] else { break }
      doneRows.append(next)
      row = next
    }
    while let end = column {
      let before = cameFrom[end]
      rowOfColumn[end] = before.map { rowOfColumn[$0] ?? newRow } ?? newRow
      column = before
    }
  }
}
