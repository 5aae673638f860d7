import FaceCore
import Metrics
import Records
import Statistics
import TestSupport
import Testing

private func face(at x: Double, ignored: Bool = false, crowd: Bool = false) -> FaceLabel {
  FaceLabel(
    box: BoundingBox(x: x, y: 0, width: 40, height: 40), isIgnored: ignored, isCrowd: crowd)
}

private func detection(at x: Double, score: Double) -> FaceDetection {
  FaceDetection(box: BoundingBox(x: x, y: 0, width: 40, height: 40), score: score)
}

private func values(_ point: DetectionOperatingPoint) -> [String: Double?] {
  Dictionary(uniqueKeysWithValues: point.summarize().map { ($0.name, $0.value) })
}

@Suite("The detector's operating point")
struct DetectionOperatingPointTests {
  @Test func `counts, ratios and the share of numFaces follow from two images by hand`() throws {
    var point = DetectionOperatingPoint(numFaces: 2)
    let three = [face(at: 0), face(at: 100), face(at: 200), face(at: 300, ignored: true)]
    let all = [
      detection(at: 1, score: 0.9), detection(at: 500, score: 0.8), detection(at: 101, score: 0.7),
      detection(at: 301, score: 0.6),
    ]
    let outcome = try point.add(
      frame: 0, labels: three, detections: Array(all.prefix(2)), unclipped: all)
    #expect(outcome.matches.map(\.label) == [0])
    #expect(outcome.matches.map(\.detection) == [0])
    #expect(outcome.missed == [1, 2])
    #expect(outcome.falsePositives == [1])
    try point.add(
      frame: 1, labels: [face(at: 0)],
      detections: [detection(at: 0, score: 0.9), detection(at: 2, score: 0.95)])
    let expected: [String: Double] = [
      "detection.recall@score": 2.0 / 4, "detection.precision@score": 2.0 / 4,
      "detection.f1@score": 0.5, "detection.fp_per_image@score": 1,
      "detection.true_positives@score": 2, "detection.false_positives@score": 2,
      "detection.false_negatives@score": 2, "detection.faces_beyond_limit": 1,
      "detection.images_beyond_limit": 1, "detection.misses_by_limit": 1,
    ]
    #expect(values(point) == expected)
  }

  @Test func `a detection on an ignored face or in a crowd counts neither way`() throws {
    let labels = [
      face(at: 0, ignored: true),
      FaceLabel(box: BoundingBox(x: 200, y: 0, width: 400, height: 100), isCrowd: true),
    ]
    let found = [
      detection(at: 0, score: 0.9), detection(at: 1, score: 0.8), detection(at: 210, score: 0.7),
      detection(at: 300, score: 0.6),
    ]
    let outcome = try DetectionOutcome(frame: 0, labels: labels, detections: found)
    #expect(outcome.matches.isEmpty && outcome.missed.isEmpty)
    #expect(outcome.falsePositives == [1])
    #expect(outcome.ignored == [0, 2, 3])
    #expect(outcome.labelled == 0)
  }

  @Test func `the better score takes the face, though another lies closer`() throws {
    let outcome = try DetectionOutcome(
      frame: 0, labels: [face(at: 0)],
      detections: [detection(at: 0, score: 0.6), detection(at: 5, score: 0.9)])
    #expect(outcome.matches.map(\.detection) == [1])
    #expect(outcome.falsePositives == [0])
    #expect(abs(outcome.matches[0].iou - 35.0 / 45) < 1e-12)
  }

  @Test func `labels of another category take no part`() throws {
    var other = face(at: 0)
    other.category = 2
    let outcome = try DetectionOutcome(
      frame: 0, labels: [other], detections: [detection(at: 0, score: 0.6)])
    #expect(outcome.missed.isEmpty)
    #expect(outcome.falsePositives == [0])
  }

  @Test func `without frames every metric is undefined, with a reason`() {
    let metrics = DetectionOperatingPoint(numFaces: 1).summarize()
    #expect(metrics.count == DetectionOperatingPoint.definitions.count)
    #expect(metrics.allSatisfy { $0.value == nil && $0.reason != nil && $0.n == 0 })
  }

  @Test func `an image without labels and detections defines counts, not ratios`() throws {
    var point = DetectionOperatingPoint(numFaces: 1)
    try point.add(frame: 0, labels: [], detections: [])
    let values = values(point)
    #expect(values["detection.recall@score"] == .some(nil))
    #expect(values["detection.precision@score"] == .some(nil))
    #expect(values["detection.f1@score"] == .some(nil))
    #expect(values["detection.fp_per_image@score"] == 0.0)
    #expect(values["detection.true_positives@score"] == 0.0)
  }

  @Test func `missing every face is a recall and an F1 of 0 and an undefined precision`() throws {
    var point = DetectionOperatingPoint(numFaces: 1)
    try point.add(frame: 0, labels: [face(at: 0)], detections: [])
    let values = values(point)
    #expect(values["detection.recall@score"] == 0.0)
    #expect(values["detection.f1@score"] == 0.0)
    #expect(values["detection.precision@score"] == .some(nil))
  }

  @Test func `without a labelled face precision is undefined, and false positives are counted`()
    throws
  {
    var point = DetectionOperatingPoint(numFaces: 1)
    try point.add(frame: 0, labels: [], detections: [detection(at: 0, score: 0.9)])
    #expect(values(point)["detection.precision@score"] == .some(nil))
    #expect(values(point)["detection.fp_per_image@score"] == 1.0)
    try point.add(frame: 1, labels: [face(at: 0)], detections: [])
    #expect(values(point)["detection.precision@score"] == 0.0)
  }

  @Test func `any split merges to the same bits`() throws {
    var generator = SplitMix64(seed: 11)
    var whole = DetectionOperatingPoint(numFaces: 3)
    var parts = [DetectionOperatingPoint](
      repeating: DetectionOperatingPoint(numFaces: 3), count: 4)
    for frame in (0..<200).shuffled(using: &generator) {
      let labels = (0..<Int.random(in: 0...5, using: &generator)).map { face(at: Double($0) * 50) }
      let found = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
        detection(
          at: Double.random(in: 0...300, using: &generator),
          score: Double.random(in: 0...1, using: &generator))
      }
      let clipped = Array(found.prefix(3))
      try whole.add(frame: frame, labels: labels, detections: clipped, unclipped: found)
      try parts[frame % 4].add(
        frame: frame, labels: labels, detections: clipped, unclipped: found)
    }
    var merged = DetectionOperatingPoint(numFaces: 3)
    for part in parts.shuffled(using: &generator) { try merged.merge(part) }
    #expect(merged == whole)
    #expect(merged.summarize() == whole.summarize())
  }

  @Test func `detections over numFaces, repeated frames and other limits are refused`() throws {
    var point = DetectionOperatingPoint(numFaces: 1)
    let two = [detection(at: 0, score: 0.9), detection(at: 90, score: 0.8)]
    let over = #expect(throws: MetricError.self) {
      try point.add(frame: 8, labels: [], detections: two)
    }
    #expect(
      over?.description == "cannot add frame 8 to the operating point: "
        + "expected at most numFaces = 1 detections, found 2")
    try point.add(frame: 8, labels: [], detections: [])
    let copy = point
    #expect(throws: MetricError.self) { try point.merge(copy) }
    let limits = #expect(throws: MetricError.self) {
      try point.merge(DetectionOperatingPoint(numFaces: 2))
    }
    #expect(
      limits?.description == "cannot merge operating points: expected numFaces = 1, found 2")
  }
}
