package import Datasets
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
  package var stated: PredictionsHeader.Numerics { .init(kernels: kernels, blasCore: core) }

  /// Instruction set and core, for people.
  package var words: String { "kernels \(kernels) and OpenBLAS core \(core)" }
}

extension Record.Host {
  /// Machines of one kind may share latencies: processor, cores, instruction set and OpenBLAS core.
  package var kind: String {
    "\(cpu), \(cores) processors, kernels \(kernels ?? "not recorded"), OpenBLAS core \(blasCore)"
  }
}
