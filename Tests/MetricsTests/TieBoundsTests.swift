import FaceCore
import Metrics
import Records
import Statistics
import Testing

/// Average precision over every order of detections with equal scores.
@Suite struct TieBoundsTests {
  private struct Detection: Sendable {
    var score: Double
    var isTrue: Bool
  }

  /// AP at IoU .50 of detections in this order, one an image, of which there are `labels`.
  private func average(_ detections: [Detection], labels: Int) throws -> Double {
    let face = BoundingBox(x: 0, y: 0, width: 10, height: 10)
    let other = BoundingBox(x: 50, y: 0, width: 10, height: 10)
    var coco = COCODetection()
    for (frame, detection) in detections.enumerated() {
      try coco.add(
        frame: frame, labels: detection.isTrue ? [FaceLabel(box: face)] : [],
        detections: [
          FaceDetection(box: detection.isTrue ? face : other, score: detection.score)
        ])
    }
    for missed in detections.count(where: \.isTrue)..<labels {
      try coco.add(
        frame: detections.count + missed, labels: [FaceLabel(box: face)], detections: [])
    }
    let metric = try #require(coco.summarize().first { $0.name == "detection.ap50" })
    return try #require(metric.value)
  }

  private func orders(_ detections: [Detection]) -> [[Detection]] {
    guard let first = detections.first else { return [[]] }
    return orders(Array(detections.dropFirst())).flatMap { rest in
      (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
    }
  }

  private func bounds(_ detections: [Detection], labels: Int) -> TieBounds? {
    TieBounds(detections.map { ($0.score, $0.isTrue) }, labels: labels)
  }

  @Test(arguments: 0..<12)
  func `they are the extremes of all orders, and the order given is pycocotools's`(
    seed: Int
  ) throws {
    var stream = SplitMix64(seed: UInt64(seed))
    let detections = (0..<5).map { _ in
      Detection(
        score: Double(Int.random(in: 1...2, using: &stream)) / 2,
        isTrue: Bool.random(using: &stream))
    }
    let labels = detections.count(where: \.isTrue) + Int.random(in: 1...2, using: &stream)
    let bounds = try #require(self.bounds(detections, labels: labels))
    let all = try orders(detections).map { try average($0, labels: labels) }
    let (low, high) = (try #require(all.min()), try #require(all.max()))
    #expect(abs(bounds.worst - low) < 1e-12 && abs(bounds.best - high) < 1e-12)
    #expect(try abs(average(detections, labels: labels) - bounds.given) < 1e-12)
  }

  /// By hand: of two labels one is found, by a detection that shares its score with a wrong one.
  @Test func `a right and a wrong one of equal score are worth a half or a whole`() throws {
    let tied = [Detection(score: 0.5, isTrue: false), Detection(score: 0.5, isTrue: true)]
    let bounds = try #require(self.bounds(tied, labels: 2))
    #expect(abs(bounds.worst - 51.0 / 101 / 2) < 1e-12 && bounds.given == bounds.worst)
    #expect(abs(bounds.best - 51.0 / 101) < 1e-12)
    #expect(bounds.tied == 2)
  }

  @Test func `equal scores of right ones alone decide nothing`() throws {
    let right = [0.5, 0.5, 0.9].map { Detection(score: $0, isTrue: true) }
    let wrong = Detection(score: 0.1, isTrue: false)
    let bounds = try #require(self.bounds(right + [wrong], labels: 4))
    #expect(bounds.worst == bounds.best && bounds.tied == 0)
    #expect(self.bounds(right, labels: 0) == nil)
  }
}
