internal import Metrics

/// The share of positives in a score's bin; ten bins of equal width `(a, b]` over [0, 1] with 0 in the first.
///
/// An empty bin gives its middle. Source: Zadrozny and Elkan 2001.
package struct HistogramCalibrator: Sendable, Hashable, Codable, FittedMap {
  /// The upper edges of the bins, ascending, the last 1.
  package let edges: [Double]
  /// The share of positives in each bin, in [0, 1].
  package let shares: [Double]

  /// Fits to cases with scores in [0, 1].
  package init(fitting cases: [ScoredCase]) throws(CalibrationError) {
    let sample = try CalibrationSample(cases, for: "a histogram", isProbability: true)
    let edges = (1...10).map { Double($0) / 10 }
    var positives = [Double](repeating: 0, count: edges.count)
    var weights = positives
    for one in sample.cases {
      let bin = Self.bin(of: one.score, edges)
      positives[bin] += one.positive
      weights[bin] += one.weight
    }
    self.edges = edges
    shares = edges.indices.map { bin in
      weights[bin] > 0
        ? min(1, positives[bin] / weights[bin])
        : ((bin == 0 ? 0 : edges[bin - 1]) + edges[bin]) / 2
    }
  }

  /// The probability that a score in [0, 1] stands for, outside as at the end; NaN for NaN.
  package func calibrated(_ score: Double) -> Double {
    score.isNaN ? .nan : shares[Self.bin(of: score, edges)]
  }

  private static func bin(of score: Double, _ edges: [Double]) -> Int {
    (0..<edges.count - 1).partitioningIndex { score <= edges[$0] }
  }

  var isSound: Bool {
    edges.last == 1 && edges.count == shares.count && edges.allSatisfy((0...1).contains)
      && shares.allSatisfy((0...1).contains) && zip(edges, edges.dropFirst()).allSatisfy(<)
  }
}
