import Datasets
import FaceCore
import Foundation
import Metrics
import Records
import TestSupport
import Testing

private func face(at x: Double, _ levels: [String] = ["easy", "medium", "hard"]) -> FaceLabel {
  var face = FaceLabel(box: BoundingBox(x: x, y: 0, width: 39, height: 39))
  for level in ["easy", "medium", "hard"] {
    face.attributes["wider_\(level)"] = levels.contains(level) ? 1 : 0
  }
  return face
}

private func detection(at x: Double, score: Double) -> FaceDetection {
  FaceDetection(box: BoundingBox(x: x, y: 0, width: 39, height: 39), score: score)
}

@Suite("WIDER FACE's protocol")
struct WIDERDetectionTests {
  @Test(
    .tags(.oracle), .enabled(if: Shared.isAvailable, "needs the shared data"))
  func `RetinaFace-mobilenet0.25 on the validation set gives the published 90.70, 88.16 and 73.82`()
    throws
  {
    let folder = try TemporaryFolder()
    let archive = Shared.data("wider-pred-retina-mnet-b/widerface_txt.tar.gz").path
    let result = try ProcessResult(
      running: "/usr/bin/env", ["tar", "-xzf", archive, "-C", folder.url.path])
    try #require(result.status == 0, "\(result.errors)")
    var detections: [String: [FaceDetection]] = [:]
    _ = try WIDERDetections().read(
      [folder.file("widerface_txt")], options: ImportOptions(isLabelsOnly: true)
    ) { frame in
      detections[frame.name] = frame.faces.map {
        FaceDetection(box: $0.box, score: $0.score ?? .nan)
      }
    }
    var labels: [(name: String, faces: [FaceLabel])] = []
    let lists = ["face", "easy", "medium", "hard"].map {
      Shared.data("wider-eval-gt/wider_\($0)_val.mat")
    }
    _ = try WiderMAT().read(lists, options: ImportOptions(isLabelsOnly: true)) { frame in
      labels.append((frame.name, frame.faces))
    }
    #expect(labels.count == 3226 && detections.count == 3226)
    var wider = WIDERDetection()
    for (frame, image) in labels.enumerated() {
      let found = try #require(detections[image.name])
      try wider.add(frame: frame, labels: image.faces, detections: found)
    }
    let metrics = wider.summarize()
    let values = try metrics.map { try #require($0.value) * 100 }
    #expect(metrics.map(\.n) == [7211, 13319, 31958])
    for (value, (published, recomputed)) in zip(
      values, [(90.70, 90.696), (88.16, 88.158), (73.82, 73.829)])
    {
      #expect(abs(value - published) <= 0.02, "\(value), published \(published)")
      // The last digit that was written down.
      #expect(abs(value - recomputed) <= 0.000_5, "\(value), recomputed \(recomputed)")
    }
  }

  @Test
  func `a second detection of a face is false, one on a face that does not count is left out`()
    throws
  {
    var wider = WIDERDetection()
    try wider.add(
      frame: 0, labels: [face(at: 0), face(at: 100, ["hard"])],
      detections: [
        detection(at: 0, score: 1), detection(at: 100, score: 0.9), detection(at: 1, score: 0.8),
        detection(at: 300, score: 0),
      ])
    try wider.add(
      frame: 1, labels: [face(at: 0)],
      detections: [detection(at: 0, score: 0.5)])
    let metrics = wider.summarize()
    #expect(metrics.map(\.n) == [2, 2, 3])
    // Easy: true, false, true. Hard: true, true, false, true.
    let wanted = [0.5 + 0.5 * 2 / 3, 0.5 + 0.5 * 2 / 3, 2.0 / 3 + 1.0 / 3 * 3 / 4]
    for (metric, wanted) in zip(metrics, wanted) {
      #expect(abs((metric.value ?? .nan) - wanted) < 1e-12, "\(metric.name)")
    }
  }

  @Test func `the last pixel belongs to a box`() throws {
    // 0...39 against 0...79 in width: 40 of 80 pixels.
    let wide = BoundingBox(x: 0, y: 0, width: 79, height: 39)
    let half = BoundingBox(x: 0, y: 0, width: 39, height: 39)
    #expect(half.inclusiveIoU(with: wide) == 0.5)
    #expect(half.iou(with: wide) < 0.5)
    // A box without sides is one pixel.
    let point = BoundingBox(x: 5, y: 5, width: 0, height: 0)
    #expect(point.inclusiveIoU(with: point) == 1)
  }

  @Test func `scores are stretched over the whole dataset, with images that have no labelled face`()
    throws
  {
    var together = WIDERDetection()
    try together.add(frame: 0, labels: [], detections: [detection(at: 0, score: 1)])
    try together.add(
      frame: 1, labels: [face(at: 0), face(at: 100)],
      detections: [
        detection(at: 0, score: 0.5001), detection(at: 300, score: 0.50005),
        detection(at: 100, score: 0.5),
      ])
    // With a score of 1 the three share the last of the thousand steps.
    var apart = WIDERDetection()
    try apart.add(
      frame: 1, labels: [face(at: 0), face(at: 100)],
      detections: [
        detection(at: 0, score: 0.5001), detection(at: 300, score: 0.50005),
        detection(at: 100, score: 0.5),
      ])
    let apartValue = try #require(apart.summarize()[0].value)
    let togetherValue = try #require(together.summarize()[0].value)
    #expect(abs(apartValue - (0.5 + 0.5 * 2 / 3)) < 1e-12)
    #expect(abs(togetherValue - 2.0 / 3) < 1e-12)
  }

  @Test func `an image whose faces are all ignored still counts its false detections`() throws {
    func easy(_ labels: [FaceLabel]) throws -> Double? {
      var wider = WIDERDetection()
      try wider.add(
        frame: 0, labels: labels, detections: [detection(at: 300, score: 1)])
      try wider.add(
        frame: 1, labels: [face(at: 0)],
        detections: [detection(at: 0, score: 0.5), detection(at: 200, score: 0)])
      return wider.summarize()[0].value
    }
    #expect(try easy([face(at: 0, [])]) == 0.5)
    #expect(try easy([]) == 1, "an image without boxes is skipped")
  }

  @Test
  func `no levels, a level without faces, and equal scores are undefined; nothing found is 0`()
    throws
  {
    var wider = WIDERDetection()
    #expect(!wider.hasLevels)
    try wider.add(
      frame: 0, labels: [FaceLabel(box: BoundingBox(x: 0, y: 0, width: 39, height: 39))],
      detections: [detection(at: 0, score: 1)])
    #expect(!wider.hasLevels)
    #expect(
      wider.summarize().map(\.reason)
        == Array(repeating: "no label states which of WIDER's levels count its face", count: 3))
    try wider.add(frame: 1, labels: [face(at: 0, ["hard"])], detections: [])
    #expect(wider.hasLevels)
    #expect(
      wider.summarize().map(\.reason) == [
        "this level counts no face", "this level counts no face",
        "all scores are equal, so that they cannot be stretched to [0, 1]",
      ])
    var missed = WIDERDetection()
    try missed.add(frame: 0, labels: [face(at: 0)], detections: [])
    #expect(missed.summarize().map(\.value) == [0, 0, 0])
  }
}
