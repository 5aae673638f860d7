package import Datasets
internal import FacePipeline
package import Foundation
internal import Metrics
internal import Platform
package import Records
package import Running

/// A finished run that is read again.
package struct StoredRun {
  package let url: URL
  package let record: Record

  /// Reads the record of a run's folder; throws for a file in place of it, with what makes a run of that.
  package init(_ url: URL) throws {
    self.url = url
    if url.isThere, !url.isFolder { throw Self.refusal(of: url) }
    record = try Record(file: url.appendingPathComponent("record.json"))
  }

  private static func refusal(of file: URL) -> EvaluationError {
    let name = file.relativePath
    let folder = file.deletingLastPathComponent()
    let found: String
    if folder.appendingPathComponent("record.json").isThere {
      found = "a file of one (give \(folder.relativePath))"
    } else if (try? PredictionsReader(file)) != nil {
      found =
        "predictions ('facegauge evaluate DATASET.h5 --predictions \(name) -o RUN' makes a run of them)"
    } else if (try? DatasetReader(file)) != nil {
      found = "a dataset ('facegauge evaluate \(name) -o RUN' makes a run on it)"
    } else {
      found = "a file ('facegauge evaluate' makes a run)"
    }
    return EvaluationError.wrongData(
      "cannot read \(name): expected the folder of a run, found \(found)")
  }

  /// The name of its folder.
  package var name: String { url.standardizedFileURL.lastPathComponent }

  /// Its predictions.
  package var predictions: URL { url.appendingPathComponent("predictions.h5") }

  /// The dataset that was given, or the one that the record names.
  package func dataset(_ given: URL?) throws(EvaluationError) -> URL {
    if let given { return given }
    guard let file = record.dataset.file else {
      throw EvaluationError(
        .notFound,
        "cannot find the dataset of \(url.relativePath): its record does not contain its path "
          + "(--dataset gives it)")
    }
    let position = url.withoutLinks.appendingPathComponent(file).standardizedFileURL
    guard DatasetReader.isThere(position) else {
      throw EvaluationError(
        .notFound,
        "cannot find the dataset of \(url.relativePath): no such file \(position.path) (--dataset "
          + "gives its path)")
    }
    return position
  }

  /// Throws `.wrongData` where a dataset is another than the run's; `verb` and `owner` are for the message.
  package func check(
    _ dataset: DatasetReader, to verb: String, of owner: String = "the run", _ monitor: RunMonitor
  ) throws {
    let (expected, sha256) = (record.dataset.sha256, try monitor.hash(dataset))
    guard try monitor.isDigest(expected, of: dataset, sha256: sha256) else {
      throw EvaluationError.wrongData(
        "cannot \(verb) on \(dataset.url.relativePath): expected the dataset of \(owner), SHA-256 "
          + "\(expected.prefix(12))…, found \(sha256.prefix(12))…")
    }
  }

  /// A run with its predictions and whose they are.
  package struct Opened {
    package var tracker: PredictionOrigin
    package let predictions: PredictionsReader
  }

  /// Opens the predictions; throws where they are of another dataset than the record, or of other frames.
  package func opened(for dataset: DatasetReader) throws -> Opened {
    let reader = try PredictionsReader(predictions)
    guard reader.frameCount == dataset.frameCount,
      try RunMonitor.silent.isDigest(
        reader.header.datasetSHA256, of: dataset, sha256: record.dataset.sha256)
    else {
      throw EvaluationError.wrongData(
        "cannot evaluate \(predictions.relativePath): expected predictions of \(dataset.frameCount) "
          + "frames of the dataset with SHA-256 \(record.dataset.sha256.prefix(12))…, found "
          + "\(reader.frameCount) of \(reader.header.datasetSHA256.prefix(12))…")
    }
    var plan = EvaluationPlan(dataset: dataset.url, run: url)
    if let score = record.options[PipelineSetting.detectionConfidence].flatMap(Double.init) {
      plan.settings.minFaceDetectionConfidence = score
    }
    plan.pairing = try FacePairing(options: record.options, of: url.relativePath)
    if let limit = record.options[EvaluationPlan.maxDetectionsOption].flatMap({ Int($0) }) {
      plan.maxDetections = limit
    }
    var tracker = try PredictionOrigin(plan, predictions: reader)
    tracker.frozenFrames = try reader.frozenFrames(of: dataset)
    return Opened(tracker: tracker, predictions: reader)
  }
}
