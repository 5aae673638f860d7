import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// A face as FaceGauge reads it; all coordinates are pixels of the image.
struct TrackedFace: Encodable {
  /// x, y, width, height.
  var box: [Double]?
  /// x, y, z of each point of the scheme, or x, y of each.
  var points: [Float]?
  var score: Double?
  /// Coefficients by the names of ARKit.
  var blendshapes: [String: Float]?
  /// The pose of the head: 16 numbers by rows.
  var transform: [Float]?
}

/// What a tracker says of itself.
struct TrackerDescription: Encodable {
  /// Name and version.
  var name: String
  /// `image` for image files as they are stored, `rgb` for pixels; the preferred one first.
  var inputs = ["image"]
  /// The scheme of the points, such as `mediapipe478`; nil for boxes alone.
  var scheme: String?
  /// Facts of the device, such as its model, its system and the delegate.
  var device: [String: String] = [:]
  /// Names of the numbers that `readings` of `TrackerClient.run` gives, such as `battery`.
  var readings: [String] = []
}

/// A frame to analyse.
struct TrackerFrame {
  /// The number of the frame in the dataset.
  var index: Int
  /// Whether a sequence begins: what was seen before is of no more use.
  var isFirst: Bool
  /// Whether it belongs to a video.
  var isVideo: Bool
  /// The time in the video.
  var milliseconds: Double
  var width: Int
  var height: Int
  /// The image file; nil where pixels were asked for.
  var file: Data?
  /// Red, green, blue of each pixel, rows from the top; nil where a file was asked for.
  var rgb: Data?
}

/// Lets `facegauge track clips.h5 --tracker listen://host:port` on another machine measure a function of this one.
enum TrackerClient {
  /// Why a connection failed.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// Connects to the address that `track` shows, `tcp://host:port/token`, and analyses frames until it has no more.
  ///
  /// Call it off the main thread. The time of `detect` is the time of the frame. After each end it connects again, until
  /// nobody is there: several trackers are compared over several connections. `restart` then loads the model anew, so that
  /// what lasts for a loaded model is not taken for a difference. `readings` is asked once a second for numbers of the device,
  /// such as `["battery": 0.83]`; on Apple's systems `thermal_state` is among them, 0 (nominal) to 3 (critical).
  static func run(
    _ address: String, as description: TrackerDescription,
    readings: @escaping () -> [String: Double] = { [:] }, restart: () throws -> Void = {},
    detect: (TrackerFrame) throws -> [TrackedFace]
  ) throws {
    let about = Hello(description)
    let readings = Readings(take: readings)
    guard try serve(Connection(address), about, readings, detect) else {
      throw Failure(description: "\(address) was closed before its first request")
    }
    while let connection = try? Connection(address) {
      try restart()
      guard try serve(connection, about, readings, detect) else { return }
    }
  }

  /// Whether there was a request.
  private static func serve(
    _ connection: Connection, _ about: Hello, _ readings: Readings,
    _ detect: (TrackerFrame) throws -> [TrackedFace]
  ) throws -> Bool {
    defer { connection.end() }
    // Where that fails there is no request either.
    try? connection.send(about)
    var wasAsked = false
    while let line = try connection.line() {
      wasAsked = true
      let asked = now()
      let request = try JSONDecoder().decode(Request.self, from: line)
      if let sync = request.sync {
        try connection.send(Sync(sync: sync, received_ns: asked, sent_ns: now()))
        continue
      }
      let bytes = try connection.bytes(request.image_bytes ?? request.rgb_bytes ?? 0)
      let received = now()
      let frame = TrackerFrame(
        index: request.frame ?? 0, isFirst: request.reset ?? true,
        isVideo: request.video ?? false, milliseconds: Double(request.timestamp_us ?? 0) / 1000,
        width: request.width ?? 0, height: request.height ?? 0,
        file: request.image_bytes == nil ? nil : bytes,
        rgb: request.rgb_bytes == nil ? nil : bytes)
      let start = now()
      let faces = try detect(frame)
      let total = now() - start
      let finished = now()
      try connection.send(
        Answer(
          frame: frame.index, stages_ns: ["total": total], faces: faces, received_ns: received,
          finished_ns: finished, readings: readings.values(at: finished)))
    }
    return wasAsked
  }

  private static func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

  /// The last numbers of the device; new ones are taken once a second.
  private final class Readings {
    #if canImport(Darwin)
      static let own = ["thermal_state"]
    #else
      static let own: [String] = []
    #endif
    private let take: () -> [String: Double]
    private var taken: (at: UInt64, values: [String: Double])?

    init(take: @escaping () -> [String: Double]) { self.take = take }

