internal import CProcesses
internal import Foundation
internal import Synchronization

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#endif

/// The processes that a program started, and that left its process group.
///
/// They carry a variable of the program's environment. After `adopt` they become children of this process when their own
/// parents end, and are found. One that cleared its environment is not found, and none is without `/proc`.
enum Descendants {
  /// Children that `ChildProgram` waits for.
  private static let own = Mutex<Set<ChildProcess>>([])
  private static let isAdopting = Atomic(false)

  /// The variable's name.
  static let variable = "STARTED_BY_FACEGAUGE"
  private static let counter = Atomic(0)

  /// A value for the variable that no other program has.
  static func newMark() -> String {
    "\(getpid()).\(counter.add(1, ordering: .relaxed).newValue)"
  }

  /// Lets this process become the parent of orphans. The system keeps each that ends until its parent waits for it, so
  /// this is for processes in which nobody else waits for children.
  static func adopt() {
    facegauge_adopt_orphans()
    isAdopting.store(true, ordering: .relaxed)
  }

  /// Starts a child that `ChildProgram.wait` will wait for.
  static func remembering(
    _ start: () -> Result<ChildProcess, SystemError>
  ) -> Result<ChildProcess, SystemError> {
    own.withLock { children in
      let started = start()
      if case .success(let process) = started { children.insert(process) }
      return started
    }
  }

  /// A child has been waited for.
  static func forget(_ process: ChildProcess) { own.withLock { _ = $0.remove(process) } }

  /// Kills those of a program that has ended, and waits for them and for other orphans that have ended.
  static func end(of mark: String) {
    guard isAdopting.load(ordering: .relaxed) else { return }
    // The children of what is killed are found in the next round.
    for _ in 0..<20 {
      let children = adopted()
      for child in children where child.hasEnded { child.process.reap() }
      let found = children.filter { !$0.hasEnded && carries(mark, $0.process) }
      if found.isEmpty { return }
      for child in found { child.process.end() }
      for child in found { _ = ChildProgram.wait(for: child.process) }
    }
  }

  /// Children of this process that it has not started.
  private static func adopted() -> [(process: ChildProcess, hasEnded: Bool)] {
    own.withLock { started in
      let parent = getpid()
      let names = (try? URL(fileURLWithPath: "/proc").names()) ?? []
      return names.compactMap { name in
        guard let process = Int32(name).map(ChildProcess.init), !started.contains(process),
          let facts = bytes(process, "stat").map({ String(decoding: $0, as: UTF8.self) }),
          let end = facts.lastIndex(of: ")")
        else { return nil }
        let fields = facts[end...].split(separator: " ")
        guard fields.count > 2, Int32(fields[2]) == parent else { return nil }
        return (process, fields[1] == "Z")
      }
    }
  }

  private static func carries(_ mark: String, _ process: ChildProcess) -> Bool {
    bytes(process, "environ")?.range(of: Data("\(variable)=\(mark)\0".utf8)) != nil
  }

  private static func bytes(_ process: ChildProcess, _ name: String) -> Data? {
    try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(process.id)/\(name)"))
  }
}
