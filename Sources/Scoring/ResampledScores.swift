internal import Metrics
internal import Platform
internal import Records
internal import Running

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

    /// Adds the value of each position in each draw; one that a draw does not have is undefined in it.
    func add(_ values: [[Value]], to drawn: inout [Int: [Double?]]) {
      let positions = positions
      for values in values {
        let own = Dictionary(values.map { ($0.position, $0.value) }) { first, _ in first }
        for position in positions {
          drawn[position, default: []].append(own[position] ?? nil)
        }
      }
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

/// Draws the clusters of frames anew, for all runs and parts alike.
struct ResamplingPass {
  private let bootstrap: ClusterBootstrap
  private let clusters: FrameClusters
  private let monitor: RunMonitor
  private let blocks: [Range<Int>]
  /// The draws of the only block; nil where there are several, which are too large to be kept.
  private let only: [ClusterDraw]?

  /// Plans the draws, of which there are none without resamples.
  init(_ bootstrap: ClusterBootstrap, of clusters: FrameClusters, monitor: RunMonitor) {
    self.bootstrap = bootstrap
    self.clusters = clusters
    self.monitor = monitor
    blocks = bootstrap.blocks(of: clusters)
    only = blocks.count == 1 ? bootstrap.draws(blocks[0], of: clusters) : nil
  }

  /// The values of some runs' measurements in the same draws, by run and by position.
  func drawn(_ runs: [ResampledScores]) throws(EvaluationError) -> [[Int: [Double?]]] {
    var drawn: [[Int: [Double?]]] = Array(repeating: [:], count: runs.count)
    for block in blocks {
      let draws = only ?? bootstrap.draws(block, of: clusters)
      for (run, scores) in runs.enumerated() {
        for family in scores.families {
          try monitor.check("while resampling")
          family.add(scores.values(of: family, draws), to: &drawn[run])
        }
      }
      monitor.advance(by: block.count)
    }
    return drawn
  }
}
