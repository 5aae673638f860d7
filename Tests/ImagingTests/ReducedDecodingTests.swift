import FaceCore
import Foundation
import Imaging
import TestSupport
import Testing

/// JPEGs that are decoded at 1/2, 1/4 and 1/8, and crops of them.
@Suite struct ReducedDecodingTests {
  @Test func `without a side, and with one that is too long, images are decoded whole`() throws {
    for expected in try ImageOracle.load().decodings {
      let bytes = [UInt8](expected.bytes)
      let whole = try PixelBuffer.decoding(bytes)
      #expect(whole.reduction == 1 && whole.originalSize == whole.size)
      for side in [expected.width + expected.height, 65_500] {
        #expect(try PixelBuffer.decoding(bytes, minSide: side) == whole, "\(expected.name)")
      }
    }
  }

  /// Pillow's `draft` leaves the scale to libjpeg-turbo too.
  @Test(arguments: try ImageOracle.load().reductions)
  func `a JPEG at a smaller scale has the oracle's pixels exactly`(
    expected: ImageOracle.Reduction
  ) throws {
    let bytes = [UInt8](expected.bytes)
    #expect(expected.rgb.count == 3)
    for (text, rgb) in expected.rgb {
      let reduction = try #require(Int(text))
      let side = max(16, (max(expected.width, expected.height) + reduction - 1) / reduction)
      let image = try PixelBuffer.decoding(bytes, minSide: side)
      #expect(image.reduction == reduction)
      #expect(image.originalSize == ImageSize(width: expected.width, height: expected.height))
      #expect(image.width == (expected.width + reduction - 1) / reduction)
      #expect(image.height == (expected.height + reduction - 1) / reduction)
      #expect(image.bytes == [UInt8](rgb), "1/\(reduction)")
    }
  }

  @Test(
    arguments: [
      (1283, 401, 64, 8), (1283, 401, 161, 8), (1283, 401, 162, 4), (1283, 401, 321, 4),
      (1283, 401, 322, 2), (1283, 401, 642, 2), (1283, 401, 643, 1), (401, 1283, 162, 4),
      (512, 512, 64, 8), (512, 512, 65, 4), (40, 1, 1, 2), (31, 31, 1, 2), (30, 30, 1, 1),
      (1, 1, 64, 1),
      // A side of 0 or less cannot come from the command line, and is as 1.
      (512, 64, 0, 8), (512, 64, -5, 8),
    ])
  func `the scale is the smallest that leaves the longer side its pixels`(
    width: Int, height: Int, side: Int, reduction: Int
  ) throws {
    let bytes = try PixelBuffer(width: width, height: height, color: RGB(90, 120, 30))
      .jpegBytes(quality: 90)
    let image = try PixelBuffer.decoding(bytes, minSide: side)
    #expect(image.reduction == reduction)
    #expect(image.width == (width + reduction - 1) / reduction)
    #expect(image.height == (height + reduction - 1) / reduction)
    #expect(image.bytes.count == 3 * image.width * image.height)
    #expect(image[image.width - 1, image.height - 1].green >= 118)
  }

  @Test func `another format is decoded whole`() throws {
    let source = PixelBuffer(width: 1200, height: 900, color: RGB(3, 4, 5))
    let image = try PixelBuffer.decoding(source.pngBytes(), minSide: 64)
    #expect(image == source && image.reduction == 1)
  }

  @Test func `one buffer takes whole and smaller images in turn`() throws {
    var image = PixelBuffer()
    let files = try ImageOracle.load().reductions.map { [UInt8]($0.bytes) }
    for bytes in files {
      for side in [nil, 16, 33, nil, 66] as [Int?] {
        try image.decode(bytes[...], minSide: side)
        #expect(try image == PixelBuffer.decoding(bytes, minSide: side))
      }
    }
    image.resize(width: 5, height: 4)
    #expect(image.reduction == 1 && image.originalSize == ImageSize(width: 5, height: 4))
  }

