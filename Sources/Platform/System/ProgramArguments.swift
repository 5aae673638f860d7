internal import CProcesses
internal import Foundation

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#endif

/// What this process was started with, which is known without `/proc` too.
package enum ProgramArguments {
  /// The words after the program's name; bytes that are not UTF-8 stand as in paths.
  package static var words: [String] {
    var count: Int32 = 0
    guard let words = facegauge_arguments(&count) else { return [] }
    // Safety: the system gives `count` terminated texts, which last as long as the process.
    return (1..<max(Int(count), 1)).compactMap { words[$0].map { String(pathText: $0) } }
  }

  /// The variables of the environment as `NAME=VALUE`.
  static var environment: [String] {
    guard let list = facegauge_environment() else { return [] }
    var settings: [String] = []
    // Safety: a list of terminated texts with nil at its end, which nothing in this program changes.
    while let setting = list[settings.count] { settings.append(String(pathText: setting)) }
    return settings
  }

  /// A variable of the environment; nil if it is not set.
  package static func variable(_ name: String) -> String? {
    // Safety: getenv gives a terminated text or nil, copied at once.
    getenv(name).map { String(pathText: $0) }
  }

  /// The path of this program's own file.
  package static var program: String {
    let own = URL(fileURLWithPath: "/proc/self/exe")
    if own.isThere { return own.withoutLinks.path }
    guard let path = facegauge_program() else { return "facegauge" }
    // Safety: the kernel gives a terminated text, which lasts as long as the process.
    return URL(fileURLWithPath: String(pathText: path)).withoutLinks.path
  }
}
