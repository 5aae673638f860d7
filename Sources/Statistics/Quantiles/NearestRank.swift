/// Percentiles as the smallest sample that at least p % of all samples do not exceed.
///
/// Always one of the samples; `numpy.percentile(method="inverted_cdf")`; Hyndman and Fan, type 1.
package enum NearestRank {
  /// The sample at a whole percentage in 1...100 of ascending samples; nil for none.
  package static func percentile(_ percent: Int, ofSorted samples: [Int64]) -> Int64? {
    samples.isEmpty || !(1...100).contains(percent)
      ? nil : samples[rank(percent, of: samples.count) - 1]
  }

  /// The rank of that sample among so many, counted from 1.
  package static func rank(_ percent: Int, of count: Int) -> Int { (count * percent + 99) / 100 }

  /// The smallest n with one sample expected above the percentile: n · (1 − p) ≥ 1; percent is 1...99.
  package static func samplesNeeded(forPercentile percent: Int) -> Int {
    (100 + 99 - percent) / (100 - percent)
  }
}
