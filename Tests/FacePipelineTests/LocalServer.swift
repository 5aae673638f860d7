import Foundation
import Glibc
import Synchronization

/// An HTTP server on the loopback with canned answers, on a port that the system chooses.
final class LocalServer: Sendable {
  enum Answer: Sendable {
    /// A status with a body.
    case whole(Int, [UInt8])
    /// Status 200 with a body that ends before its announced length.
    case cutShort([UInt8], announced: Int)
  }

  let port: UInt16
  private let listener: Int32
  private let answers: [String: Answer]
  private let asked = Mutex<[String]>([])

  init(_ answers: [String: Answer]) throws {
    self.answers = answers
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { [listener] pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 8) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard status else { throw POSIXError(.EADDRNOTAVAIL) }
    Thread.detachNewThread { [listener, answers, weak self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else {
          close(listener)
          return
        }
        if let path = Self.path(askedBy: client) {
          self?.asked.withLock { $0.append(path) }
          Self.send(answers[path] ?? .whole(404, Array("no".utf8)), to: client)
        }
        close(client)
      }
    }
  }

  deinit {
    // The thread closes the socket, lest it accept on another's that got the same number.
    shutdown(listener, Int32(SHUT_RDWR))
  }

  var address: String { "http://127.0.0.1:\(port)" }
  var askedPaths: [String] { asked.withLock { $0 } }

  private static func path(askedBy client: Int32) -> String? {
    var request: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !String(decoding: request, as: UTF8.self).contains("\r\n\r\n") {
      let count = recv(client, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      request += buffer[..<count]
    }
    return String(decoding: request, as: UTF8.self).split(separator: " ").dropFirst().first
      .map(String.init)
  }

  private static func send(_ answer: Answer, to client: Int32) {
    let (status, body, length) =
      switch answer {
      case .whole(let status, let body): (status, body, body.count)
      case .cutShort(let body, let announced): (200, body, announced)
      }
    let head =
      "HTTP/1.1 \(status) Answer\r\nContent-Length: \(length)\r\nConnection: close\r\n\r\n"
    let bytes = Array(head.utf8) + body
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { bytes in
        Glibc.send(
          client, bytes.baseAddress.map { $0 + sent }, bytes.count - sent,
          Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      sent += count
    }
  }
}
