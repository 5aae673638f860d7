internal import Datasets
internal import Foundation
internal import Records
internal import Tensor

/// What decides the last bits of what models compute on a machine.
package struct Numerics: Sendable, Hashable, Codable {
  /// The strongest instruction set of the kernels in use, such as `x86-64-v3`.
  package var kernels: String
  /// OpenBLAS's version and build options, the core it chose among them.
  package var blas: String
  /// The core alone, such as `Haswell`.
  package var core: String

  /// Those of this process.
  package static var own: Numerics {
    Numerics(
      kernels: Kernels.available.last?.name ?? "none", blas: BLAS.configuration,
      core: BLAS.coreName)
  }

  /// What predictions state of it.
  var stated: PredictionsHeader.Numerics { .init(kernels: kernels, blasCore: core) }

  /// Instruction set and core, for people.
  package var words: String { "kernels \(kernels) and OpenBLAS core \(core)" }
}

extension Record.Host {
  /// Machines of one kind may share latencies: processor, cores, instruction set and OpenBLAS core.
  var kind: String {
    "\(cpu), \(cores) processors, kernels \(kernels ?? "not recorded"), OpenBLAS core \(blasCore)"
  }
}

extension Record {
  private static let numericFacts = ["kernels", "OpenBLAS core", "BLAS"]

  /// What the run's predictions were computed with, by fact; empty where another program or a file gave them and does not say.
  private var numerics: [String: String] {
    let tracker = options[RunOption.tracker]
    let isOwnTracker = tracker.map { SeededTracker(rawValue: $0) != nil } ?? true
    if !isOwnTracker || options[RunOption.predictions] != nil {
      guard let core = options[RunOption.blasCore] else { return [:] }
      return ["kernels": options[RunOption.kernels] ?? "not recorded", "OpenBLAS core": core]
    }
    return [
      "kernels": host.kernels ?? "not recorded", "OpenBLAS core": host.blasCore,
      "BLAS": host.blasVersion.trimmingCharacters(in: .whitespaces),
    ]
  }

  /// A note where runs were computed with different instruction sets, OpenBLAS versions or cores.
  static func numericsNote(_ runs: [Record]) -> String? {
    let facts = runs.map(\.numerics)
    let differences = numericFacts.compactMap { fact -> String? in
      let values = Set(facts.compactMap { $0[fact] }).sorted()
      return values.count > 1 ? "\(fact) \(values.joined(separator: " and "))" : nil
    }
    guard !differences.isEmpty else { return nil }
    return
      "The runs were computed with different numerics (\(differences.joined(separator: "; "))). "
      + "On images that changes the last digits of points and scores. In tracked clips it moved "
      + "points by up to 3.3 pixels, and where a presence is close to its threshold it can change "
      + "which faces are found."
  }
}
