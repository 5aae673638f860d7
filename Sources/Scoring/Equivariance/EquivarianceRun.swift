internal import Datasets
internal import FaceCore
internal import Foundation
internal import Metrics
internal import Platform
package import Records
package import Running

/// Measures how far a run's outputs follow known transformations of the image.
package enum EquivarianceRun {
  /// Reads all frames once, then resamples.
  ///
  /// Throws `.wrongData` for a dataset that `facegauge transform` has not made, or without a face.
  package static func run(
    _ plan: MeasurementPlan, monitor: RunMonitor = .silent
  ) throws(EvaluationError) -> Measured<Equivariance> {
    let monitor = monitor.keepingNothing
    return try plan.measured(monitor, verdicts: \.verdicts) { run, dataset, predictions, _ in
      try measure(plan, run, dataset, predictions, monitor)
    }
  }

  private static func measure(
    _ plan: MeasurementPlan, _ run: StoredRun, _ dataset: DatasetReader,
    _ predictions: StoredRun.Opened, _ monitor: RunMonitor
  ) throws -> (result: Equivariance, metrics: [ResampledMetrics]) {
    var reader = EquivarianceReader(clusters: try monitor.clusters(of: dataset))
    try reader.read(dataset, predictions, monitor)
    let transformations = ImageTransformation.allCases.filter { reader.sums[$0] != nil }
    guard !transformations.isEmpty else {
      throw EvaluationError.wrongData(
        "cannot measure \(run.url.relativePath): expected a run on a dataset of 'facegauge transform', "
          + "found one on \(dataset.name)")
    }
    monitor.begin(.resampling, plan.bootstrap.resamples * transformations.count)
    var (results, units): ([Equivariance.Transformation], Int) = ([], 0)
    var notes = run.cautions
    var metrics: [ResampledMetrics] = []
    for transformation in transformations {
      guard let sums = reader.sums[transformation] else { continue }
      let fit = try EquivarianceFit(
        sums, of: transformation.rawValue, bootstrap: plan.bootstrap, advance: monitor.resampled)
      metrics.append(fit.metrics)
      units = max(units, fit.sizes.count)
      if let caution = ClusterBootstrap.caution(fit.sizes), !notes.contains(caution) {
        notes.append(caution)
      }
      results.append(Equivariance.Transformation(transformation, fit))
    }
    guard results.contains(where: { $0.faces + $0.lost > 0 }) else {
      throw EvaluationError.wrongData(
        "cannot measure \(run.url.relativePath): expected faces in the originals, found none")
    }
    if reader.withoutOriginal > 0 {
      notes.append(
        "\(reader.withoutOriginal.groupedText) transformed images take no part: their original does not "
          + "stand before them in the dataset.")
    }
    if reader.notAnalysed > 0 {
      notes.append(
        "\(reader.notAnalysed.groupedText) transformed images take no part: they or their "
          + "original are broken.")
    }
    if reader.hasUnknownSides {
      notes.append(
        "Points of mirror images are not compared: left and right of their scheme are not known.")
    }
    let result = Equivariance(
      tool: HostFacts.tool, created: Date().formatted(.iso8601),
      source: "predictions of \(run.name) on \(dataset.name)", units: units,
      resamples: plan.bootstrap.resamples, seed: Int(clamping: plan.bootstrap.seed),
      transformations: results, notes: notes)
    return (result, metrics)
  }
}

extension Equivariance.Transformation {
  fileprivate init(_ transformation: ImageTransformation, _ fit: EquivarianceFit) {
    self.init(
      name: transformation.rawValue, summary: transformation.summary, images: fit.images,
      faces: fit.faces,
      lost: fit.lost, gained: fit.gained, lostShare: Response.Estimate(fit.lostShare),
      distance: Response.Estimate(fit.distance),
      points: fit.points.map {
        Equivariance.PointOffset(
          x: $0.position.x, y: $0.position.y, dx: $0.offset.x, dy: $0.offset.y,
          distance: $0.distance)
      },
      channels: fit.channels.map {
        Equivariance.Channel(
          coefficient: $0.coefficient.rawValue, difference: Response.Estimate($0.difference),
          magnitude: Response.Estimate($0.magnitude))
      })
  }
}
