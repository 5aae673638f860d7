import FaceCore
import Foundation
import Imaging
import TestSupport
import Testing

/// Files and pixels by Tests/Oracles/pictures.py.
struct PictureOracle: Decodable {
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

  static func load() throws -> PictureOracle {
    try Oracles.read("pictures", as: PictureOracle.self)
  }
}

@Suite struct PictureOracleTests {
  @Test(arguments: try PictureOracle.load().decodings)
  func `a picture decodes to the oracle's pixels exactly`(
    expected: PictureOracle.Decoding
  ) throws {
    let bytes = [UInt8](expected.bytes)
    let header = try PictureHeader(of: bytes.span)
    #expect(header.format.rawValue == expected.format)
    #expect(header.size == PictureSize(width: expected.width, height: expected.height))
    #expect(header.orientation == expected.orientation)
    let picture = try PixelBuffer.decoding(bytes)
    #expect(picture.size == header.size)
    #expect(picture.bytes == [UInt8](expected.rgb))
  }

  @Test func `one buffer serves pictures of any order and size`() throws {
    var picture = PixelBuffer()
    let decodings = try PictureOracle.load().decodings
    for expected in decodings + decodings.reversed() {
      try picture.decode([UInt8](expected.bytes).span)
      #expect(picture.bytes == [UInt8](expected.rgb), "\(expected.name)")
    }
  }

  @Test func `a steady loop decodes into the same storage`() throws {
    for expected in try PictureOracle.load().decodings {
      var picture = PixelBuffer()
      let bytes = [UInt8](expected.bytes)
      try picture.decode(bytes.span)
      let first = picture.withMutableBytes { $0.baseAddress }
      try picture.decode(bytes.span)
      #expect(picture.withMutableBytes { $0.baseAddress } == first)
    }
  }

  @Test func `an encoded JPEG holds the pixels of Pillow's at the same quality`() throws {
    let oracle = try PictureOracle.load()
    let source = try #require(oracle.picture)
    for expected in oracle.encodings {
      let chroma: ChromaSampling = expected.chroma == "full" ? .full : .quarter
      let bytes = try source.jpegBytes(quality: expected.quality, chroma: chroma)
      #expect(
        try PixelBuffer.decoding(bytes).bytes == [UInt8](expected.rgb),
        "\(expected.quality), \(expected.chroma)")
    }
  }

  @Test func `an encoded PNG holds the pixels themselves`() throws {
    let oracle = try PictureOracle.load()
    let source = try #require(oracle.picture)
    #expect(try PixelBuffer.decoding(source.pngBytes()) == source)
    let dot = PixelBuffer(width: 1, height: 1, color: RGB(1, 2, 3))
    #expect(try PixelBuffer.decoding(dot.pngBytes()) == dot)
  }
}

extension PictureOracle {
  var picture: PixelBuffer? {
    PixelBuffer(width: source.width, height: source.height, bytes: [UInt8](source.rgb))
  }
}
