import CommandSyntax
import Datasets
import Foundation
import Platform
import Records
import Reporting
import Running
import Scoring

extension Command {
  /// What a run is written as, besides the formats of labels.
  private enum RunFormat: String, CaseIterable {
    case faces, openmetrics, badge
  }
  private static let format = Argument(
    "format", .choice(of: DatasetExporters.all.map(\.name) + RunFormat.allCases.map(\.rawValue)),
    help: "Format to write, see above.")
  private static let source = Argument(
    "source", .path(extensions: ["h5", "json"]),
    help: "The dataset, predictions of it, or the folder of a run.")
  private static let output = Option(
    required: "output", short: "o", valueName: "path", .path(extensions: ["csv", "txt", "svg"]),
    help: "Folder to create for the label files and the images; of a run, the file.")
  private static let datasetOfPredictions = Option(
    "of", valueName: "dataset.h5", .path(extensions: ["h5", "json"]),
    otherwise: "the path in a run's record", help: "The dataset that the predictions are of.")
  private static let bare = Flag(
    "labels-only", help: "Write label files alone, without the images.")
  private static let withoutPoints = Flag(
    "no-points", help: "Write boxes alone, without the points of faces.")
  private static let metric = Option(
    "metric", valueName: "name", .string, otherwise: "the run's first headline",
    help: "The metric of the badge.")
  private static let strict = Flag(
    "strict", help: "Fail before writing anything if the format cannot hold everything.")

  /// `facegauge export`.
  static let export = Command(
    CommandDeclaration(
      "export", abstract: "Write labels, predictions or a run's results in another format",
      discussion: "Formats:\n\n"
        + DatasetExporters.all.map { "  \($0.name)\n      \($0.summary)" }.joined(separator: "\n")
          + """

            faces
                CSV, a row per face: label, prediction, errors, why it was missed
            openmetrics
                OpenMetrics text of a run: values, intervals, gates, findings
            badge
                SVG of a run's metric, in the colour of its gates' verdict

            facegauge export coco faces.h5 -o faces-coco
            facegauge export label-studio predictions.h5 --of faces.h5 -o pre-labels
            facegauge export faces run -o faces.csv
            facegauge export openmetrics run -o metrics.txt

          Images keep their bytes, and their names if these are valid file names. Everything that \
          the format cannot hold is listed with counts.
          """,
      arguments: [format, source],
      options: [output, datasetOfPredictions, bare, withoutPoints, strict, metric, force])
  ) { arguments in
    let url = URL(fileURLWithPath: arguments[source])
    let target = URL(fileURLWithPath: arguments[output])
    let seen = arguments[datasetOfPredictions].map { URL(fileURLWithPath: $0) }
    let run = url.appendingPathComponent("record.json").isThere ? url : nil
    let runFormat = RunFormat(rawValue: arguments[format])
    let unused: [any Parameter] =
      switch runFormat {
      case nil: [metric, force]
      case .faces: [bare, withoutPoints, strict, metric]
      case .openmetrics: [bare, withoutPoints, strict, metric, datasetOfPredictions]
      case .badge: [bare, withoutPoints, strict, datasetOfPredictions]
      }
    try arguments.refuse(unused, "has no effect on \(arguments[format])")
    if let run, let seen {
      try PhaseProgress.run { try StoredRun(run).check(DatasetReader(seen), to: "export", $0) }
    }
    guard let exporter = DatasetExporters.named(arguments[format]) else {
      if let runFormat, runFormat != .faces {
        // What is not there at all is said by the reading.
        guard run != nil || !url.isThere else {
          throw arguments.usageError("'\(runFormat.rawValue)' requires the folder of a run")
        }
        let record = try StoredRun(url).record
        let text =
          runFormat == .badge
          ? try badge(of: arguments[metric], in: record, of: url) : OpenMetrics(record).text
        return try write(text, to: target, besides: url, replacing: arguments[force])
      }
      let table =
        if let run {
          try PhaseProgress.run { try FaceTable(ofRun: run, dataset: seen, monitor: $0) }
        } else if let seen {
          try joined(url, DatasetReader(seen)) { try FaceTable(of: $1, $0) }
        } else {
          throw arguments.usageError(
            "'faces' requires the folder of a run, or predictions with '--of' and their dataset")
        }
      return try write(table, to: target, replacing: arguments[force])
    }
    var plan = DatasetExport(exporter, isStrict: arguments[strict])
    plan.writesImages = !arguments[bare]
    plan.writesPoints = !arguments[withoutPoints]
    if let run {
      let stored = try StoredRun(run)
      let dataset = try DatasetReader(try stored.dataset(seen))
      try PhaseProgress.run { try stored.check(dataset, to: "export", $0) }
      return try write(plan, dataset, try stored.opened(for: dataset).predictions, to: target)
    }
    guard let seen else {
      if (try? PredictionsReader(url)) != nil {
        throw arguments.usageError(
          "'\(arguments[source])' has predictions: '--of' names their dataset")
      }
      return try write(plan, DatasetReader(url), nil, to: target)
    }
    return try joined(url, DatasetReader(seen)) { try write(plan, $0, $1, to: target) }
  }

