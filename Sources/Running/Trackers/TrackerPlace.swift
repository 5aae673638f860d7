internal import Foundation
internal import Platform
internal import Synchronization

/// Where a tracker is: a command line to start, or a program on a network.
///
/// What listens for it does so as long as this exists, so a tracker that connects again finds the same address.
package final class TrackerPlace: Sendable {
  private enum Kind {
    /// A command line of the shell.
    case command(String)
    /// A program that listens: `tcp://host:port`, with its token behind a slash.
    case connect(NetworkAddress)
    /// An address of this machine at which a program may connect: `listen://host:port`.
    case listen(NetworkAddress)
  }

  private struct State {
    var listener: (socket: Descriptor, address: NetworkAddress)?
    /// Whether a tracker was there before.
    var wasReached = false
  }

  private let kind: Kind
  private let state = Mutex(State())

  /// How long a program may take to connect for the first time.
  static let secondsToConnect = 600

  /// Reads a place; throws `.wrongData` for an address of a wrong form.
  package init(_ text: String) throws(EvaluationError) {
    if text.hasPrefix("tcp://"), let address = NetworkAddress(text) {
      kind = .connect(address)
    } else if text.hasPrefix("listen://"), let address = NetworkAddress(text, scheme: "listen") {
      kind = .listen(address)
    } else if text.hasPrefix("tcp://") || text.hasPrefix("listen://") {
      throw EvaluationError.wrongData(
        "cannot track with '\(TrackerProcess.short(text))': expected tcp://host:port or "
          + "listen://host:port, found another address")
    } else {
      kind = .command(text)
    }
  }

  deinit { state.withLock { try? $0.listener?.socket.end() } }

  /// Whether this process starts the tracker and ends it.
  package var isCommand: Bool {
    if case .command = kind { true } else { false }
  }

  /// The command line, or the address without its token.
  package var shown: String {
    switch kind {
    case .command(let command): return command
    case .connect(let address): return Self.shown(address)
    case .listen(let address): return Self.shown(address).replacing("tcp:", with: "listen:")
    }
  }

  /// An address without its token.
  static func shown(_ address: NetworkAddress) -> String {
    var address = address
    address.token = nil
    return "\(address)"
  }

  /// The program there, which has said nothing yet.
  ///
  /// Whoever connects presents the token in a line of its own. One is made where others than this machine can connect. One
  /// that was there before has `limit` to be there again.
  func program(_ limit: Duration, _ monitor: RunMonitor) throws -> ChildProgram {
    var program: ChildProgram
    switch kind {
    case .command(let command):
      program = try ChildProgram.start(
        "sh", ["-c", Self.searchPath + command], in: .own, hasInput: true,
        isInterrupted: monitor.isInterrupted)
    case .connect(let address):
      let socket = try connection(to: address, limit, monitor)
      program = try ChildProgram.connected(
        Self.name(address), socket, isInterrupted: monitor.isInterrupted)
      if let token = address.token { _ = try program.write(TrackerToken(token: token).line()) }
    case .listen(let address):
      program = try visitor(at: address, limit, monitor)
    }
    state.withLock { $0.wasReached = true }
    return program
  }

  private func connection(
    to address: NetworkAddress, _ limit: Duration, _ monitor: RunMonitor
  ) throws -> Descriptor {
    let end = ContinuousClock.now + limit
    while true {
      do {
        return try Descriptor.connection(
          to: address, limit: limit, isInterrupted: monitor.isInterrupted)
      } catch {
        // One that has ended a connection may take a while to listen again.
        guard state.withLock({ $0.wasReached }), ContinuousClock.now < end,
          !monitor.isInterrupted()
        else { throw error }
        Thread.sleep(forTimeInterval: 0.05)
      }
    }
  }

  /// The next program that connects and knows the token.
  private func visitor(
    at address: NetworkAddress, _ limit: Duration, _ monitor: RunMonitor
  ) throws -> ChildProgram {
    let isInterrupted = monitor.isInterrupted
    let (listener, own) = try listener(at: address, monitor)
    let wait = state.withLock { $0.wasReached } ? limit : .seconds(Self.secondsToConnect)
    let end = ContinuousClock.now + wait
    while true {
      while try !listener.isReady() {
        if isInterrupted() {
          throw EvaluationError(.interrupted, "interrupted while waiting for a tracker")
        }
        guard ContinuousClock.now < end else {
          throw EvaluationError.wrongData(
            "cannot track with '\(shown)': expected a tracker to connect within "
              + "\(wait.components.seconds) s, found none")
        }
      }
      guard let socket = try listener.accepted() else { continue }
      var program = try ChildProgram.connected(Self.name(own), socket, isInterrupted: isInterrupted)
      guard let token = own.token else { return program }
      program.endWaiting(after: .seconds(10))
      let line = try? program.line(limit: 1 << 10)
      let given = line.flatMap {
        try? JSONDecoder().decode(TrackerToken.self, from: Data($0.utf8))
      }
      if given?.token == token { return program }
      if isInterrupted() { continue }
      monitor.note("refused a tracker: expected a first line with the token, found another")
    }
  }

  private func listener(
    at address: NetworkAddress, _ monitor: RunMonitor
  ) throws -> (socket: Descriptor, address: NetworkAddress) {
    if let open = state.withLock({ $0.listener }) { return open }
    var (socket, own, isLoopback) = try Descriptor.listener(at: address)
    if own.token == nil, !isLoopback {
      own.token = String(format: "%016llx", UInt64.random(in: 0...UInt64.max))
    }
    let open = (socket, own)
    state.withLock { $0.listener = open }
    monitor.note("waiting for a tracker to connect to \(own)")
    return open
  }

  private static func name(_ address: NetworkAddress) -> String {
    "the tracker at \(address.host):\(address.port)"
  }

  /// Puts this program's folder last in the shell's PATH, so 'facegauge serve' is found despite an alias.
  private static var searchPath: String {
    let folder = URL(fileURLWithPath: ProgramArguments.program).deletingLastPathComponent().path
      .replacingOccurrences(of: "'", with: "'\\''")
    return "PATH=\"$PATH\":'\(folder)'\nexport PATH\n"
  }
}
