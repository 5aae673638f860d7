/// Sums of confidences and outcomes in bins of equal width, from which the calibration error follows.
///
/// The bins are those of `ReliabilityBins`: `(a, b]`, and 0 in the first.
package struct ReliabilitySums: Sendable, Hashable {
  fileprivate var bins: [ExpectedCalibrationError.Bin]

  /// How many bins there are unless another number is asked for.
  package static let usualBins = 10

  package init() { self.init(bins: Self.usualBins) }

  init(bins: Int) {
    self.bins = Array(repeating: ExpectedCalibrationError.Bin(), count: bins)
  }

  /// How many confidences there are.
  var count: Int { bins.reduce(0) { $0 + $1.count } }

  package mutating func add(_ evaluated: ConfidenceOutcome) {
    bins[bin(of: evaluated.confidence)].add(evaluated.confidence, outcome: evaluated.outcome)
  }

  /// The bin whose upper edge is the first that is not below a confidence; the product may be off by rounding.
  private func bin(of confidence: Double) -> Int {
    let width = Double(bins.count)
    var bin = min(max(Int((confidence * width).rounded(.up)) - 1, 0), bins.count - 1)
    while bin > 0, confidence <= Double(bin) / width { bin -= 1 }
    while bin < bins.count - 1, confidence > Double(bin + 1) / width { bin += 1 }
    return bin
  }

  package mutating func add(_ other: ReliabilitySums, times: Int) {
    for index in bins.indices { bins[index].add(other.bins[index], times: times) }
  }

  /// The calibration error; nil without confidences.
  package var error: ExpectedCalibrationError? { ExpectedCalibrationError(bins) }
}

extension ExpectedCalibrationError.Bin: Packable {
  package func pack(into row: inout RowWriter) { row.write(count, confidence, outcome, squares) }
  package init(from row: inout RowReader) {
    self.init(
      count: row.read(), confidence: row.read(), outcome: row.read(), squares: row.read())
  }
}

extension ReliabilitySums: ClusterSums {
  /// Of each bin how many, the sum of outcomes, which are 0 or 1, and that of confidences.
  package var numbers: [Double] { bins.flatMap { [Double($0.count), $0.outcome, $0.confidence] } }

  package init(numbers: inout ArraySlice<Double>) {
    self.init()
    for index in bins.indices {
      bins[index].count = Int(numbers: &numbers)
      bins[index].outcome = numbers.removeFirst()
      bins[index].squares = bins[index].outcome
      bins[index].confidence = numbers.removeFirst()
    }
  }

  package func pack(into row: inout RowWriter) { row.write(bins) }
  package init(from row: inout RowReader) { bins = row.read() }
}
