import FaceCore

/// What pairs of rows and columns weigh, as IoUs of boxes do; only weights above 0 take memory.
package struct PairWeights: Sendable, Hashable {
  /// More pairs than the faces of any image have; 10^8, of 10,000 boxes in one place, would take 1.6 GB.
  static let limit = 1 << 22

  fileprivate struct Pair: Hashable {
    var column: Int
    var weight: Double
  }

  /// The pairs of each row, columns ascending.
  fileprivate var rows: [[Pair]] = []
  /// How many columns there are.
  let columns: Int

  /// Without rows.
  init(columns: Int) {
    self.columns = columns
  }

  /// Weighs all pairs; a weight must be finite, and 0 or less stands for none. Throws over the limit of pairs.
  package init(
    rows count: Int, columns: Int, frame: Int, weight: (_ row: Int, _ column: Int) -> Double
  ) throws(MetricError) {
    self.init(columns: columns)
    var pairs = 0
    for row in 0..<count {
      addRow { weight(row, $0) }
      pairs += rows[row].count
      guard pairs <= Self.limit else { throw .pairCount(limit: Self.limit, frame: frame) }
    }
  }

  /// Adds a row.
  mutating func addRow(weight: (_ column: Int) -> Double) {
    var row: [Pair] = []
    for column in 0..<columns {
      let weight = weight(column)
      if weight > 0 { row.append(Pair(column: column, weight: weight)) }
    }
    rows.append(row)
  }

  /// Adds a row with other weights for the pairs of a row of `others`; 0 or less stands for none.
  mutating func addRow(
    _ row: Int, of others: PairWeights, weight: (_ column: Int, _ weight: Double) -> Double
  ) {
    rows.append(
      others.rows[row].compactMap { pair in
        let weight = weight(pair.column, pair.weight)
        return weight > 0 ? Pair(column: pair.column, weight: weight) : nil
      })
  }

  /// How many rows there are.
  var count: Int { rows.count }

  /// Visits the pairs of a row, columns ascending.
  func forEach(inRow row: Int, _ use: (_ column: Int, _ weight: Double) -> Void) {
    for pair in rows[row] { use(pair.column, pair.weight) }
  }

  /// The weight of a pair, 0 for none.
  subscript(row: Int, column: Int) -> Double {
    let pairs = rows[row]
    let own = pairs.indices.partitioningIndex { pairs[$0].column >= column }
    return own < pairs.count && pairs[own].column == column ? pairs[own].weight : 0
  }
}

extension PairWeights.Pair: Packable {
  package func pack(into row: inout RowWriter) { row.write(column, weight) }
  package init(from row: inout RowReader) { self.init(column: row.read(), weight: row.read()) }
}

extension PairWeights: Packable {
  package func pack(into row: inout RowWriter) { row.write(columns, rows) }

  package init(from row: inout RowReader) {
    self.init(columns: row.read())
    rows = row.read()
  }
}
