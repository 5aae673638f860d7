import FaceCore
import Foundation
import Imaging
import TestSupport
import Testing

@Suite(.enabled(if: Shared.isAvailable, "needs the shared golden files"))
struct GoldenTensorTests {
  struct Golden: Decodable {
    struct Region: Decodable {
      var x_center, y_center, width, height, rotation: Float
      var rect: NormalizedRect {
        NormalizedRect(
          xCenter: x_center, yCenter: y_center, width: width, height: height, rotation: rotation)
      }
    }
    struct Tensors: Decodable {
      var regions: [Region]
      struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
      }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        regions = try (0..<9).compactMap {
          try container.decodeIfPresent(Region.self, forKey: Key(stringValue: "lm\($0)_roi"))
        }
      }
    }
    var tensors: Tensors
  }

  static let names = ["2008_002506", "2008_007676", "2009_004587", "Tom_Cruise_avp_2014_4"]

  @Test(arguments: names)
  func `the detector's input is the golden one bit for bit`(name: String) throws {
    let image = try PixelBuffer.decoding(Shared.golden("\(name).png"))
    #expect(
      try Crops.detector.bits(of: image, .whole)
        == words(Shared.golden("\(name).det_input_128x128x3.f32")))
  }

  @Test(arguments: names)
  func `every landmark input is the golden one bit for bit`(name: String) throws {
    let golden = try JSONDecoder().decode(Golden.self, from: Data(Shared.golden("\(name).json")))
    #expect(!golden.tensors.regions.isEmpty)
    let image = try PixelBuffer.decoding(Shared.golden("\(name).png"))
    for (index, region) in golden.tensors.regions.enumerated() {
      #expect(
        try Crops.landmarks.bits(of: image, region.rect)
          == words(Shared.golden("\(name).lm\(index)_input_256x256x3.f32")), "face \(index)")
    }
  }

  private func words(_ bytes: [UInt8]) -> [UInt32] {
    stride(from: 0, to: bytes.count, by: 4).map { at in
      (0..<4).reduce(0) { $0 | UInt32(bytes[at + $1]) << (8 * $1) }
    }
  }
}

/// The two converters of the face landmarker.
enum Crops {
  static let detector = ImageToTensor(
    width: 128, height: 128, keepsAspectRatio: true, border: .zero, range: -1...1)
  static let landmarks = ImageToTensor(
    width: 256, height: 256, keepsAspectRatio: false, border: .replicate, range: 0...1)
}

extension ImageToTensor {
  func floats(of image: PixelBuffer, _ region: NormalizedRect) throws -> [Float] {
    var tensor = [Float](repeating: .nan, count: count)
    _ = try tensor.withUnsafeMutableBufferPointer {
      try convert(image, region: region, into: $0)
    }
    return tensor
  }

  func bits(of image: PixelBuffer, _ region: NormalizedRect) throws -> [UInt32] {
    try floats(of: image, region).map(\.bitPattern)
  }
}
