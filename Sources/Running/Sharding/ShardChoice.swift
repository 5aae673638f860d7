/// Which of the equal parts of a run one process makes, such as `17/256`.
package struct ShardChoice: Sendable, Hashable {
  /// The part, counted from 0; nil takes it from the environment.
  package let index: Int?
  /// How many parts there are.
  package let count: Int

  /// The most parts that a run may have.
  package static let maxCount = 100_000

  /// The variables in which schedulers count the members of an array job, each with whose it is.
  package static let variables: [(name: String, scheduler: String)] = [
    ("SLURM_ARRAY_TASK_ID", "Slurm"), ("JOB_COMPLETION_INDEX", "Kubernetes"),
    ("AWS_BATCH_JOB_ARRAY_INDEX", "AWS Batch"), ("FACEGAUGE_SHARD", "your own driver"),
  ]

  /// Reads `17/256` or `auto/256`; nil for anything else, and for a part that is not among them.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let count = Int(parts[1]), (1...Self.maxCount).contains(count) else {
      return nil
    }
    let index = parts[0] == "auto" ? nil : Int(parts[0])
    guard parts[0] == "auto" || index.map((0..<count).contains) == true else { return nil }
    self.index = index
    self.count = count
  }

  /// The part, from the environment where the choice leaves it to that.
  ///
  /// Throws `.wrongUse` where no variable is set, or one that names no part.
  package func index(in environment: [String: String]) throws(EvaluationError) -> Int {
    if let index { return index }
    let names = Self.variables.map(\.name)
    guard let name = names.first(where: { environment[$0]?.isEmpty == false }) else {
      throw EvaluationError(
        .wrongUse,
        "'--shard auto/\(count)' needs the environment to name the shard: expected one of "
          + names.joined(separator: ", ") + ", found none")
    }
    let text = environment[name] ?? ""
    guard let index = Int(text), (0..<count).contains(index) else {
      throw EvaluationError(
        .wrongUse,
        "'--shard auto/\(count)' expected 0 to \(count - 1) in \(name), found '\(text)'")
    }
    return index
  }
}

extension ShardChoice: CustomStringConvertible {
  package var description: String { "\(index.map(String.init) ?? "auto")/\(count)" }
}
