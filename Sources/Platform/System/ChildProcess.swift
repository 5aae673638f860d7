internal import CProcesses

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#endif

/// A process that this one has started, the first of a process group of its own.
struct ChildProcess: Sendable, Hashable {
  let id: Int32

  /// Starts the program of a file; both descriptors of output are passed on, and no input is `/dev/null`.
  ///
  /// It ends with the calling thread, where the system can do that.
  static func start(
    _ program: String, _ words: [String], variables: [String], folder: String?,
    input: Descriptor?, output: Descriptor, messages: Descriptor
  ) -> Result<ChildProcess, SystemError> {
    var process: pid_t = 0
    // Safety: the copies of the strings live until `facegauge_start` returns; both lists end with nil.
    let list = words.map { strdup($0.pathBytes) } + [nil]
    let settings = variables.map { strdup($0.pathBytes) } + [nil]
    defer { for text in list + settings { free(text) } }
    let status = facegauge_start(
      &process, program.pathBytes, list, settings, folder?.pathBytes, input?.number ?? -1,
      output.number, messages.number)
    return status == 0 ? .success(ChildProcess(id: process)) : .failure(SystemError(status))
  }

  /// Whether it has ended; it still has to be waited for.
  var hasEnded: Bool {
    var facts = siginfo_t()
    return waitid(P_PID, id_t(id), &facts, WEXITED | WNOHANG | WNOWAIT) != 0 || facts.si_signo != 0
  }

  /// Waits for its end; what the system says of that, or -1.
  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 {
      guard errno == EINTR else { return -1 }
    }
    return status
  }

  /// Takes note of an end that has come.
  func reap() { waitpid(id, nil, WNOHANG) }

  /// Asks it to end.
  func askToEnd() { kill(id, SIGTERM) }

  /// Ends it.
  func end() { kill(id, SIGKILL) }

  /// Ends it and what is in its group.
  func endGroup() { kill(-id, SIGKILL) }

  /// The exit status in what `wait` gave; nil where a signal ended it.
  static func exitStatus(_ ending: Int32) -> Int? {
    ending & 0x7F == 0 ? Int(ending >> 8 & 0xFF) : nil
  }

  /// Lets a moment pass.
  static func pause(microseconds: UInt32) { usleep(microseconds) }
}

/// What connects this process with others.
extension Descriptor {
  /// Both ends of a pipe, or of a socket, which has no signal that ends the writer where the reader is gone.
  ///
  /// They close in other programs that are started.
  static func pair(isSocket: Bool) throws(SystemError) -> (read: Descriptor, write: Descriptor) {
    var ends: [Int32] = [-1, -1]
    #if canImport(Darwin)
      let kind = SOCK_STREAM
    #else
      let kind = Int32(SOCK_STREAM.rawValue)
    #endif
    guard (isSocket ? socketpair(AF_UNIX, kind, 0, &ends) : pipe(&ends)) == 0,
      ends.allSatisfy({ fcntl($0, F_SETFD, FD_CLOEXEC) == 0 })
    else { throw SystemError.last }
    #if canImport(Darwin)
      var isSilent: Int32 = 1
      if isSocket {
        setsockopt(
          ends[1], SOL_SOCKET, SO_NOSIGPIPE, &isSilent, socklen_t(MemoryLayout<Int32>.size))
      }
    #endif
    return (Descriptor(ends[0]), Descriptor(ends[1]))
  }

  /// Sends what a socket has room for; how many bytes that were, and nil where nobody reads any more.
  func send(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> Int? {
    #if canImport(Darwin)
      let flags = MSG_DONTWAIT
    #else
      let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
    #endif
    // Safety: the pointer and the count are those of `bytes`, which outlives the call.
    let count = bytes.withUnsafeBytes { systemSend(number, $0.baseAddress, $0.count, flags) }
    if count >= 0 { return count }
    switch errno {
    case EPIPE, ECONNRESET: return nil
    case EINTR, EAGAIN: return 0
    default: throw SystemError.last
    }
  }

  /// Which of some can be read from, and whether one can be written to, after waiting up to a tenth of a second.
  ///
  /// Nil where the time passed or a signal came.
  static func ready(
    reading: [Descriptor?], writing: Descriptor?
  ) throws(SystemError) -> (reading: [Bool], writing: Bool)? {
    var ends = reading.map { pollfd(fd: $0?.number ?? -1, events: Int16(POLLIN), revents: 0) }
    ends.append(pollfd(fd: writing?.number ?? -1, events: Int16(POLLOUT), revents: 0))
    let count = poll(&ends, nfds_t(ends.count), 100)
    if count < 0, errno != EINTR { throw SystemError.last }
    guard count > 0 else { return nil }
    return (ends.dropLast().map { $0.revents != 0 }, ends.last?.revents != 0)
  }
}

private func systemSend(
  _ number: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32
) -> Int { send(number, bytes, count, flags) }
