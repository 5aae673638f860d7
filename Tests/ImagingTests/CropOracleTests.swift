import CImaging
import FaceCore
import Foundation
import Imaging
import TestSupport
import Testing

/// Regions, checksums and matrices by Tests/Oracles/crops.py.
@Suite struct CropOracleTests {
  struct Crop: Decodable {
    var image: [Int]
    var region: [Float]
    var tensor: [Int]
    var keepsAspectRatio: Bool
    var replicates: Bool
    var checksum: UInt32
    var projection: [Float]
  }

  @Test func `crops are those of OpenCV in every byte, ties of rounding included`() throws {
    var images: [[Int]: PixelBuffer] = [:]
    for (index, crop) in try Oracles.read("crops", as: [Crop].self).enumerated() {
      let image = try images[crop.image] ?? noise(crop.image[0], crop.image[1])
      images[crop.image] = image
      let converter = ImageToTensor(
        width: crop.tensor[0], height: crop.tensor[1], keepsAspectRatio: crop.keepsAspectRatio,
        border: crop.replicates ? .replicate : .zero, range: 0...255)
      var tensor = [Float](repeating: .nan, count: converter.count)
      let projection = try tensor.withUnsafeMutableBufferPointer {
        try converter.convert(image, region: rect(crop.region), into: $0)
      }
      #expect(checksum(tensor.map { UInt8($0) }) == crop.checksum, "crop \(index): \(crop)")
      #expect((0..<16).map { projection[$0] } == crop.projection, "crop \(index)")
    }
  }

  /// The 256 levels, one a pixel, and an independent formula: the product is exact in double precision.
  @Test(arguments: [-1...1, 0...1, -0.3...2.7] as [ClosedRange<Float>])
  func `a value is one fused multiply-add of its byte`(range: ClosedRange<Float>) throws {
    let levels = (UInt8.min...UInt8.max).flatMap { level -> [UInt8] in
      [level, 255 - level, level / 2]
    }
    let image = try #require(PixelBuffer(width: 256, height: 1, bytes: levels))
    let converter = ImageToTensor(
      width: 256, height: 1, keepsAspectRatio: false, border: .replicate, range: range)
    let scale = (range.upperBound - range.lowerBound) / 255
    let expected = levels.map { level in
      Float(Double(level) * Double(scale) + Double(range.lowerBound)).bitPattern
    }
    #expect(try converter.bits(of: image, .whole) == expected)
  }

  @Test(arguments: [(300, 200), (1, 5), (5, 1), (2, 2), (3, 3), (7, 9)])
  func `the kernels of all processors agree in every bit`(
    _ imageWidth: Int, _ imageHeight: Int
  ) throws {
    let image = try noise(imageWidth, imageHeight)
    var generator = SplitMix(seed: 9)
    for _ in 0..<60 {
      let scale = Double.random(in: 0.02...6, using: &generator)
      let angle = Double.random(in: -4...4, using: &generator)
      let inverse = (
        scale * cos(angle), -scale * sin(angle),
        Double(imageWidth) * Double.random(in: -1...1.4, using: &generator),
        scale * sin(angle), scale * cos(angle),
        Double(imageHeight) * Double.random(in: -1.5...1.5, using: &generator),
        0.0, 0.0, 1.0
      )
      for replicate in [false, true] {
        /// The bits of the tensor; nil where this processor lacks the level's instructions.
        func bits(_ level: Int32) -> [UInt32]? {
          let (width, height) = (97, 61)
          var tensor = [Float](repeating: .nan, count: width * height * 3)
          let runs = image.bytes.withUnsafeBufferPointer { bytes in
            tensor.withUnsafeMutableBufferPointer { tensor in
              var crop = fg_crop(
                rgb: bytes.baseAddress, width: Int32(imageWidth), height: Int32(imageHeight),
                inverse: inverse, replicate: replicate, tensor_width: Int32(width),
                tensor_height: Int32(height), scale: 2.0 / 255, offset: -1,
                tensor: tensor.baseAddress)
              return fg_crop_to_tensor_at(level, &crop)
            }
          }
          return runs ? tensor.map(\.bitPattern) : nil
        }
        let portable = try #require(bits(0))
        for level in [1, 2] as [Int32] {
          if let found = bits(level) { #expect(found == portable) }
        }
      }
    }
  }

  @Test(
    arguments: [
      [0.5, 0.5, 0, 0, 0], [0.5, 0.5, 1, 0, 0], [0.5, 0.5, -1, 1, 0], [.nan, 0.5, 1, 1, 0],
      [0.5, 0.5, 1, 1, .infinity], [0.5, 0.5, .infinity, 1, 0], [0.5, 0.5, 1e-30, 1e-30, 0],
    ] as [[Float]])
  func `a region without a finite positive size is refused`(region: [Float]) {
    #expect(throws: ImageError.self) {
      try Crops.landmarks.floats(of: PixelBuffer(width: 8, height: 8), rect(region))
    }
  }

  @Test(arguments: [1e6, -1e6, 1e9, 1e20] as [Float])
  func `a region far away is all border`(distance: Float) throws {
    let image = PixelBuffer(width: 8, height: 8, color: .white)
    let region = NormalizedRect(xCenter: distance, yCenter: 0.5, width: 1, height: 1)
    let zero = ImageToTensor(
      width: 16, height: 16, keepsAspectRatio: false, border: .zero, range: 0...255)
    let replicating = ImageToTensor(
      width: 16, height: 16, keepsAspectRatio: false, border: .replicate, range: 0...255)
    guard distance < 1e9 else {
      #expect(throws: ImageError.self) { try zero.floats(of: image, region) }
      return
    }
    #expect(try Set(zero.floats(of: image, region)) == [0])
    #expect(try Set(replicating.floats(of: image, region)) == [255])
  }

  @Test func `a tensor of another count is refused`() {
    var tensor: [Float] = [0]
    #expect(throws: ImageError.self) {
      try tensor.withUnsafeMutableBufferPointer {
        _ = try Crops.detector.convert(
          PixelBuffer(width: 8, height: 8), region: .whole, into: $0)
      }
    }
  }

  private func rect(_ values: [Float]) -> NormalizedRect {
    NormalizedRect(
      xCenter: values[0], yCenter: values[1], width: values[2], height: values[3],
      rotation: values[4])
  }

  /// The generator of crops.py.
  private func noise(_ width: Int, _ height: Int) throws -> PixelBuffer {
    var state: UInt32 = 12345
    let bytes = (0..<width * height * 3).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(state >> 24)
    }
    return try #require(PixelBuffer(width: width, height: height, bytes: bytes))
  }

  /// CRC-32 as zlib computes it.
  private func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum = UInt32.max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? 0xEDB8_8320 ^ (sum >> 1) : sum >> 1 }
    }
    return ~sum
  }
}

/// A small seeded generator.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }
}
