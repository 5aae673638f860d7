import Foundation
import Testing

/// The folder `Platform/System` alone speaks to the system, so that another system is one folder's work.
@Suite("Calls of the system")
struct SystemCallTests {
  private static let room = "Sources/Platform/System/"

  /// What a file names of the C library and of `/proc`; Foundation hands the C library on to whoever imports it.
  private static func calls(in text: String) -> [String] {
    let named =
      /\b(?:import (?:Glibc|Darwin|Musl)|strerror|getenv|getpid|f?stat(?=\()|lstat|fstatat|statvfs|S_IF[A-Z]+|O_[A-Z]{3,}|pthread_\w+|sysconf|getrusage|getrlimit|prctl|malloc_\w+|flock|waitpid|waitid|usleep|clock_\w+|sigaction|isatty|ioctl|pread|lseek|mkdir|getcwd|socketpair|_exit)\b|\/proc\b|\berrno\b(?! = ")/
    return text.split(separator: "\n").flatMap { line -> [String] in
      let code = line.drop { $0 == " " }
      return code.hasPrefix("//") ? [] : code.matches(of: named).map { String($0.0) }
    }
  }

  @Test func `one folder calls the system, and reads what it tells of itself`() throws {
    for file in Repository.files(in: "Sources", ending: ".swift")
    where !file.hasPrefix(Self.room) {
      let calls = Self.calls(in: try Repository.text(file))
      #expect(calls.isEmpty, "\(file) names \(calls)")
    }
  }

  @Test func `what imports Linux's C library there has macOS's in its place`() throws {
    var count = 0
    for file in Repository.files(in: String(Self.room.dropLast()), ending: ".swift") {
      let text = try Repository.text(file)
      guard text.contains("import Glibc") else { continue }
      count += 1
      #expect(
        text.contains(
          """
          #if canImport(Darwin)
            internal import Darwin
          #elseif canImport(Glibc)
            internal import Glibc
          #endif
          """), "\(file)")
    }
    #expect(count > 0)
  }

  @Test func `calls are found in code, and not in comments`() {
    let text = """
      internal import Glibc
      /// Reads `/proc/stat`.
      if stat(path, &status) != 0 { throw Failure(errno) }
      let status = file.status, text = try read("/proc/self/io"), mode = O_RDONLY
      """
    #expect(
      Self.calls(in: text) == ["import Glibc", "stat", "errno", "/proc", "O_RDONLY"])
  }
}
