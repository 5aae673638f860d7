internal import Foundation
internal import Glibc

/// Another program, run without a shell; its output is read while its messages are drained beside it.
///
/// It has a process group of its own, so that a signal from the keyboard does not reach it. It ends
/// with this value at the latest.
struct ChildProgram: ~Copyable {
  /// How a program ended, and how it began to complain.
  struct Ending {
    /// Whether it ended by itself with status 0.
    let isSuccess: Bool
    /// The first line that it wrote to standard error; nil where it wrote none.
    let complaint: String?
  }

  private var process: pid_t?
  private let output: Int32
  private var messages: Int32
  private var buffer: [UInt8] = []
  private var position = 0
  private var isAtEnd = false
  private var said: [UInt8] = []
  private let isInterrupted: @Sendable () -> Bool

  private static let bufferBytes = 1 << 18
  private static let messageBytes = 4096

  private init(
    process: pid_t, output: Int32, messages: Int32, isInterrupted: @escaping @Sendable () -> Bool
  ) {
    self.isInterrupted = isInterrupted
    self.process = process
    self.output = output
    self.messages = messages
  }

  /// Starts a program found in PATH; throws `.programMissing` where there is none.
  static func start(
    _ name: String, _ arguments: [String], package: String,
    isInterrupted: @escaping @Sendable () -> Bool
  ) throws(DatasetError) -> ChildProgram {
    var process: pid_t = 0
    let output = try pipe(for: name)
    let messages: (read: Int32, write: Int32)
    do throws(DatasetError) {
      messages = try pipe(for: name)
    } catch {
      for end in [output.read, output.write] { Glibc.close(end) }
      throw error
    }
    let status = spawn(
      &process, [name] + arguments, output: output.write, messages: messages.write)
    for end in [output.write, messages.write] { Glibc.close(end) }
    guard status == 0 else {
      for end in [output.read, messages.read] { Glibc.close(end) }
      throw status == ENOENT
        ? DatasetError(
          .programMissing,
          "cannot run \(name): no such program in PATH (Debian has it in the package \(package))")
        : DatasetError(.inputOutput, "cannot run \(name): \(String(cString: strerror(status)))")
    }
    return ChildProgram(
      process: process, output: output.read, messages: messages.read, isInterrupted: isInterrupted)
  }

  deinit {
    Glibc.close(output)
    if messages >= 0 { Glibc.close(messages) }
    if let process {
      kill(process, SIGKILL)
      _ = Self.wait(for: process)
    }
  }

  /// The next line without its end; nil when there is none. A line of more than `limit` bytes comes in parts.
  mutating func line(limit: Int = 1 << 16) throws(DatasetError) -> String? {
    var line: [UInt8] = []
    while line.count < limit {
      guard try fill() else { break }
      let rest = buffer[position...]
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        line += rest[..<end]
        position = end + 1
        return String(decoding: line, as: UTF8.self)
      }
      line += rest
      position = buffer.count
    }
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }

  /// The next `count` bytes, or as many as there are.
  mutating func bytes(_ count: Int) throws(DatasetError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count, try fill() {
      let end = min(position + count - bytes.count, buffer.count)
      bytes += buffer[position..<end]
      position = end
    }
    return bytes
  }

  /// Waits for the end of a program whose output was read to its end.
  mutating func finish() throws(DatasetError) -> Ending {
    while try fill() { position = buffer.count }
    while messages >= 0 { try drain() }
    let status = process.map(Self.wait)
    process = nil
    let lines = String(decoding: said, as: UTF8.self).split(whereSeparator: \.isNewline)
    return Ending(isSuccess: status == 0, complaint: lines.first.map(String.init))
  }

  /// Whether there is anything in the buffer, after waiting for it; throws where the wait is interrupted.
  private mutating func fill() throws(DatasetError) -> Bool {
    while position == buffer.count, !isAtEnd {
      var ends = [
        pollfd(fd: output, events: Int16(POLLIN), revents: 0),
        pollfd(fd: messages, events: Int16(POLLIN), revents: 0),
      ]
      let ready = poll(&ends, 2, 100)
      if ready < 0, errno != EINTR { throw Self.cannotRead() }
      guard ready > 0 else {
        if isInterrupted() {
          throw DatasetError(
            .interrupted, "interrupted while another program was reading; nothing was written")
        }
        continue
      }
      if ends[1].revents != 0 { try drain() }
      if ends[0].revents != 0 {
        buffer = try Self.read(output, Self.bufferBytes)
        position = 0
        isAtEnd = buffer.isEmpty
      }
    }
    return position < buffer.count
  }

  /// Takes in messages, of which only the first are kept.
  private mutating func drain() throws(DatasetError) {
    let more = try Self.read(messages, Self.messageBytes)
    if more.isEmpty {
      Glibc.close(messages)
      messages = -1
    }
    said += more.prefix(Self.messageBytes - said.count)
  }

  private static func read(_ descriptor: Int32, _ limit: Int) throws(DatasetError) -> [UInt8] {
    while true {
      var failure: Int32 = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: limit) { to, count in
        // Safety: `to` has room for `limit` bytes, of which `read` says how many it wrote.
        let read = Glibc.read(descriptor, to.baseAddress, limit)
        failure = read < 0 ? errno : 0
        count = max(read, 0)
      }
      if failure == 0 { return bytes }
      if failure != EINTR { throw cannotRead() }
    }
  }

  private static func cannotRead() -> DatasetError {
    DatasetError(
      .inputOutput, "cannot read from another program: \(String(cString: strerror(errno)))")
  }

  /// Both ends close in other programs that are started.
  private static func pipe(for name: String) throws(DatasetError) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0, ends.allSatisfy({ fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }) else {
      throw DatasetError(
        .inputOutput, "cannot run \(name): \(String(cString: strerror(errno)))")
    }
    return (ends[0], ends[1])
  }

  private static func wait(for process: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { return -1 }
    }
    return status
  }

  private static func spawn(
    _ process: inout pid_t, _ words: [String], output: Int32, messages: Int32
  ) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, messages, 2)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    posix_spawnattr_setpgroup(&attributes, 0)
    var environment = ProcessInfo.processInfo.environment
    // It would make ffmpeg write a log file.
    environment["FFREPORT"] = nil
    // Safety: the copies of the strings live until `posix_spawnp` returns; both lists end with nil.
    var list = words.map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in list + variables { free(text) } }
    return posix_spawnp(&process, words[0], &actions, &attributes, &list, &variables)
  }
}
