/// Another program, run without a shell, or one at the other end of a socket; its output is read and its messages are drained at the same time.
///
/// It has a process group of its own, so that a signal from the keyboard does not reach it. It and its group, and after
/// `adoptOrphans` what it has started in other groups and sessions too, end with this value at the latest, and it ends with
/// this process however that ends.
package struct ChildProgram: ~Copyable {
  /// How a program ended, and what it complained of.
  package struct Ending: Sendable {
    /// Whether it ended without a signal, with status 0; always so at the other end of a socket.
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
  private var process: ChildProcess?
  private let surroundings: Surroundings
  private let mark: String
  private var input: Descriptor?
  private let output: Descriptor
  private var messages: Descriptor?
  private var buffer: [UInt8] = []
  private var position = 0
  private var isAtEnd = false
  private var firstMessages: [UInt8] = []
  private var lastMessages: [UInt8] = []
  private let isInterrupted: @Sendable () -> Bool

  private static let bufferBytes = 1 << 18
  private static let messageBytes = 4096
  private static let maxWaiting = 64 << 20
  private typealias Ends = (read: Descriptor, write: Descriptor)

  /// Lets this process become the parent of what the programs that it starts leave behind, so that it ends with them.
  ///
  /// For a program whose only children are these: what else ends as a child of the process is waited for.
  package static func adoptOrphans() { Descendants.adopt() }

  /// Starts a program found in an absolute folder of PATH; throws `.missing` where there is none.
  ///
  /// Without `hasInput` it reads nothing. `package` is the Debian package that has the program.
  package static func start(
    _ name: String, _ arguments: [String], in surroundings: Surroundings, package: String? = nil,
    hasInput: Bool = false, isInterrupted: @escaping @Sendable () -> Bool
  ) throws(FileError) -> ChildProgram {
    var ends: [Descriptor] = []
    let (input, output, messages): (Ends?, Ends, Ends)
    do throws(FileError) {
      output = try pipe(for: name)
      ends += [output.read, output.write]
      messages = try pipe(for: name)
      ends += [messages.read, messages.write]
      input = hasInput ? try pipe(for: name, isSocket: true) : nil
    } catch {
      for end in ends { try? end.end() }
      throw error
    }
    let mark = Descendants.newMark()
    let started = spawn(
      [name] + arguments, surroundings, mark: mark, input: input?.read, output: output.write,
      messages: messages.write)
    for end in [output.write, messages.write, input?.read] { try? end?.end() }
    let process: ChildProcess
    do throws(SystemError) {
      process = try started.get()
    } catch {
      for end in [output.read, messages.read, input?.write] { try? end?.end() }
      throw cannotRun(name, error, package: package)
    }
    return ChildProgram(
      name: name, process: process, surroundings: surroundings, mark: mark, input: input?.write,
      output: output.read, messages: messages.read, isInterrupted: isInterrupted)
  }

  /// A program at the other end of a socket, which this process has not started; it closes with this value.
  package static func connected(
    _ name: String, _ socket: Descriptor, isInterrupted: @escaping @Sendable () -> Bool
  ) throws(FileError) -> ChildProgram {
    guard let input = socket.duplicate() else {
      try? socket.end()
      throw FileError(.inputOutput, "cannot talk to \(name): \(SystemError.last)")
    }
    return ChildProgram(
      name: name, surroundings: .own, mark: "", input: input, output: socket,
      isInterrupted: isInterrupted)
  }

  deinit {
    for end in [input, output, messages] { try? end?.end() }
    if let process { _ = Self.endAll(process, mark) }
  }

  /// Kills what is left of a program and its descendants; the status with which it ended.
  static func endAll(_ process: ChildProcess, _ mark: String) -> Int32 {
    process.endGroup()
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
  package mutating func write(_ bytes: some Collection<UInt8>) throws(FileError) -> Bool {
    let bytes = bytes as? ArraySlice<UInt8> ?? ArraySlice(bytes)
    var sent = bytes.startIndex
    waitBegan = .now
    while sent < bytes.endIndex {
      guard try wait(toSend: true) else { continue }
      do throws(SystemError) {
        guard let count = try input?.send(bytes[sent...]) else { return false }
        sent += count
        if count > 0 { waitBegan = .now }
      } catch {
        throw FileError(.inputOutput, "cannot write to another program: \(error)")
      }
    }
    return true
  }

  /// Waits for the end of a program whose output was read to its end; its input ends first.
  package mutating func finish() throws(FileError) -> Ending {
    input?.endWriting()
    try? input?.end()
    input = nil
    while try fill() { position = buffer.count }
    waitBegan = .now
    while messages != nil { _ = try wait(toSend: false) }
    waitBegan = .now
    if let process { try awaitEnd(of: process) }
    let status = process.map {
      surroundings.endsDescendants ? Self.endAll($0, mark) : Self.wait(for: $0)
    }
    process = nil
    func lines(_ bytes: [UInt8]) -> [Substring] {
      String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    }
    let exit = status.flatMap(ChildProcess.exitStatus)
    let isStarted = !mark.isEmpty
    let (first, last) = (lines(firstMessages), lines(lastMessages))
    return Ending(
      isSuccess: status == 0 || !isStarted, status: exit,
      firstErrorLine: first.first.map(String.init),
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
    let ready: (reading: [Bool], writing: Bool)?
    do throws(SystemError) {
      ready = try Descriptor.ready(
        reading: [isAtEnd ? nil : output, messages], writing: toSend ? input : nil)
    } catch {
      throw Self.cannotRead(error)
    }
    guard let ready else {
      if isInterrupted() { throw Self.interrupted }
      try checkDeadline()
      return false
    }
    if ready.reading[1], let messages { try drain(messages) }
    if ready.reading[0] {
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
    return ready.writing
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
  private func awaitEnd(of process: ChildProcess) throws(FileError) {
    while !process.hasEnded {
      try checkDeadline()
      if isInterrupted() { throw Self.interrupted }
      ChildProcess.pause(microseconds: 2000)
    }
  }

  /// Takes in messages, of which only the first and the last are kept.
  private mutating func drain(_ end: Descriptor) throws(FileError) {
    let more = try Self.read(end, Self.messageBytes)
    if more.isEmpty {
      try? end.end()
      messages = nil
    }
    firstMessages += more.prefix(Self.messageBytes - firstMessages.count)
    lastMessages = (lastMessages + more).suffix(Self.messageBytes)
  }

  private static func read(_ end: Descriptor, _ limit: Int) throws(FileError) -> [UInt8] {
    do throws(SystemError) {
      return try end.bytes(upTo: limit)
    } catch {
      throw cannotRead(error)
    }
  }

  static func cannotRun(
    _ name: String, _ problem: SystemError, package: String? = nil
  ) -> FileError {
    let advice = package.map { " (Debian has it in the package \($0))" } ?? ""
    return problem == .notFound
      ? FileError(.missing, "cannot run \(name): no such program in PATH\(advice)")
      : FileError(.inputOutput, "cannot run \(name): \(problem)")
  }

  private static func cannotRead(_ problem: SystemError) -> FileError {
    FileError(.inputOutput, "cannot read from another program: \(problem)")
  }

  private static func pipe(
    for name: String, isSocket: Bool = false
  ) throws(FileError) -> Ends {
    do throws(SystemError) {
      return try Descriptor.pair(isSocket: isSocket)
    } catch {
      throw FileError(.inputOutput, "cannot run \(name): \(error)")
    }
  }

  static func wait(for process: ChildProcess) -> Int32 {
    let status = process.wait()
    Descendants.forget(process)
    return status
  }

  static func spawn(
    _ words: [String], _ surroundings: Surroundings, mark: String, input: Descriptor?,
    output: Descriptor, messages: Descriptor
  ) -> Result<ChildProcess, SystemError> {
    guard let program = file(of: words[0]) else { return .failure(.notFound) }
    let variables = surroundings.variables(mark: mark)
    return PermanentThread.run {
      Descendants.remembering {
        // Python finds its environment by the path that it was started with.
        ChildProcess.start(
          program, [program] + words.dropFirst(), variables: variables, folder: surroundings.folder,
          input: input,
          output: output, messages: messages)
      }
    }
  }
}
