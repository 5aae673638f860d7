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

  private static let base = Option(
    "base", valueName: "run", .directory, otherwise: "nothing to compare with",
    help: "Run on the same dataset; differences from it are over the same resamples.")

  /// The options of those that gates can limit.
  static func gatedOptions(_ output: Option<String?>) -> [any Parameter] {
    [base, Command.gates, Command.inconclusive] + options(output)
  }

  /// The options of all, with that of the folder.
  static func options(_ output: Option<String?>) -> [any Parameter] {
    [output, Command.datasetOfRun, Command.resamples, Command.seed, Command.force, Command.json]
  }

  /// Measures, writes the reports, appends what gates say to the page of a CI job and prints the result.
  static func run<Result: ResultDocument>(
    _ arguments: ParsedArguments, source: String, output: String?,
    measure: (MeasurementPlan, RunMonitor) throws -> Measured<Result>,
    document: (Result) -> ReportDocument, text: (Result) -> String,
    verdicts: ((Result) -> ResultVerdicts?)? = nil
  ) throws -> ExitStatus {
    var plan = MeasurementPlan(source: URL(fileURLWithPath: source))
    plan.dataset = arguments[Command.datasetOfRun].map { URL(fileURLWithPath: $0) }
    plan.output = output.map { URL(fileURLWithPath: $0, isDirectory: true) }
    plan.bootstrap = ClusterBootstrap(
      resamples: arguments[Command.resamples], seed: UInt64(arguments[Command.seed]))
    plan.replaces = arguments[Command.force]
    if verdicts != nil {
      plan.base = arguments[base].map { URL(fileURLWithPath: $0, isDirectory: true) }
      plan.gates = arguments[Command.gates].map { URL(fileURLWithPath: $0) }
    }
    let finished = try PhaseProgress.run { try measure(plan, $0) }
    let report = document(finished.result)
    if let folder = finished.folder {
      try folder.commit { try RunReports.write(report, into: folder) }
    }
    if let summary = report.verdictsMarkdown() { StepSummary.append(summary) }
    try arguments.print(finished.result, text: text(finished.result))
    guard let gates = verdicts?(finished.result)?.gates else { return .success }
    return ExitStatus(gates, inconclusive: arguments[Command.inconclusive])
  }
}
