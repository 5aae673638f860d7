internal import Datasets
internal import Foundation

/// What a run in parts takes, extrapolated from the parts that are there.
///
/// Processor time and bytes of frames grow with the frames; each shard adds its start; the dataset's digest is found once.
/// The join is not in it.
package struct ShardCost: Sendable, Hashable, Codable {
  /// How many nodes the time is for.
  package static let nodes = 64
  /// How many processor cores each has.
  package static let coresPerNode = 32

  /// How many parts with frames it rests on.
  package var parts: Int
  /// How many frames those have.
  package var measuredFrames: Int
  /// Processor time of the whole run, in hours.
  package var coreHours: Double
  /// Bytes that all shards read, in 10^9, the dataset's digest included.
  package var gigabytesRead: Double
  /// Bytes of all parts, in 10^9.
  package var gigabytesWritten: Double
  /// For how many nodes the time is.
  package var nodes = Self.nodes
  /// How many cores each has, one shard at a time on each.
  package var coresPerNode = Self.coresPerNode
  /// Time on them, in hours.
  package var hours: Double
  /// Bytes that all nodes together read in a second meanwhile, in 10^9.
  package var gigabytesReadPerSecond: Double
  /// What limits that time.
  package var limit: String

  /// What a part is worth as a sample.
  struct Sample {
    var part: PredictionsPart
    var frames: Int
    var bytes: Int
  }

  /// Extrapolates; nil without a part that has frames.
  init?(_ samples: [Sample], shards: Int, frames: Int) {
    let own = samples.filter { $0.frames > 0 }
    let known = own.reduce(0) { $0 + $1.frames }
    guard known > 0 else { return nil }
    func sum(_ value: (Sample) -> Double) -> Double { own.reduce(0) { $0 + value($1) } }
    let share = Double(frames) / Double(known)
    let each = Double(shards) / Double(own.count)
    // What a shard needs before its first frame, without the digest.
    func start(_ value: (PredictionsPart.Work) -> Double) -> Double {
      max(sum { value($0.part.start) - value($0.part.digest) }, 0)
    }
    func total(_ value: (PredictionsPart.Work) -> Double) -> Double {
      sum { value($0.part.work) } * share + start(value) * each + sum { value($0.part.digest) }
    }
    parts = own.count
    measuredFrames = known
    coreHours = total(\.processorSeconds) / 3600
    gigabytesRead = total { Double($0.bytesRead) } / 1e9
    gigabytesWritten = sum { Double($0.bytes) } * share / 1e9
    let cores = Self.nodes * Self.coresPerNode
    // As many shards in a row on a core as the fullest core has.
    let rounds = Double((shards + cores - 1) / cores)
    let perShard = sum { $0.part.work.seconds } * share / Double(shards)
    let startOfShard = start(\.seconds) / Double(own.count)
    let digest = sum { $0.part.digest.seconds }
    let seconds = rounds * (perShard + startOfShard) + digest
    hours = seconds / 3600
    gigabytesReadPerSecond = seconds > 0 ? gigabytesRead / seconds : 0
    limit =
      if digest > rounds * (perShard + startOfShard) {
        "the dataset's digest, found by one process as the first shards are: many files are hashed side by side"
      } else if shards < cores {
        "the number of shards: \(shards) shards occupy \(shards) of \(cores) cores"
      } else if startOfShard > perShard {
        "the start of each shard: fewer shards have more frames each"
      } else {
        "the processors"
      }
  }
}

extension ShardFolder {
  /// The parts that cannot be joined, and what the whole run takes, as far as the others tell.
  package func state(
    of plan: ShardPlan, digest: String, isInterrupted: @Sendable () -> Bool = { false }
  ) throws(EvaluationError) -> (faults: [Fault], cost: ShardCost?) {
    let parts = try parts(of: plan, digest: digest, isInterrupted: isInterrupted)
    let samples = parts.enumerated().compactMap { index, found -> ShardCost.Sample? in
      guard let part = try? found.get().part else { return nil }
      let size = try? file(ofPart: index).resourceValues(forKeys: [.fileSizeKey]).fileSize
      return ShardCost.Sample(
        part: part, frames: plan.frames(ofPart: index).count, bytes: size ?? 0)
    }
    return (
      Self.faults(parts, of: plan),
      ShardCost(samples, shards: plan.count, frames: plan.dataset.frames)
    )
  }
}
