import CommandSyntax
import Foundation
import Metrics
import Platform
import Records
import Reporting
import Running
import Scoring

/// What the commands share that measure a run other than by its scores: response, equivariance, leakage.
enum MeasurementCommand {
  /// The folder of the reports of a result.
  static func output(of file: String) -> Option<String?> {
    Option(
      "output", short: "o", valueName: "folder", .directory, otherwise: "nothing is written",
      help: "Folder to create for \(file), report.html and report.md.")
  }

  /// The options of all, with that of the folder.
  static func options(_ output: Option<String?>) -> [any Parameter] {
    [output, Command.datasetOfRun, Command.resamples, Command.seed, Command.force, Command.json]
  }

  /// Measures, writes the reports and prints the result.
  static func run<Result>(
    _ arguments: ParsedArguments, source: String, output: String?,
    measure: (MeasurementPlan, RunMonitor) throws -> Measured<Result>,
    document: (Result) -> ReportDocument, text: (Result) -> String
  ) throws -> ExitStatus {
    var plan = MeasurementPlan(source: URL(fileURLWithPath: source))
    plan.dataset = arguments[Command.datasetOfRun].map { URL(fileURLWithPath: $0) }
    plan.output = output.map { URL(fileURLWithPath: $0, isDirectory: true) }
    plan.bootstrap = ClusterBootstrap(
      resamples: arguments[Command.resamples], seed: UInt64(arguments[Command.seed]))
    plan.replaces = arguments[Command.force]
    let progress = PhaseProgress()
    let finished = try stopping { try measure(plan, progress.monitor) }
    progress.finish()
    if let folder = finished.folder {
      try folder.commit { try RunReports.write(document(finished.result), into: folder) }
    }
    if arguments[Command.json] {
      try StandardOutput.writeJSON(String(decoding: try finished.result.json(), as: UTF8.self))
    } else {
      try StandardOutput.write(text(finished.result))
    }
    return .success
  }
}
