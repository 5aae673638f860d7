import FaceCore
import FacePipeline
import Testing

/// Cases small enough to compute by hand; sides and scores are sums of powers of two, so that single
/// precision is exact and results can be compared with `==`.
struct WeightedSuppressionTests {
  /// A detection with all six points in its top-left corner.
  private func face(
    _ score: Float, _ x: Float, _ y: Float, _ width: Float, _ height: Float
  ) -> NormalizedDetection {
    var values = SIMD16<Float>(repeating: 0)
    (values[0], values[1]) = (x + width / 2, y + height / 2)
    (values[2], values[3]) = (width, height)
    for k in 0..<6 { (values[4 + 2 * k], values[5 + 2 * k]) = (x, y) }
    let candidate = DetectorCandidate(anchor: 0, score: score, regressors: values)
    guard let made = NormalizedDetection(candidate, anchors: [SIMD2(0, 0)], inputSide: 1) else {
      Issue.record("the box of a test case is not well-formed")
      return face(score, 0, 0, 1, 1)
    }
    return made
  }

  private func boxes(_ faces: [NormalizedDetection]) -> [[Float]] {
    faces.map { [$0.score, $0.xmin, $0.ymin, $0.width, $0.height] }
  }

  @Test func `nothing in gives nothing out`() {
    #expect(WeightedSuppression.apply(to: [], overlap: 0.5).isEmpty)
  }

  @Test func `faces apart come out as they are by falling score`() {
    let faces = [face(0.25, 0, 0, 1, 1), face(0.75, 2, 0, 1, 1), face(0.5, 0, 2, 1, 1)]
    let kept = WeightedSuppression.apply(to: faces, overlap: 0.5)
    #expect(kept == [faces[1], faces[2], faces[0]])
  }

  @Test func `an overlapping pair becomes the mean weighted by score with the leader's score`() {
    let faces = [face(0.25, 1, 0, 4, 4), face(0.75, 0, 0, 4, 4)]
    let kept = WeightedSuppression.apply(to: faces, overlap: 0.5)
    #expect(boxes(kept) == [[0.75, 0.25, 0, 4, 4]])
    #expect(kept[0].keypoints == Array(repeating: SIMD2(0.25, 0), count: 6))
  }

  @Test(arguments: [(Float(0.59), 1), (0.6, 2), (0.61, 2)])
  func `an overlap of exactly the threshold keeps two faces`(threshold: Float, count: Int) {
    let faces = [face(0.75, 0, 0, 4, 4), face(0.25, 1, 0, 4, 4)]
    #expect(WeightedSuppression.apply(to: faces, overlap: threshold).count == count)
  }

  @Test func `equal scores keep the order of the anchors`() {
    let faces = [face(0.5, 0, 0, 1, 1), face(0.5, 2, 0, 1, 1), face(0.5, 4, 0, 1, 1)]
    #expect(WeightedSuppression.apply(to: faces, overlap: 0.5) == faces)
    #expect(WeightedSuppression.apply(to: faces.reversed(), overlap: 0.5) == faces.reversed())
  }

  @Test func `a chain is cut at the neighbours of the leader`() {
    let faces = [face(0.75, 0, 0, 4, 4), face(0.25, 1, 0, 4, 4), face(0.5, 2, 0, 4, 4)]
    let kept = WeightedSuppression.apply(to: faces, overlap: 0.5)
    #expect(boxes(kept) == [[0.75, 0.25, 0, 4, 4], [0.5, 2, 0, 4, 4]])
  }

  @Test func `touching edges overlap by nothing and a threshold of 0 keeps them apart`() {
    let faces = [face(0.75, 0, 0, 1, 1), face(0.5, 1, 0, 1, 1)]
    #expect(WeightedSuppression.apply(to: faces, overlap: 0) == faces)
  }

  @Test func `a threshold of 0 joins whatever shares any area`() {
    let faces = [face(0.75, 0, 0, 4, 4), face(0.25, 3.75, 3.75, 4, 4)]
    #expect(WeightedSuppression.apply(to: faces, overlap: 0).count == 1)
  }

  @Test func `a threshold of 1 gives the leader alone as MediaPipe does`() {
    let faces = [face(0.5, 8, 0, 1, 1), face(0.75, 0, 0, 4, 4), face(0.5, 4, 4, 1, 1)]
    #expect(WeightedSuppression.apply(to: faces, overlap: 1) == [faces[1]])
  }

  @Test func `a leader without extent ends the list as MediaPipe does`() {
    let faces = [face(0.75, 0, 0, 0, 0), face(0.5, 4, 4, 1, 1)]
    #expect(WeightedSuppression.apply(to: faces, overlap: 0.5) == [faces[0]])
  }

  @Test func `a box inside another overlaps by the share of its area`() {
    let faces = [face(0.75, 0, 0, 4, 4), face(0.25, 1, 1, 2, 2)]
    #expect(WeightedSuppression.apply(to: faces, overlap: 0.25).count == 2)
    #expect(
      boxes(WeightedSuppression.apply(to: faces, overlap: 0.2)) == [[0.75, 0.25, 0.25, 3.5, 3.5]])
  }

  @Test func `the threshold decides which boxes are averaged`() {
    let decoder = DetectionDecoder(
      geometry: .shortRange)
    let candidates = [Float(0.75), 0.25].enumerated().map { index, score in
      var values = SIMD16<Float>(repeating: 0)
      values[0] = Float(index) * 8
      (values[2], values[3]) = (64, 64)
      return DetectorCandidate(anchor: 0, score: score, regressors: values)
    }
    var identity = SIMD16<Float>(repeating: 0)
    (identity[0], identity[5]) = (1, 1)
    func left(threshold: Double) -> [Float] {
      decoder.normalizedDetections(
        from: candidates, projection: identity, threshold: threshold, overlap: 0.5
      ).map(\.xmin)
    }
    let anchor = DetectorGeometry.shortRange.anchors[0].x
    #expect(left(threshold: 0.5) == [anchor - 0.25])
    #expect(left(threshold: 0.25) == [anchor - 0.25 + 0.25 * 0.0625])
    #expect(left(threshold: 0.8).isEmpty)
  }
}
