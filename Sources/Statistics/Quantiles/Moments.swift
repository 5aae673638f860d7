extension [Double] {
  /// The mean; nil of no numbers.
  package var mean: Double? { isEmpty ? nil : reduce(0, +) / Double(count) }

  /// The sum of the squared distances from the mean; 0 of no numbers.
  package var squaredDeviations: Double {
    let mean = mean ?? 0
    return reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
  }

  /// The variance of the numbers as a sample, over n − 1; 0 of fewer than two.
  package var sampleVariance: Double { squaredDeviations / Double(Swift.max(count - 1, 1)) }
}
