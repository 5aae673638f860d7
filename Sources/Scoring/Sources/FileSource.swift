internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Platform
internal import Records
internal import Running

/// Predictions from a file: of another tracker, or of an earlier run that is evaluated anew.
struct FileSource: PredictionSource {
  let tracker: PredictionOrigin
  private let calibration: AppliedCalibration?
  private let plan: EvaluationPlan
  private let predictions: PredictionsReader

  /// Opens the file; throws where it is not of as many frames as the dataset.
  init(
    _ plan: EvaluationPlan, _ url: URL, of dataset: DatasetReader,
    calibration: AppliedCalibration?
  ) throws {
    predictions = try PredictionsReader(url)
    guard predictions.frameCount == dataset.frameCount else {
      throw Self.wrong(
        url, "\(dataset.frameCount) frames as in \(plan.dataset.relativePath)",
        "\(predictions.frameCount)", plan)
    }
    self.plan = plan
    self.calibration = calibration
    let header = predictions.header
    try calibration?.check(models: header.models, tracker: header.options[RunOption.tracker])
    var tracker = try PredictionOrigin(plan, predictions: predictions)
    tracker.take(calibration?.detector)
    tracker.frozenFrames = try predictions.frozenFrames(of: dataset)
    self.tracker = tracker
  }

  func predict(
    _ dataset: DatasetReader, sha256: String, into folder: RunFolder, monitor: RunMonitor
  ) throws -> PredictionsMade {
    let header = predictions.header
    guard try monitor.isDigest(header.datasetSHA256, of: dataset, sha256: sha256) else {
      throw Self.wrong(
        predictions.url,
        "the dataset with SHA-256 \(sha256.prefix(12))… ('\(dataset.name)')",
        "those of \(header.datasetSHA256.prefix(12))… ('\(header.datasetName)')", plan)
    }
    try FrameStretch.check(dataset) { dataset.kind(ofSequence: $0.sequence) == .video }
    if let calibration {
      let target = folder.partial.appendingPathComponent("predictions.h5")
      try write(through: calibration, to: target, of: dataset, monitor: monitor)
    } else {
      try folder.make("predictions.h5") { try InputFile(predictions.url).copy(to: $0) }
    }
    var options = header.options
    options[AppliedCalibration.detectorOption] = nil
    options[RunOption.mode] = header.mode
    options[RunOption.predictions] = predictions.url.lastPathComponent
    if let numerics = header.numerics {
      options[RunOption.kernels] = numerics.kernels
      options[RunOption.blasCore] = numerics.blasCore
    }
    for name in ["resamples", "seed", "min-slice", EvaluationPlan.maxDetectionsOption] {
      options[name] = plan.options[name]
    }
    if tracker.isForeign {
      options[PipelineSetting.detectionConfidence] =
        "\(plan.settings.minFaceDetectionConfidence)"
    }
    var bad: [PredictionPass.BadFrame] = []
    for range in try PredictionPass.ranges(of: 0..<predictions.frameCount, nil, [predictions])
    where predictions.brokenCount > 0 {
      for prediction in try predictions.predictions(range) where prediction.status == .broken {
        bad.append(
          PredictionPass.BadFrame(
            frame: prediction.frame, reason: "the image was broken when it was predicted"))
      }
    }
    let timeline = try RunTimeline(predictions)
    return PredictionsMade(
      models: header.models.map { Record.Model($0) }, options: options, bad: bad,
      notes: [
        "Nothing ran: the predictions were read from \(predictions.url.lastPathComponent)"
          + (header.options[RunOption.tracker].map { ", the output of \($0)." } ?? ".")
      ] + (header.options[RunOption.resumed] == nil ? [] : [PredictionsMade.resumedNote]),
      closingNotes: timeline?.notes ?? [], series: timeline?.series ?? [])
  }

  private func write(
    through calibration: AppliedCalibration, to target: URL, of dataset: DatasetReader,
    monitor: RunMonitor
  ) throws {
    let writer = try PredictionsWriter(target, header: try calibration.header(predictions.header))
    monitor.begin(.calibrating, dataset.frameCount)
    for range in try PredictionPass.ranges(of: 0..<predictions.frameCount, dataset, [predictions]) {
      try monitor.check("while calibrating")
      let raw = try predictions.predictions(range)
      for (mapped, raw) in zip(try calibration.applied(to: raw, of: dataset), raw) {
        try writer.add(
          tracker.parted(mapped, by: raw, at: plan.settings.minFaceDetectionConfidence))
      }
      monitor.advance(by: range.count)
    }
    try writer.finish()
  }

  private static func wrong(
    _ url: URL, _ expected: String, _ found: String, _ plan: EvaluationPlan
  ) -> EvaluationError {
    EvaluationError.wrongData(
      "cannot evaluate \(url.relativePath): expected predictions of \(expected), found \(found) "
        + "('facegauge import … --of \(plan.dataset.relativePath)' or 'facegauge track' makes "
        + "them)")
  }
}
