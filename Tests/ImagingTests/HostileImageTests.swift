import FaceCore
import Foundation
import Imaging
import Testing

@Suite struct HostileImageTests {
  static let source: PixelBuffer = {
    var image = PixelBuffer(width: 48, height: 40, color: RGB(30, 60, 200))
    image.fill(BoundingBox(x: 5, y: 6, width: 20, height: 11), with: RGB(250, 200, 0))
    image.fillCircle(centre: Point(x: 30, y: 25), radius: 9, color: RGB(0, 90, 40))
    return image.gaussianBlurred(standardDeviation: 1.3)
  }()

  /// A baseline JPEG and a PNG of our own, and the oracle's progressive, restarted, CMYK and interlaced files.
  static func files() throws -> [(name: String, bytes: [UInt8])] {
    let chosen = [
      "progressive 4:2:0", "restart markers", "CMYK", "palette, 4 bits, interlaced",
      "color and alpha, 16 bits", "orientation 6",
    ]
    let oracle = try ImageOracle.load().decodings.filter { chosen.contains($0.name) }
      .map { ($0.name, [UInt8]($0.bytes)) }
    #expect(oracle.count == chosen.count)
    return try [
      ("JPEG", source.jpegBytes(quality: 80)), ("PNG", source.pngBytes()),
    ] + oracle
  }

