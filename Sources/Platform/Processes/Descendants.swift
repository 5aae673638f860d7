internal import Foundation
internal import Glibc
internal import Synchronization

/// The processes that a program started, and that left its process group.
///
/// They carry a variable of the program's environment, and become children of this process when their own parents end. One
/// that cleared its environment is not found, and none is without `/proc`.
enum Descendants {
  /// The variable's name.
  static let variable = "STARTED_BY_FACEGAUGE"
  private static let counter = Atomic(0)

  /// A value for the variable that no other program has.
  static func newMark() -> String {
    "\(getpid()).\(counter.add(1, ordering: .relaxed).newValue)"
  }

  /// Kills those of a program that has ended, and waits for them.
  static func end(of mark: String) {
    // The children of what is killed are found in the next round.
    for _ in 0..<20 {
      let found = children(of: mark)
      if found.isEmpty { return }
      for process in found { kill(process, SIGKILL) }
      for process in found { _ = ChildProgram.wait(for: process) }
    }
  }

  private static func children(of mark: String) -> [pid_t] {
    let own = getpid()
    let setting = Data("\(variable)=\(mark)\0".utf8)
    let names = (try? URL(fileURLWithPath: "/proc").names()) ?? []
    return names.compactMap { pid_t($0) }.filter { process in
      guard let facts = bytes(process, "stat").map({ String(decoding: $0, as: UTF8.self) }),
        let end = facts.lastIndex(of: ")")
      else { return false }
      let fields = facts[end...].split(separator: " ")
      guard fields.count > 2, fields[1] != "Z", pid_t(fields[2]) == own,
        let environment = bytes(process, "environ")
      else { return false }
      return environment.range(of: setting) != nil
    }
  }

  private static func bytes(_ process: pid_t, _ name: String) -> Data? {
    try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(process)/\(name)"))
  }
}
