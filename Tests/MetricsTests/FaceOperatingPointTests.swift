import FaceCore
import Metrics
import Records
import Testing

@Suite struct FaceOperatingPointTests {
  private func face(_ x: Double, score: Float?, presence: Float?) -> FacePrediction {
    FacePrediction(
      region: nil, isTracked: score == nil, detectionScore: score, presence: presence, scheme: nil,
      points: [], ownBox: BoundingBox(x: x, y: 0, width: 10, height: 10))
  }

  private func label(_ x: Double, isIgnored: Bool = false) -> FaceLabel {
    FaceLabel(box: BoundingBox(x: x, y: 0, width: 10, height: 10), isIgnored: isIgnored)
  }

  private func scored(
    _ index: Int, _ labels: [FaceLabel], _ faces: [FacePrediction]
  ) throws -> ScoredFrame {
    try ScoredFrame(
      Frame(index, at: 0), labels: labels, prediction: FramePrediction(index, faces: faces))
  }

  /// Three of four labels found, one face on none and one on an ignored label, which counts neither way.
  @Test func `faces given out are counted by hand`() throws {
    let labels = [label(0), label(50), label(100), label(150), label(200, isIgnored: true)]
    let faces = [
      face(0, score: 0.95, presence: 0.9), face(50, score: nil, presence: 0.8),
      face(100, score: 0.75, presence: nil), face(300, score: 0.75, presence: 0.1),
      face(200, score: 0.1, presence: 0.1),
    ]
    var metric = FaceOperatingPoint()
    try metric.add(scored(3, labels, faces))
    try metric.add(scored(4, [], []))
    let values = metric.summarize().map(\.value)
    #expect(values[0] == 0.75 && values[1] == 0.75 && values[2] == 0.75)
    // Three outcomes tell no calibration error from chance: bins give (.05 + |.75 − .5| · 2) / 3 and (.1 + .2 + .1) / 3.
    #expect(values[5] == 0 && values[6] == 0)
    // One missed and one false face in two images.
    #expect(values[3] == 0.5 && values[4] == 0.5)
    #expect(metric.errors(inFrame: 3) == 2 && metric.errors(inFrame: 4) == 0)
    #expect(metric.errors(inFrame: 5) == nil)
    #expect(metric.summarize().map(\.n) == [4, 4, 4, 2, 2, 3, 3])
  }

  /// The others would otherwise be compared as if they were chances.
  @Test func `one confidence outside [0, 1] leaves its calibration error undefined`() throws {
    let labels = [label(0), label(50)]
    var metric = FaceOperatingPoint()
    try metric.add(
      scored(0, labels, [face(0, score: 4.5, presence: 0.9), face(50, score: 0.25, presence: 0.8)]))
    let metrics = metric.summarize()
    #expect(metrics[5].value == nil && metrics[6].value != nil)
    #expect(metrics[5].n == 2)
    #expect(metrics[5].reason == "they are no probabilities: 1 of 2 are outside [0, 1]")
  }

  @Test func `nothing labelled leaves all undefined, and nothing given out is a recall of 0`()
    throws
  {
    var metric = FaceOperatingPoint()
    let faces = [face(0, score: nil, presence: nil)]
    try metric.add(scored(0, [], faces))
    let rates = ["faces.missed_per_image", "faces.false_per_image"]
    for one in metric.summarize() where !rates.contains(one.name) {
      #expect(one.value == nil && one.reason != nil)
    }
    #expect(metric.summarize().filter { rates.contains($0.name) }.map(\.value) == [0, 1])
    var other = FaceOperatingPoint()
    try other.add(scored(0, [label(0)], []))
    #expect(other.summarize().map(\.value) == [0, nil, 0, 1, 0, nil, nil])
    #expect(FaceOperatingPoint().summarize().allSatisfy { $0.value == nil && $0.reason != nil })
  }
}
