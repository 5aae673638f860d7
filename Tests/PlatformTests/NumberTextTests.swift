import Platform
import Records
import Testing

@Suite struct NumberTextTests {
  static let significant: [(Double, String)] = [
    (0, "0"), (1, "1.00"), (9.994, "9.99"), (9.996, "10.00"), (12.34, "12.3"), (0.05126, "0.0513"),
    (123.4, "123"), (1234.5, "1,235"), (-0.1234, "−0.123"), (1_234_567, "1,234,567"),
    (0.000123, "0.000123"),
    (1e-9, "1.00e-9"), (2.157_634_2e-9, "2.16e-9"),
    (-9.996e-8, "−1.00e-7"), (9.994e-8, "9.99e-8"), (9.9999e-7, "1.00e-6"), (1e18, "1e+18"),
    (1.11e-16, "0"),
    (-2.2e-16, "0"), (.nan, "–"), (.infinity, "–"),
    (-.infinity, "–"),
  ]

  @Test(arguments: significant)
  func `three significant digits never cut whole digits`(value: Double, text: String) {
    #expect(value.text(significantDigits: 3) == text)
  }

  static let units: [(Double?, String, String)] = [
    (0.8735, "1", "0.874"), (1, "1", "1.000"), (0.0012, "1", "0.00120"),
    (1.11e-16, "1", "0.000"), (1.11e-16, "ms", "0 ms"), (12.34, "ms", "12.3 ms"),
    (0.0374, "1/image", "0.0374"), (nil, "ms", "–"), (.nan, "ms", "–"),
  ]

  @Test(arguments: units)
  func `a metric shows its unit and an undefined one a dash`(
    value: Double?, unit: String, text: String
  ) {
    let measurement = Measurement(
      name: "m", stage: "s", value: value, reason: value == nil ? "why" : nil, unit: unit,
      better: .lower, n: 1)
    #expect(measurement.valueText == text)
  }

  static let intervals: [(Double, Double, String, String)] = [
    (0.81274, 1, "1", "0.813 to 1.000"), (0, 0.00123, "1", "0.000 to 0.00123"),
    (0.00121, 0.0487, "1/image", "0.00121 to 0.0487"), (0, 31.719, "1/min", "0.00 to 31.72"),
    (-0.0514, 0.549, "ms", "−0.0514 to 0.55"),
  ]

  @Test(arguments: intervals)
  func `ends of intervals keep the digits of small numbers`(
    low: Double, high: Double, unit: String, text: String
  ) {
    let measurement = Measurement(
      name: "m", stage: "s", value: high, unit: unit, better: .lower, n: 1,
      interval: Interval(low: low, high: high, method: "test"))
    #expect(measurement.intervalText == text)
  }

  @Test func `short text drops zeros only after the point`() {
    #expect(
      [0.5, 100, 20.0, 1.25, 1e-9].map { $0.shortText() } == ["0.5", "100", "20", "1.25", "1e-9"])
  }
}
