import CZlib
import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// One Live Link packet as bytes, which a test may spoil.
struct LiveLinkPacket {
  var version: UInt8 = 6
  var frame: UInt32 = 120
  var fraction: Float = 0.5
  var rate: UInt32 = 60
  var denominator: UInt32 = 1
  var count: UInt8 = 61
  var values = (0..<61).map { Float($0) / 64 }
  var tail: [UInt8] = []

  static func big(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(value >> (24 - 8 * $0) & 0xFF) }
  }

  var bytes: [UInt8] {
    let texts = ["device", "näme"].flatMap { Self.big(UInt32($0.utf8.count)) + Array($0.utf8) }
    let head = [
      Self.big(frame), Self.big(fraction.bitPattern), Self.big(rate), Self.big(denominator),
    ]
    let floats = values.flatMap { Self.big($0.bitPattern) }
    return [[version], texts, head.flatMap { $0 }, [count], floats, tail].flatMap { $0 }
  }

  /// A recording of packets before it is compressed.
  static func recording(_ packets: [LiveLinkPacket]) -> [UInt8] {
    let parts: [[UInt8]] = packets.map { big(UInt32($0.bytes.count)) + $0.bytes }
    return [6] + big(UInt32(packets.count)) + parts.flatMap { $0 }
  }
}

