/// A sum of numbers, each to 2⁻⁶⁰, exact so that neither their order nor how they are grouped matters; over 2⁴⁰ counts as 2⁴⁰.
package struct ExactSum: Sendable, Hashable {
  private var units: Int128 = 0

  package init() {}

  /// The sum as a number.
  var value: Double { Double(units) / 0x1p60 }

  mutating func add(_ number: Double) {
    units += Int128((max(-0x1p40, min(number, 0x1p40)) * 0x1p60).rounded())
  }

  package mutating func add(_ other: ExactSum, times: Int) { units += other.units * Int128(times) }
}

extension ExactSum: ClusterSums {
  package var numbers: [Double] { [value] }
  package init(numbers: inout ArraySlice<Double>) {
    let number = numbers.removeFirst()
    units = number.magnitude <= 0x1p60 ? Int128((number * 0x1p60).rounded()) : 0
  }
  package func pack(into row: inout RowWriter) { row.write(units) }
  package init(from row: inout RowReader) { units = row.read() }
}
