import CommandSyntax
import Evaluation
import Foundation
import Metrics
import Records
import Reporting

extension Command {
  private static let base = Argument("base", .directory, help: "The run to compare with.")
  private static let candidate = Argument("candidate", .directory, help: "The run that is judged.")
  private static let dataset = Option(
    "dataset", valueName: "dataset.h5", .path(extensions: ["h5", "json"]),
    otherwise: "where the candidate's record says it is",
    help: "The dataset that both runs are of.")
  private static let output = Option(
    "output", short: "o", valueName: "folder", .directory, otherwise: "nothing is written",
    help: "Folder to make for comparison.json, reports, junit.xml for gates, and pictures.")
  private static let gates = Option(
    "gates", valueName: "gates.json", .path(extensions: ["json"]), otherwise: "no gates",
    help: "Limits that the candidate's figures and changes must keep; 'evaluate' shows a file.")
  private static let inconclusive = Option(
    "inconclusive", valueName: "verdict", .choice(InconclusiveGates.self), default: .fail,
    help: "What an inconclusive gate means: fail is status 3, pass is 0.")
  private static let resamples = Option(
    "resamples", valueName: "n", .integer(in: 100...100_000), default: 2000,
    help: "Resamples behind the 95 % intervals, and most permutations behind p.")
  private static let seed = Option(
    "seed", valueName: "n", .integer(in: 0...Int.max), default: 1,
    help: "Where resampling starts; the same seed gives the same figures.")
  private static let leastOfSlice = Option(
    "min-slice", valueName: "n", .integer(in: 1...Int.max), default: 30,
    help: "Least n of a figure of a slice.")
  private static let frames = Option(
    "frames", valueName: "n", .integer(in: 0...100), default: 6,
    help: "How many frames that got worse, and that got better, are shown.")
  private static let expressions = Option(
    "expressions", valueName: "rules.json", .path(extensions: ["json"]),
    otherwise: "happy, sad, angry and neutral",
    help: "Expressions as rules over blendshapes, as for 'evaluate'.")
  private static let force = Flag("force", help: "Replace the folder if it exists.")
  private static let json = Flag("json", help: "Print the comparison as JSON.")

  /// `facegauge compare`.
  static let compare = Command(
    CommandDeclaration(
      "compare", abstract: "Compare two runs on the same frames: what differs, and how surely",
      discussion: """
        Both runs' predictions are judged anew, frame by frame. Each figure gets its difference, \
        candidate minus base, with a 95 % interval and p: subjects, else videos, else stills are \
        resampled and swapped whole, the same ones in both runs. The headline figures are judged \
        together: a difference is decisive where its interval excludes 0 and Holm's adjusted p is \
        0.05 or less; else it is called not decisive. Under 10 subjects, videos or stills no \
        difference is tested. Of recall and failure to acquire only \
        recall is tested.

        With --gates the figures that gates name are judged together in place of the headline \
        figures, and a change by the interval of its difference: it passes where the whole interval \
        lies within the largest worsening, fails where none of it does, and else is inconclusive.

        Runs on different datasets are refused. Latencies of runs made one after the other hold \
        what the machine did meanwhile.
        """,
      arguments: [base, candidate],
      options: [
        output, dataset, gates, inconclusive, expressions, resamples, seed, leastOfSlice, frames,
        force, json,
      ])
  ) { arguments in
    var plan = ComparisonPlan(
      base: URL(fileURLWithPath: arguments[base], isDirectory: true),
      candidate: URL(fileURLWithPath: arguments[candidate], isDirectory: true))
    plan.dataset = arguments[dataset].map { URL(fileURLWithPath: $0) }
    plan.expressions = arguments[expressions].map { URL(fileURLWithPath: $0) }
    plan.gates = arguments[gates].map { URL(fileURLWithPath: $0) }
    plan.output = arguments[output].map { URL(fileURLWithPath: $0, isDirectory: true) }
    plan.bootstrap = ClusterBootstrap(
      resamples: arguments[resamples], seed: UInt64(arguments[seed]))
    plan.leastOfSlice = arguments[leastOfSlice]
    plan.frameCount = arguments[frames]
    plan.replaces = arguments[force]
    let progress = PhaseProgress()
    let finished = try stopping { try RunComparison.run(plan, monitor: progress.monitor) }
    progress.finish()
    let report = ComparisonReport(comparison: finished.comparison)
    if let folder = finished.folder {
      try folder.commit {
        try RunReports.write(report.document, into: folder)
        if !finished.comparison.gates.isEmpty {
          try folder.write(Array(report.junit().utf8), to: "junit.xml")
        }
      }
    }
    StepSummary.append(report.summaryMarkdown())
    if arguments[json] {
      try StandardOutput.writeJSON(
        String(decoding: try finished.comparison.json(), as: UTF8.self))
    } else {
      try StandardOutput.write(
        ComparisonSummary.text(finished.comparison, output: arguments[output]))
    }
    return ExitStatus(finished.comparison.gates, inconclusive: arguments[inconclusive])
  }
}
