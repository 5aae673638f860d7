import FaceCore
import Foundation
import Metrics
import Records
import TestSupport
import Testing

private func box(at x: Double) -> BoundingBox {
  BoundingBox(x: x, y: 0, width: 39, height: 39)
}

@Suite("VOC's average precision")
struct VOCDetectionTests {
  /// Rows `class [score] x y width height` of a text file.
  private func rows(_ folder: String, _ name: String) throws -> [[Double]] {
    try String(
      contentsOf: Shared.data("padilla-det/\(folder)/\(name)"), encoding: .utf8
    ).split(whereSeparator: \.isNewline).map { line in
      line.split(separator: " ").dropFirst().compactMap { Double($0) }
    }
  }

  @Test(
    .tags(.oracle),
    .enabled(if: Shared.isAvailable, "needs the shared data"))
  func `padilla's images give the published 24.57 % and 26.84 % at IoU 0.3`() throws {
    var voc = VOCDetection(minOverlap: 0.3)
    var count = (labels: 0, detections: 0)
    for frame in 1...7 {
      let labels = try rows("groundtruths", "0000\(frame).txt").map {
        FaceLabel(box: BoundingBox(x: $0[0], y: $0[1], width: $0[2], height: $0[3]))
      }
      let detections = try rows("detections", "0000\(frame).txt").map {
        FaceDetection(
          box: BoundingBox(x: $0[1], y: $0[2], width: $0[3], height: $0[4]), score: $0[0])
      }
      count.labels += labels.count
      count.detections += detections.count
      try voc.add(frame: frame, labels: labels, detections: detections)
    }
    #expect(count == (15, 24))
    let percent = voc.summarize().map { String(format: "%.2f", ($0.value ?? .nan) * 100) }
    print("Padilla: \(voc.summarize().map { $0.value ?? .nan })")
    #expect(percent == ["24.57", "26.84"])
    #expect(voc.summarize().allSatisfy { $0.n == 15 })
  }

  @Test func `a taken face makes a duplicate false even where another face would be free`() throws {
    var voc = VOCDetection()
    try voc.add(
      frame: 0, labels: [FaceLabel(box: box(at: 0)), FaceLabel(box: box(at: 10))],
      detections: [
        FaceDetection(box: box(at: 0), score: 0.9), FaceDetection(box: box(at: 1), score: 0.8),
      ])
    // The second overlaps both by more than .5, and the taken one most.
    let values = voc.summarize().map { $0.value ?? .nan }
    #expect(abs(values[0] - 0.5) < 1e-12)
    #expect(abs(values[1] - 6.0 / 11) < 1e-12)
  }

  @Test func `a recall of exactly 3 in 10 reaches the recall 0.3`() throws {
    var voc = VOCDetection()
    for frame in 0..<10 {
      try voc.add(
        frame: frame, labels: [FaceLabel(box: box(at: 0))],
        detections: frame < 3 ? [FaceDetection(box: box(at: 0), score: 0.9)] : [])
    }
    let values = voc.summarize().map { $0.value ?? .nan }
    #expect(abs(values[0] - 0.3) < 1e-12)
    #expect(abs(values[1] - 4.0 / 11) < 1e-12)
  }

  @Test func `ignored faces take their detections out, and without others nothing is defined`()
    throws
  {
    var voc = VOCDetection()
    var other = FaceLabel(box: box(at: 200))
    other.category = 2
    try voc.add(
      frame: 0, labels: [FaceLabel(box: box(at: 0), isIgnored: true), other],
      detections: [FaceDetection(box: box(at: 0), score: 0.9)])
    #expect(voc.summarize().allSatisfy { $0.value == nil && $0.reason != nil && $0.n == 0 })
    try voc.add(
      frame: 1, labels: [FaceLabel(box: box(at: 0))],
      detections: [FaceDetection(box: box(at: 0), score: 0.1)])
    #expect(voc.summarize().map(\.value) == [1, 1])
  }

  @Test func `labels without detections are 0`() throws {
    var voc = VOCDetection()
    try voc.add(frame: 0, labels: [FaceLabel(box: box(at: 0))], detections: [])
    #expect(voc.summarize().map(\.value) == [0, 0])
  }
}
