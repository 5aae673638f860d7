internal import CBuild
internal import Foundation
internal import Platform
package import Records
internal import Tensor

/// What is known of the machine and the build when a run begins.
package enum HostFacts {
  /// Variables that change how fast the models run, or the last bits of what they compute.
  private static let variables = [
    "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS",
    "GOTO_NUM_THREADS", "OPENBLAS_VERBOSE", "MALLOC_ARENA_MAX", Kernels.limitVariable,
  ]

  /// Reads the machine's facts now.
  package static func host() -> Record.Host {
    let environment = ProcessInfo.processInfo.environment.filter {
      variables.contains($0.key)
    }
    return Record.Host(
      cpu: MachineFacts.processor ?? "unknown",
      cores: ProcessInfo.processInfo.activeProcessorCount, blasVersion: BLAS.configuration,
      blasCore: BLAS.coreName, blasThreads: BLAS.threadCount,
      kernels: Kernels.available.last?.name, environment: environment,
      loadAverage: MachineFacts.loadAverage,
      system: MachineFacts.system)
  }

  /// This program, its version and how it was built.
  package static var tool: Record.Tool {
    #if DEBUG
      let build = Record.Tool.Build.debug
    #else
      let build = Record.Tool.Build.release
    #endif
    return Record.Tool(
      name: "facegauge", version: Version.current, build: build.rawValue, commit: commit)
  }

  /// The commit that was built, with a `+` where files had changed since; nil where it is not known.
  private static var commit: String? {
    cbuild_commit().map { String(cString: $0) + (cbuild_is_changed() == 0 ? "" : "+") }
  }

  /// Why a record does not name the commit; empty where it does.
  package static var unknownCommit: [String] {
    commit == nil
      ? ["The commit of the program is unknown: it was built without make and FACEGAUGE_COMMIT."]
      : []
  }

  /// SIMD instruction sets of the processor, in its own spelling and order.
  static var instructionSets: [String] {
    MachineFacts.processorFeatures.filter {
      $0.hasPrefix("avx") || $0.hasPrefix("amx") || $0.hasPrefix("sse4") || $0.hasPrefix("sve")
        || ["fma", "f16c", "asimd"].contains($0)
    }
  }

  /// The Swift compiler's version, as far as conditional compilation tells it.
  static var swiftVersion: String {
    #if compiler(>=6.4)
      "6.4 or later"
    #elseif compiler(>=6.3)
      "6.3"
    #elseif compiler(>=6.2)
      "6.2"
    #elseif compiler(>=6.1)
      "6.1"
    #else
      "6.0"
    #endif
  }

  /// How the program was compiled.
  static var compilerFlags: String {
    #if DEBUG
      "swift build -c debug (-Onone); C kernels -O0 for \(kernels)"
    #else
      "swift build -c release (-O, whole module); C kernels -O2 for \(kernels)"
    #endif
  }

  private static var kernels: String {
    #if arch(arm64)
      "arm64, neon"
    #else
      "x86-64, -v3 and -v4"
    #endif
  }
}
