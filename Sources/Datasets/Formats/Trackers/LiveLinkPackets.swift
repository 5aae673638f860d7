internal import CZlib
package import Foundation
package import Platform

/// Recorded Live Link UDP packets in a gzip file, `.gesichter`: 61 channels per packet, no images.
package struct LiveLinkPackets: DatasetFormat {
  package let name = "livelink-packets"
  package let summary = "recorded Live Link UDP packets (.gesichter): as livelink; no images"
  package let usesImageFolder = false
  /// While the face is lost the last values are repeated.
  package let marksLosses = false

  package init() {}

  /// A file with that extension and the first bytes of gzip.
  package func recognises(_ source: URL) -> String? {
    guard source.pathExtension.lowercased() == "gesichter",
      InputFile.head(of: source, Gzip.signature.count) == Gzip.signature
    else { return nil }
    return "a .gesichter file that begins as gzip"
  }

  /// Reads each file as one video without images.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var remarks: [ImportRemark] = [.assumed("frames have labels and no images")]
    let titles = SourceFiles.Titles(sources)
    for source in sources {
      let name = source.relativePath
      var reader = PacketReader(
        try Gzip.contents(of: SourceFiles.bytes(of: source, limit: 64 << 20), name: name),
        name: name)
      var take = LiveLinkTake(title: titles[source])
      take.samples = try reader.samples()
      let devices = reader.devices.sorted().map { "'\($0)'" }.joined(separator: ", ")
      remarks.assume("\(take.title): recorded by \(devices), which is not kept")
      remarks.assume(
        reader.wholeFractions,
        "fractions of a frame are 1 or more, and are added unchanged", about: take.title)
      remarks.assume("\(take.title): the time passes midnight", if: reader.days > 0)
      remarks += try take.send(to: sink)
    }
    return remarks
  }
}

/// Reads the packets of a recording; every length is checked against the bytes that are left.
private struct PacketReader {
  private let bytes: [UInt8]
  private let name: String
  private var position = 0
  /// Number of packets whose fraction of a frame is 1 or more.
  private(set) var wholeFractions = 0
  /// The version of recordings and of their packets.
  private static let version: UInt8 = 6
  /// How often the time of day fell by more than half a day.
  private(set) var days = 0
  /// Microseconds of a day.
  private static let day = 86_400e6
  /// Names of the first few devices, cut to at most 60 printable characters.
  private(set) var devices: Set<String> = []

  init(_ bytes: [UInt8], name: String) {
    self.bytes = bytes
    self.name = name
  }

  mutating func samples() throws(FileError) -> [LiveLinkTake.Sample] {
    guard let version = try? byte(), version == Self.version else {
      throw wrong("version \(Self.version)", found: bytes.first.map { "\($0)" } ?? "no bytes")
    }
    let count = try integer()
    var samples: [LiveLinkTake.Sample] = []
    var last = -Double.infinity
    while position < bytes.count, samples.count < count {
      let length = try integer()
      guard length <= bytes.count - position else {
        throw wrong("a packet of \(length) bytes", found: "\(bytes.count - position)")
      }
      let end = position + length
      var sample = try sample()
      if sample.microseconds < last - Self.day / 2 { days += 1 }
      last = sample.microseconds
      sample.microseconds += Double(days) * Self.day
      samples.append(sample)
      guard position == end else {
        throw wrong("a packet that ends at byte \(end)", found: "its end at \(position)")
      }
    }
    guard samples.count == count, position == bytes.count else {
      throw wrong(
        "\(count) packets", found: "\(samples.count) and \(bytes.count - position) more bytes")
    }
    return samples
  }

