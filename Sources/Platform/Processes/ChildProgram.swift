internal import CProcesses
internal import Glibc

/// Another program, run without a shell; its output is read and its messages are drained at the same time.
///
/// It has a process group of its own, so that a signal from the keyboard does not reach it. It and its group, and after
/// `adoptOrphans` what it has started in other groups and sessions too, end with this value at the latest, and it ends with
/// this process however that ends.
package struct ChildProgram: ~Copyable {
  /// How a program ended, and what it complained of.
  package struct Ending: Sendable {
    /// Whether it ended without a signal, with status 0.
    package let isSuccess: Bool
    /// Its exit status; nil where a signal ended it.
    package let status: Int?
    /// The first line that it wrote to standard error; nil where it wrote none.
    package let firstErrorLine: String?
    /// The last line that it wrote to standard error; nil where it wrote none.
    package let lastErrorLine: String?
    /// The first and the last lines that it wrote to standard error; those in between are not kept.
    package let errorLines: [String]
  }

  private var deadline: (end: ContinuousClock.Instant, limit: Duration)?
  /// How long one wait for output may take.
  package var silenceLimit = Duration.seconds(120)
  private let name: String
  private var waitBegan: ContinuousClock.Instant?
  private var process: pid_t?
  private let surroundings: Surroundings
  private let mark: String
  private var input: Int32
  private let output: Int32
  private var messages: Int32
  private var buffer: [UInt8] = []
  private var position = 0
  private var isAtEnd = false
  private var firstMessages: [UInt8] = []
  private var lastMessages: [UInt8] = []
  private let isInterrupted: @Sendable () -> Bool

  private static let bufferBytes = 1 << 18
  private static let messageBytes = 4096
  private static let maxWaiting = 64 << 20
  private typealias Ends = (read: Int32, write: Int32)

  private init(
    _ name: String, _ surroundings: Surroundings, process: pid_t, mark: String, input: Int32,
    output: Int32, messages: Int32, isInterrupted: @escaping @Sendable () -> Bool
  ) {
    self.name = name
    self.surroundings = surroundings
    self.mark = mark
    self.isInterrupted = isInterrupted
    self.process = process
    self.input = input
    self.output = output
    self.messages = messages
  }

  /// Lets this process become the parent of what the programs that it starts leave behind, so that it ends with them.
  ///
  /// For a program whose only children are these: what else ends as a child of the process is waited for.
  package static func adoptOrphans() { Descendants.adopt() }

  /// Starts a program found in an absolute folder of PATH; throws `.programMissing` where there is none.
  ///
  /// Without `hasInput` it reads nothing. `package` is the Debian package that has the program.
  package static func start(
    _ name: String, _ arguments: [String], in surroundings: Surroundings, package: String? = nil,
    hasInput: Bool = false, isInterrupted: @escaping @Sendable () -> Bool
  ) throws(FileError) -> ChildProgram {
    var ends: [Int32] = []
    let (input, output, messages): (Ends?, Ends, Ends)
    do throws(FileError) {
      output = try pipe(for: name)
      ends += [output.read, output.write]
      messages = try pipe(for: name)
      ends += [messages.read, messages.write]
      input = hasInput ? try pipe(for: name, isSocket: true) : nil
    } catch {
      for end in ends { Glibc.close(end) }
      throw error
    }
    let mark = Descendants.newMark()
    let (status, process) = spawn(
      [name] + arguments, surroundings, mark: mark, input: input?.read, output: output.write,
      messages: messages.write)
    for end in [output.write, messages.write, input?.read].compactMap(\.self) { Glibc.close(end) }
    guard status == 0 else {
      for end in [output.read, messages.read, input?.write].compactMap(\.self) { Glibc.close(end) }
      throw cannotRun(name, status, package: package)
    }
    return ChildProgram(
      name, surroundings, process: process, mark: mark, input: input?.write ?? -1,
      output: output.read, messages: messages.read, isInterrupted: isInterrupted)
  }

  deinit {
    for end in [input, output, messages] where end >= 0 { Glibc.close(end) }
    if let process { _ = Self.endAll(process, mark) }
  }

  /// Kills what is left of a program and its descendants; the status with which it ended.
  static func endAll(_ process: pid_t, _ mark: String) -> Int32 {
    kill(-process, SIGKILL)
    let status = wait(for: process)
    Descendants.end(of: mark)
    return status
  }

  /// Waiting for output ends with an error from now on after so long in all, and no longer by `silenceLimit`.
  package mutating func endWaiting(after limit: Duration) {
    deadline = (.now + limit, limit)
  }

  /// The next line without its end; nil when there is none. A line of more than `limit` bytes comes in parts.
  package mutating func line(limit: Int = 1 << 16) throws(FileError) -> String? {
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
  package mutating func bytes(_ count: Int) throws(FileError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count, try fill() {
      let end = min(position + count - bytes.count, buffer.count)
      bytes += buffer[position..<end]
      position = end
    }
    return bytes
  }

  /// Gives the program bytes to read; false where it reads no more.
  ///
  /// What it writes meanwhile is kept for `line()`, up to 64 MiB.
  package mutating func write(_ bytes: [UInt8]) throws(FileError) -> Bool {
    var sent = 0
    waitBegan = .now
    while sent < bytes.count {
      guard try wait(toSend: true) else { continue }
      // Safety: the pointer and the count stay within `bytes`, which outlives the call.
      let count = bytes.withUnsafeBytes { all in
        send(
          input, all.baseAddress?.advanced(by: sent), bytes.count - sent,
          Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count >= 0 {
        sent += count
        waitBegan = .now
      } else if errno == EPIPE || errno == ECONNRESET {
        return false
      } else if errno != EINTR, errno != EAGAIN {
        throw FileError(
          .inputOutput, "cannot write to another program: \(String(cString: strerror(errno)))")
      }
    }
    return true
  }

  /// Waits for the end of a program whose output was read to its end; its input ends first.
  package mutating func finish() throws(FileError) -> Ending {
    if input >= 0 { Glibc.close(input) }
    input = -1
    while try fill() { position = buffer.count }
    waitBegan = .now
    while messages >= 0 { _ = try wait(toSend: false) }
    waitBegan = .now
    if let process { try awaitEnd(of: process) }
    let status = process.map {
      surroundings.endsDescendants ? Self.endAll($0, mark) : Self.wait(for: $0)
    }
    process = nil
    func lines(_ bytes: [UInt8]) -> [Substring] {
      String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    }
    let exit = status.flatMap { $0 & 0x7F == 0 ? Int($0 >> 8 & 0xFF) : nil }
    let (first, last) = (lines(firstMessages), lines(lastMessages))
    return Ending(
      isSuccess: status == 0, status: exit, firstErrorLine: first.first.map(String.init),
      lastErrorLine: last.last.map(String.init), errorLines: (first + last).map(String.init))
  }

  /// Whether there is anything in the buffer, after waiting for it; throws where the wait is interrupted.
  private mutating func fill() throws(FileError) -> Bool {
    waitBegan = .now
    while position == buffer.count, !isAtEnd { _ = try wait(toSend: false) }
    return position < buffer.count
  }

  /// Takes in what there is after waiting a little; true where there is room to send.
  private mutating func wait(toSend: Bool) throws(FileError) -> Bool {
    var ends = [
      pollfd(fd: isAtEnd ? -1 : output, events: Int16(POLLIN), revents: 0),
      pollfd(fd: messages, events: Int16(POLLIN), revents: 0),
      pollfd(fd: toSend ? input : -1, events: Int16(POLLOUT), revents: 0),
    ]
    let ready = poll(&ends, 3, 100)
    if ready < 0, errno != EINTR { throw Self.cannotRead() }
    if ready <= 0 {
      if isInterrupted() {
        throw Self.interrupted
      }
    }
    guard ready > 0 else {
      try checkDeadline()
      return false
    }
    if ends[1].revents != 0 { try drain() }
    if ends[0].revents != 0 {
      let more = try Self.read(output, Self.bufferBytes)
      buffer.removeSubrange(..<position)
      buffer = buffer.isEmpty ? more : buffer + more
      position = 0
      isAtEnd = more.isEmpty
      guard buffer.count <= Self.maxWaiting else {
        throw FileError(.inputOutput, "another program wrote more than it was asked for")
      }
      waitBegan = .now
    }
    try checkDeadline()
    return ends[2].revents != 0
  }

  static let interrupted = FileError(
    .interrupted, "interrupted while another program was reading; nothing was written")

  private func checkDeadline() throws(FileError) {
    let now = ContinuousClock.now
    if let deadline {
      guard now > deadline.end else { return }
      throw FileError(.inputOutput, "\(name) took longer than \(Self.words(deadline.limit))")
    }
    if let waitBegan, now - waitBegan > silenceLimit {
      throw FileError(
        .inputOutput, "\(name) gave no output for \(Self.words(silenceLimit))")
    }
  }

  static func words(_ limit: Duration) -> String {
    "\((limit / .seconds(1)).shortText()) s"
  }

  /// Waits until a program has ended that may go on without its output.
  private func awaitEnd(of process: pid_t) throws(FileError) {
    var facts = siginfo_t()
    while waitid(P_PID, id_t(process), &facts, WEXITED | WNOHANG | WNOWAIT) == 0,
      facts.si_signo == 0
    {
      try checkDeadline()
      if isInterrupted() { throw Self.interrupted }
      usleep(2000)
    }
  }

  /// Takes in messages, of which only the first and the last are kept.
  private mutating func drain() throws(FileError) {
    let more = try Self.read(messages, Self.messageBytes)
    if more.isEmpty {
      Glibc.close(messages)
      messages = -1
    }
    firstMessages += more.prefix(Self.messageBytes - firstMessages.count)
    lastMessages = (lastMessages + more).suffix(Self.messageBytes)
  }

  private static func read(_ descriptor: Int32, _ limit: Int) throws(FileError) -> [UInt8] {
    while true {
      var failure: Int32 = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: limit) { to, count in
        // Safety: `to` has room for `limit` bytes; `read` returns how many it wrote.
        let read = Glibc.read(descriptor, to.baseAddress, limit)
        failure = read < 0 ? errno : 0
        count = max(read, 0)
      }
      if failure == 0 { return bytes }
      if failure != EINTR { throw cannotRead() }
    }
  }

  static func cannotRun(_ name: String, _ status: Int32, package: String? = nil) -> FileError {
    let advice = package.map { " (Debian has it in the package \($0))" } ?? ""
    return status == ENOENT
      ? FileError(.programMissing, "cannot run \(name): no such program in PATH\(advice)")
      : FileError(.inputOutput, "cannot run \(name): \(String(cString: strerror(status)))")
  }

  private static func cannotRead() -> FileError {
    FileError(
      .inputOutput, "cannot read from another program: \(String(cString: strerror(errno)))")
  }

  /// Both ends close in other programs that are started.
  ///
  /// A socket has no signal that ends the writer where the reader is gone.
  private static func pipe(
    for name: String, isSocket: Bool = false
  ) throws(FileError) -> Ends {
    var ends: [Int32] = [-1, -1]
    let status =
      isSocket
      ? socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) : Glibc.pipe(&ends)
    guard status == 0, ends.allSatisfy({ fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }) else {
      throw FileError(
        .inputOutput, "cannot run \(name): \(String(cString: strerror(errno)))")
    }
    return (ends[0], ends[1])
  }

  static func wait(for process: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else {
        status = -1
        break
      }
    }
    Descendants.forget(process)
    return status
  }

  static func spawn(
    _ words: [String], _ surroundings: Surroundings, mark: String, input: Int32?, output: Int32,
    messages: Int32
  ) -> (status: Int32, process: pid_t) {
    guard let program = file(of: words[0]) else { return (ENOENT, 0) }
    let variables = surroundings.variables(mark: mark)
    return PermanentThread.run {
      var process: pid_t = 0
      // Safety: the copies of the strings live until `facegauge_start` returns; both lists end with nil.
      let list = words.map { strdup($0.pathBytes) } + [nil]
      let settings = variables.map { strdup($0.pathBytes) } + [nil]
      defer { for text in list + settings { free(text) } }
      return Descendants.remembering {
        let status = facegauge_start(
          &process, program.pathBytes, list, settings, surroundings.folder?.pathBytes, input ?? -1,
          output, messages)
        return (status, process)
      }
    }
  }
}
