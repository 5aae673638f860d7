internal import Metrics
internal import Platform
internal import Records

/// Which measurement it is, of the whole dataset or of a slice.
struct MeasurementKey: Hashable {
  let name: String
  let slice: String?
}

extension MeasurementKey {
  init(_ measurement: Measurement) {
    self.init(name: measurement.name, slice: measurement.slice)
  }
}

/// The families of a run or a slice that have measurements to resample, with where their values go.
struct ResampledScores: Sendable {
  /// One of the families.
  struct Family: Sendable {
    fileprivate let family: any MetricFamily
    /// The measurements over all frames, each with where its values go; nil for those that are not resampled.
    fileprivate let places: [(key: MeasurementKey, position: Int?)]

    /// Where values go.
    var positions: [Int] { places.compactMap(\.position) }

    /// Where a measurement of a draw goes; it is looked for first where it is over all frames.
    private func position(of key: MeasurementKey, at index: Int) -> Int? {
      if index < places.count, places[index].key == key { return places[index].position }
      return places.first { $0.key == key }?.position
    }

    fileprivate func values(_ metrics: [Measurement]) -> [Value] {
      // By index: a measurement that is taken out is copied.
      metrics.indices.compactMap { index in
        position(of: MeasurementKey(metrics[index]), at: index).map {
          Value(position: $0, value: metrics[index].value, n: Double(metrics[index].n))
        }
      }
    }
  }

  /// A measurement in a draw.
  struct Value: Sendable {
    /// Where it goes.
    let position: Int
    /// Its value; nil where it is undefined.
    let value: Double?
    /// What it rests on.
    let n: Double
  }

  /// The families; what resamples one of them is made when it is used, and then forgotten.
  private(set) var families: [Family] = []
  let clusters: FrameClusters
  let isSlice: Bool

  /// Adds a family with its measurements over all frames, and where the values of each go.
  mutating func add(_ family: any MetricFamily, _ places: [(key: MeasurementKey, position: Int?)]) {
    families.append(Family(family: family, places: places))
  }

  /// What so many draws add up to is in memory at a time.
  private static var draws: Int { 1024 }

  /// The measurements of a family over the clusters of each draw.
  func values(of family: Family, _ draws: [ClusterDraw]) -> [[Value]] {
    let resampler = family.family.resampler(of: clusters, isSlice: isSlice)
    return stride(from: 0, to: draws.count, by: Self.draws).flatMap { first in
      let part = Array(draws[first..<min(first + Self.draws, draws.count)])
      return resampler.batches(of: part).concurrentMap { $0().map(family.values) }.flatMap { $0 }
    }
  }

  /// The measurements of a family where some clusters are those of another run, for each choice of clusters.
  func values(of family: Family, swappedWith other: Family, _ choices: [[Bool]]) -> [[Value]] {
    family.family.measurements(swappedWith: other.family, choices, of: clusters)
      .map(family.values)
  }

  /// The measurements of a family over each of some clusters alone.
  func values(of family: Family, ofEach chosen: [Int]) -> [[Value]] {
    family.family.resampler(of: clusters, isSlice: isSlice)
      .measurements(ofEach: chosen, of: clusters).map(family.values)
  }
}
