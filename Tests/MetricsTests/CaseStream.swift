import FaceCore
import Metrics
import Records
import Statistics
import TestSupport
import Testing

/// Metrics of many cases in the order of their names.
struct MetricCases: Decodable, Sendable {
  var names: [String]
  var cases: [[Double?]]
  /// The libraries that made them.
  var versions: [String: String]

  /// Expects names, definedness and values, to 1e-9 of the value or of 1, whichever is more: sums
  /// may run in another order, and any difference in method is far larger.
  func expect(_ metrics: [Measurement], case number: Int) {
    #expect(metrics.map(\.name) == names)
    var largest = 0.0
    defer {
      OracleTable.note(
        "`\(names[0])` … `\(names[names.count - 1])`",
        versions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
          .joined(separator: ", "), largest)
    }
    for (metric, expected) in zip(metrics, cases[number]) {
      #expect((metric.value == nil) == (metric.reason != nil))
      guard let value = metric.value, let expected else {
        #expect(
          metric.value == nil && expected == nil,
          "case \(number), \(metric.name): \(metric.value as Any), expected \(expected as Any)")
        continue
      }
      largest = max(largest, abs(value - expected) / max(1, abs(expected)))
      #expect(
        abs(value - expected) <= 1e-9 * max(1, abs(expected)),
        "case \(number), \(metric.name): \(value), expected \(expected)")
    }
  }
}

extension FacePrediction {
  /// A face of which only the points matter.
  init(scheme: LandmarkScheme, points: [Point], unsmoothed: [Point]? = nil) {
    func vectors(_ points: [Point]) -> [SIMD3<Float>] {
      points.map { SIMD3(Float($0.x), Float($0.y), 0) }
    }
    self.init(
      region: .whole, isTracked: false, detectionScore: nil, presence: 1, scheme: scheme,
      points: vectors(points), unsmoothedPoints: unsmoothed.map(vectors))
  }

  /// A face whose points are the corners of a box.
  init(box: BoundingBox) {
    self.init(
      scheme: .ibug68,
      points: [Point(x: box.x, y: box.y), Point(x: box.maxX, y: box.maxY)])
  }
}

extension FramePrediction {
  /// An analysed frame of which only the faces matter.
  init(_ frame: Int, faces: [FacePrediction], detectorRan: Bool = true) {
    self.init(
      frame: frame, size: ImageSize(width: 1, height: 1), stageNanoseconds: [],
      detectorRan: detectorRan, detections: [], candidates: [], faces: faces)
  }
}

extension Frame {
  /// A frame of which only position and time matter.
  init(_ index: Int, sequence: Int = 0, at microseconds: Int64) {
    self.init(
      index: index, name: "", sequence: sequence, timestampMicroseconds: microseconds,
      size: ImageSize(width: 1, height: 1))
  }
}
