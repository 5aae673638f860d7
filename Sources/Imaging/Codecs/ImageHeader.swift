package import FaceCore

/// The contents of an image's header, read without decoding pixels.
package struct ImageHeader: Sendable, Hashable {
  /// The file format.
  package var format: ImageFormat
  /// The size of the stored pixels, before any rotation.
  package var size: ImageSize
  /// The Exif orientation of a JPEG, 1 (upright) to 8; decoding ignores it. 1 if none is stored.
  package var orientation: Int
  /// Color channels in the file; 4 in a JPEG means CMYK.
  var channels: Int
  /// Bytes of the coefficients that the codec keeps of a JPEG of several scans; 0 for others.
  var coefficientBytes: Int

  /// The longest side that is read, in pixels.
  package static let maximumSide = 65_500
  /// Maximum pixels that are read: 2^27.
  package static let maximumPixels = 1 << 27
  /// Maximum bytes of memory that decoding a file of any size may take: 2^26 pixels, of a progressive JPEG about half as many.
  static let maximumMemory = 192 << 20
  /// A larger file may take so many bytes for each of its own.
  static let memoryPerByte = 32

  /// Reads the header; throws for a size beyond the limits, too large for the byte count, or that takes too much memory even
  /// at the smallest scale.
  package init(of bytes: ArraySlice<UInt8>) throws(ImageError) {
    switch ImageFormat(of: bytes) {
    case .jpeg: self = try JPEGScan(of: bytes).header
    case .png: self = try Self.png(bytes)
    case nil:
      throw ImageError(
        "decode", "image", expected: "the first bytes of a JPEG or PNG",
        found: Self.kind(of: bytes))
    }
  }

  /// The bytes of an image that viewers do not turn: those of a JPEG with an Exif orientation of 1.
  package static func withoutRotation(_ bytes: [UInt8]) -> [UInt8] {
    ImageFormat(of: bytes[...]) == .jpeg ? JPEGScan.upright(bytes) : bytes
  }

  /// The kind of bytes that are neither JPEG nor PNG, for messages.
  private static func kind(of bytes: ArraySlice<UInt8>) -> String {
    guard !bytes.isEmpty else { return "no bytes" }
    let known: [(name: String, at: Int, start: [UInt8])] = [
      ("WebP", 8, Array("WEBP".utf8)), ("GIF", 0, Array("GIF8".utf8)),
      ("TIFF", 0, [0x49, 0x49, 0x2A, 0]), ("TIFF", 0, [0x4D, 0x4D, 0, 0x2A]),
      ("AVIF", 4, Array("ftypavif".utf8)), ("HEIC", 4, Array("ftypheic".utf8)),
      ("JPEG 2000", 4, Array("jP  ".utf8)), ("BMP", 0, Array("BM".utf8)),
    ]
    if let found = known.first(where: { bytes.starts(with: $0.start, at: $0.at) }) {
      return "those of \(found.name), which is not read"
    }
    return "0x" + (0..<min(bytes.count, 4)).map { bytes.byte($0).hexadecimal }.joined()
  }

  /// The largest of 1, 2, 4 and 8 that leaves the longer side of a JPEG `minSide` pixels when it divides it, rounded up.
  ///
  /// 1 for nil, for a longer side that is shorter, and for another format.
  func reduction(keeping minSide: Int?) -> Int {
    guard format == .jpeg, let minSide else { return 1 }
    let longer = max(size.width, size.height)
    // The codec derives the scale from the size, and from 16 pixels on no other scale gives the same one.
    return [8, 4, 2].first { (longer + $0 - 1) / $0 >= max(minSide, 16) } ?? 1
  }

  /// Bytes of memory that decoding takes: the pixels, those of a CMYK image, and the coefficients.
  func memory(reducedBy reduction: Int) -> Int {
    let width = (size.width + reduction - 1) / reduction
    let height = (size.height + reduction - 1) / reduction
    return (format == .jpeg && channels == 4 ? 7 : 3) * width * height + coefficientBytes
  }

  /// Throws if decoding takes more memory than a file of that many bytes may.
  package func requireMemory(ofBytes byteCount: Int, reducedBy reduction: Int = 1)
    throws(ImageError)
  {
    let limit = max(Self.maximumMemory, Self.memoryPerByte * byteCount)
    let needed = memory(reducedBy: reduction)
    guard needed <= limit else {
      let canBeReduced = format == .jpeg && reduction < 8 && memory(reducedBy: 8) <= limit
      throw ImageError(
        "decode", format.rawValue,
        expected: "at most \(limit) bytes of memory for \(byteCount) bytes",
        found: "\(needed) for \(size.width)x\(size.height)"
          + (canBeReduced ? " ('evaluate --min-decoded-side' decodes it smaller)" : ""))
    }
  }

  /// Reads the header and requires the mark that ends a file of the format, within its last 4 KiB.
  package init(ofWhole bytes: ArraySlice<UInt8>) throws(ImageError) {
    try self.init(of: bytes)
    let mark = format.end
    let earliest = max(0, bytes.count - 4096)
    guard
      stride(from: bytes.count - mark.count, through: earliest, by: -1)
        .contains(where: { bytes.starts(with: mark, at: $0) })
    else {
      throw ImageError(
        "read", format.rawValue, expected: "the mark that ends the file", found: "none")
    }
  }

  init(
    format: ImageFormat, width: Int, height: Int, channels: Int, orientation: Int,
    byteCount: Int, minimumByteCount: Int, coefficientBytes: Int = 0
  ) throws(ImageError) {
    guard (1...Self.maximumSide).contains(width), (1...Self.maximumSide).contains(height),
      width * height <= Self.maximumPixels
    else {
      throw ImageError(
        "decode", format.rawValue,
        expected: "sides of 1 to \(Self.maximumSide) and at most \(Self.maximumPixels) pixels",
        found: "\(width)x\(height)")
    }
    guard byteCount >= minimumByteCount else {
      throw ImageError(
        "decode", format.rawValue,
        expected: "at least \(minimumByteCount) bytes for \(width)x\(height)",
        found: "\(byteCount)")
    }
    self.format = format
    self.size = ImageSize(width: width, height: height)
    self.channels = channels
    self.orientation = orientation
    self.coefficientBytes = coefficientBytes
    try requireMemory(ofBytes: byteCount, reducedBy: format == .jpeg ? 8 : 1)
  }

  private static func png(_ bytes: ArraySlice<UInt8>) throws(ImageError) -> ImageHeader {
    let signature = PNGFormat.signature.count
    guard bytes.integer(at: signature, byteCount: 4) == PNGFormat.Header.byteCount,
      bytes.starts(with: PNGFormat.Header.type, at: signature + 4),
      let width = bytes.integer(at: signature + 8, byteCount: 4),
      let height = bytes.integer(at: signature + 12, byteCount: 4),
      let depth = bytes.integer(at: signature + 16, byteCount: 1),
      let colorType = bytes.integer(at: signature + 17, byteCount: 1)
    else {
      throw ImageError("decode", "PNG", expected: "a header chunk", found: "none")
    }
    guard let channels = PNGFormat.ColorType(rawValue: colorType)?.channels,
      depth <= PNGFormat.Header.maxBits
    else {
      throw ImageError(
        "decode", "PNG",
        expected: "a color type of 0, 2, 3, 4 or 6 and at most \(PNGFormat.Header.maxBits) bits",
        found: "type \(colorType), \(depth) bits")
    }
    // Deflate expands a byte to at most 1032. The sides are clamped to avoid an overflow of the product.
    let row = (min(width, 1 << 20) * channels * depth + 7) / 8
    return try ImageHeader(
      format: .png, width: width, height: height, channels: channels, orientation: 1,
      byteCount: bytes.count, minimumByteCount: row * min(height, 1 << 20) / 1032)
  }
}

extension UInt8 {
  var hexadecimal: String {
    let digits = String(self, radix: 16)
    return digits.count == 1 ? "0" + digits : digits
  }
}
