internal import Foundation

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#endif

/// Where a program is reached over TCP: `tcp://host:port`, or `tcp://host:port/token`.
package struct NetworkAddress: Sendable, Hashable, CustomStringConvertible {
  /// A name or an address; one of IPv6 without brackets.
  package var host: String
  /// The port; 0 lets the system choose one to listen at.
  package var port: UInt16
  /// What the other end must present first; nil asks for nothing.
  package var token: String?

  /// Reads an address; nil for a text of another form.
  package init?(_ text: String, scheme: String = "tcp") {
    guard let parts = URLComponents(string: text), parts.scheme == scheme, parts.user == nil,
      parts.query == nil, parts.fragment == nil, let host = parts.host, !host.isEmpty,
      let port = parts.port.flatMap(UInt16.init(exactly:))
    else { return nil }
    let token = parts.path.drop { $0 == "/" }
    guard !token.contains("/") else { return nil }
    self.host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    self.port = port
    self.token = token.isEmpty ? nil : String(token)
  }

  package var description: String {
    let host = host.contains(":") ? "[\(host)]" : host
    return "tcp://\(host):\(port)" + (token.map { "/\($0)" } ?? "")
  }

  /// Calls `use` with each of the addresses that a name stands for, until one gives a result; the last error otherwise.
  fileprivate func resolved<Result>(
    toListen: Bool, _ use: (addrinfo) throws(SystemError) -> Result
  ) throws(FileError) -> Result {
    var hints = addrinfo()
    #if canImport(Darwin)
      hints.ai_socktype = SOCK_STREAM
    #else
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #endif
    hints.ai_flags = toListen ? AI_PASSIVE : 0
    var first: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, "\(port)", &hints, &first)
    guard status == 0 else {
      // Safety: gai_strerror gives a terminated text, copied at once.
      throw failure(toListen, String(cString: gai_strerror(status)))
    }
    // Safety: the list belongs to this call until it is freed here, and `use` keeps none of it.
    defer { freeaddrinfo(first) }
    var problem = SystemError.notFound
    var next = first
    while let one = next?.pointee {
      do throws(SystemError) {
        return try use(one)
      } catch {
        problem = error
      }
      next = one.ai_next
    }
    throw failure(toListen, "\(problem)")
  }

  private func failure(_ toListen: Bool, _ reason: String) -> FileError {
    var plain = self
    plain.token = nil
    return FileError(
      .inputOutput, "cannot \(toListen ? "listen at" : "connect to") \(plain): \(reason)")
  }
}

extension Descriptor {
  /// A connection to a program that listens; it has no delay of small messages.
  ///
  /// Ends with an error after `limit`, or when `isInterrupted` is true.
  package static func connection(
    to address: NetworkAddress, limit: Duration, isInterrupted: () -> Bool
  ) throws(FileError) -> Descriptor {
    let end = ContinuousClock.now + limit
    return try address.resolved(toListen: false) { one throws(SystemError) in
      let socket = try Descriptor(family: one.ai_family)
      return try socket.closingOnFailure { () throws(SystemError) in
        try socket.setBlocking(false)
        if systemConnect(socket.number, one.ai_addr, one.ai_addrlen) != 0 {
          guard errno == EINPROGRESS else { throw SystemError.last }
          while try ready(reading: [], writing: socket)?.writing != true {
            if isInterrupted() { throw .interrupted }
            guard ContinuousClock.now < end else { throw SystemError(ETIMEDOUT) }
          }
          let status = socket.option(SO_ERROR)
          guard status == 0 else { throw SystemError(status) }
        }
        try socket.setBlocking(true)
        socket.sendAtOnce()
        return socket
      }
    }
  }

