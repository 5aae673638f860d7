import CommandSyntax
import Foundation
import Platform
import Running

extension ValueSyntax<ShardChoice> {
  /// One of the parts of a run, such as `17/256`, or `auto/256`.
  static var shard: Self {
    Self(
      parse: { word throws(ValueMismatch) in
        guard let choice = ShardChoice(word) else {
          throw ValueMismatch(
            expected: "i/n or auto/n with n from 1 to \(ShardChoice.maxCount) and i from 0 to n - 1"
          )
        }
        return choice
      },
      write: { "\($0)" })
  }
}

/// One part of a run, for `evaluate --shard` and `sweep --shard`.
enum ShardPart {
  /// Which part.
  static let choice = Option(
    "shard", valueName: "i/n", .shard, otherwise: "the whole dataset",
    help: "Run one of n parts, from 0, for 'facegauge join'; auto/n asks the scheduler, see above.")
  /// Whether other machines may compute otherwise.
  static let mixedNumerics = Flag(
    "mixed-numerics", help: "Allow shards on machines whose results differ in the last digits.")

  /// Throws where options do not go together; no part can have `excluded` ones.
  static func check(_ arguments: ParsedArguments, excluded: [any Parameter]) throws {
    try arguments.require(choice, for: mixedNumerics)
    for parameter in excluded { try arguments.refuse(choice, with: parameter) }
  }

  /// What a plan does not hold: how the process makes its part, and where.
  private static let ofOnePart = ["output", "force", "json", "shard", "mixed-numerics"]

  /// The stored arguments of a plan and the run, as if a command line had given them; throws `.wrongData` for others.
  static func arguments(
    of plan: ShardPlan, in folder: ShardFolder, for declaration: CommandDeclaration, run: String
  ) throws(EvaluationError) -> ParsedArguments {
    let named = (plan.arguments + [.init("output", run)]).map { ($0.name, $0.value) }
    do throws(UsageError) {
      return try declaration.arguments(named: named)
    } catch {
      throw wrongPlan(folder, error)
    }
  }

  /// The error of a plan whose stored arguments do not fit together.
  static func wrongPlan(_ folder: ShardFolder, _ error: UsageError) -> EvaluationError {
    EvaluationError(
      .wrongData, "cannot join \(folder.url.relativePath): in its plan.json: \(error.message)")
  }

  /// Does what a driver repeats: a failure that may pass ends it with status 75.
  static func retryable<Result>(_ work: () throws -> Result) throws -> Result {
    do {
      return try work()
    } catch {
      let cause =
        (error as? StandardOutputError).map { SystemError($0.code) } ?? EvaluationError(error).cause
      guard cause?.isTransient == true else { throw error }
      throw CommandFailure(.temporaryFailure, "\(error)")
    }
  }

  /// Makes the part and prints where it is; the join plans again from all else that the command line has.
  static func make(
    _ choice: ShardChoice, _ arguments: ParsedArguments,
    run: (ShardRequest, RunMonitor) throws -> ShardRun.Finished
  ) throws -> ExitStatus {
    let environment = ProcessInfo.processInfo.environment
    return try retryable {
      let request = ShardRequest(
        part: try choice.index(in: environment), of: choice.count,
        arguments: arguments.given { !ofOnePart.contains($0.name) }.map {
          .init($0.name, $0.value)
        },
        allowsOtherNumerics: arguments[mixedNumerics], environment: environment)
      let part = try PhaseProgress.run { try run(request, $0) }
      try arguments.print(
        part,
        text: "shard \(part.shard) of \(part.shards): \(part.frames) frames in \(part.file)"
          + (part.wasThere ? ", which was there already (--force makes it again)" : "")
          + (part.replaced.map { ", made again: the one that was there is no part (\($0))" } ?? "")
          + "\n")
      return .success
    }
  }
}
