internal import Foundation

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#endif

/// What the system tells of the machine.
package enum MachineFacts {
  /// Processor times of the machine since it started.
  package struct Ticks: Sendable {
    package let all: Double
    package let busy: Double
    /// Times that the host gave to others.
    package let stolen: Double

    /// So many are a second.
    package static var perSecond: Double { Double(sysconf(Int32(_SC_CLK_TCK))) }
  }

  /// The processor's model; nil where the system does not tell.
  package static var processor: String? {
    #if canImport(Darwin)
      return setting("machdep.cpu.brand_string")
    #else
      return field("model name", separator: ":", in: "/proc/cpuinfo")
    #endif
  }

  /// What the processor can do, in its own spelling and order.
  package static var processorFeatures: [String] {
    #if canImport(Darwin)
      #if arch(arm64)
        return ["asimd"]
      #else
        return setting("machdep.cpu.features")?.lowercased().split(separator: " ").map(String.init)
          ?? []
      #endif
    #else
      let flags =
        field("flags", separator: ":", in: "/proc/cpuinfo")
        ?? field("Features", separator: ":", in: "/proc/cpuinfo") ?? ""
      return flags.split(separator: " ").map(String.init)
    #endif
  }

  /// The system's name and version.
  package static var system: String {
    field("PRETTY_NAME", separator: "=", in: "/etc/os-release")
      ?? ProcessInfo.processInfo.operatingSystemVersionString
  }

  /// One-minute load average; nil where it is unknown.
  package static var loadAverage: Double? {
    var average = 0.0
    // Safety: getloadavg writes the one number that it is asked for.
    return getloadavg(&average, 1) == 1 ? average : nil
  }

  /// Processor times; nil where the system does not report them.
  package static var ticks: Ticks? {
    #if canImport(Darwin)
      return nil
    #else
      // The first line has user nice system idle iowait irq softirq steal.
      guard let line = text("/proc/stat")?.split(whereSeparator: \.isNewline).first,
        line.hasPrefix("cpu ")
      else { return nil }
      let fields = line.split(separator: " ").dropFirst().compactMap { Double($0) }
      guard fields.count >= 8 else { return nil }
      let busy = fields[0] + fields[1] + fields[2] + fields[5] + fields[6]
      return Ticks(
        all: busy + fields[3] + fields[4] + fields[7], busy: busy, stolen: fields[7])
    #endif
  }

  /// Processors that are online.
  static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  /// The text of a file of the system; nil where it is not there.
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

  #if canImport(Darwin)
    private static func setting(_ name: String) -> String? {
      var count = 0
      guard sysctlbyname(name, nil, &count, nil, 0) == 0, count > 0 else { return nil }
      var bytes = [CChar](repeating: 0, count: count)
      // Safety: the buffer has the size that the system asked for; the text in it is terminated.
      guard sysctlbyname(name, &bytes, &count, nil, 0) == 0 else { return nil }
      return String(cString: bytes)
    }
  #endif
}
