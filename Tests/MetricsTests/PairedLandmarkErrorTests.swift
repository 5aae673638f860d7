import FaceCore
import Metrics
import Records
import Testing

@Suite struct PairedLandmarkErrorTests {
  private let points = (0..<68).map { Point(x: Double($0 * 5 % 97), y: Double($0 * 3 % 61)) }

  /// One frame for each error, in pixels to the right; nil for a missed face.
  private func accuracy(_ errors: [Double?]) throws -> LandmarkAccuracy {
    var accuracy = LandmarkAccuracy(scheme: .ibug68)
    let landmarks = try #require(Landmarks(scheme: .ibug68, points: points))
    let box = try #require(BoundingBox(around: points))
    for (frame, error) in errors.enumerated() {
      let labels = [FaceLabel(box: box, landmarks: [landmarks])]
      let faces = error.map { error in
        [
          FacePrediction(
            scheme: .ibug68, points: points.map { Point(x: $0.x + error, y: $0.y) })
        ]
      }
      try accuracy.add(
        frame: frame, labels: labels, faces: faces ?? [],
        matching: FaceMatching(frame: frame, labels: labels, faces: faces ?? []))
    }
    return accuracy
  }

  private func clusters(_ count: Int) -> FrameClusters {
    var clusters = FrameClusters()
    for frame in 0..<count { clusters.add(frame, sequence: frame, subject: "", isVideo: false) }
    return clusters
  }

  @Test func `a run that drops its hard face is no better on the faces that both found`() throws {
    let base = try accuracy([1, 1, 8, nil])
    let candidate = try accuracy([1, 1.5, nil, 2])
    let landmarks = try #require(Landmarks(scheme: .ibug68, points: points))
    let length = try #require(LandmarkNormalizer.interocular.pixels(of: landmarks))
    let common = try #require(
      PairedLandmarkError(base: base, candidate: candidate, clusters: clusters(4)))
    let (first, second) = common.measurements
    #expect(first.n == 2 && second.n == 2)
    #expect(common.foundAlone == (1, 1))
    #expect(try abs(#require(first.value) - 1 / length) < 1e-12)
    #expect(try abs(#require(second.value) - 1.25 / length) < 1e-12)
    #expect(Array(common.frames) == [0, 1])
    // The means of each run's own found faces say the opposite.
    func own(_ accuracy: LandmarkAccuracy) throws -> Double {
      try #require(
        accuracy.summarize().first { $0.name == "landmarks.nme.interocular.conditional" }?.value)
    }
    #expect(try own(candidate) < own(base))
  }

  @Test func `draws and swaps take whole clusters`() throws {
    let base = try accuracy([1, 1, 8])
    let common = try #require(
      try PairedLandmarkError(
        base: base, candidate: accuracy([2, 1, nil]), clusters: clusters(3)))
    let one = try #require(common.difference(copies: [1, 1, 1]))
    #expect(one > 0)
    #expect(try abs(#require(common.difference(copies: [2, 0, 1])) - 2 * one) < 1e-12)
    #expect(common.difference(copies: [0, 0, 3]) == nil)
    #expect(common.difference(swapped: [true, false, false]) == -one)
    #expect(common.difference(swapped: [false, true, true]) == one)
  }

  @Test func `without a common face the error is undefined, and schemes do not mix`() throws {
    let base = try accuracy([1, nil])
    let common = try #require(
      try PairedLandmarkError(base: base, candidate: accuracy([nil, 1]), clusters: clusters(2)))
    #expect(common.measurements.base.value == nil && common.measurements.base.reason != nil)
    #expect(
      PairedLandmarkError(
        base: base, candidate: LandmarkAccuracy(scheme: .mediapipe478), clusters: clusters(2))
        == nil)
  }
}
