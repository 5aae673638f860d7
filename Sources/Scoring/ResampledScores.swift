internal import Metrics
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
    fileprivate let measurements: [(measurement: Measurement, position: Int?)]

    /// Where values go.
    var positions: [Int] { measurements.compactMap(\.position) }

    /// Where a measurement of a draw goes; it is looked for first where it is over all frames.
    private func position(of metric: Measurement, at index: Int) -> Int? {
      func isSame(_ other: Measurement) -> Bool {
        metric.name == other.name && metric.slice == other.slice
      }
      if index < measurements.count, isSame(measurements[index].measurement) {
        return measurements[index].position
      }
      return measurements.first { isSame($0.measurement) }?.position
    }

    fileprivate func values(_ metrics: [Measurement]) -> [Value] {
      metrics.enumerated().compactMap { index, metric in
        position(of: metric, at: index).map {
          Value(position: $0, value: metric.value, n: Double(metric.n))
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
  mutating func add(
    _ family: any MetricFamily, _ measurements: [(measurement: Measurement, position: Int?)]
  ) {
    families.append(Family(family: family, measurements: measurements))
  }

  /// Measurements of so many draws are in memory at a time; those of one take some 30 KB.
  private static var draws: Int { 256 }

  /// The measurements of a family over the clusters of each draw.
  func values(of family: Family, _ draws: [ClusterDraw]) -> [[Value]] {
    let resampler = family.family.resampler(of: clusters, isSlice: isSlice)
    return stride(from: 0, to: draws.count, by: Self.draws).flatMap { first in
      let part = Array(draws[first..<min(first + Self.draws, draws.count)])
      return resampler.measurements(of: part).map(family.values)
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
