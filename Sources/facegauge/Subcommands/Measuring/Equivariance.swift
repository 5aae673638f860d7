import CommandSyntax
import Foundation
import Metrics
import Platform
import Records
import Reporting
import Running
import Scoring

extension Command {
  private static let run = Argument(
    "run", .path(extensions: []), help: "Folder of a run on a dataset of 'facegauge transform'.")
  private static let output = Option(
    "output", short: "o", valueName: "folder", .directory, otherwise: "nothing is written",
    help: "Folder to create for equivariance.json, report.html and report.md.")

  /// `facegauge equivariance`.
  static let equivariance = Command(
    CommandDeclaration(
      "equivariance", abstract: "Measure how far outputs follow mirrored, turned and moved images",
      discussion: """
          facegauge transform faces.h5 -o suite.h5
          facegauge evaluate suite.h5 -o run
          facegauge equivariance run -o equivariance

        Points of a mirrored, turned or moved image should be those of the original, mirrored, \
        turned or moved, and coefficients should be the same, left and right exchanged in a mirror \
        image. The command prints for each transformation the faces that are lost, the mean \
        distance of points in units of the face, and the coefficients that change, the surest \
        first, with 95 % intervals. No labels are needed. The report shows where on the face.

        The intervals are from resampling subjects, else stills; with fewer than 10 there are none.
        """,
      arguments: [run],
      options: [output, datasetOfRun, resamples, seed, force, json])
  ) { arguments in
    var plan = EquivariancePlan(run: URL(fileURLWithPath: arguments[run], isDirectory: true))
    plan.dataset = arguments[datasetOfRun].map { URL(fileURLWithPath: $0) }
    plan.output = arguments[output].map { URL(fileURLWithPath: $0, isDirectory: true) }
    plan.bootstrap = ClusterBootstrap(
      resamples: arguments[resamples], seed: UInt64(arguments[seed]))
    plan.replaces = arguments[force]
    let progress = PhaseProgress()
    let finished = try stopping { try EquivarianceRun.run(plan, monitor: progress.monitor) }
    progress.finish()
    if let folder = finished.folder {
      try folder.commit {
        try RunReports.write(EquivarianceReport(finished.equivariance).document, into: folder)
      }
    }
    if arguments[json] {
      try StandardOutput.writeJSON(
        String(decoding: try finished.equivariance.json(), as: UTF8.self))
    } else {
      try StandardOutput.write(
        EquivarianceText.text(finished.equivariance, output: arguments[output]))
    }
    return .success
  }
}
