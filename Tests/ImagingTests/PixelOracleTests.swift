import FaceCore
import Foundation
import Imaging
import TestSupport
import Testing

/// Warps, blurs and reductions against values by Tests/Oracles/pixels.py.
///
/// The oracle's values are not rounded: ours may differ by the half of rounding, and by 0.01 for single precision.
@Suite struct PixelOracleTests {
  struct Oracle: Decodable {
    struct Warp: Decodable {
      var matrix: [Double]
      var size: [Int]
      var fill: [UInt8]?
      var values: [Double]
    }
    struct Blur: Decodable {
      var parameter: Double
      var values: [Double]
    }
    struct Reduction: Decodable {
      var longestSide: Int
      var size: [Int]
      var values: [Double]
    }
    var image: ImageOracle.Source
    var warps: [Warp]
    var gaussians: [Blur]
    var reductions: [Reduction]
  }

  let oracle: Oracle
  let image: PixelBuffer

  init() throws {
    oracle = try Oracles.read("pixels", as: Oracle.self)
    image = try #require(
      PixelBuffer(
        width: oracle.image.width, height: oracle.image.height,
        bytes: [UInt8](oracle.image.rgb)))
  }

  func expect(_ ours: PixelBuffer, _ values: [Double], _ comment: Comment) {
    #expect(ours.bytes.count == values.count, comment)
    let worst = zip(ours.bytes, values).map { abs(Double($0) - $1) }.max() ?? .infinity
    #expect(worst <= 0.51, comment)
  }

  @Test func `warps sample between pixel centres as SciPy does`() throws {
    for warp in oracle.warps {
      let m = warp.matrix
      let border = warp.fill.map { WarpBorder.constant(RGB($0[0], $0[1], $0[2])) } ?? .replicate
      let ours = try image.warped(
        to: ImageSize(width: warp.size[0], height: warp.size[1]),
        source: AffineMap((m[0], m[1], m[2]), (m[3], m[4], m[5])), border: border)
      expect(ours, warp.values, "\(m), \(border)")
    }
  }

  @Test func `the identity and a move by whole pixels copy exactly`() throws {
    let same = try image.warped(to: image.size, source: .identity, border: .replicate)
    #expect(same == image)
    let moved = try image.warped(
      to: image.size, source: .translation(x: 3, y: -2), border: .constant(.white))
    for y in 0..<image.height {
      for x in 0..<image.width {
        let inside = x + 3 < image.width && y - 2 >= 0
        #expect(moved[x, y] == (inside ? image[x + 3, y - 2] : .white))
      }
    }
  }

  @Test func `a warp without pixels, a finite map or a possible size is refused`() {
    let huge = ImageSize(width: 1 << 40, height: 1 << 40)
    #expect(throws: ImageError.self) {
      try PixelBuffer().warped(to: image.size, source: .identity, border: .replicate)
    }
    #expect(throws: ImageError.self) {
      try image.warped(to: huge, source: .identity, border: .replicate)
    }
    #expect(throws: ImageError.self) {
      try image.warped(
        to: image.size, source: .translation(x: .nan, y: 0), border: .replicate)
    }
  }

  @Test func `blurs are SciPy's`() {
    for blur in oracle.gaussians {
      expect(
        image.gaussianBlurred(standardDeviation: blur.parameter), blur.values,
        "gaussian \(blur.parameter)")
    }
    #expect(image.gaussianBlurred(standardDeviation: 0) == image)
    #expect(image.gaussianBlurred(standardDeviation: .nan) == image)
  }

  @Test func `a reduction averages areas`() {
    for reduction in oracle.reductions {
      let ours = image.reduced(toFit: reduction.longestSide)
      #expect([ours.width, ours.height] == reduction.size)
      expect(ours, reduction.values, "\(reduction.longestSide)")
    }
    #expect(image.reduced(toFit: 23) == image)
    #expect(image.reduced(toFit: 0) == image)
  }

  @Test func `levels follow a gain, rounded and clamped`() throws {
    for gain in [1, 1.5, 0.25, -1, 3] {
      var ours = image
      ours.adjustLevels(gain: gain)
      expect(ours, image.bytes.map { min(max(gain * Double($0), 0), 255) }, "\(gain)")
    }
    var black = image
    black.adjustLevels(gain: .nan)
    #expect(Set(black.bytes) == [0])
  }

  @Test func `maps compose and invert`() throws {
    let map = AffineMap.rotation(radians: 0.7, scale: 1.3, about: Point(x: 5, y: -2))
      .then(.translation(x: 11, y: 0.5))
    let start = Point(x: 3.25, y: 8)
    let turned = Point(
      x: 5 + 1.3 * (cos(0.7) * -1.75 - sin(0.7) * 10) + 11,
      y: -2 + 1.3 * (sin(0.7) * -1.75 + cos(0.7) * 10) + 0.5)
    let there = map(start)
    #expect(hypot(there.x - turned.x, there.y - turned.y) < 1e-12)
    let inverse = try #require(map.inverse)
    let back = inverse(there)
    #expect(hypot(back.x - start.x, back.y - start.y) < 1e-12)
    #expect(AffineMap((1, 2, 0), (2, 4, 0)).inverse == nil)
    #expect(AffineMap.translation(x: .infinity, y: 0).inverse == nil)
  }
}
