import FaceCore
import FacePipeline
import Foundation
import Tensor
import Testing

/// What goes into and comes out of the landmark and blendshape models, on numbers small enough to work out by hand.
struct LandmarkDecodingTests {
  @Test func `the corners of the input are the corners of the region`() {
    let region = NormalizedRect(xCenter: 0.5, yCenter: 0.25, width: 0.5, height: 0.25)
    let raw: [Float] = [0, 0, 0, 256, 0, 64, 0, 256, -256, 256, 256, 128, 7]
    let points = LandmarkDecoding.project(
      raw.view, inputSide: 256, region: region, size: ImageSize(width: 512, height: 256))
    #expect(
      points == [
        SIMD3(0.25, 0.125, 0), SIMD3(0.75, 0.125, 0.125), SIMD3(0.25, 0.375, -0.5),
        SIMD3(0.75, 0.375, 0.25),
      ])
  }

  @Test func `a region turned by a quarter turns the points clockwise`() {
    let region = NormalizedRect(
      xCenter: 0.5, yCenter: 0.5, width: 0.5, height: 0.5, rotation: .pi / 2)
    let raw: [Float] = [192, 0, 96]
    let points = LandmarkDecoding.project(
      raw.view, inputSide: 192, region: region, size: ImageSize(width: 64, height: 64))
    // The input's top right is the region's bottom right in the image; cosf(π/2) is not quite 0.
    #expect(points.difference([SIMD3(0.75, 0.75, 0.25)]) < 1e-6)
  }

  static let logits: [(Float, Float)] = [
    (0, 0.5), (200, 1), (-200, 0), (.infinity, 1), (-.infinity, 0),
  ]

  @Test(arguments: logits)
  func `presence is the logistic function and does not overflow`(logit: Float, presence: Float) {
    #expect(LandmarkDecoding.presence(logit: logit) == presence)
  }

  @Test func `presence keeps to the logistic function within its precision`() {
    for step in -160...160 {
      let logit = Float(step) / 8
      let exact = 1 / (1 + exp(-Double(logit)))
      let found = Double(LandmarkDecoding.presence(logit: logit))
      #expect(abs(found - exact) <= 3e-7 * exact)
    }
  }

  @Test func `the blendshape model sees 146 rising landmarks in pixels`() {
    let chosen = BlendshapeInput.landmarks
    #expect(chosen.count == 146 && chosen == Set(chosen).sorted())
    #expect(chosen.first == 0 && chosen.last == 477)
    // The irises are all there: their centres and edges.
    #expect(Array(chosen.suffix(10)) == Array(468...477))
    let landmarks = (0..<478).map { SIMD3(Float($0) / 512, Float($0) / 1024, 9) }
    var tensor = [Float](repeating: .nan, count: 292)
    tensor.withUnsafeMutableBufferPointer { floats in
      var view = MutableTensorView(unsafe: floats)
      BlendshapeInput.fill(
        &view, from: landmarks, size: ImageSize(width: 512, height: 2048))
    }
    #expect(tensor == chosen.flatMap { [Float($0), 2 * Float($0)] })
  }
}
