package import Records

extension ClusterBootstrap {
  /// The numbers that follow from each draw of some units, in the order of draws; nil where a draw has none.
  ///
  /// `solve` gets how often each unit is in the draw; `advance` is told of finished draws.
  func resampled(
    units: Int, advance: (Int) throws -> Void, _ solve: @Sendable ([Int]) -> [Double]?
  ) rethrows -> [[Double]?] {
    guard units >= Self.minClusters else { return [] }
    var drawn: [[Double]?] = []
    for start in stride(from: 0, to: resamples, by: 32) {
      let range = start..<min(start + 32, resamples)
      drawn += results(ofDraws: range) { solve(copies(ofDraw: $0, clusters: units)) }
      try advance(range.count)
    }
    return drawn
  }

  /// The interval of a number from that place in the draws; NaN there stands for undefined.
  func interval(
    of draws: [[Double]?], at index: Int, about value: Double, in range: MetricRange,
    sizes: ClusterSizes
  ) -> Interval {
    guard sizes.count >= Self.minClusters else { return .none(Self.tooFew(sizes.count)) }
    let values = draws.map { draw in draw.flatMap { $0[index].isNaN ? nil : $0[index] } }
    return interval(of: values, about: value, in: range, sizes: sizes)
  }

  /// The number at a place with its interval; NaN stands for undefined.
  func estimate(
    of values: [Double], at index: Int, _ draws: [[Double]?], in range: MetricRange,
    sizes: ClusterSizes
  ) -> ResampledEstimate {
    guard !values[index].isNaN else {
      return ResampledEstimate(value: nil, interval: .none("undefined"))
    }
    return ResampledEstimate(
      value: values[index],
      interval: interval(of: draws, at: index, about: values[index], in: range, sizes: sizes))
  }
}

/// A number that is undefined where it cannot be told, and its 95 % interval.
package struct ResampledEstimate: Sendable, Hashable {
  /// The number; nil where it is undefined.
  package let value: Double?
  /// Its interval, or why there is none.
  package let interval: Interval
}
