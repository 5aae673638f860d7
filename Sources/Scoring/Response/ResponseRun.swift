internal import Datasets
internal import FaceCore
internal import Foundation
internal import Metrics
internal import Platform
package import Records
package import Running

/// Measures how a run's predicted coefficients respond to the labelled ones.
package enum ResponseRun {
  /// Reads all frames once, then resamples.
  ///
  /// Throws `.wrongData` where fewer than two labelled faces with coefficients have predictions, or no label moves.
  package static func run(
    _ plan: MeasurementPlan, monitor: RunMonitor = .silent
  ) throws(EvaluationError) -> Measured<Response> {
    let monitor = monitor.keepingNothing
    return try plan.measured(monitor, verdicts: \.verdicts) { run, dataset, predictions, folder in
      try measure(plan, run, dataset, predictions, folder, monitor)
    }
  }

  private static func measure(
    _ plan: MeasurementPlan, _ run: StoredRun, _ dataset: DatasetReader,
    _ predictions: StoredRun.Opened, _ folder: RunFolder?, _ monitor: RunMonitor
  ) throws -> (result: Response, metrics: [ResampledMetrics]) {
    var reader = ResponseReader(clusters: try monitor.clusters(of: dataset))
    try reader.read(dataset, predictions, monitor)
    monitor.begin(.resampling, plan.bootstrap.resamples)
    let fit = try ResponseFit(reader.sums, bootstrap: plan.bootstrap, advance: monitor.resampled)
    guard let fit else {
      throw EvaluationError.wrongData(
        "cannot measure the response of \(run.url.relativePath): expected 2 labelled faces or more "
          + "with coefficients that differ, and predicted ones, found \(reader.words)")
    }
    let rows = fit.outputs.map(\.rawValue)
    var notes = run.cautions + notes(fit, reader, dataset)
    let images = try folder.map {
      try Self.images(fit, reader, dataset, predictions, into: $0, &notes)
    }
    let response = Response(
      tool: HostFacts.tool, created: Date().formatted(.iso8601),
      source: "predictions of \(run.name) on \(dataset.name)", frames: dataset.frameCount,
      faces: fit.faces, missed: reader.missed,
      resampled: reader.resampled, units: fit.sizes.count,
      resamples: plan.bootstrap.resamples, seed: Int(clamping: plan.bootstrap.seed),
      meanGain: Response.Estimate(fit.meanGain), meanOwnShare: Response.Estimate(fit.meanOwnShare),
      channels: fit.channels.map { Response.Channel($0) },
      matrix: Leakage.Matrix(
        rows: rows, columns: fit.inputs.map(\.rawValue) + fit.angles.map(\.rawValue),
        slopes: zip(fit.slopes, fit.intervals).map { slopes, intervals in
          zip(slopes, intervals).map { Leakage.Slope($0, $1) }
        }),
      images: images ?? [],
      leftOut: fit.leftOut.map {
        Leakage.LeftOut(coefficient: $0.coefficient.rawValue, reason: $0.reason)
      }, notes: notes)
    return (response, [fit.metrics])
  }

  /// How many coefficients are shown in images.
  private static let shown = 6

  /// Writes images of the coefficients with the smallest gains, each in the face with its highest label.
  private static func images(
    _ fit: ResponseFit, _ reader: ResponseReader, _ dataset: DatasetReader,
    _ run: StoredRun.Opened, into folder: RunFolder, _ notes: inout [String]
  ) throws -> [Record.Image] {
    let weakest = fit.channels.enumerated().sorted {
      ($0.element[.gain].value ?? 0, $0.offset) < ($1.element[.gain].value ?? 0, $1.offset)
    }
    var images: [Record.Image] = []
    for (rank, channel) in weakest.prefix(shown).map(\.element).enumerated() {
      guard let highest = reader.highest[channel.coefficient] else { continue }
      let range = highest.frame..<highest.frame + 1
      let frame = try dataset.frames(range)[0]
      guard !frame.hasNoImage else { continue }
      let prediction = run.tracker.counted(try run.predictions.predictions(range)[0])
      let entry = WorstFrames.Entry(
        frame: frame, isVideo: false, labels: [], detections: [],
        faces: [prediction.faces[highest.face]], missed: [], falseDetections: [], falseFaces: [],
        badness: (0, 0),
        caption: "\(channel.coefficient.rawValue): label "
          + "\(Double(highest.label).text(decimals: 2)), prediction "
          + Double(highest.predicted).text(decimals: 2))
      let image = try Gallery.write(
        entry, as: "weak-\(rank + 1).jpg", of: dataset, into: folder, notes: &notes)
      if let image { images.append(image) }
    }
    return images
  }

  private static func notes(
    _ fit: ResponseFit, _ reader: ResponseReader, _ dataset: DatasetReader
  ) -> [String] {
    var notes: [String] = []
    if reader.sums.looseCount > 0, !reader.sums.isLoose {
      notes.append(
        "\(reader.sums.looseCount.groupedText) faces take no part: no other of their person or clip is there to "
          + "compare them with.")
    }
    if reader.sums.isLoose {
      notes.append(
        "No person or clip has two faces: people are compared with each other, so a slope may be a "
          + "difference of faces or cameras.")
    }
    if dataset.provenance.contains(where: { $0.value.contains("ICT-FaceKit") }) {
      notes.append(
        "The heads are rendered: skin is flat, brows, lips and irises are paint, and there are no "
          + "wrinkles. Gains of brows, eyes, cheeks and nose are lower bounds.")
    }
    if !fit.together.isEmpty {
      let groups = fit.together.map { label, others in
        "\(label.rawValue) with \(others.map(\.rawValue).joined(separator: ", "))"
      }
      notes.append(
        "Labels that move together cannot be told apart (less than 2 % of the variance is their own), so "
          + "what moves with the first may be due to the others: \(groups.joined(separator: "; "))."
      )
    }
    let lost = reader.missed + reader.withoutCoefficients
    if lost > 0 {
      notes.append(
        "\(lost.groupedText) of \((lost + reader.faces).groupedText) labelled faces take no part: "
          + "\(reader.missed.groupedText) missed, \(reader.withoutCoefficients.groupedText) predicted "
          + "without coefficients.")
    }
    if let caution = ClusterBootstrap.caution(fit.sizes) { notes.append(caution) }
    return notes
  }
}

extension Response.Estimate {
  /// The number and its interval.
  init(_ estimate: ResampledEstimate) {
    self.init(estimate.value, estimate.interval)
  }
}

extension Response.Channel {
  fileprivate init(_ channel: ResponseFit.Channel) {
    self.init(
      coefficient: channel.coefficient.rawValue,
      estimates: channel.estimates.map { Response.Estimate($0) }, ownRank: channel.ownRank,
      other: channel.other.map {
        Response.Other(coefficient: $0.coefficient.rawValue, slope: $0.slope)
      }, clips: channel.clips, calibratedError: channel.calibratedError,
      calibration: channel.calibration.map {
        Response.Line(intercept: $0.intercept, slope: $0.slope)
      },
      curve: Response.Curve(
        labels: channel.curve.labels, predictions: channel.curve.predictions,
        faces: channel.curve.faces))
  }
}
