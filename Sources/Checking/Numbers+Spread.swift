extension [Double] {
  /// The middle one in order, of an even number the upper of two; nil of none.
  var median: Double? { isEmpty ? nil : sorted()[count / 2] }

  /// The mean square of how far they are from their mean; 0 of none.
  var variance: Double {
    guard !isEmpty else { return 0 }
    let mean = reduce(0, +) / Double(count)
    return reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count)
  }
}
