/// Reads a JPEG's markers: the frame header, the Exif orientation, the number of scans.
struct JPEGScan {
  private(set) var header: ImageHeader
  /// Whether the codec keeps the coefficients of several scans before it makes pixels of them.
  var isBuffered: Bool { header.coefficientBytes > 0 }

  private typealias Marker = JPEGFormat.Marker

  /// The start-of-frame codes by kind; the rest of their range are tables or hierarchical.
  private static let progressive: Set<UInt8> = [Marker.progressive, Marker.arithmeticProgressive]
  private static let arithmetic: Set<UInt8> = [Marker.arithmetic, Marker.arithmeticProgressive]
  private static let frames: Set<UInt8> = progressive.union(arithmetic).union([
    Marker.baseline, Marker.extended,
  ])
  private static let tables: Set<UInt8> = [
    Marker.huffmanTables, Marker.extensions, Marker.arithmeticConditioning,
  ]
  /// The codes before which a frame header must have come.
  private static let ends: Set<UInt8> = [Marker.startOfScan, Marker.endOfImage]

  /// Throws if no frame header that can be decoded comes before the first scan.
  init(of bytes: ArraySlice<UInt8>) throws(ImageError) {
    // Of several Exif segments the first counts, wherever the frame header is.
    var orientation: Int?
    var at = 2
    while let (code, segment) = Self.marker(in: bytes, from: at) {
      if code == Marker.application1,
        let stored = Self.exifOrientation(in: bytes, from: segment.lowerBound)
      {
        orientation = orientation ?? stored.value
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
        let isBuffered =
          Self.progressive.contains(code)
          || Self.firstScanChannels(in: bytes, from: segment.upperBound) ?? channels < channels
        header = try ImageHeader(
          format: .jpeg, width: width, height: height, channels: channels,
          orientation: orientation ?? Self.orientation(in: bytes, from: segment.upperBound) ?? 1,
          byteCount: bytes.count, minimumByteCount: floor,
          coefficientBytes: isBuffered
            ? Self.coefficientBytes(
              in: bytes, channels: channels, from: segment.lowerBound + 6, width, height) : 0)
        return
      } else if (Marker.firstFrame...Marker.lastFrame).contains(code), !Self.tables.contains(code) {
        throw ImageError(
          "decode", "JPEG", expected: "a baseline, extended or progressive frame",
          found: "frame type 0x\(code.hexadecimal)")
      } else if Self.ends.contains(code) {
        break
      }
      at = segment.upperBound
    }
    throw ImageError("decode", "JPEG", expected: "a frame header", found: "none")
  }

  /// Channels of the first scan after an offset; fewer than all mean that others follow.
  private static func firstScanChannels(in bytes: ArraySlice<UInt8>, from start: Int) -> Int? {
    var at = start
    while let (code, segment) = marker(in: bytes, from: at), code != Marker.endOfImage {
      if code == Marker.startOfScan {
        return bytes.integer(at: segment.lowerBound, byteCount: 1)
      }
      at = segment.upperBound
    }
    return nil
  }

  /// Bytes of the coefficients of all channels, whose sampling factors are at an offset: two for each sample.
  private static func coefficientBytes(
    in bytes: ArraySlice<UInt8>, channels: Int, from start: Int, _ width: Int, _ height: Int
  ) -> Int {
    let factors = (0..<channels).map { channel in
      let both = bytes.integer(at: start + 3 * channel + 1, byteCount: 1) ?? 0
      return (across: max(both >> 4, 1), down: max(both & 15, 1))
    }
    let across = factors.map(\.across).max() ?? 1
    let down = factors.map(\.down).max() ?? 1
    return factors.reduce(0) { sum, factor in
      // Rows and columns of whole blocks of 8 by 8.
      let columns = (width * factor.across + 8 * across - 1) / (8 * across)
      let rows = (height * factor.down + 8 * down - 1) / (8 * down)
      return sum + 128 * columns * rows
    }
  }

