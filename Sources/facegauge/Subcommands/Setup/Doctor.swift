import CommandSyntax
import Foundation
import Running

extension Command {
  private static let output = Option(
    "output", short: "o", valueName: "folder", .directory, default: ".",
    help: "Folder that runs will be written to; a small file is written there and removed.")

  /// `facegauge doctor`.
  static let doctor = Command(
    CommandDeclaration(
      "doctor", abstract: "Show what is installed, and what to do about the rest",
      discussion: """
          facegauge doctor

        Each row has a thing, its state (ok, warning or missing), what was found, and below it what \
        to do. Nothing is assumed: every stage of the pipeline runs on an empty image, the bytes of \
        the models are compared with their SHA-256, other programs are asked for their version, \
        and files are written to the folders. Nothing is fetched or changed.

        The exit status is 0 if 'evaluate' can run all stages, and 69 if a stage is missing or the \
        output folder cannot be written to. Everything else, such as ffmpeg, is needed for a part \
        of the work, which its row names.
        """,
      options: [output, PipelineOptions.modelsPath, json])
  ) { arguments in
    var check = InstallationCheck()
    check.output = URL(fileURLWithPath: arguments[output], isDirectory: true)
    check.models = arguments[PipelineOptions.modelsPath].map { URL(fileURLWithPath: $0) }
    let findings = try PhaseProgress.run { try check.run(monitor: $0) } + [terminal]
    let report = InstallationReport(findings)
    try arguments.print(report, text: report.lines.printed)
    return report.canEvaluate ? .success : .modelMissing
  }

  /// What standard output can show.
  private static var terminal: InstallationFinding {
    InstallationReport.terminal(.standardOutput, environment: environmentValue)
  }
}
