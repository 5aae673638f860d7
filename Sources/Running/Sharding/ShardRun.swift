package import Datasets
internal import FaceCore
internal import FacePipeline
package import Foundation
internal import Platform
internal import Records
internal import Tensor

/// Makes one part of a run.
package enum ShardRun {
  /// A part that is there.
  package struct Finished: Sendable, Codable {
    /// Its number, from 0.
    package let shard: Int
    /// How many parts there are.
    package let shards: Int
    /// How many frames it holds.
    package let frames: Int
    /// Its file.
    package let file: String
    /// Whether an earlier process had made it already.
    package let wasThere: Bool
    /// Why the part that was there could not be kept; nil where none was there, or it was to be replaced.
    package let replaced: String?
  }

  /// What becomes of an interrupted shard.
  package static let interruptionNote = "the shard has to start again"

  /// The digest of the dataset, and what it took to find.
  package static func hash(
    _ dataset: DatasetReader, in folder: ShardFolder, _ request: ShardRequest, _ monitor: RunMonitor
  ) throws -> (String, PredictionsPart.Work) {
    let before = WorkMeter()
    let sha256 = try monitor.hash(dataset, sharing: SharedDigests(in: folder, for: request))
    return (sha256, before.work(until: WorkMeter()))
  }

  /// Makes a part that is not there yet, and agrees on the plan with the other shards.
  ///
  /// `write` computes some frames into a file and returns what finishes that file.
  package static func make(
    _ request: ShardRequest, of own: ShardPlan, _ dataset: DatasetReader, in folder: ShardFolder,
    replaces: Bool, since began: WorkMeter, hashing: PredictionsPart.Work,
    write: (_ frames: Range<Int>, _ file: URL) throws -> (PredictionsPart) throws -> Void
  ) throws -> Finished {
    let (index, count) = (request.index, request.count)
    let (known, digest) = try folder.agree(
      on: own, allowsOtherNumerics: request.allowsOtherNumerics)
    let frames = known.frames(ofPart: index)
    func finished(wasThere: Bool, replaced: String? = nil) -> Finished {
      Finished(
        shard: index, shards: count, frames: frames.count,
        file: folder.name(ShardFolder.fileName(ofPart: index)), wasThere: wasThere,
        replaced: replaced)
    }
    var fault: ShardFolder.PartFault?
    if !replaces {
      do throws(ShardFolder.PartFault) {
        _ = try folder.part(index, of: known, digest: digest)
        return finished(wasThere: true)
      } catch {
        // What cannot be read can be written again, too.
        fault = error.isThere ? error : nil
      }
    }
    let encoder = JSONEncoder.line
    var part = PredictionsPart(
      plan: digest, index: index, count: count, firstFrame: frames.lowerBound,
      sequences: try sequences(of: frames, in: dataset),
      host: String(decoding: try encoder.encode(HostFacts.host()), as: UTF8.self),
      numerics: String(decoding: try encoder.encode(Numerics.own), as: UTF8.self),
      attempt: request.attempt)
    let file = folder.file(ofPart: index)
    let (before, started) = (MachineLoad.now(), WorkMeter())
    let finish = try write(frames, file)
    part.start = began.work(until: started)
    part.digest = hashing
    part.work = started.work(until: WorkMeter())
    if !frames.isEmpty {
      part.noise =
        MachineLoad.now().machine(
          since: before, cores: ProcessInfo.processInfo.activeProcessorCount
        ).noise
    }
    try finish(part)
    return finished(wasThere: false, replaced: fault?.reason)
  }

  private static func sequences(
    of frames: Range<Int>, in dataset: DatasetReader
  ) throws -> Range<Int> {
    guard let first = frames.first, let last = frames.last else { return 0..<0 }
    let ends = try [first, last].map { try dataset.frames($0..<$0 + 1)[0].sequence }
    return dataset.sequences.isEmpty ? frames : ends[0]..<max(ends[0], ends[1]) + 1
  }
}
