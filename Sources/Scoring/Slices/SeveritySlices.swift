internal import Datasets
internal import FaceCore
internal import Platform
internal import Records

/// What a record states about the slices of a suite of degraded images.
enum SeveritySlices {
  /// The degradations that measurements are sliced by, in the order of the catalogue.
  private static func degradations(_ measurements: [Measurement]) -> [Degradation] {
    let names = Set(
      measurements.compactMap { metric in
        metric.dimensionSlice.flatMap { SeverityAttribute.degradation(of: $0.dimension) }
      })
    return Degradations.all.filter { names.contains($0.name) }
  }

  /// The quantity of each severity (`degradations.quantities`); nil where nothing is degraded.
  static func quantities(_ measurements: [Measurement]) -> Series? {
    let rows = degradations(measurements).map { degradation in
      [degradation.name, degradation.quantity] + degradation.values.map(\.plainText)
    }
    guard !rows.isEmpty else { return nil }
    return Series(
      name: "degradations.quantities", title: "Severities",
      columns: ["degradation", "quantity", "1", "2", "3", "4", "5"], rows: rows)
  }

  /// What to know where metrics mix severities, and where no severity has enough faces for a metric.
  static func notes(_ measurements: [Measurement]) -> [String] {
    let names = degradations(measurements).map(\.name)
    guard let first = names.first else { return [] }
    var notes = [
      "The dataset has degraded images: metrics over all of it, and gates on them, mix clean "
        + "images and all severities. Slices such as severity.\(first)=0 do not."
    ]
    let sliced = measurements.filter { metric in
      metric.dimensionSlice.flatMap { SeverityAttribute.degradation(of: $0.dimension) } != nil
    }
    if sliced.allSatisfy({ $0.value == nil }), let most = sliced.map(\.n).max(), most > 0 {
      notes.append(
        "No severity has a metric: the largest has n = \(most), and metrics of slices are suppressed "
          + "below --min-slice. Without them no severity is shown at which a gate breaks.")
    }
    return notes
  }
}
