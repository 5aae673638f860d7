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
  /// What the run's predictions were computed with; nil where another program or a file gave them and does not say.
  private var numericsWords: String? {
    let tracker = options[RunOption.tracker]
    if tracker != nil || options[RunOption.predictions] != nil {
      if let core = options[RunOption.blasCore] {
        return "kernels \(options[RunOption.kernels] ?? "not recorded"), OpenBLAS core \(core)"
      }
      guard let tracker, SeededTracker(rawValue: tracker) != nil else { return nil }
    }
    return "kernels \(host.kernels ?? "not recorded"), "
      + host.blasVersion.trimmingCharacters(in: .whitespaces) + ", core \(host.blasCore)"
  }

  /// A note where runs were computed with different instruction sets, OpenBLAS versions or cores.
  static func numericsNote(_ runs: [Record]) -> String? {
    let different = Set(runs.compactMap(\.numericsWords)).sorted()
    guard different.count > 1 else { return nil }
    return "The runs were computed with different numerics (\(different.joined(separator: "; "))). "
      + "On images that changes the last digits of points and scores. In tracked clips it moved "
      + "points by up to 3.3 pixels, and where a presence is close to its threshold it can change "
      + "which faces are found."
  }
}