    func values(at time: UInt64) -> [String: Double] {
      if let taken, time - taken.at < 1_000_000_000 { return taken.values }
      var values = take().filter { $0.value.isFinite }
      #if canImport(Darwin)
        values["thermal_state"] = Double(ProcessInfo.processInfo.thermalState.rawValue)
      #endif
      taken = (time, values)
      return values
    }
  }

  private struct Hello: Encodable {
    var `protocol` = "facegauge.tracker"
    var version = 2
    var name: String
    var inputs: [String]
    var scheme: String?
    var stages = ["total"]
    var restarts = true
    var device: [String: String]
    var readings: [String]

    init(_ about: TrackerDescription) {
      (name, inputs, scheme, device) = (about.name, about.inputs, about.scheme, about.device)
      readings = Readings.own + about.readings
    }
  }

  private struct Request: Decodable {
    var sync: Int?
    var frame: Int?
    var reset: Bool?
    var video: Bool?
    var timestamp_us: Int64?
    var width: Int?
    var height: Int?
    var image_bytes: Int?
    var rgb_bytes: Int?
  }

  private struct Sync: Encodable {
    var sync: Int
    var received_ns: UInt64
    var sent_ns: UInt64
  }

  private struct Answer: Encodable {
    var frame: Int
    var stages_ns: [String: UInt64]
    var faces: [TrackedFace]
    var received_ns: UInt64
    var finished_ns: UInt64
    var readings: [String: Double]
  }

  /// A socket with what was read from it and not used.
  private final class Connection {
    private let socket: Int32
    private var buffer = Data()

    init(_ address: String) throws {
      guard let parts = URLComponents(string: address), parts.scheme == "tcp",
        let host = parts.host, let port = parts.port
      else { throw Failure(description: "expected tcp://host:port/token, found \(address)") }
      var hints = addrinfo()
      hints.ai_socktype = Self.stream
      var found: UnsafeMutablePointer<addrinfo>?
      let name = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
      guard getaddrinfo(name, "\(port)", &hints, &found) == 0 else {
        throw Failure(description: "there is no host \(host)")
      }
      defer { freeaddrinfo(found) }
      var connected: Int32 = -1
      var next = found
      while let one = next?.pointee, connected < 0 {
        let descriptor = Self.open(one.ai_family)
        if Self.join(descriptor, one.ai_addr, one.ai_addrlen) == 0 {
          connected = descriptor
        } else {
          close(descriptor)
        }
        next = one.ai_next
      }
      guard connected >= 0 else {
        throw Failure(description: "cannot connect to \(host):\(port)")
      }
      socket = connected
      var isOn: Int32 = 1
      let size = socklen_t(MemoryLayout<Int32>.size)
      setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, size)
      #if canImport(Darwin)
        setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &isOn, size)
      #endif
      let token = parts.path.drop { $0 == "/" }
      if !token.isEmpty { try send(["token": String(token)]) }
    }

    func end() { close(socket) }

    func send(_ message: some Encodable) throws {
      var line = [UInt8](try JSONEncoder().encode(message))
      line.append(UInt8(ascii: "\n"))
      var sent = 0
      while sent < line.count {
        let count = line[sent...].withUnsafeBytes { Self.write(socket, $0) }
        guard count > 0 else { throw Failure(description: "the connection was closed") }
        sent += count
      }
    }

    /// The next line without its end; nil where there is none.
    func line() throws -> Data? {
      var searched = 0
      while true {
        if let end = buffer.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) {
          defer { buffer = Data(buffer[(end + 1)...]) }
          return Data(buffer[..<end])
        }
        searched = buffer.count
        guard fill() else { return nil }
      }
    }

    func bytes(_ count: Int) throws -> Data {
      while buffer.count < count {
        guard fill() else { throw Failure(description: "the connection was closed in a frame") }
      }
      defer { buffer = Data(buffer.dropFirst(count)) }
      return Data(buffer.prefix(count))
    }

    private func fill() -> Bool {
      var part = [UInt8](repeating: 0, count: 1 << 18)
      let count = recv(socket, &part, part.count, 0)
      guard count > 0 else { return false }
      buffer.append(contentsOf: part.prefix(count))
      return true
    }

    #if canImport(Darwin)
      private static let stream = SOCK_STREAM
      private static func open(_ family: Int32) -> Int32 { Darwin.socket(family, stream, 0) }
      private static func join(
        _ socket: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t
      ) -> Int32 { connect(socket, address, size) }
      private static func write(_ socket: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        Darwin.send(socket, bytes.baseAddress, bytes.count, 0)
      }
    #else
      private static let stream = Int32(SOCK_STREAM.rawValue)
      private static func open(_ family: Int32) -> Int32 { Glibc.socket(family, stream, 0) }
      private static func join(
        _ socket: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t
      ) -> Int32 { connect(socket, address, size) }
      private static func write(_ socket: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      }
    #endif
  }
}
