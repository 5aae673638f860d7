internal import Metrics
internal import Records

/// The families of a run or a slice that have measurements to resample, with where their values go.
struct ResampledScores: Sendable {
  private struct Family: Sendable {
    let resampler: any FamilyResampler
    /// The measurements over all frames, each with where its values go; nil for those that are not resampled.
    let measurements: [(measurement: Measurement, position: Int?)]

    /// Where a measurement of a draw goes; it is looked for first where it is over all frames.
    func position(of metric: Measurement, at index: Int) -> Int? {
      func isSame(_ other: Measurement) -> Bool {
        metric.name == other.name && metric.slice == other.slice
      }
      if index < measurements.count, isSame(measurements[index].measurement) {
        return measurements[index].position
      }
      return measurements.first { isSame($0.measurement) }?.position
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

  private var families: [Family] = []

  /// Adds a family with its measurements over all frames, and where the values of each go.
  mutating func add(
    _ resampler: any FamilyResampler, _ measurements: [(measurement: Measurement, position: Int?)]
  ) {
    families.append(Family(resampler: resampler, measurements: measurements))
  }

  /// The families that have a measurement whose position is chosen.
  func restricted(to isChosen: (_ position: Int) -> Bool) -> ResampledScores {
    var chosen = ResampledScores()
    chosen.families = families.filter { family in
      family.measurements.contains { $0.position.map(isChosen) ?? false }
    }
    return chosen
  }

  /// The measurements over the clusters of a draw.
  func values(of draw: ClusterDraw) -> [Value] {
    families.flatMap { family in
      family.resampler.measurements(of: draw).enumerated().compactMap { index, metric in
        family.position(of: metric, at: index).map {
          Value(position: $0, value: metric.value, n: Double(metric.n))
        }
      }
    }
  }
}