  /// A socket that others can connect to, and where it is.
  package static func listener(
    at address: NetworkAddress
  ) throws(FileError) -> (socket: Descriptor, address: NetworkAddress, isLoopback: Bool) {
    try address.resolved(toListen: true) { one throws(SystemError) in
      let socket = try Descriptor(family: one.ai_family)
      return try socket.closingOnFailure { () throws(SystemError) in
        socket.set(SO_REUSEADDR, of: SOL_SOCKET)
        guard bind(socket.number, one.ai_addr, one.ai_addrlen) == 0, listen(socket.number, 4) == 0
        else { throw SystemError.last }
        // Who connects may be gone when it is accepted.
        try socket.setBlocking(false)
        let (host, port) = try socket.ownAddress()
        var found = address
        found.port = port
        return (socket, found, host.hasPrefix("127.") || host == "::1")
      }
    }
  }

  /// The next connection to a listener; nil where there is none.
  package func accepted() throws(SystemError) -> Descriptor? {
    let found = accept(number, nil, nil)
    guard found >= 0 else {
      if [EAGAIN, EINTR, ECONNABORTED].contains(errno) { return nil }
      throw SystemError.last
    }
    let socket = Descriptor(found)
    return try socket.closingOnFailure { () throws(SystemError) in
      _ = fcntl(found, F_SETFD, FD_CLOEXEC)
      try socket.setBlocking(true)
      socket.sendAtOnce()
      return socket
    }
  }

  /// Sends all bytes to the other end of a socket, however long it takes.
  package func sendAll(_ bytes: [UInt8]) throws(SystemError) {
    var sent = 0
    while sent < bytes.count {
      guard let count = try send(bytes[sent...]) else { throw SystemError(EPIPE) }
      sent += count
      if count == 0 { _ = try Self.ready(reading: [], writing: self) }
    }
  }

  /// Whether there is something to read, or a connection to accept, after waiting up to a tenth of a second.
  package func isReady() throws(SystemError) -> Bool {
    try Self.ready(reading: [self], writing: nil)?.reading[0] ?? false
  }

  /// Tells the other end of a socket that nothing more comes.
  package func endWriting() { _ = shutdown(number, Int32(SHUT_WR)) }

  private init(family: Int32) throws(SystemError) {
    #if canImport(Darwin)
      let found = socket(family, SOCK_STREAM, 0)
    #else
      let found = socket(family, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    guard found >= 0 else { throw SystemError.last }
    self.init(found)
    _ = fcntl(found, F_SETFD, FD_CLOEXEC)
  }

  private func setBlocking(_ blocks: Bool) throws(SystemError) {
    guard fcntl(number, F_SETFL, blocks ? 0 : O_NONBLOCK) == 0 else { throw SystemError.last }
  }

  private func sendAtOnce() {
    set(TCP_NODELAY, of: Int32(IPPROTO_TCP))
    #if canImport(Darwin)
      set(SO_NOSIGPIPE, of: SOL_SOCKET)
    #endif
  }

  private func set(_ option: Int32, of level: Int32) {
    var isOn: Int32 = 1
    // Safety: the size is that of the one number.
    setsockopt(number, level, option, &isOn, socklen_t(MemoryLayout<Int32>.size))
  }

  private func option(_ name: Int32) -> Int32 {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    // Safety: there is room for the one number of `size` bytes.
    return getsockopt(number, SOL_SOCKET, name, &value, &size) == 0 ? value : errno
  }

  /// The address in numbers, and the port.
  private func ownAddress() throws(SystemError) -> (host: String, port: UInt16) {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var host = [CChar](repeating: 0, count: 256)
    var port = [CChar](repeating: 0, count: 16)
    // Safety: sockaddr_storage has room for each kind of address; both texts end within their arrays.
    let status = withUnsafeMutablePointer(to: &storage) { whole in
      whole.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        getsockname(number, address, &size) != 0
          ? -1
          : getnameinfo(
            address, size, &host, socklen_t(host.count), &port, socklen_t(port.count),
            Int32(NI_NUMERICHOST | NI_NUMERICSERV))
      }
    }
    guard status == 0 else { throw SystemError.last }
    func text(_ characters: [CChar]) -> String {
      String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    return (text(host), UInt16(text(port)) ?? 0)
  }
}

private func systemConnect(
  _ number: Int32, _ address: UnsafePointer<sockaddr>?, _ size: socklen_t
) -> Int32 { connect(number, address, size) }
