internal import Foundation
package import Platform

/// Where a tracker is: a command line to start, or a program on a network.
package enum TrackerPlace: Sendable, Hashable {
  /// A command line of the shell.
  case command(String)
  /// A program that listens: `tcp://host:port`, with its token behind a slash.
  case connect(NetworkAddress)
  /// An address of this machine at which a program may connect: `listen://host:port`.
  case listen(NetworkAddress)

  /// How long a program may take to connect.
  static let secondsToConnect = 600

  /// Reads a place; nil for an address of a wrong form.
  package init?(_ text: String) {
    if text.hasPrefix("tcp://") {
      guard let address = NetworkAddress(text) else { return nil }
      self = .connect(address)
    } else if text.hasPrefix("listen://") {
      guard let address = NetworkAddress(text, scheme: "listen") else { return nil }
      self = .listen(address)
    } else {
      self = .command(text)
    }
  }

  /// Whether this process can end the tracker and start it again.
  package var isCommand: Bool {
    if case .command = self { true } else { false }
  }

  /// The command line, or the address without its token.
  package var shown: String {
    switch self {
    case .command(let command): return command
    case .connect(var address), .listen(var address):
      address.token = nil
      return isListener ? address.description.replacing("tcp:", with: "listen:") : "\(address)"
    }
  }

  private var isListener: Bool { if case .listen = self { true } else { false } }

  /// The program there, which has said nothing yet.
  ///
  /// Whoever connects presents the token in a line of its own. One is made where others than this machine can connect.
  func program(_ limit: Duration, _ monitor: RunMonitor) throws -> ChildProgram {
    let isInterrupted = monitor.isInterrupted
    switch self {
    case .command(let command):
      return try ChildProgram.start(
        "sh", ["-c", Self.searchPath + command], in: .own, hasInput: true,
        isInterrupted: isInterrupted)
    case .connect(let address):
      let socket = try Descriptor.connection(
        to: address, limit: limit, isInterrupted: isInterrupted)
      var program = try ChildProgram.connected(
        Self.name(address), socket, isInterrupted: isInterrupted)
      if let token = address.token { _ = try program.write(TrackerToken(token: token).line()) }
      return program
    case .listen(let address):
      var (listener, own, isLoopback) = try Descriptor.listener(at: address)
      defer { try? listener.end() }
      if own.token == nil, !isLoopback {
        own.token = String(
          format: "%016llx", UInt64.random(in: 0...UInt64.max))
      }
      monitor.note("waiting for a tracker to connect to \(own)")
      let end = ContinuousClock.now + .seconds(Self.secondsToConnect)
      while true {
        while try !listener.isReady() {
          if isInterrupted() {
            throw EvaluationError(.interrupted, "interrupted while waiting for a tracker")
          }
          guard ContinuousClock.now < end else {
            throw EvaluationError(
              .wrongData,
              "cannot track with '\(shown)': expected "
                + "a tracker to connect within \(Self.secondsToConnect) s, found none")
          }
        }
        guard let socket = try listener.accepted() else { continue }
        var program = try ChildProgram.connected(
          Self.name(own), socket, isInterrupted: isInterrupted)
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
