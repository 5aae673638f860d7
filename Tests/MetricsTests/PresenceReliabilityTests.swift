import FaceCore
import Metrics
import Records
import Testing

@Suite struct PresenceReliabilityTests {
  private func box(_ x: Double) -> BoundingBox { BoundingBox(x: x, y: 0, width: 10, height: 10) }

  /// By hand: presences .875 and .625 true, .75 and .25 false; one on an ignored label counts neither way.
  @Test func `given and rejected faces count, true where they match a label`() throws {
    var metric = PresenceReliability()
    #expect(!metric.isPresent && metric.summarize().allSatisfy { $0.value == nil })
    func face(_ x: Double, _ presence: Float?) -> FacePrediction {
      var face = FacePrediction(box: box(x))
      face.presence = presence
      return face
    }
    var ignored = FaceLabel(box: box(100))
    ignored.isIgnored = true
    var prediction = FramePrediction(frame: 0, notAnalysed: .broken)
    prediction.faces = [face(0, 0.875), face(200, 0.75), face(100, 0.5), face(50, nil)]
    prediction.rejected = [face(300, 0.25), face(20, 0.625)]
    try metric.add(
      frame: 0, labels: [FaceLabel(box: box(0)), FaceLabel(box: box(20)), ignored],
      prediction: prediction)
    let metrics = Dictionary(
      uniqueKeysWithValues: metric.summarize().map { ($0.name, $0) })
    #expect(metrics["presence.ece"]?.n == 4)
    let error = try #require(metric.calibrationErrors["presence.ece"])
    #expect(error.binned == 0.375 && metrics["presence.ece"]?.value == error.value)
    #expect(metrics["presence.brier"]?.value == 0.1953125)
    #expect(metrics["presence.mce"]?.value == 0.75)
  }

  @Test(arguments: [15, -2, 1.0000001] as [Float])
  func `a score that is no probability leaves every metric undefined, with the score`(
    stray: Float
  ) throws {
    var metric = PresenceReliability()
    var good = FacePrediction(box: box(0))
    good.presence = 0.9
    var wild = FacePrediction(box: box(50))
    (wild.presence, wild.detectionScore) = (nil, stray)
    var prediction = FramePrediction(frame: 0, notAnalysed: .broken)
    prediction.faces = [good, wild]
    try metric.add(frame: 0, labels: [FaceLabel(box: box(0))], prediction: prediction)
    #expect(metric.isPresent && metric.strayScore == Double(stray))
    for metric in metric.summarize() {
      #expect(metric.value == nil)
      #expect(
        metric.reason == "the scores are no probabilities: \(Double(stray)) is outside [0, 1]")
    }
  }
}
