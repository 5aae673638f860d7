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
    // Safety: all sets of sums of a type have the same count of each.
    counts.withUnsafeMutableBufferPointer { own in
      other.counts.withUnsafeBufferPointer { theirs in
        for index in own.indices { own[index] += theirs[index] * times }
      }
    }
    amounts.withUnsafeMutableBufferPointer { own in
      other.amounts.withUnsafeBufferPointer { theirs in
        for index in own.indices { own[index].add(theirs[index], times: times) }
      }
    }
  }

  /// Only what is not 0 in all of the sums is added, from one array, so that nothing is looked up for each.
  package static func add(
    _ sums: [NamedSums], to totals: inout [NamedSums], times: (_ total: Int) -> [Int]
  ) {
    guard let first = sums.first else { return }
    let counted = first.counts.indices.filter { column in
      sums.contains { $0.counts[column] != 0 }
    }
    let measured = first.amounts.indices.filter { column in
      sums.contains { $0.amounts[column] != Value() }
    }
    guard !counted.isEmpty || !measured.isEmpty else { return }
    let counts = sums.flatMap { sums in counted.lazy.map { sums.counts[$0] } }
    let amounts = sums.flatMap { sums in measured.lazy.map { sums.amounts[$0] } }
    for total in totals.indices {
      var ownCounts = counted.map { totals[total].counts[$0] }
      var ownAmounts = measured.map { totals[total].amounts[$0] }
      for (index, times) in times(total).enumerated() where times > 0 {
        let (firstCount, firstAmount) = (index * counted.count, index * measured.count)
        for column in counted.indices { ownCounts[column] += counts[firstCount + column] * times }
        for column in measured.indices {
          ownAmounts[column].add(amounts[firstAmount + column], times: times)
        }
      }
      for (column, count) in zip(counted, ownCounts) { totals[total].counts[column] = count }
      for (column, amount) in zip(measured, ownAmounts) { totals[total].amounts[column] = amount }
    }
  }

  /// Counts, then amounts, each in the order of its cases.
  package var numbers: [Double] { counts.map(Double.init) + amounts.flatMap(\.numbers) }

  package init(numbers: inout ArraySlice<Double>) {
    for index in counts.indices { counts[index] = Int(numbers: &numbers) }
    for index in amounts.indices { amounts[index] = Value(numbers: &numbers) }
  }

  package func pack(into row: inout RowWriter) {
    Self.pack(counts, into: &row)
    Self.pack(amounts, into: &row)
  }

  package init(from row: inout RowReader) {
    Self.unpack(&counts, from: &row)
    Self.unpack(&amounts, from: &row)
  }

  /// Writes what is not 0, each with how far it is from the one before, and 0 at the end.
  private static func pack<Sum: ClusterSums>(_ sums: [Sum], into row: inout RowWriter) {
    var last = -1
    for (index, sum) in sums.enumerated() where sum != Sum() {
      row.write(index - last, sum)
      last = index
    }
    row.write(0)
  }

  private static func unpack<Sum: Packable>(_ sums: inout [Sum], from row: inout RowReader) {
    var position = -1
    while true {
      let step: Int = row.read()
      if step == 0 { return }
      position += step
      sums[position] = row.read()
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
