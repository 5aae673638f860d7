/// Which part of a run a process is to make, and how.
package struct ShardRequest: Sendable {
  /// The part, from 0.
  package var index: Int
  /// How many parts there are.
  package var count: Int
  /// The options that are given, without the shard, from which the join plans again.
  package var arguments: [ShardPlan.Argument]
  /// Whether the machine may compute otherwise than that of the first shard.
  package var allowsOtherNumerics: Bool
  /// The variables in which schedulers count attempts.
  package var environment: [String: String]

  /// Asks for a part.
  package init(
    part index: Int, of count: Int, arguments: [ShardPlan.Argument] = [],
    allowsOtherNumerics: Bool = false,
    environment: [String: String] = [:]
  ) {
    self.index = index
    self.count = count
    self.arguments = arguments
    self.allowsOtherNumerics = allowsOtherNumerics
    self.environment = environment
  }

  /// How often the scheduler has started the process, from 1.
  var attempt: Int {
    if let restarts = environment["SLURM_RESTART_COUNT"].flatMap(Int.init) { return restarts + 1 }
    return environment["AWS_BATCH_JOB_ATTEMPT"].flatMap(Int.init) ?? 1
  }
}
