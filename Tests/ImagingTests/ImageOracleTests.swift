import FaceCore
import Foundation
import Imaging
import TestSupport
import Testing

/// Files and pixels by Tests/Oracles/images.py.
struct ImageOracle: Decodable {
  struct Decoding: Decodable, CustomTestStringConvertible {
    var name: String
    var format: String
    var bytes: Data
    var width, height, orientation: Int
    var rgb: Data
    var testDescription: String { "\(format) \(name)" }
  }
  struct Source: Decodable {
    var width, height: Int
    var rgb: Data
  }
  struct Encoding: Decodable {
    var quality: Int
    var chroma: String
    var rgb: Data
  }
  var decodings: [Decoding]
  var source: Source
  var encodings: [Encoding]
  var reductions: [Reduction]

  static func load() throws -> ImageOracle {
    try Oracles.read("images", as: ImageOracle.self)
  }
}

@Suite struct ImageOracleTests {
  @Test(arguments: try ImageOracle.load().decodings)
  func `an image decodes to the oracle's pixels exactly`(
    expected: ImageOracle.Decoding
  ) throws {
    let bytes = [UInt8](expected.bytes)
    let header = try ImageHeader(of: bytes[...])
    #expect(header.format.rawValue == expected.format)
    #expect(header.size == ImageSize(width: expected.width, height: expected.height))
    #expect(header.orientation == expected.orientation)
    let image = try PixelBuffer.decoding(bytes)
    #expect(image.size == header.size)
    #expect(image.bytes == [UInt8](expected.rgb))
  }

  @Test func `one buffer serves images of any order and size`() throws {
    var image = PixelBuffer()
    let decodings = try ImageOracle.load().decodings
    for expected in decodings + decodings.reversed() {
      try image.decode([UInt8](expected.bytes)[...])
      #expect(image.bytes == [UInt8](expected.rgb), "\(expected.name)")
    }
  }

  @Test func `a steady loop decodes into the same storage`() throws {
    for expected in try ImageOracle.load().decodings {
      var image = PixelBuffer()
      let bytes = [UInt8](expected.bytes)
      try image.decode(bytes[...])
      let first = image.withMutableBytes { $0.baseAddress }
      try image.decode(bytes[...])
      #expect(image.withMutableBytes { $0.baseAddress } == first)
    }
  }

  @Test func `an encoded JPEG holds the pixels of Pillow's at the same quality`() throws {
    let oracle = try ImageOracle.load()
    let source = try #require(oracle.image)
    for expected in oracle.encodings {
      let chroma: ChromaSampling = expected.chroma == "full" ? .full : .quarter
      let bytes = try source.jpegBytes(quality: expected.quality, chroma: chroma)
      #expect(
        try PixelBuffer.decoding(bytes).bytes == [UInt8](expected.rgb),
        "\(expected.quality), \(expected.chroma)")
    }
  }

  @Test func `an encoded PNG holds the pixels themselves`() throws {
    let oracle = try ImageOracle.load()
    let source = try #require(oracle.image)
    #expect(try PixelBuffer.decoding(source.pngBytes()) == source)
    let dot = PixelBuffer(width: 1, height: 1, color: RGB(1, 2, 3))
    #expect(try PixelBuffer.decoding(dot.pngBytes()) == dot)
  }
}

extension ImageOracle {
  var image: PixelBuffer? {
    PixelBuffer(width: source.width, height: source.height, bytes: [UInt8](source.rgb))
  }
}
