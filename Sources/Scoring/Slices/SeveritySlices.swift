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

  /// A warning where metrics mix severities.
  static func notes(_ measurements: [Measurement]) -> [String] {
    degradations(measurements).isEmpty
      ? []
      : [
        "The dataset has degraded images: metrics over all of it, and gates on them, mix clean "
          + "images and all severities. Slices such as severity.\(degradations(measurements)[0].name)=0 "
          + "do not."
      ]
  }
}