  /// The scans in the file, counted by walking over the coded data between markers.
  static func scanCount(of bytes: ArraySlice<UInt8>) -> Int {
    var (scans, at) = (0, 2)
    while let (code, segment) = marker(in: bytes, from: at) {
      if code == Marker.endOfImage { break }
      at = segment.upperBound
      guard code == Marker.startOfScan else { continue }
      scans += 1
      while at + 1 < bytes.count,
        bytes.byte(at) != JPEGFormat.markerStart || bytes.byte(at + 1) == JPEGFormat.stuffing
          || (Marker.firstRestart...Marker.lastRestart).contains(bytes.byte(at + 1))
      {
        at += 1
      }
    }
    return scans
  }

  /// The next marker at or after an offset: its code and the range of its contents.
  private static func marker(in bytes: ArraySlice<UInt8>, from start: Int) -> (UInt8, Range<Int>)? {
    var at = start
    while at + 1 < bytes.count,
      bytes.byte(at) != JPEGFormat.markerStart || bytes.byte(at + 1) == JPEGFormat.markerStart
        || bytes.byte(at + 1) == JPEGFormat.stuffing
    {
      at += 1
    }
    guard at + 1 < bytes.count else { return nil }
    let code = bytes.byte(at + 1)
    if code == Marker.temporary || (Marker.firstRestart...Marker.endOfImage).contains(code) {
      return (code, at + 2..<at + 2)
    }
    guard let length = bytes.integer(at: at + 2, byteCount: 2), length >= 2 else { return nil }
    return (code, at + 4..<at + 2 + length)
  }

  /// An Exif segment may follow the frame header too; only markers before the first scan count.
  private static func orientation(in bytes: ArraySlice<UInt8>, from start: Int) -> Int? {
    var at = start
    while let (code, segment) = marker(in: bytes, from: at), !ends.contains(code) {
      if code == Marker.application1,
        let stored = exifOrientation(in: bytes, from: segment.lowerBound)
      {
        return stored.value
      }
      at = segment.upperBound
    }
    return nil
  }

  /// The same file with the orientation 1 in each Exif segment before the first scan.
  static func upright(_ bytes: [UInt8]) -> [UInt8] {
    var upright = bytes
    var at = 2
    while let (code, segment) = marker(in: bytes[...], from: at), !ends.contains(code) {
      if code == Marker.application1,
        let stored = exifOrientation(in: bytes[...], from: segment.lowerBound)
      {
        upright[stored.place] = stored.isLittleEndian ? 1 : 0
        upright[stored.place + 1] = stored.isLittleEndian ? 0 : 1
      }
      at = segment.upperBound
    }
    return upright
  }

  /// The orientation in the first directory of the TIFF structure inside an Exif segment, and where its two bytes are.
  private static func exifOrientation(
    in bytes: ArraySlice<UInt8>, from start: Int
  ) -> (value: Int, place: Int, isLittleEndian: Bool)? {
    typealias Exif = JPEGFormat.Exif
    func has(_ text: String, at position: Int) -> Bool {
      bytes.starts(with: Array(text.utf8), at: position)
    }
    guard has(Exif.identifier, at: start) else { return nil }
    let tiff = start + Exif.identifier.utf8.count
    let little = has(Exif.littleEndian, at: tiff)
    guard little || has(Exif.bigEndian, at: tiff) else { return nil }
    func number(_ at: Int, _ byteCount: Int) -> Int? {
      bytes.integer(at: at, byteCount: byteCount, littleEndian: little)
    }
    guard let directory = number(tiff + Exif.directoryOffset, 4),
      let entries = number(tiff + directory, 2)
    else { return nil }
    for entry in 0..<entries {
      let at = tiff + directory + 2 + Exif.entryBytes * entry
      guard let tag = number(at, 2) else { return nil }
      guard tag == Exif.orientationTag else { continue }
      guard number(at + Exif.entryType, 2) == Exif.shortType,
        let value = number(at + Exif.entryValue, 2), Exif.orientations.contains(value)
      else { return nil }
      return (value, at + Exif.entryValue, little)
    }
    return nil
  }
}
