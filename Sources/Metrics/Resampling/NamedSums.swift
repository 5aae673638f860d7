/// The name of a sum: a case of an enumeration whose raw values count from 0.
package protocol SumName: CaseIterable, RawRepresentable<Int>, Sendable, Hashable {
  /// How many sums one set has: more than there are cases where the last case stands for several.
  static var width: Int { get }
  /// How many sets of sums there are.
  static var sets: Int { get }
}

extension SumName {
  package static var width: Int { allCases.count }
  package static var sets: Int { 1 }

  fileprivate func position(_ set: Int, _ offset: Int) -> Int {
    (rawValue + offset) * Self.sets + set
  }
}

/// Sums by name: counts, and amounts of another type. A sum is declared once, as a case of its enumeration.
package struct NamedSums<Count: SumName, Amount: SumName, Value: ClusterSums>: ClusterSums {
  private var counts = [Int](repeating: 0, count: Count.width * Count.sets)
  private var amounts = [Value](repeating: Value(), count: Amount.width * Amount.sets)

  package init() {}

  /// A count; `offset` is how far it is behind the case that stands for several.
  package subscript(count: Count, set: Int = 0, offset: Int = 0) -> Int {
    get { counts[count.position(set, offset)] }
    set(value) { counts[count.position(set, offset)] = value }
  }

  /// An amount; `offset` is how far it is behind the case that stands for several.
  package subscript(amount: Amount, set: Int = 0, offset: Int = 0) -> Value {
    get { amounts[amount.position(set, offset)] }
    _modify { yield &amounts[amount.position(set, offset)] }
  }

  package mutating func add(_ other: NamedSums, times: Int) {
    counts.add(other.counts, times: times)
    amounts.add(other.amounts, times: times)
  }

  package static func add(
    _ sums: [NamedSums], to totals: inout [NamedSums], times: (_ total: Int) -> [Int]
  ) {
    let (counts, amounts) = (SumTable(sums.map(\.counts)), SumTable(sums.map(\.amounts)))
    guard !counts.isEmpty || !amounts.isEmpty else { return }
    for total in totals.indices {
      let copies = times(total)
      counts.add(to: &totals[total].counts, times: copies)
      amounts.add(to: &totals[total].amounts, times: copies)
    }
  }

  /// Counts, then amounts, each in the order of its cases.
  package var numbers: [Double] { counts.map(Double.init) + amounts.flatMap(\.numbers) }

  package init(numbers: inout ArraySlice<Double>) {
    for index in counts.indices { counts[index] = Int(numbers: &numbers) }
    for index in amounts.indices { amounts[index] = Value(numbers: &numbers) }
  }

  package func pack(into row: inout RowWriter) {
    counts.packSums(into: &row)
    amounts.packSums(into: &row)
  }

  package init(from row: inout RowReader) {
    counts.unpackSums(from: &row)
    amounts.unpackSums(from: &row)
  }
}

/// What is not 0 in all of some lists of sums, in one array, so that nothing is looked up for each.
private struct SumTable<Value: ClusterSums> {
  private let columns: [Int]
  private let values: [Value]

  init(_ rows: [[Value]]) {
    let zero = Value()
    let columns = (rows.first ?? []).indices.filter { column in
      rows.contains { $0[column] != zero }
    }
    self.columns = columns
    values = rows.flatMap { row in columns.map { row[$0] } }
  }

  var isEmpty: Bool { columns.isEmpty }

  /// Adds each list so many times.
  func add(to totals: inout [Value], times: [Int]) {
    guard !isEmpty else { return }
    var own = columns.map { totals[$0] }
    for (index, copies) in times.enumerated() where copies > 0 {
      let first = index * columns.count
      for column in own.indices { own[column].add(values[first + column], times: copies) }
    }
    for (column, value) in zip(columns, own) { totals[column] = value }
  }
}

extension Array where Element: ClusterSums {
  fileprivate mutating func add(_ other: [Element], times: Int) {
    // Safety: all sets of sums of a type have the same count of each.
    withUnsafeMutableBufferPointer { own in
      other.withUnsafeBufferPointer { theirs in
        for index in own.indices { own[index].add(theirs[index], times: times) }
      }
    }
  }

  /// Writes what is not 0, each with how far it is from the one before, and 0 at the end.
  fileprivate func packSums(into row: inout RowWriter) {
    var last = -1
    for (index, sum) in enumerated() where sum != Element() {
      row.write(index - last, sum)
      last = index
    }
    row.write(0)
  }

  fileprivate mutating func unpackSums(from row: inout RowReader) {
    var position = -1
    while true {
      let step: Int = row.read()
      if step == 0 { return }
      position += step
      self[position] = row.read()
    }
  }
}

/// Sums that are all counts.
package typealias NamedCounts<Count: SumName> = NamedSums<Count, NoSum, ExactSum>

/// The names of no sums.
package enum NoSum: SumName {
  package static var allCases: [NoSum] { [] }
  package var rawValue: Int { switch self {} }
  package init?(rawValue: Int) { return nil }
}

extension Int: ClusterSums {
  package mutating func add(_ other: Int, times: Int) { self += other * times }
  package var numbers: [Double] { [Double(self)] }
  /// Takes a number of more than 2⁵², which a file may hold, as 0.
  package init(numbers: inout ArraySlice<Double>) {
    let number = numbers.removeFirst()
    self = number.magnitude <= 0x1p52 ? Int(number) : 0
  }
}

extension Double: ClusterSums {
  package mutating func add(_ other: Double, times: Int) { self += other * Double(times) }
  package var numbers: [Double] { [self] }
  package init(numbers: inout ArraySlice<Double>) { self = numbers.removeFirst() }
}
