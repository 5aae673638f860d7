internal import CImaging
internal import CTurboJPEG
internal import FaceCore

extension PixelBuffer {
  /// Decodes a JPEG or PNG into a new buffer. Throws as `decode(_:minSide:)` does.
  package init(decoding bytes: ArraySlice<UInt8>, minSide: Int? = nil) throws(ImageError) {
    self.init()
    try decode(bytes, minSide: minSide)
  }

  /// Replaces the image by a decoded JPEG or PNG, reusing the storage of its pixels.
  ///
  /// JPEG pixels are libjpeg-turbo's accurate integer DCT with smooth chroma upsampling, equal to Pillow's;
  /// Exif orientation is not applied; CMYK is read as Adobe writes it, inverted. PNG keeps the high byte
  /// of 16 bits, ignores gamma and profiles, and drops alpha without blending.
  ///
  /// With `minSide` a JPEG is decoded at 1/2, 1/4 or 1/8, the smallest at which its longer side has that many pixels, where
  /// there is one. A pixel is then the average of `reduction` by `reduction` pixels, by a shorter inverse DCT; the last
  /// row and column may reach beyond the original.
  /// Throws for unknown, broken or truncated data, and for images that take too much memory; the pixels are then arbitrary.
  package mutating func decode(
    _ bytes: ArraySlice<UInt8>, minSide: Int? = nil
  ) throws(ImageError) {
    let header = try ImageHeader(of: bytes)
    switch header.format {
    case .jpeg:
      let reduction = header.reduction(keeping: minSide)
      try header.requireMemory(ofBytes: bytes.count, reducedBy: reduction)
      try Self.checkScans(of: bytes, pixels: header.size.width * header.size.height)
      resize(to: header.size, reducedBy: reduction)
      if header.channels == 4 {
        try decodeCMYK(bytes, header)
      } else {
        let size = size
        try withMutableBytes {
          Self.decompress(bytes, header, to: size, format: TJPF_RGB, into: $0)
        }.get()
      }
    case .png:
      try decodePNG(bytes, header)
    }
  }

  /// Maximum pixels that all scans of one JPEG may cover together, if there are more than `scansOfAnySize`.
  private static let maximumScannedPixels = 1 << 30
  private static let scansOfAnySize = 32

  private static func checkScans(
    of bytes: ArraySlice<UInt8>, pixels: Int
  ) throws(ImageError) {
    guard try JPEGScan(of: bytes).isBuffered else { return }
    let scans = JPEGScan.scanCount(of: bytes)
    let limit = max(scansOfAnySize, maximumScannedPixels / pixels)
    guard scans <= limit else {
      throw ImageError("decode", "JPEG", expected: "at most \(limit) scans", found: "\(scans)")
    }
  }

  private mutating func decodeCMYK(
    _ bytes: ArraySlice<UInt8>, _ header: ImageHeader
  ) throws(ImageError) {
    let size = size
    let pixels = size.width * size.height
    var cmyk = [UInt8](repeating: 0, count: pixels * 4)
    try cmyk.withUnsafeMutableBufferPointer {
      Self.decompress(bytes, header, to: size, format: TJPF_CMYK, into: $0)
    }.get()
    withMutableBytes { rgb in
      for pixel in 0..<pixels {
        let light = Int(cmyk[4 * pixel + 3])
        for channel in 0..<3 {
          let product = (255 - Int(cmyk[4 * pixel + channel])) * light + 128
          rgb[3 * pixel + channel] = UInt8(clamping: light - (product >> 8 + product) >> 8)
        }
      }
    }
  }

  /// Decompresses to a size, which stands for the scale, if the codec reads the same header as our own parser.
  ///
  /// Each image gets its own codec: a reused one would decode a file without tables with those of the last
  /// image, and stays unusable after an error in a header.
  private static func decompress(
    _ bytes: ArraySlice<UInt8>, _ header: ImageHeader, to size: ImageSize, format: TJPF,
    into: UnsafeMutableBufferPointer<UInt8>
  ) -> Result<Void, ImageError> {
    guard let turbo = tjInitDecompress() else {
      return .failure(
        ImageError("decode", "JPEG", expected: "memory for a codec", found: "none"))
    }
    defer { tjDestroy(turbo) }
    var (width, height, sampling, space) = (Int32(0), Int32(0), Int32(0), Int32(0))
    // Safety: TurboJPEG reads `from.count` bytes and writes at most `size.height` rows, which are the bytes of `into`: it
    // takes the largest scale that fits into the size, and the comparison with the header makes that the size itself.
    let status = bytes.withUnsafeBufferPointer { from in
      guard
        tjDecompressHeader3(
          turbo, from.baseAddress, UInt(from.count), &width, &height, &sampling, &space) == 0
          || tjGetErrorCode(turbo) == Int32(TJERR_WARNING.rawValue),
        Int(width) == header.size.width, Int(height) == header.size.height
      else { return Int32(-1) }
      return tjDecompress2(
        turbo, from.baseAddress, UInt(from.count), into.baseAddress, Int32(size.width),
        Int32(into.count / size.height), Int32(size.height), format.rawValue,
        TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS)
    }
    let message = String(cString: tjGetErrorStr2(turbo))
    guard status == 0 || isHarmless(message) else {
      return .failure(
        ImageError("decode", "JPEG", expected: "whole image data", found: "'\(message)'"))
    }
    return .success(())
  }

  /// Padding before the end marker follows the last coded block, so all pixels were decoded.
  private static func isHarmless(_ warning: String) -> Bool {
    warning.hasPrefix("Corrupt JPEG data: ")
      && warning.hasSuffix(" extraneous bytes before marker 0xd9")
  }

  private mutating func decodePNG(
    _ bytes: ArraySlice<UInt8>, _ header: ImageHeader
  ) throws(ImageError) {
    resize(width: header.size.width, height: header.size.height)
    let message = withMutableBytes { to in
      // Safety: the reader writes `width * height * 3` bytes, the size of `to`, and reads `from.count`.
      bytes.withUnsafeBufferPointer { from in
        CMessage.reporting { message in
          fg_png_read(
            from.baseAddress, from.count, UInt32(header.size.width), UInt32(header.size.height),
            to.baseAddress, message)
        }
      }
    }
    if let message {
      throw ImageError("decode", "PNG", expected: "whole image data", found: "'\(message)'")
    }
  }
}
