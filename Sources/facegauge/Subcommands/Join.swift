import CommandSyntax
import Foundation
import Platform
import Running
import Scoring
import Tuning

extension Command {
  private static let run = Argument(
    "run", .directory, help: "The run whose shards lie in RUN.shards.")
  private static let missing = Flag(
    "missing", help: "Print the shards to run (again) instead, such as 3,17,40-52.")
  private static let dataset = Option(
    "dataset", valueName: "dataset.h5", .path(extensions: ["h5"]),
    otherwise: "the path that the shards were given",
    help: "The dataset, if it is not where the shards found it.")

  /// `facegauge join`.
  static let joinRun = Command(
    CommandDeclaration(
      "join", abstract: "Make a run of the parts that --shard wrote",
      discussion: """
          facegauge evaluate faces.h5 -o run --shard auto/256
          facegauge join run --missing
          facegauge join run

        Reads RUN.shards and writes RUN as 'facegauge evaluate' or 'facegauge sweep' on one \
        machine would have: the same predictions.h5, record, reports and gates, and the same exit \
        status, except for latencies, host and times. Every part must be there once and follow RUN.shards/plan.json; \
        otherwise the status is 65 and the error names the parts. RUN.shards stays.

        The first line is what each member of an array job runs. The options are those of the \
        shards, and so are relative paths: join in the folder in which they ran. Latencies of machines of different kinds are listed \
        by kind and not pooled.
        """,
      arguments: [run], options: [missing, dataset, force, json])
  ) { arguments in
    try ShardPart.retryable { try join(arguments) }
  }

  private static func join(_ arguments: ParsedArguments) throws -> ExitStatus {
    let shards = ShardFolder(of: URL(fileURLWithPath: arguments[run]))
    let (known, digest) = try shards.plan()
    if arguments[missing] {
      let (faults, cost) = try stopping {
        try shards.state(of: known, digest: digest) { Interruption.isRequested }
      }
      try StandardOutput.write(
        arguments[json]
          ? try JSONEncoder.document.text(
            of: MissingShards(
              shards: known.count, ranges: faults.ranges, missing: faults, cost: cost))
          : faults.isEmpty ? "" : faults.ranges + "\n")
      return .success
    }
    if known.command == .sweep {
      var plan = try sweepPlan(joining: known, in: shards, run: arguments[run])
      try adopt(arguments, in: &plan.evaluation)
      return try finishSweep(plan, arguments)
    }
    var (plan, inconclusive) = try Command.plan(joining: known, in: shards, run: arguments[run])
    try adopt(arguments, in: &plan)
    let finished = try PhaseProgress.run { try Evaluation.run(plan, monitor: $0) }
    return try RunReports.finish(
      finished, arguments, run: arguments[run], inconclusive: inconclusive)
  }

  /// Takes over what the join itself was told; throws where the dataset is not at the path that the shards were given,
  /// as in another folder than theirs.
  private static func adopt(_ arguments: ParsedArguments, in plan: inout EvaluationPlan) throws {
    plan.replaces = arguments[force]
    if let dataset = arguments[dataset] {
      plan.dataset = URL(fileURLWithPath: dataset)
      return
    }
    let path = plan.dataset.relativePath
    guard !plan.dataset.isThere, !path.contains(where: "*?[".contains) else { return }
    throw FileError(
      .notFound,
      "cannot join \(arguments[run]): expected the dataset at \(path), the path that the shards were given, found no such "
        + "file (join in the folder in which they ran, or give --dataset)")
  }
}

/// What `join --missing --json` prints.
private struct MissingShards: Encodable {
  let shards: Int
  let ranges: String
  let missing: [ShardFolder.Fault]
  /// What all shards take, by those that are there; nil without any.
  let cost: ShardCost?
}
