internal import CBuild
internal import Foundation
internal import Glibc
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
      cpu: field("model name", separator: ":", in: "/proc/cpuinfo") ?? "unknown",
      cores: ProcessInfo.processInfo.activeProcessorCount, blasVersion: BLAS.configuration,
      blasCore: BLAS.coreName, blasThreads: BLAS.threadCount,
      kernels: Kernels.available.last?.name, environment: environment,
      loadAverage: loadAverage,
      system: field("PRETTY_NAME", separator: "=", in: "/etc/os-release")
        ?? ProcessInfo.processInfo.operatingSystemVersionString)
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

  /// One-minute load average; nil where it is unknown.
  static var loadAverage: Double? {
    text("/proc/loadavg")?.split(separator: " ").first.flatMap { Double($0) }
  }

  /// SIMD instruction sets of the processor, in its own spelling and order.
  static var instructionSets: [String] {
    let flags =
      field("flags", separator: ":", in: "/proc/cpuinfo")
      ?? field("Features", separator: ":", in: "/proc/cpuinfo") ?? ""
    return flags.split(separator: " ").map(String.init).filter {
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
    #else
      "6.2 or earlier"
    #endif
  }

  /// How the program was compiled.
  static var compilerFlags: String {
    #if DEBUG
      "swift build -c debug (-Onone); C kernels -O2 for x86-64, -v3 and -v4"
    #else
      "swift build -c release (-O, whole module); C kernels -O2 for x86-64, -v3 and -v4"
    #endif
  }

  /// Nanoseconds since the kernel started this process, in steps of 10 ms; nil where it does not
  /// report that.
  package static var processAgeNanoseconds: UInt64? {
    // The process's name, in parentheses, may contain anything; the start is the 20th field after it.
    guard let stat = text("/proc/self/stat"), let end = stat.lastIndex(of: ")") else { return nil }
    let fields = stat[stat.index(after: end)...].split(separator: " ")
    guard fields.count > 19, let ticks = UInt64(fields[19]) else { return nil }
    var now = timespec()
    clock_gettime(CLOCK_BOOTTIME, &now)
    let nanoseconds = UInt64(now.tv_sec) &* 1_000_000_000 &+ UInt64(now.tv_nsec)
    let started = ticks &* (1_000_000_000 / UInt64(max(1, sysconf(Int32(_SC_CLK_TCK)))))
    return nanoseconds > started ? nanoseconds - started : 0
  }

  static func text(_ path: String) -> String? {
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
