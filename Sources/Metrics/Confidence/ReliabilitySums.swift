/// Sums of confidences and outcomes in bins of equal width, from which the calibration error follows.
///
/// The bins are those of `ReliabilityBins`: `(a, b]`, and 0 in the first.
struct ReliabilitySums: Sendable, Hashable {
  fileprivate struct Bin: Sendable, Hashable {
    var confidence = 0.0
    var outcome = 0.0
  }

  fileprivate var bins: [Bin]
  /// How many confidences there are.
  private(set) var count = 0

  init(bins: Int) {
    self.bins = Array(repeating: Bin(), count: bins)
  }

  mutating func add(_ evaluated: ConfidenceOutcome, times: Int = 1) {
    let index = bin(of: evaluated.confidence)
    bins[index].confidence += evaluated.confidence * Double(times)
    bins[index].outcome += evaluated.outcome * Double(times)
    count += times
  }

  /// The bin whose upper edge is the first that is not below a confidence; the product may be off by rounding.
  private func bin(of confidence: Double) -> Int {
    let width = Double(bins.count)
    var bin = min(max(Int((confidence * width).rounded(.up)) - 1, 0), bins.count - 1)
    while bin > 0, confidence <= Double(bin) / width { bin -= 1 }
    while bin < bins.count - 1, confidence > Double(bin + 1) / width { bin += 1 }
    return bin
  }

  mutating func add(_ other: ReliabilitySums, times: Int) {
    for index in bins.indices {
      bins[index].confidence += other.bins[index].confidence * Double(times)
      bins[index].outcome += other.bins[index].outcome * Double(times)
    }
    count += other.count * times
  }

  /// ECE: the mean gap, each bin weighing as much as it holds; in [0, 1], nil without confidences.
  var expectedError: Double? {
    count == 0
      ? nil : bins.reduce(0) { $0 + abs($1.confidence - $1.outcome) } / Double(count)
  }
}

/// The same for confidences in [0, 1] that come from the highest to the lowest, so that the bin is never looked for.
struct FallingReliability {
  private let bins: Int
  private var bin: Int
  /// Confidences of the bin are above it; less than any for the first bin.
  private var edge: Double
  /// Σ of confidence − outcome in the bin, and the magnitudes of those of the bins before.
  private var gap = 0.0
  private var gaps = 0.0
  /// How many confidences there are.
  private(set) var count = 0

  init(bins: Int) {
    self.bins = bins
    bin = bins - 1
    edge = Self.edge(under: bins - 1, of: bins)
  }

  mutating func add(_ confidence: Double, outcome: Double, times: Int) {
    while confidence <= edge {
      gaps += abs(gap)
      gap = 0
      bin -= 1
      edge = Self.edge(under: bin, of: bins)
    }
    gap += (confidence - outcome) * Double(times)
    count += times
  }

  private static func edge(under bin: Int, of bins: Int) -> Double {
    bin == 0 ? -1 : Double(bin) / Double(bins)
  }

  /// ECE: the mean gap, each bin weighing as much as it holds; in [0, 1], nil without confidences.
  var expectedError: Double? { count == 0 ? nil : (gaps + abs(gap)) / Double(count) }
}

extension ReliabilitySums.Bin: Packable {
  package func pack(into row: inout RowWriter) { row.write(confidence, outcome) }
  package init(from row: inout RowReader) { self.init(confidence: row.read(), outcome: row.read()) }
}

extension ReliabilitySums: Packable {
  package func pack(into row: inout RowWriter) { row.write(bins, count) }

  package init(from row: inout RowReader) {
    bins = row.read()
    count = row.read()
  }
}
