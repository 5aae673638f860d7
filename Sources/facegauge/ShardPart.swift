import CommandSyntax
import Evaluation
import Foundation
import Platform

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

/// One part of a run, for `evaluate --shard`.
enum ShardPart {
  /// Makes the part and prints where it is.
  static func make(
    _ plan: EvaluationPlan, _ choice: ShardChoice, words: [String], allowsOtherNumerics: Bool,
    asJSON: Bool, _ progress: PhaseProgress
  ) throws -> ExitStatus {
    let environment = ProcessInfo.processInfo.environment
    do {
      let index = try choice.index(in: environment)
      let part = try stopping {
        try ShardRun.run(
          plan, part: index, of: choice.count, arguments: words,
          allowsOtherNumerics: allowsOtherNumerics, environment: environment,
          monitor: progress.monitor)
      }
      progress.finish()
      if asJSON {
        try StandardOutput.writeJSON(try JSONEncoder.document.text(of: part))
      } else {
        try StandardOutput.write(
          "shard \(part.shard) of \(part.shards): \(part.frames) frames in \(part.file)"
            + (part.wasThere ? ", which was there already (--force makes it again)\n" : "\n"))
      }
      return .success
    } catch let error as EvaluationError where error.kind == .inputOutput {
      throw CommandFailure(.temporaryFailure, error.description)
    }
  }
}
