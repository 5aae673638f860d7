import FaceCore
import FacePipeline
import Testing

struct DetectorGeometryTests {
  @Test func `the short range has 512 anchors two a cell and then 384 six a cell`() {
    let anchors = DetectorGeometry.shortRange.anchors
    #expect(DetectorGeometry.shortRange.anchorCount == 896)
    #expect(anchors.count == 896)
    #expect(anchors[0] == SIMD2<Float>(0.5 / 16, 0.5 / 16))
    #expect(anchors[1] == anchors[0])
    #expect(anchors[2] == SIMD2<Float>(1.5 / 16, 0.5 / 16))
    #expect(anchors[32] == SIMD2<Float>(0.5 / 16, 1.5 / 16))
    #expect(anchors[511] == SIMD2<Float>(15.5 / 16, 15.5 / 16))
    #expect(anchors[512...517].allSatisfy { $0 == SIMD2<Float>(0.5 / 8, 0.5 / 8) })
    #expect(anchors[518] == SIMD2<Float>(1.5 / 8, 0.5 / 8))
    #expect(anchors[895] == SIMD2<Float>(7.5 / 8, 7.5 / 8))
  }

  @Test func `the full range has one anchor in each of 48 by 48 cells`() {
    let anchors = DetectorGeometry.fullRange.anchors
    #expect(DetectorGeometry.fullRange.anchorCount == 2304)
    #expect(anchors.count == 2304)
    #expect(anchors[0] == SIMD2<Float>(0.5 / 48, 0.5 / 48))
    #expect(anchors[49] == SIMD2<Float>(1.5 / 48, 1.5 / 48))
    #expect(anchors[2303] == SIMD2<Float>(47.5 / 48, 47.5 / 48))
  }

  @Test(arguments: [
    (DetectorVariant.shortRange, 128, "blazeface-short-range"),
    (.fullRange, 192, "blazeface-full-range"),
  ])
  func `a variant names its model and input side`(variant: DetectorVariant, side: Int, name: String)
  {
    #expect(variant.geometry.inputSide == side)
    #expect(variant.model.name == name)
    #expect(ModelCatalog.all.contains(variant.model))
  }
}
