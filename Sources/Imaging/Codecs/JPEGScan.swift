/// Reads a JPEG's markers: the frame header, the Exif orientation, the number of scans.
struct JPEGScan {
  private(set) var header: ImageHeader
  private(set) var isProgressive: Bool

  /// The start-of-frame codes by kind; the rest of 0xC0...0xCF are tables or hierarchical.
  private static let progressive: Set<Int> = [0xC2, 0xCA]
  private static let arithmetic: Set<Int> = [0xC9, 0xCA]
  private static let frames: Set<Int> = [0xC0, 0xC1, 0xC2, 0xC9, 0xCA]

  /// Throws if no frame header that can be decoded comes before the first scan.
  init(of bytes: Span<UInt8>) throws(ImageError) {
    var orientation = 1
    var at = 2
    while let (code, segment) = Self.marker(in: bytes, from: at) {
      if code == 0xE1, let stored = Self.exifOrientation(in: bytes, from: segment.lowerBound) {
        orientation = stored
      } else if Self.frames.contains(code) {
        guard let precision = bytes.integer(at: segment.lowerBound, byteCount: 1),
          let height = bytes.integer(at: segment.lowerBound + 1, byteCount: 2),
          let width = bytes.integer(at: segment.lowerBound + 3, byteCount: 2),
          let channels = bytes.integer(at: segment.lowerBound + 5, byteCount: 1)
        else { break }
        guard precision == 8, [1, 3, 4].contains(channels) else {
          throw ImageError(
            "decode", "JPEG", expected: "8 bits and 1, 3 or 4 channels",
            found: "\(precision) bits and \(channels) channels")
        }
        // Huffman coding needs at least one bit per block of 64 pixels; arithmetic coding has no minimum.
        let floor = Self.arithmetic.contains(code) ? 0 : width * height / 512
        header = try ImageHeader(
          format: .jpeg, width: width, height: height, channels: channels,
          orientation: Self.orientation(in: bytes, from: segment.upperBound) ?? orientation,
          byteCount: bytes.count, minimumByteCount: floor)
        isProgressive = Self.progressive.contains(code)
        return
      } else if (0xC0...0xCF).contains(code), ![0xC4, 0xC8, 0xCC].contains(code) {
        throw ImageError(
          "decode", "JPEG", expected: "a baseline, extended or progressive frame",
          found: "frame type 0x\(UInt8(truncatingIfNeeded: code).hexadecimal)")
      } else if code == 0xDA || code == 0xD9 {
        break
      }
      at = segment.upperBound
    }
    throw ImageError("decode", "JPEG", expected: "a frame header", found: "none")
  }

  /// The scans in the file, counted by walking over the coded data between markers.
  static func scanCount(of bytes: Span<UInt8>) -> Int {
    var (scans, at) = (0, 2)
    while let (code, segment) = marker(in: bytes, from: at) {
      if code == 0xD9 { break }
      at = segment.upperBound
      guard code == 0xDA else { continue }
      scans += 1
      while at + 1 < bytes.count,
        bytes[at] != 0xFF || bytes[at + 1] == 0 || (0xD0...0xD7).contains(bytes[at + 1])
      {
        at += 1
      }
    }
    return scans
  }

  /// The next marker at or after an offset: its code and the range of its contents.
  private static func marker(in bytes: Span<UInt8>, from start: Int) -> (Int, Range<Int>)? {
    var at = start
    while at + 1 < bytes.count,
      bytes[at] != 0xFF || bytes[at + 1] == 0xFF || bytes[at + 1] == 0
    {
      at += 1
    }
    guard let code = bytes.integer(at: at + 1, byteCount: 1) else { return nil }
    if code == 0x01 || (0xD0...0xD9).contains(code) { return (code, at + 2..<at + 2) }
    guard let length = bytes.integer(at: at + 2, byteCount: 2), length >= 2 else { return nil }
    return (code, at + 4..<at + 2 + length)
  }

  /// An Exif segment may follow the frame header too; only markers before the first scan count.
  private static func orientation(in bytes: Span<UInt8>, from start: Int) -> Int? {
    var at = start
    while let (code, segment) = marker(in: bytes, from: at), code != 0xDA, code != 0xD9 {
      if code == 0xE1, let stored = exifOrientation(in: bytes, from: segment.lowerBound) {
        return stored
      }
      at = segment.upperBound
    }
    return nil
  }

  /// Tag 0x0112 of the first directory of the TIFF structure inside an Exif segment.
  private static func exifOrientation(in bytes: Span<UInt8>, from start: Int) -> Int? {
    guard bytes.starts(with: Array("Exif\0\0".utf8), at: start) else { return nil }
    let tiff = start + 6
    let little = bytes.starts(with: Array("II".utf8), at: tiff)
    guard little || bytes.starts(with: Array("MM".utf8), at: tiff) else { return nil }
    func number(_ at: Int, _ byteCount: Int) -> Int? {
      bytes.integer(at: at, byteCount: byteCount, littleEndian: little)
    }
    guard let directory = number(tiff + 4, 4), let entries = number(tiff + directory, 2)
    else { return nil }
    for entry in 0..<entries {
      let at = tiff + directory + 2 + 12 * entry
      guard let tag = number(at, 2) else { return nil }
      guard tag == 0x0112 else { continue }
      guard number(at + 2, 2) == 3, let value = number(at + 8, 2), (1...8).contains(value)
      else { return nil }
      return value
    }
    return nil
  }
}