@Suite struct LiveLinkPacketTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
    var stream = z_stream()
    try #require(
      deflateInit2_(
        &stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size)) == Z_OK)
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](
      repeating: 0, count: bytes.count < 1 << 20 ? bytes.count + 1000 : bytes.count / 100)
    input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(target.count)
        _ = deflate(&stream, Z_FINISH)
      }
    }
    return Array(output.prefix(Int(stream.total_out)))
  }

  private func read(_ packed: [UInt8]) throws -> (frames: [ImportedFrame], remarks: [String]) {
    try readAll(LiveLinkPackets(), [folder.write(packed, to: "take.gesichter")])
  }

  @Test func `packets become frames with times of their own rate`() throws {
    var next = LiveLinkPacket()
    next.frame = 121
    // A public recording drifts up to 2.404.
    next.fraction = 1.25
    next.values[3] = -0.25
    var faceless = LiveLinkPacket()
    (faceless.frame, faceless.count, faceless.values) = (122, 0, [])
    let read = try read(
      Self.gzip(LiveLinkPacket.recording([LiveLinkPacket(), next, faceless])))
    #expect(read.frames.map(\.timestampMicroseconds) == [0, 29_167, 33_333])
    #expect(read.frames.map(\.name) == ["take/120", "take/121", "take/122"])
    #expect(read.frames.map(\.faces.count) == [1, 1, 0])
    let face = try #require(read.frames[1].faces.first)
    let coefficients = try #require(face.blendshapes)
    #expect(coefficients[Blendshape.eyeLookOutLeft.index] == -0.25)
    #expect(coefficients[Blendshape.jawOpen.index] == 17.0 / 64)
    #expect(face.attributes["headYaw"] == 52.0 / 64)
    #expect(read.remarks.contains("take: recorded by 'näme', which is not kept"))
    #expect(read.remarks.contains("take: 1 frames without a face"))
    #expect(
      read.remarks.contains(
        "take: 1 fractions of a frame are 1 or more, and are added unchanged"))
    #expect(
      read.remarks.contains("take: coefficients outside 0 to 1 are kept: 1 below 0, 0 above 1"))
  }

  @Test func `a recording goes on after midnight`() throws {
    let packets = [86_399 * 60 + 30, 86_399 * 60 + 59, 0, 30].map { frame in
      var packet = LiveLinkPacket()
      packet.frame = UInt32(frame)
      return packet
    }
    let read = try read(Self.gzip(LiveLinkPacket.recording(packets)))
    #expect(read.frames.map(\.timestampMicroseconds) == [0, 483_333, 500_000, 1_000_000])
    #expect(read.remarks.contains("take: the time passes midnight"))
  }

  static let failures: [(name: String, bytes: @Sendable () throws -> [UInt8], message: String)] = [
    ("nothing", { [] }, ": expected gzip of at most 134217728 bytes, found a cut stream"),
    (
      "text", { Array("plain".utf8) },
      ": expected gzip of at most 134217728 bytes, found a broken stream"
    ),
    (
      "half", { Array(try gzip(LiveLinkPacket.recording([LiveLinkPacket()])).dropLast(20)) },
      ": expected gzip of at most 134217728 bytes, found a cut stream"
    ),
    (
      "more after the end", { try gzip(LiveLinkPacket.recording([])) + [1, 2] },
      ": expected gzip of at most 134217728 bytes, found 2 bytes after its end"
    ),
    (
      "a time beyond what files hold",
      {
        try gzip(
          LiveLinkPacket.recording([
            LiveLinkPacket(frame: 0, rate: 1),
            LiveLinkPacket(frame: .max, rate: 1, denominator: .max),
          ]))
      }, "TIME"
    ),
    ("an empty recording", { try gzip([]) }, ", byte 0: expected version 6, found no bytes"),
    ("another version", { try gzip([5, 0, 0, 0, 0]) }, ", byte 1: expected version 6, found 5"),
    ("no count", { try gzip([6, 0, 0]) }, ", byte 3: expected another byte, found the end"),
    (
      "a packet too few",
      { try gzip([6, 0, 0, 0, 2] + LiveLinkPacket.recording([LiveLinkPacket()]).dropFirst(5)) },
      ", byte 290: expected 2 packets, found 1 and 0 more bytes"
    ),
    (
      "a packet too many",
      { try gzip([6, 0, 0, 0, 0] + LiveLinkPacket.recording([LiveLinkPacket()]).dropFirst(5)) },
      ", byte 5: expected 0 packets, found 0 and 285 more bytes"
    ),
    (
      "a packet beyond the end", { try gzip([6, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF, 6]) },
      ", byte 9: expected a packet of 4294967295 bytes, found 1"
    ),
    (
      "a name beyond the end",
      { try gzip([6, 0, 0, 0, 1, 0, 0, 0, 5, 6, 0xFF, 0xFF, 0xFF, 0xFF]) },
      ", byte 14: expected 4294967295 bytes of text, found 0"
    ),
    (
      "a packet of version 4", { try packet { $0.version = 4 } },
      ", byte 10: expected a packet of version 6, found 4"
    ),
    (
      "60 channels", { try packet { $0.count = 60 } },
      ", byte 46: expected 0 or 61 channels, found 60"
    ),
    (
      "NaN", { try packet { $0.values[0] = .nan } },
      ", byte 46: expected a finite number, found nan"
    ),
    (
      "no rate", { try packet { $0.rate = 0 } },
      ", byte 45: expected a fraction of a frame of 0 to 1000 at 0 to 1000 frames per second, found 0.5 at 0/1"
    ),
    (
      "a frame before its own", { try packet { $0.fraction = -1 } },
      ", byte 45: expected a fraction of a frame of 0 to 1000 at 0 to 1000 frames per second, found -1 at 60/1"
    ),
    (
      "more in the packet", { try packet { $0.tail = [1] } },
      ", byte 290: expected a packet that ends at byte 291, found its end at 290"
    ),
  ]

  private static func packet(_ spoil: (inout LiveLinkPacket) -> Void) throws -> [UInt8] {
    var packet = LiveLinkPacket()
    spoil(&packet)
    return try gzip(LiveLinkPacket.recording([packet]))
  }

  @Test(arguments: failures.indices)
  func `a broken recording is one line that names the byte`(index: Int) throws {
    let (name, bytes, message) = Self.failures[index]
    let error = #expect(throws: FileError.self, "\(name)") { try read(bytes()) }
    let expected =
      message == "TIME"
      ? "cannot read take, frame 4294967295: expected microseconds within 4503599627370496 of the "
        + "first, found 1.84467440672671e+25"
      : "cannot read take.gesichter\(message)"
    #expect(error?.line(from: folder) == expected, "\(name)")
    #expect(error?.kind == .wrongData)
  }

  @Test func `a recording that unpacks to more than 128 MiB is refused`() throws {
    let bomb = try Self.gzip([UInt8](repeating: 0, count: 129 << 20))
    let error = #expect(throws: FileError.self) { try read(bomb) }
    #expect(
      error?.description.hasSuffix("expected gzip of at most 134217728 bytes, found more") == true)
  }
}