  @Test func `an image cut short anywhere is an error`() throws {
    for (name, bytes) in try Self.files() {
      for part in 0..<64 {
        let cut = Array(bytes.prefix(bytes.count * part / 64))
        let error = #expect(throws: ImageError.self, "\(name), \(part)/64") {
          try PixelBuffer.decoding(cut)
        }
        #expect(error?.description.contains("\n") == false)
      }
    }
  }

  @Test func `flipped bytes give an image of the announced size or an error`() throws {
    var image = PixelBuffer()
    var generator = SplitMix(seed: 4)
    var (images, errors) = (0, 0)
    for (_, bytes) in try Self.files() {
      for _ in 0..<1500 {
        var broken = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          broken[Int.random(in: 0..<broken.count, using: &generator)] ^= UInt8.random(
            in: 1...255, using: &generator)
        }
        do throws(ImageError) {
          try image.decode(broken[...])
          let size = try ImageHeader(of: broken[...]).size
          #expect(image.size == size)
          #expect(image.bytes.count == size.width * size.height * 3)
          // The flips may enlarge a side, but 512 pixels a byte of the file is the most there can be.
          #expect(image.bytes.count <= 3 * 512 * bytes.count)
          images += 1
        } catch {
          #expect(!error.description.contains("\n"))
          errors += 1
        }
      }
    }
    #expect(images > 100)
    #expect(errors > 1000)
  }

  @Test func `an image without its own tables does not borrow those of the last one`() throws {
    let whole = try Self.source.jpegBytes(quality: 80)
    let table = try #require(
      whole.indices.first { whole[$0] == 0xFF && whole[$0 + 1] == 0xDB })
    let length = 2 + Int(whole[table + 2]) << 8 + Int(whole[table + 3])
    let stripped = Array(whole[..<table] + whole[(table + length)...])
    var image = try PixelBuffer.decoding(whole)
    #expect(throws: ImageError.self) { try image.decode(stripped[...]) }
    try image.decode(whole[...])
    #expect(try image == PixelBuffer.decoding(whole))
  }

  @Test func `random bytes after a valid start are an error`() throws {
    var generator = SplitMix(seed: 8)
    for (_, bytes) in try Self.files() {
      for _ in 0..<300 {
        let kept = Int.random(in: 0..<min(bytes.count, 200), using: &generator)
        let noise = (0..<Int.random(in: 0..<2000, using: &generator)).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        }
        #expect(throws: ImageError.self) { try PixelBuffer.decoding(bytes.prefix(kept) + noise) }
      }
    }
  }

  @Test func `no bytes, and bytes of another kind, are one-line errors`() {
    #expect(
      message([])
        == "cannot decode image: expected the first bytes of a JPEG or PNG, found no bytes")
    #expect(
      message(Array("GIF89a".utf8))
        == "cannot decode image: expected the first bytes of a JPEG or PNG, found those of GIF, which is not read"
    )
    #expect(
      message([0xFF, 0xD8, 0xFF, 0xD9])
        == "cannot decode JPEG: expected a frame header, found none")
  }

  @Test(arguments: [
    (100_000, 100_000), (65_501, 1), (1, 65_501), (11_586, 11_586), (0, 5), (5, 0),
    (Int(UInt32.max), Int(UInt32.max)),
  ])
  func `a PNG beyond the limits is refused from its header`(width: Int, height: Int) {
    #expect(
      message(png(width: width, height: height)) == """
        cannot decode PNG: expected sides of 1 to 65500 and at most 134217728 pixels, \
        found \(width)x\(height)
        """)
  }

  @Test func `a PNG larger than its bytes can unfold to is refused before it is allocated`() {
    #expect(
      message(png(width: 5_000, height: 5_000))
        == "cannot decode PNG: expected at least 72674 bytes for 5000x5000, found 65")
  }

  /// 8200 x 8200 of one color fit into 200 KB: well-formed, and 202 MB once they are decoded.
  @Test func `an image that takes too much memory for its bytes is refused before it is allocated`()
    throws
  {
    let bytes = png(width: 8_200, height: 8_200) + [UInt8](repeating: 0, count: 400_000)
    #expect(
      message(bytes) == """
        cannot decode PNG: expected at most 201326592 bytes of memory for \(bytes.count) bytes, \
        found 201720000 for 8200x8200
        """)
    // A larger file may take 32 times its bytes.
    let large = png(width: 8_200, height: 8_200) + [UInt8](repeating: 0, count: 6_304_000)
    #expect(try ImageHeader(of: large[...]).size == ImageSize(width: 8_200, height: 8_200))
  }

  private static func black(_ side: Int) throws -> PixelBuffer {
    try #require(
      PixelBuffer(width: side, height: side, bytes: [UInt8](repeating: 0, count: 3 * side * side)))
  }

  @Test func `a photograph of 36 megapixels and few bytes is decoded`() throws {
    let bytes = try Self.black(6_000).jpegBytes(quality: 80)
    #expect(bytes.count < 2_000_000)
    let size = try PixelBuffer.decoding(bytes).size
    #expect(size == ImageSize(width: 6_000, height: 6_000))
  }

  /// 9000 x 9000 are 243 MB; half as wide they are 61 MB.
  @Test func `a JPEG that is too large is decoded at a smaller scale where that is asked for`()
    throws
  {
    let bytes = try Self.black(9_000).jpegBytes(quality: 80)
    #expect(
      message(bytes) == """
        cannot decode JPEG: expected at most 201326592 bytes of memory for \(bytes.count) bytes, \
        found 243000000 for 9000x9000 ('evaluate --min-decoded-side' decodes it smaller)
        """)
    let image = try PixelBuffer.decoding(bytes, minSide: 4_500)
    #expect(image.reduction == 2)
    #expect(image.size == ImageSize(width: 4_500, height: 4_500))
    #expect(throws: ImageError.self) { try PixelBuffer.decoding(bytes, minSide: 4_501) }
  }

  @Test func `of several Exif segments the first counts, wherever the frame header is`() throws {
    func exif(_ orientation: UInt8) -> [UInt8] {
      var segment: [UInt8] = [0xFF, 0xE1, 0, 34]
      segment += Array("Exif\0\0MM".utf8)
      segment += [0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0]
      segment += [0, 0, 0, 0]
      return segment
    }
    let plain = try Self.source.jpegBytes(quality: 80)
    let scan = try #require(
      plain.indices.first { plain[$0] == 0xFF && plain[$0 + 1] == 0xDA })
    func orientation(atStart first: [UInt8], beforeScan last: [UInt8]) throws -> Int {
      var bytes = plain
      bytes.insert(contentsOf: last.flatMap(exif), at: scan)
      bytes.insert(contentsOf: first.flatMap(exif), at: 2)
      return try ImageHeader(of: bytes[...]).orientation
    }
    #expect(try orientation(atStart: [], beforeScan: []) == 1)
    #expect(try orientation(atStart: [6, 3], beforeScan: []) == 6)
    #expect(try orientation(atStart: [], beforeScan: [8, 3]) == 8)
    #expect(try orientation(atStart: [6], beforeScan: [3]) == 6)
  }

  @Test func `a JPEG larger than its bytes can hold is refused before it is allocated`() throws {
    var bytes = try Self.source.jpegBytes(quality: 80)
    let frame = try #require(
      bytes.indices.first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
    bytes.replaceSubrange(frame + 5..<frame + 9, with: [0x16, 0x80, 0x16, 0x80])
    #expect(
      message(bytes) == """
        cannot decode JPEG: expected at least 64800 bytes for 5760x5760, found \(bytes.count)
        """)
    bytes.replaceSubrange(frame + 5..<frame + 9, with: [0x2D, 0x00, 0x2D, 0x00])
    #expect(
      message(bytes) == """
        cannot decode JPEG: expected at least 259200 bytes for 11520x11520, found \(bytes.count)
        """)
    bytes.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xFF, 0xFF, 0xFF])
    #expect(
      message(bytes) == """
        cannot decode JPEG: expected sides of 1 to 65500 and at most 134217728 pixels, \
        found 65535x65535
        """)
  }

  @Test func `a JPEG of endless scans is refused`() throws {
    let name = "progressive 4:2:0"
    let small = try #require(ImageOracle.load().decodings.first { $0.name == name })
    var bytes = [UInt8](small.bytes)
    let scan = try #require(bytes.indices.last { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA })
    let repeated = bytes[scan..<bytes.count - 2]
    for _ in 0..<600 { bytes.insert(contentsOf: repeated, at: scan) }
    #expect(message(bytes)?.contains("scans") == true)
    let frame = try #require(
      bytes.indices.first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC2 })
    bytes.replaceSubrange(frame + 5..<frame + 9, with: [0x0F, 0xFF, 0x0F, 0xFF])
    bytes += [UInt8](repeating: 0, count: 40_000)
    #expect(
      message(bytes)?.hasPrefix("cannot decode JPEG: expected at most 64 scans, found 6") == true)
    // The coefficients of a progressive file count too: 6 bytes per pixel with half as many of both colors.
    bytes.replaceSubrange(frame + 5..<frame + 9, with: [0x1C, 0x00, 0x1C, 0x00])
    bytes += [UInt8](repeating: 0, count: 100_000)
    #expect(message(bytes)?.contains("found 308281344 for 7168x7168") == true)
  }

  @Test func `frames that cannot be read are named`() throws {
    let bytes = try Self.source.jpegBytes(quality: 80)
    let frame = try #require(
      bytes.indices.first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
    var twelve = bytes
    twelve[frame + 4] = 12
    #expect(
      message(twelve)
        == "cannot decode JPEG: expected 8 bits and 1, 3 or 4 channels, found 12 bits and 3 channels"
    )
    var lossless = bytes
    lossless[frame + 1] = 0xC3
    #expect(
      message(lossless) == """
        cannot decode JPEG: expected a baseline, extended or progressive frame, \
        found frame type 0xc3
        """)
  }

  @Test func `padding before a JPEG's end is harmless, and an image without an end is not`() throws
  {
    let bytes = try Self.source.jpegBytes(quality: 80)
    let whole = try PixelBuffer.decoding(bytes)
    let padded = bytes.dropLast(2) + [0, 0, 0] + bytes.suffix(2)
    #expect(try PixelBuffer.decoding(Array(padded)) == whole)
    #expect(try PixelBuffer.decoding(bytes + [1, 2, 3]) == whole)
    #expect(
      message(Array(bytes.dropLast(2)))
        == "cannot decode JPEG: expected whole image data, found 'Premature end of JPEG file'")
  }

  @Test func `what cannot be encoded is an error`() {
    #expect(throws: ImageError.self) { try PixelBuffer().pngBytes() }
    #expect(throws: ImageError.self) { try PixelBuffer().jpegBytes(quality: 90) }
    #expect(throws: ImageError.self) { try Self.source.jpegBytes(quality: 0) }
    #expect(throws: ImageError.self) { try Self.source.jpegBytes(quality: 101) }
    #expect(throws: ImageError.self) {
      try PixelBuffer(width: 65_501, height: 1).jpegBytes(quality: 90)
    }
  }

  @Test func `an error can name its image`() {
    let error = ImageError("decode", "PNG", expected: "a header chunk", found: "none")
    #expect(
      error.about("faces/7.png").description
        == "cannot decode PNG faces/7.png: expected a header chunk, found none")
  }

  private func message(_ bytes: [UInt8]) -> String? {
    #expect(throws: ImageError.self) { try PixelBuffer.decoding(bytes) }?.description
  }

  /// A header that promises a size, and nothing after it; the decoder does not get as far as the
  /// checksums.
  private func png(width: Int, height: Int) -> [UInt8] {
    let sides = [width, height].flatMap { side in
      stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: side >> $0) }
    }
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
      + sides + [8, 2, 0, 0, 0] + [UInt8](repeating: 0, count: 36)
  }
}
