package import Datasets
internal import Foundation
package import Records

/// The parts of a run, all of them there and of its plan.
package struct JoinedParts: Sendable {
  package let folder: ShardFolder
  package let plan: ShardPlan
  package let parts: [ShardFolder.Part]

  /// Looks at every part; throws `.wrongData` with the names of those that are missing or hold something else.
  package init(_ folder: ShardFolder) throws(EvaluationError) {
    let (plan, digest) = try folder.plan()
    let found = try folder.parts(of: plan, digest: digest)
    for case (let index, .failure(let fault)) in found.enumerated() where fault.cause != nil {
      throw EvaluationError(
        .inputOutput,
        "cannot join \(folder.url.relativePath): \(ShardFolder.fileName(ofPart: index)): "
          + fault.reason, cause: fault.cause)
    }
    let faults = ShardFolder.faults(found, of: plan)
    guard faults.isEmpty else { throw Self.refusal(faults, of: plan.count, in: folder) }
    let strangers = folder.strangers(in: plan)
    guard strangers.isEmpty else {
      throw EvaluationError.wrongData(
        "cannot join \(folder.url.relativePath): expected only the \(plan.count) parts of its plan, "
          + "found " + Self.list(strangers))
    }
    self.folder = folder
    self.plan = plan
    parts = found.compactMap { try? $0.get() }
  }

  /// The parts in which frames ran; the first one where none has frames.
  private var worked: [ShardFolder.Part] {
    let own = parts.indices.filter { !plan.frames(ofPart: $0).isEmpty }.map { parts[$0] }
    return own.isEmpty ? Array(parts.prefix(1)) : own
  }

  /// How many kinds of machine frames ran on.
  package var kinds: Int { Set(worked.map(\.host.kind)).count }

  /// The machine of the first part in which frames ran.
  package var host: Record.Host { worked[0].host }

  /// Throws `.wrongData` for another dataset than that of the parts, and for other settings, such as the card of a
  /// model that has changed since.
  package func check(
    dataset name: String, sha256: String, frames: Int, options: [String: String]
  ) throws(EvaluationError) {
    guard sha256 == plan.dataset.sha256, frames == plan.dataset.frames else {
      throw EvaluationError.wrongData(
        "cannot join \(folder.url.relativePath): expected the dataset with SHA-256 "
          + "\(plan.dataset.sha256) ('\(plan.dataset.name)'), found \(sha256) ('\(name)')"
      )
    }
    for (option, found) in options.sorted(by: { $0.key < $1.key }) {
      guard let known = plan.options[option], known != found else { continue }
      throw EvaluationError.wrongData(
        "cannot join \(folder.url.relativePath): expected \(option) \(known) as in its parts, "
          + "found \(found)")
    }
  }

  /// What the frames of all parts were computed with; several where they differ.
  package var numerics: PredictionsHeader.Numerics {
    func words(_ fact: (Numerics) -> String) -> String {
      Set(worked.map { fact($0.numerics) }).sorted().joined(separator: " and ")
    }
    return .init(kernels: words(\.kernels), blasCore: words(\.core))
  }

  /// What a record says of a run in parts.
  package var notes: [String] {
    var notes = [
      "This run was joined from \(plan.count == 1 ? "1 part" : "\(plan.count) parts"): its "
        + "latencies come from as many processes."
    ]
    let known = Set(worked.map(\.numerics))
    if known.count > 1 {
      let own = known.contains(plan.numerics) ? [plan.numerics] : []
      let others = known.subtracting(own).sorted { $0.words < $1.words }
      notes.append(
        "The parts were computed with different numerics (--mixed-numerics), which changes points and "
          + "scores: "
          + (own + others).map(\.words).joined(separator: "; ") + ".")
    }
    return notes
  }

  /// Why the machines were noisy, as one of the parts has it.
  package var noise: [String] {
    let noisy = parts.filter { !$0.part.noise.isEmpty }
    guard let first = noisy.first else { return [] }
    return [
      "\(noisy.count) of \(parts.count) parts ran on a noisy machine, the first of them because "
        + first.part.noise.joined(separator: ", and ")
    ]
  }

  private static func refusal(
    _ faults: [ShardFolder.Fault], of count: Int, in folder: ShardFolder
  ) -> EvaluationError {
    let named = faults.map {
      "\(ShardFolder.fileName(ofPart: $0.shard)) (\($0.reason))"
    }
    return EvaluationError.wrongData(
      "cannot join \(folder.url.relativePath): expected every part of its plan, found "
        + "\(faults.count == 1 ? "1 fault" : "\(faults.count) faults"): " + list(named)
        + "; shards to run again: \(faults.ranges)"
        + (faults.first.map { " (--shard \($0.shard)/\(count) makes the first)" } ?? ""))
  }

  private static func list(_ names: [String]) -> String {
    let shown = names.prefix(8).joined(separator: ", ")
    return names.count > 8 ? "\(shown) and \(names.count - 8) more" : shown
  }
}
