import CommandSyntax
import Foundation
import Metrics
import Platform
import Records
import Reporting
import Running
import Scoring

extension Command {
  private static let base = Argument("base", .directory, help: "The run to compare with.")
  private static let candidate = Argument("candidate", .directory, help: "The run to evaluate.")
  private static let others = Argument(
    repeating: "run", .directory, minimum: 0,
    help: "Further runs: all are then compared with one another and ranked, see above.")
  private static let output = Option(
    "output", short: "o", valueName: "folder", .directory, otherwise: "nothing is written",
    help: "Folder to create for comparison.json (ranking.json), reports, images and junit.xml.")
  private static let pairedResamples = Option(
    "resamples", valueName: "n", .integer(in: 100...100_000), default: 2000,
    help:
      "Number of resamples for the 95 % intervals, and of permutations for p; more where many differences "
      + "are tested together.")
  private static let frames = Option(
    "frames", valueName: "n", .integer(in: 0...100), default: 6,
    help: "Number of most degraded frames, and of most improved ones; of several runs, of each.")

  /// `facegauge compare`.
  static let compare = Command(
    CommandDeclaration(
      "compare", abstract: "Compare runs on the same frames, with intervals of differences",
      discussion: """
          facegauge compare base candidate -o comparison

        Both runs' predictions are evaluated again, frame by frame. Each metric gets its \
        difference, candidate minus base, with a 95 % interval and p. Whole subjects, else videos, \
        else stills are resampled and swapped, the same ones in both runs.

        The headline metrics are tested together. A difference is decisive if its interval \
        excludes 0 and Holm's adjusted p is 0.05 or less; otherwise it is not decisive. With fewer \
        than 10 subjects, videos or stills no difference is tested; a single clip of 5 seconds or \
        more is cut into ten stretches, and verdicts are of that clip only. Of recall and failure \
        to acquire only recall is tested.

        With --gates the metrics in the gates are tested together instead of the headline metrics. \
        A gate on a change passes if the whole interval of the difference is within the largest \
        allowed worsening, fails if the whole interval is outside, and is otherwise inconclusive.

        With three runs or more every pair is compared, and all differences of the headline \
        metrics are tested together. Each run gets the ranks that the tests leave possible, and the \
        share of the resamples in which it is best:

          facegauge compare ours theirs other -o comparison

        Without labels, too, it reports how far the runs agree: the faces that two of them share, \
        the distance of their points and coefficients, and the frames in which one run differs \
        from all others.

        Runs on different datasets are refused. Latencies of runs made one after the other also \
        contain the effects of other load on the machine.
        """,
      arguments: [base, candidate, others],
      options: [
        output, datasetOfRun, gates, inconclusive, accept, expressions, attributes, pairedResamples,
        seed, minSliceCount, frames, withoutImages, force, json,
      ],
      essentials: [
        "output", "gates", "expressions", "resamples", "frames", "no-images", "force", "json",
      ])
  ) { arguments in
    var plan = ComparisonPlan(
      runs: ([arguments[base], arguments[candidate]] + arguments[others]).map {
        URL(fileURLWithPath: $0, isDirectory: true)
      })
    plan.dataset = arguments[datasetOfRun].map { URL(fileURLWithPath: $0) }
    plan.expressions = arguments[expressions].map { URL(fileURLWithPath: $0) }
    plan.attributes = arguments[attributes].map { URL(fileURLWithPath: $0) }
    plan.gates = arguments[gates].map { URL(fileURLWithPath: $0) }
    plan.output = arguments[output].map { URL(fileURLWithPath: $0, isDirectory: true) }
    plan.bootstrap = ClusterBootstrap(
      resamples: arguments[pairedResamples], seed: UInt64(arguments[seed]))
    plan.minSliceCount = arguments[minSliceCount]
    plan.frameCount = arguments[frames]
    plan.hasImages = !arguments[withoutImages]
    plan.accepted = arguments[accept]
    plan.replaces = arguments[force]
    return try arguments[others].isEmpty ? compare(plan, arguments) : rank(plan, arguments)
  }

  private static func compare(
    _ plan: ComparisonPlan, _ arguments: ParsedArguments
  ) throws -> ExitStatus {
    let finished = try PhaseProgress.run { try RunComparison.run(plan, monitor: $0) }
    let report = ComparisonReport(comparison: finished.result)
    if let folder = finished.folder {
      let runs = try FramePairReading(
        base: plan.runs[0], candidate: plan.runs[1], dataset: plan.dataset)
      try folder.commit {
        try RunReports.write(report, of: runs, into: folder, withImages: plan.hasImages)
        if !finished.result.gates.isEmpty {
          try folder.write(Array(report.junit().utf8), to: "junit.xml")
        }
      }
    }
    StepSummary.append(report.summaryMarkdown())
    try arguments.print(
      finished.result, text: ComparisonSummary.text(finished.result, output: arguments[output]))
    return ExitStatus(finished.result.gates, inconclusive: arguments[inconclusive])
  }

  /// Compares three runs or more.
  private static func rank(
    _ plan: ComparisonPlan, _ arguments: ParsedArguments
  ) throws -> ExitStatus {
    try arguments.refuse(
      [gates, inconclusive, accept, attributes, minSliceCount, withoutImages],
      "applies to two runs and cannot be combined with more")
    let finished = try PhaseProgress.run { try RunRanking.run(plan, monitor: $0) }
    let report = RankingReport(ranking: finished.result)
    if let folder = finished.folder {
      try folder.commit { try RunReports.write(report.document, into: folder) }
    }
    StepSummary.append(report.summaryMarkdown())
    try arguments.print(
      finished.result, text: RankingSummary.text(finished.result, output: arguments[output]))
    return .success
  }
}
