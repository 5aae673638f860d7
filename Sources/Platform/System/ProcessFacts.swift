internal import Foundation

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#endif

/// What the system tells of this process.
package enum ProcessFacts {
  /// Seconds of processor time that it took, user and system.
  package static var processorSeconds: Double {
    [usage.ru_utime, usage.ru_stime].reduce(0) {
      $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6
    }
  }

  /// How often the system took a processor away from it.
  package static var involuntarySwitches: Int { usage.ru_nivcsw }

  private static var usage: rusage {
    var usage = rusage()
    // Safety: getrusage fills the one structure that it is given.
    #if canImport(Darwin)
      getrusage(RUSAGE_SELF, &usage)
    #else
      getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
    #endif
    return usage
  }

  /// Bytes that its calls have read; 0 where the system does not count them.
  package static var bytesRead: Int {
    #if canImport(Darwin)
      return 0
    #else
      let line = MachineFacts.text("/proc/self/io")?.split(whereSeparator: \.isNewline).first
      return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? 0
    #endif
  }

  /// Nanoseconds since the kernel started it, in steps of 10 ms; nil where it does not report that.
  package static var ageNanoseconds: UInt64? {
    #if canImport(Darwin)
      return nil
    #else
      // The process's name, in parentheses, may contain anything; the start is the 20th field after it.
      guard let stat = MachineFacts.text("/proc/self/stat"), let end = stat.lastIndex(of: ")")
      else {
        return nil
      }
      let fields = stat[stat.index(after: end)...].split(separator: " ")
      guard fields.count > 19, let ticks = UInt64(fields[19]) else { return nil }
      var now = timespec()
      clock_gettime(CLOCK_BOOTTIME, &now)
      let nanoseconds = UInt64(now.tv_sec) &* 1_000_000_000 &+ UInt64(now.tv_nsec)
      let started = ticks &* (1_000_000_000 / UInt64(max(1, MachineFacts.Ticks.perSecond)))
      return nanoseconds > started ? nanoseconds - started : 0
    #endif
  }

  /// Whether the name of its working directory is UTF-8; nil where it has none.
  package static var workingFolderIsText: Bool? {
    // Safety: getcwd gives a terminated text of its own, read and freed here.
    guard let path = getcwd(nil, 0) else { return nil }
    defer { free(path) }
    return String(validatingCString: path) != nil
  }

  /// Ends it.
  package static func end(_ status: Int32) -> Never { exit(status) }
}
