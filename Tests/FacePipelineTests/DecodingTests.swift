import FaceCore
import FacePipeline
import Tensor
import Testing

struct DecodingTests {
  private func candidates(_ logits: [Float], floor: Float) -> [DetectorCandidate] {
    let regressors = (0..<(logits.count * 16)).map(Float.init)
    return DetectorCandidate.all(
      logits: logits.view, regressors: regressors.view, floor: floor)
  }

  @Test func `a score is the logistic of the logit and the floor itself is kept`() {
    let found = candidates([-0.001, 0, 0.5, -3], floor: 0.5)
    #expect(found.map(\.anchor) == [1, 2])
    #expect(found[0].score == 0.5)
    #expect(abs(found[1].score - 0.62245935) < 1e-7)
    #expect(found[1].regressors[0] == 32)
    #expect(found[1].regressors[15] == 47)
  }

  @Test func `logits beyond 100 are clamped and stay finite`() {
    let found = candidates([.infinity, 1e30, -.infinity, -1e30], floor: 0)
    #expect(found.map(\.anchor) == [0, 1, 2, 3])
    #expect(found[0].score == 1 && found[1].score == 1)
    #expect(found[2].score == 0 && found[3].score == 0)
  }

  @Test func `a logit that is no number is never a candidate`() {
    #expect(candidates([.nan], floor: 0).isEmpty)
  }

  @Test func `no output gives no candidate`() {
    #expect(candidates([], floor: 0).isEmpty)
  }

  private func decoded(_ values: [Float], anchor: Int = 0, side: Int = 100)
    -> NormalizedDetection?
  {
    var regressors = SIMD16<Float>()
    for (lane, value) in values.enumerated() { regressors[lane] = value }
    return NormalizedDetection(
      DetectorCandidate(anchor: anchor, score: 0.75, regressors: regressors),
      anchors: [SIMD2(0.5, 0.25)], inputSide: side)
  }

  @Test func `box and points are relative to the anchor in units of the input side`() throws {
    let face = try #require(
      decoded([25, 50, 50, 25, 0, 0, 10, 20, -10, -20, 100, 0, 0, 100, 50, 75]))
    #expect(face.score == 0.75)
    #expect(face.xmin == 0.5)
    #expect(face.ymin == 0.625)
    #expect(face.width == 0.5)
    #expect(face.height == 0.25)
    #expect(face.keypoints.count == 6)
    #expect(face.keypoints[0] == SIMD2(0.5, 0.25))
    #expect(face.keypoints[3] == SIMD2(1.5, 0.25))
    #expect(face.keypoints[4] == SIMD2(0.5, 1.25))
    #expect(face.keypoints[5] == SIMD2(1, 1))
  }

  @Test(
    arguments: [
      [0, 0, -1, 10], [0, 0, 10, -1], [0, 0, .nan, 10], [0, .nan, 10, 10], [.infinity, 0, 10, 10],
    ] as [[Float]])
  func `a box that is inside out or no number is dropped`(values: [Float]) {
    #expect(decoded(values) == nil)
  }

  @Test(arguments: [-1, 1, Int.max])
  func `an anchor that the model does not have is dropped`(anchor: Int) {
    #expect(decoded([0, 0, 10, 10], anchor: anchor) == nil)
  }

  @Test func `a box without extent is kept`() {
    #expect(decoded([0, 0, 0, 0])?.width == 0)
  }
}
