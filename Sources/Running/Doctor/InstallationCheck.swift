internal import Datasets
internal import FacePipeline
package import Foundation
package import Platform
internal import Records
internal import Tensor

/// Looks at what FaceGauge needs and can use on this machine: everything is read, run or written, not assumed.
package struct InstallationCheck {
  /// The folder that runs would be written to.
  package var output = URL(fileURLWithPath: ".", isDirectory: true)
  /// A model file or a folder of them; nil means the user's cache.
  package var models: URL?
  private let environment: [String: String]

  /// Plans to look, with the variables of the environment.
  package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    self.environment = environment
  }

  /// What was found, in the order of the table. Throws `.interrupted` alone.
  package func run(monitor: RunMonitor = .silent) throws(FileError) -> [InstallationFinding] {
    BLAS.setThreadCount(1)
    let host = HostFacts.host()
    let stages = ModelFindings(models: models)
    let findings =
      [Self.tool, Self.processor(host.cpu, features: HostFacts.instructionSets)]
      + Self.machine(.now()) + [blas(host), kernels] + stages.stages + stages.files
      + [
        InstallationFinding(
          "libhdf5", .ok, DatasetReader.libraryVersion.map { "version \($0)" } ?? "version unknown")
      ]
    let programs = try ProgramFindings(
      environment: environment, isInterrupted: monitor.isInterrupted
    ).all()
    let areModelsThere = stages.stages.allSatisfy { $0.state == .ok }
    return findings + programs + [
      FolderFinding(
        thing: "output folder", folder: output, remedy: "choose another one with '--output'",
        mustBeWritable: true
      ).finding,
      FolderFinding(
        thing: "model folder", folder: stages.store.folder,
        remedy: "name another one in FACEGAUGE_MODELS", mustBeWritable: !areModelsThere
      ).finding,
    ]
  }

  private static var tool: InstallationFinding {
    let tool = HostFacts.tool
    let found =
      "\(tool.version), \(tool.build) build of "
      + (tool.commit.map { "commit \($0)" } ?? "an unknown commit")
    return tool.build == Record.Tool.Build.release.rawValue
      ? InstallationFinding("FaceGauge", .ok, found)
      : InstallationFinding(
        "FaceGauge", .warning, found,
        advice: "a debug build is many times slower; build with 'swift build -c release'")
  }

  /// The instruction sets that the kernels and OpenBLAS choose by.
  private static let decisive = [
    "sse4_2", "avx", "avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512cd", "avx512dq",
    "avx512vl", "avx512_bf16", "asimd", "sve",
  ]

  private static func processor(_ name: String, features: [String]) -> InstallationFinding {
    let found = decisive.filter(features.contains)
    return InstallationFinding(
      "processor", .ok,
      "\(name) (\(found.isEmpty ? "no SIMD known" : found.joined(separator: " ")))")
  }

  /// Cores and memory, with the limits of affinity and control groups.
  package static func machine(_ limits: MachineLimits) -> [InstallationFinding] {
    var cores = InstallationFinding(
      "cores", .ok,
      limits.allowedProcessors == limits.processors
        ? "\(limits.processors)"
        : "\(limits.allowedProcessors) of \(limits.processors), by affinity")
    if let quota = limits.processorQuota, quota < Double(limits.allowedProcessors) {
      cores.state = .warning
      cores.found += ", the control group grants \(quota.shortText()) processors' time"
      cores.advice =
        "latencies include the waits beyond it; give '--jobs' no more than "
        + "\(max(1, Int(quota))), or raise the quota"
    }
    guard let total = limits.memoryBytes else {
      return [cores, InstallationFinding("memory", .warning, "the system does not report it")]
    }
    let available = min(limits.availableBytes ?? total, limits.memoryLimitBytes ?? total)
    var memory = InstallationFinding(
      "memory", .ok, "\(gigabytes(total)), \(gigabytes(limits.availableBytes ?? total)) available")
    if let limit = limits.memoryLimitBytes, limit < total {
      memory.found += ", the control group grants \(gigabytes(limit))"
    }
    if available < 1 << 30 {
      memory.state = .warning
      memory.advice = "a run needs about 0.3 GB, more with '--jobs'; end other programs"
    }
    return [cores, memory]
  }

  private func blas(_ host: Record.Host) -> InstallationFinding {
    let wanted = environment["OPENBLAS_CORETYPE"].flatMap { $0.isEmpty ? nil : $0 }
    let found =
      host.blasVersion.trimmingCharacters(in: .whitespaces) + "; core \(host.blasCore)"
      + (wanted.map { ", OPENBLAS_CORETYPE=\($0)" } ?? "") + "; \(host.blasThreads) "
      + (host.blasThreads == 1 ? "thread" : "threads")
    if let wanted, wanted.lowercased() != host.blasCore.lowercased() {
      return InstallationFinding(
        "BLAS", .warning, found,
        advice: "OpenBLAS did not take the core \(wanted); unset OPENBLAS_CORETYPE, or name one "
          + "that this processor has")
    }
    return InstallationFinding("BLAS", .ok, found)
  }

  private var kernels: InstallationFinding {
    let all = Kernels.Level.allCases.compactMap { Kernels(level: $0) }.map(\.name)
    let used = Kernels.available.last?.name ?? "none"
    var finding = InstallationFinding("kernels", .ok, "\(used), of \(all.joined(separator: ", "))")
    if let limit = Kernels.limit {
      finding.found += "; \(Kernels.limitVariable)=\(limit)"
      if !all.contains(limit) {
        finding.state = .missing
        finding.advice =
          "\(Kernels.limitVariable) names none of them, so no model runs: unset it, or name one"
      } else if used != all.last {
        finding.state = .warning
        finding.advice =
          "the processor could run \(all.last ?? used), which is faster: unset "
          + "\(Kernels.limitVariable) unless machines must compute alike"
      }
    } else if all.count == 1 {
      finding.state = .warning
      finding.advice = "the models run several times slower without AVX2; use another processor"
    }
    return finding
  }

  static func gigabytes(_ bytes: Int) -> String {
    "\((Double(bytes) / Double(1 << 30)).text(decimals: 1)) GiB"
  }
}
