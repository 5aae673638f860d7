internal import Foundation
package import Records
internal import Tensor

/// What is known of the machine and the build when a run begins.
package enum HostFacts {
  /// Variables that change how fast the nets run.
  private static let speedVariables = [
    "OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "GOTO_NUM_THREADS",
    "OPENBLAS_VERBOSE", "MALLOC_ARENA_MAX",
  ]

  /// Reads the machine's facts now.
  package static func host() -> Record.Host {
    let environment = ProcessInfo.processInfo.environment.filter {
      speedVariables.contains($0.key)
    }
    return Record.Host(
      cpu: field("model name", separator: ":", in: "/proc/cpuinfo") ?? "unknown",
      cores: ProcessInfo.processInfo.activeProcessorCount, blasVersion: BLAS.configuration,
      blasCore: BLAS.coreName, blasThreads: BLAS.threadCount, environment: environment,
      loadAverage: text("/proc/loadavg")?.split(separator: " ").first.flatMap { Double($0) },
      system: field("PRETTY_NAME", separator: "=", in: "/etc/os-release")
        ?? ProcessInfo.processInfo.operatingSystemVersionString)
  }

  /// This program, its version and how it was built.
  package static var tool: Record.Tool {
    #if DEBUG
      let build = "debug"
    #else
      let build = "release"
    #endif
    return Record.Tool(name: "facegauge", version: Version.current, build: build)
  }

  private static func text(_ path: String) -> String? {
    try? String(contentsOfFile: path, encoding: .utf8)
  }

  private static func field(
    _ name: String, separator: Character, in path: String
  ) -> String? {
    guard let lines = text(path)?.split(whereSeparator: \.isNewline) else { return nil }
    for line in lines {
      let parts = line.split(separator: separator, maxSplits: 1)
      guard parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces) == name else {
        continue
      }
      return parts[1].trimmingCharacters(in: CharacterSet(charactersIn: " \t\""))
    }
    return nil
  }
}
