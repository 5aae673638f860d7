internal import Foundation

/// What the system lets this process have of processors and memory.
package struct MachineLimits: Sendable, Hashable {
  /// Processors that are online.
  package var processors: Int
  /// Those that the process may run on.
  package var allowedProcessors: Int
  /// Processors' worth of time that the control group grants; nil where it sets no limit.
  package var processorQuota: Double?
  /// Bytes of the machine's memory; nil where the system does not report it.
  package var memoryBytes: Int?
  /// Bytes that programs could get without swapping; nil where the system does not report it.
  package var availableBytes: Int?
  /// Bytes that the control group grants; nil where it sets no limit.
  package var memoryLimitBytes: Int?

  /// The limits now.
  package static func now() -> MachineLimits {
    var limits = MachineLimits(
      processors: MachineFacts.processorCount,
      // Foundation counts the affinity's set.
      allowedProcessors: ProcessInfo.processInfo.activeProcessorCount, text: MachineFacts.text)
    #if canImport(Darwin)
      limits.memoryBytes = Int(clamping: ProcessInfo.processInfo.physicalMemory)
    #endif
    return limits
  }

  /// The limits by the texts of the system's files; nil for a file that is not there.
  package init(
    processors: Int, allowedProcessors: Int, text: (_ path: String) -> String?
  ) {
    self.processors = processors
    self.allowedProcessors = allowedProcessors
    let memory = text("/proc/meminfo") ?? ""
    memoryBytes = Self.bytes("MemTotal", in: memory)
    availableBytes = Self.bytes("MemAvailable", in: memory)
    let groups = Self.groups(text("/proc/self/cgroup") ?? "")
    processorQuota =
      groups.compactMap { group in
        group.controllers.isEmpty
          ? text(group.path + "/cpu.max").flatMap(Self.quota)
          : group.controllers.contains("cpu") ? Self.legacyQuota(group.path, text) : nil
      }.min()
    memoryLimitBytes =
      groups.compactMap { group -> Int? in
        let name = group.controllers.isEmpty ? "memory.max" : "memory.limit_in_bytes"
        guard group.controllers.isEmpty || group.controllers.contains("memory"),
          let limit = text("\(group.path)/\(name)").flatMap(Self.number)
        else { return nil }
        // Version 1 writes a number near 2⁶³ for no limit.
        return limit < 1 << 60 ? limit : nil
      }.min()
  }

  /// A control group that holds the process, or one above it; version 2 names no controllers.
  private struct Group {
    var controllers: [Substring]
    var path: String
  }

  /// The folders of the control groups, from the process's own up to the root.
  private static func groups(_ membership: String) -> [Group] {
    membership.split(whereSeparator: \.isNewline).flatMap { line -> [Group] in
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { return [] }
      let controllers = fields[1].split(separator: ",")
      let root =
        controllers.isEmpty ? "/sys/fs/cgroup" : "/sys/fs/cgroup/\(fields[1])"
      let names = fields[2].split(separator: "/")
      return (0...names.count).map { depth in
        Group(
          controllers: controllers,
          path: ([Substring(root)] + names.prefix(depth)).joined(separator: "/"))
      }
    }
  }

  /// Processors of a line such as `150000 100000`; nil for `max`.
  private static func quota(_ text: String) -> Double? {
    let numbers = text.split(whereSeparator: \.isWhitespace).map { Double($0) }
    guard numbers.count == 2, let quota = numbers[0], let period = numbers[1], period > 0 else {
      return nil
    }
    return quota / period
  }

  private static func legacyQuota(_ path: String, _ text: (String) -> String?) -> Double? {
    guard let quota = text(path + "/cpu.cfs_quota_us").flatMap(number), quota > 0,
      let period = text(path + "/cpu.cfs_period_us").flatMap(number), period > 0
    else { return nil }
    return Double(quota) / Double(period)
  }

  private static func number(_ text: String) -> Int? {
    Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
  }

  /// Bytes of a line such as `MemTotal:  24689764 kB`.
  private static func bytes(_ name: String, in text: String) -> Int? {
    text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("\(name):") }
      .flatMap { line in
        line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
      }.map { $0 << 10 }
  }
}
