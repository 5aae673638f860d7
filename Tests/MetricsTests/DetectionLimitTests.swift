import FaceCore
import Metrics
import Records
import Testing

/// How many detections of an image count in average precision.
@Suite struct DetectionLimitTests {
  /// 150 faces, all found exactly, at falling scores.
  private func evaluated(_ limit: Int) throws -> COCODetection {
    let boxes = (0..<150).map {
      BoundingBox(x: Double($0) * 200, y: 0, width: 100, height: 100)
    }
    var coco = COCODetection(maxDetections: limit)
    try coco.add(
      frame: 0, labels: boxes.map { FaceLabel(box: $0) },
      detections: boxes.enumerated().map {
        FaceDetection(box: $1, score: 1 - Double($0) / 1000)
      })
    return coco
  }

  private func value(_ coco: COCODetection, _ name: String) -> Double? {
    coco.summarize().first { $0.name == name }?.value
  }

  @Test func `COCO's limit of 100 caps recall at 100 of 150, and counts those left out`() throws {
    let coco = try evaluated(100)
    #expect(coco.cutOff == (1, 50))
    // The mean of ten equal recalls is off by their rounding.
    #expect(abs((value(coco, "detection.ar100") ?? 0) - 100 / 150.0) < 1e-12)
    // Precision is 1 at the 67 recalls 0 to .66, and 0 after them.
    #expect(abs((value(coco, "detection.ap") ?? 0) - 67 / 101.0) < 1e-12)
  }

  @Test func `a higher limit counts them all, and AR of 100 stays that of 100`() throws {
    let coco = try evaluated(150)
    #expect(coco.cutOff == (0, 0))
    #expect(value(coco, "detection.ap") == 1 && value(coco, "detection.ar_large") == 1)
    // The mean of ten equal recalls is off by their rounding.
    #expect(abs((value(coco, "detection.ar100") ?? 0) - 100 / 150.0) < 1e-12)
  }

  @Test func `accumulators of two limits do not merge`() throws {
    var coco = COCODetection(maxDetections: 200)
    #expect(throws: MetricError.self) { try coco.merge(COCODetection()) }
  }
}
