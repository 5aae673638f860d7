import CommandSyntax
import Foundation
import Metrics
import Platform
import Records
import Reporting
import Running
import Scoring

extension Command {
  private static let source = Argument(
    "source", .path(extensions: ["h5", "json"]),
    help: "Folder of a run, whose predictions are measured, or a dataset, whose labels are.")
  private static let output = Option(
    "output", short: "o", valueName: "folder", .directory, otherwise: "nothing is written",
    help: "Folder to create for leakage.json, report.html and report.md.")

  /// `facegauge leakage`.
  static let leakage = Command(
    CommandDeclaration(
      "leakage", abstract: "Measure how coefficients move with the head and with each other",
      discussion: """
          facegauge evaluate clips.h5 --mode video -o run
          facegauge leakage run -o leakage

        If the head turns and the expression does not change, no coefficient should move. The \
        command fits each coefficient to yaw, pitch, roll and how far each is from frontal, with \
        the others held, and to all other coefficients. It prints the change per 10°, largest \
        first, with 95 % intervals. No labels are needed.

        \(Leakage.signs)

        Frames are compared within clips, so people and cameras do not count; only frames with one \
        face take part. The intervals are from resampling subjects, else clips; with fewer than \
        10 there are none. A dataset without clips is compared across people, and a note states it.

        People may change their expression when they turn. Ask for a still face, or animate stills \
        ('facegauge animate').

        A dataset as source is measured by its labels: recordings of ARKit with a head pose, or \
        with the attributes headYaw, headPitch and headRoll in radians.
        """,
      arguments: [source],
      options: [output, datasetOfRun, resamples, seed, force, json])
  ) { arguments in
    var plan = LeakagePlan(source: URL(fileURLWithPath: arguments[source]))
    plan.dataset = arguments[datasetOfRun].map { URL(fileURLWithPath: $0) }
    plan.output = arguments[output].map { URL(fileURLWithPath: $0, isDirectory: true) }
    plan.bootstrap = ClusterBootstrap(
      resamples: arguments[resamples], seed: UInt64(arguments[seed]))
    plan.replaces = arguments[force]
    let progress = PhaseProgress()
    let finished = try stopping { try LeakageRun.run(plan, monitor: progress.monitor) }
    progress.finish()
    if let folder = finished.folder {
      try folder.commit {
        try RunReports.write(LeakageReport(finished.leakage).document, into: folder)
      }
    }
    if arguments[json] {
      try StandardOutput.writeJSON(String(decoding: try finished.leakage.json(), as: UTF8.self))
    } else {
      try StandardOutput.write(LeakageText.text(finished.leakage, output: arguments[output]))
    }
    return .success
  }
}