  private mutating func sample() throws(FileError) -> LiveLinkTake.Sample {
    let version = try byte()
    guard version == Self.version else {
      throw wrong("a packet of version \(Self.version)", found: "\(version)")
    }
    _ = try text()
    let device = String(decoding: try text(), as: UTF8.self)
      .filter { $0.isLetter || $0.isNumber || $0.isPunctuation || $0 == " " }.prefix(60)
    if devices.count < 8 { devices.insert(String(device)) }
    let frame = try integer()
    let fraction = try float()
    let (numerator, denominator) = (try integer(), try integer())
    guard fraction >= 0, fraction < 1000, numerator > 0, denominator > 0,
      numerator <= 1000 * denominator
    else {
      throw wrong(
        "a fraction of a frame of 0 to 1000 at 0 to 1000 frames per second",
        found: "\(Double(fraction).plainText) at \(numerator)/\(denominator)")
    }
    if fraction >= 1 { wholeFractions += 1 }
    let count = Int(try byte())
    guard count == 0 || count == LiveLinkTake.channels.count else {
      throw wrong("0 or \(LiveLinkTake.channels.count) channels", found: "\(count)")
    }
    var values: [Double] = []
    for _ in 0..<count { values.append(Double(try float())) }
    let seconds = (Double(frame) + Double(fraction)) * Double(denominator) / Double(numerator)
    return LiveLinkTake.Sample(
      name: "\(frame)", microseconds: seconds * 1_000_000, values: count == 0 ? nil : values)
  }

  private mutating func text() throws(FileError) -> ArraySlice<UInt8> {
    let count = try integer()
    guard count <= bytes.count - position else {
      throw wrong("\(count) bytes of text", found: "\(bytes.count - position)")
    }
    position += count
    return bytes[(position - count)..<position]
  }

  private mutating func byte() throws(FileError) -> UInt8 {
    guard position < bytes.count else { throw wrong("another byte", found: "the end") }
    position += 1
    return bytes[position - 1]
  }

  private mutating func integer() throws(FileError) -> Int {
    var value = 0
    for _ in 0..<4 { value = value << 8 | Int(try byte()) }
    return value
  }

  private mutating func float() throws(FileError) -> Float {
    let start = position
    let value = Float(bitPattern: UInt32(truncatingIfNeeded: try integer()))
    guard value.isFinite else {
      position = start
      throw wrong("a finite number", found: "\(value)")
    }
    return value
  }

  private func wrong(_ expected: String, found: String) -> FileError {
    FileError.wrongData(
      "cannot read \(name), byte \(position): expected \(expected), found \(found)")
  }
}

/// Decompresses gzip.
private enum Gzip {
  /// RFC 1952, 2.3.1: ID1 and ID2.
  static let signature: [UInt8] = [0x1F, 0x8B]
  /// Maximum size of a file after decompression, in bytes.
  private static let limit = 128 << 20

  static func contents(of packed: [UInt8], name: String) throws(FileError) -> [UInt8] {
    func wrong(_ found: String) -> FileError {
      FileError.wrongData(
        "cannot read \(name): expected gzip of at most \(limit) bytes, found \(found)")
    }
    var stream = z_stream()
    guard
      inflateInit2_(
        &stream, 16 + MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { throw wrong("no memory to unpack it") }
    defer { inflateEnd(&stream) }
    var input = packed
    var output: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    var status = Z_OK
    // Safety: the stream's pointers are to `input` and `part`, which outlive every call to inflate.
    input.withUnsafeMutableBufferPointer { source in
      stream.next_in = source.baseAddress
      stream.avail_in = UInt32(source.count)
      part.withUnsafeMutableBufferPointer { target in
        while status == Z_OK, output.count <= limit {
          stream.next_out = target.baseAddress
          stream.avail_out = UInt32(target.count)
          status = inflate(&stream, Z_NO_FLUSH)
          output.append(contentsOf: target.prefix(target.count - Int(stream.avail_out)))
        }
      }
    }
    guard output.count <= limit else { throw wrong("more") }
    guard status == Z_STREAM_END else {
      throw wrong(status == Z_BUF_ERROR ? "a cut stream" : "a broken stream")
    }
    guard stream.avail_in == 0 else { throw wrong("\(stream.avail_in) bytes after its end") }
    return output
  }
}