  @Test func `flipped bytes and cut files are images of the smaller size or errors`() throws {
    var image = PixelBuffer()
    var generator = SplitMix(seed: 6)
    var (images, errors) = (0, 0)
    for (_, bytes) in try HostileImageTests.files() {
      for _ in 0..<500 {
        var broken = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          broken[Int.random(in: 0..<broken.count, using: &generator)] ^= UInt8.random(
            in: 1...255, using: &generator)
        }
        do throws(ImageError) {
          try image.decode(broken[...], minSide: 16)
          let size = try ImageHeader(of: broken[...]).size
          #expect(image.originalSize == size)
          #expect(image.width == (size.width + image.reduction - 1) / image.reduction)
          #expect(image.bytes.count == 3 * image.width * image.height)
          images += 1
        } catch {
          errors += 1
        }
      }
      #expect(throws: ImageError.self) {
        try PixelBuffer.decoding(Array(bytes.prefix(bytes.count / 2)), minSide: 16)
      }
    }
    #expect(images > 30 && errors > 300)
  }

  /// Discs on a ground, with sides that no scale divides.
  private static let size = ImageSize(width: 1283, height: 965)
  private static let discs = [Point(x: 300.5, y: 280.25), Point(x: 1100, y: 850)]

  private static func drawn() throws -> [UInt8] {
    var image = PixelBuffer(width: size.width, height: size.height, color: RGB(20, 20, 20))
    for disc in discs { image.fillCircle(centre: disc, radius: 60, color: RGB(240, 240, 240)) }
    return try image.jpegBytes(quality: 95)
  }

  /// The centre of the light in a crop, in pixels of the tensor, and the matrix.
  private func light(
    _ image: PixelBuffer, _ region: NormalizedRect
  ) throws -> (centre: SIMD2<Double>, projection: SIMD16<Float>) {
    let converter = ImageToTensor(
      width: 128, height: 128, keepsAspectRatio: false, border: .replicate, range: 0...1)
    var tensor = [Float](repeating: 0, count: converter.count)
    let projection = try tensor.withUnsafeMutableBufferPointer {
      try converter.convert(image, region: region, into: $0)
    }
    var (sum, weight) = (SIMD2<Double>(), 0.0)
    for y in 0..<128 {
      for x in 0..<128 {
        let value = max(0, Double(tensor[3 * (128 * y + x)]) - 0.2)
        sum += value * SIMD2(Double(x), Double(y))
        weight += value
      }
    }
    return (sum / weight, projection)
  }

  /// A pixel of the tensor is 1.5 to 2 of the original. Without the shift to the centres of averaged squares the light would
  /// move by 0.5, 1.5 and 3.5 pixels of the original; with sides that are rounded up, by up to 5 more.
  @Test(arguments: [2, 4, 8])
  func `a crop of a smaller image shows each place where the whole one has it`(
    reduction: Int
  ) throws {
    let bytes = try Self.drawn()
    let whole = try PixelBuffer.decoding(bytes)
    let side = (Self.size.width + reduction - 1) / reduction
    let smaller = try PixelBuffer.decoding(bytes, minSide: side)
    #expect(smaller.reduction == reduction && smaller.originalSize == Self.size)
    for disc in Self.discs {
      for (degrees, span) in [(0.0, 190.0), (90, 220), (33, 256), (-120, 205)] {
        let region = NormalizedRect(
          xCenter: Float(disc.x / Double(Self.size.width)),
          yCenter: Float(disc.y / Double(Self.size.height)),
          width: Float(span / Double(Self.size.width)),
          height: Float(span / Double(Self.size.height)),
          rotation: Float(degrees * .pi / 180))
        let (known, projection) = try light(whole, region)
        let (found, own) = try light(smaller, region)
        #expect(own == projection)
        let distance = ((known - found) * (known - found)).sum().squareRoot()
        #expect(distance < 0.1, "1/\(reduction), \(degrees)°: \(found), expected \(known)")
      }
    }
  }
}

extension ImageOracle {
  /// A JPEG with its pixels by the number that divides its sides.
  struct Reduction: Decodable, CustomTestStringConvertible {
    var name: String
    var bytes: Data
    var width, height: Int
    var rgb: [String: Data]
    var testDescription: String { name }
  }
}
