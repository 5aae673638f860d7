import FaceCore
import Foundation
import Metrics
import Testing

/// Frames that single metrics of a family rest on, of which their clusters are.
@Suite struct OwnFramesTests {
  private func frames(of metric: String, in family: some MetricFamily) -> [Int]? {
    family.ownFrames.first { $0.metrics.contains(metric) }.map { Array($0.frames) }
  }

  private static func square(_ side: Double) -> BoundingBox {
    BoundingBox(x: 0, y: 0, width: side, height: side)
  }

  @Test func `an average precision rests on frames with a label or a detection of its size`() throws
  {
    let (small, large) = (Self.square(10), Self.square(200))
    var coco = COCODetection()
    try coco.add(
      frame: 0, labels: [FaceLabel(box: small)],
      detections: [FaceDetection(box: small, score: 0.9)])
    try coco.add(frame: 1, labels: [], detections: [])
    try coco.add(frame: 2, labels: [FaceLabel(box: large)], detections: [])
    try coco.add(frame: 3, labels: [], detections: [FaceDetection(box: large, score: 0.9)])
    #expect(frames(of: "detection.ap", in: coco) == [0, 2, 3])
    #expect(frames(of: "detection.ap_small", in: coco) == [0])
    #expect(frames(of: "detection.ar_medium", in: coco) == [])
    #expect(frames(of: "detection.ap_large", in: coco) == [2, 3])
    var voc = VOCDetection()
    try voc.add(frame: 0, labels: [], detections: [])
    try voc.add(frame: 1, labels: [FaceLabel(box: small)], detections: [])
    #expect(Array(voc.countedFrames) == [1])
  }

  @Test func `the lag rests on the videos in which a face moves`() throws {
    var jitter = LandmarkJitter()
    var previous: FramePrediction?
    for index in 0..<120 {
      let (isStill, time) = (index >= 60, Double(index % 60))
      func points(_ time: Double) -> [Point] {
        let x = isStill ? 0 : 30 * sin(time / 7) + 20 * sin(time / 17 + 2)
        return (0..<478).map { Point(x: x + Double($0 % 22) * 8, y: Double($0 / 22) * 8) }
      }
      let face = FacePrediction(
        scheme: .mediapipe478, points: points(time - 1), unsmoothed: points(time))
      let prediction = FramePrediction(index, faces: [face])
      try jitter.add(
        Frame(index, sequence: isStill ? 1 : 0, at: Int64(time) * 40_000), isVideo: true,
        prediction: prediction, previous: index % 60 == 0 ? nil : previous, beforePrevious: nil)
      previous = prediction
    }
    #expect(frames(of: "lag.ms", in: jitter) == Array(0..<60))
    #expect(frames(of: "jitter.static", in: jitter) == nil)
  }

  @Test func `means over attributes rest on the frames that have attributes of the kind`() throws {
    var accuracy = AttributeAccuracy(
      rules: AttributeRules([AttributeRule("x"), AttributeRule("yes", kind: .binary)]))
    for (frame, names) in [["x"], ["yes"], ["x", "yes"], ["yes"]].enumerated() {
      var face = LabelledFaceCase(isFound: frame != 2)
      face.label.attributes = Dictionary(uniqueKeysWithValues: names.map { ($0, 1.0) })
      face.face?.attributes = face.label.attributes
      try accuracy.add(face.scored(frame))
    }
    #expect(frames(of: "attributes.pcc", in: accuracy) == [0, 2])
    #expect(frames(of: "attributes.pcc.conditional", in: accuracy) == [0])
    #expect(frames(of: "attributes.f1", in: accuracy) == [1, 2, 3])
  }
}
