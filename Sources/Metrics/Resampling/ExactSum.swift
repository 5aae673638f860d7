/// A sum of numbers, each to 2⁻⁶⁰, exact so that neither their order nor how they are grouped matters; over 2⁴⁰ counts as 2⁴⁰.
struct ExactSum: Sendable, Hashable {
  private var units: Int128 = 0

  /// The sum as a number.
  var value: Double { Double(units) / 0x1p60 }

  mutating func add(_ number: Double) {
    units += Int128((max(-0x1p40, min(number, 0x1p40)) * 0x1p60).rounded())
  }

  mutating func add(_ other: ExactSum, times: Int) { units += other.units * Int128(times) }
}

extension ExactSum: Packable {
  package func pack(into row: inout RowWriter) { row.write(units) }
  package init(from row: inout RowReader) { self.init(units: row.read()) }
}