  private static func badge(
    of metric: String?, in record: Record, of run: URL
  ) throws(FileError) -> String {
    guard let name = metric ?? record.headlines.first, let badge = Badge(of: name, in: record)
    else {
      let known = record.measurements.filter { $0.slice == nil }.map(\.name)
      throw FileError.wrongData(
        "cannot draw a badge of \(run.relativePath): expected a metric of the record"
          + (metric.map { ", found \($0)\(Suggestion.perhaps($0, among: known))" }
            ?? " with headlines, found none; name one with --metric"))
    }
    return badge.svg
  }

  private static func write(
    _ text: String, to target: URL, besides run: URL, replacing: Bool
  ) throws -> ExitStatus {
    let file = try AtomicFile(target, replacing: replacing)
    try target.requireOther(than: run.appendingPathComponent("record.json"))
    try file.write(text.utf8)
    return .success
  }

  /// Opens predictions with their dataset; throws where they are of another.
  private static func joined<Result>(
    _ predictions: URL, _ dataset: DatasetReader,
    _ work: (DatasetReader, PredictionsReader) throws -> Result
  ) throws -> Result {
    let reader = try PredictionsReader(predictions)
    let (sha256, isOfDataset) = try PhaseProgress.run { monitor in
      let sha256 = try monitor.hash(dataset)
      let stated = reader.header.datasetSHA256
      return (sha256, try monitor.isDigest(stated, of: dataset, sha256: sha256))
    }
    guard isOfDataset else {
      throw FileError.wrongData(
        "cannot export \(reader.url.relativePath): expected predictions of "
          + "\(dataset.url.relativePath) with SHA-256 \(sha256.prefix(12))…, found those of "
          + "'\(reader.header.datasetName)' with \(reader.header.datasetSHA256.prefix(12))…")
    }
    return try work(dataset, reader)
  }

  private static func write(
    _ plan: DatasetExport, _ dataset: DatasetReader, _ predictions: PredictionsReader?,
    to target: URL
  ) throws -> ExitStatus {
    let summary = try countingFrames("Exporting", of: plan.stepCount(of: dataset)) {
      try plan.run(over: dataset, predictions, to: target, advance: $0, isInterrupted: $1)
    }
    for loss in summary.losses {
      Diagnostics.standardError.warning("left out: \(loss.what) (\(loss.count))")
    }
    Diagnostics.standardError.print(
      "\(target.relativePath): "
        + (summary.images > 0 ? "\(summary.images) images" : "\(summary.frames) frames")
        + ", \(summary.faces) faces")
    return .success
  }

  private static func write(
    _ table: FaceTable, to target: URL, replacing: Bool
  ) throws -> ExitStatus {
    let rows = try countingFrames("Exporting", of: table.frameCount) {
      try table.write(to: target, replacing: replacing, advance: $0, isInterrupted: $1)
    }
    Diagnostics.standardError.print("\(target.relativePath): \(rows) rows")
    return .success
  }
}
