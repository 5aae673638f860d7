import Datasets
import FaceCore
import Foundation
import Metrics
import Records
import TestSupport
import Testing

/// FDDB's curves, held against OpenCV's masks and SciPy's assignment (`Tests/Oracles/fddb.py`).
@Suite struct FDDBDetectionTests {
  struct Image: Decodable {
    let labels: [[Double]]
    let boxes: [[Double]]
    let scores: [Double]
    let size: [Int]
  }

  struct Case: Decodable {
    let images: [Image]
    let rates: [[Double]]
    /// Score, true detections, sum of overlaps and false positives.
    let points: [[Double]]
  }

  struct Expected: Decodable {
    let cases: [Case]
  }

  static let cases = (try? Oracles.read("fddb", as: Expected.self).cases) ?? []

  private static func ellipse(_ numbers: [Double]) -> FaceLabel {
    var face = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 1, height: 1))
    let names = ["major", "minor", "angle", "x", "y"]
    for (name, value) in zip(names, numbers) { face.attributes["ellipse_\(name)"] = value }
    return face
  }

  private static func detection(_ box: [Double], _ score: Double) -> FaceDetection {
    FaceDetection(
      box: BoundingBox(x: box[0], y: box[1], width: box[2], height: box[3]), score: score)
  }

  private func metric(_ images: [Image]) throws -> FDDBDetection {
    var metric = FDDBDetection()
    for (frame, image) in images.enumerated() {
      try metric.add(
        frame: frame, size: ImageSize(width: image.size[0], height: image.size[1]),
        labels: image.labels.map(Self.ellipse),
        detections: zip(image.boxes, image.scores).map { Self.detection($0, $1) })
    }
    return metric
  }

  @Test func `there are four cases`() { #expect(Self.cases.count == 4) }

  /// OpenCV fills a polygon around an ellipse, which differs from ours in about 0.6 % of its pixels.
  @Test(arguments: cases.indices)
  func `both curves follow OpenCV's masks and SciPy's assignment`(index: Int) throws {
    let made = Self.cases[index]
    let metric = try metric(made.images)
    let faces = Double(made.images.reduce(0) { $0 + $1.labels.count })
    guard case .curve(let curve) = try #require(metric.curves()).content else { return }
    #expect(curve.lines.map(\.label) == ["DiscROC", "ContROC"])
    try #require(curve.lines.allSatisfy { $0.x.count == made.points.count })
    for (position, point) in made.points.enumerated() {
      let (discrete, continuous) = (curve.lines[0].y[position], curve.lines[1].y[position])
      // An overlap within 1 % of one half may count on either side: two faces at most.
      #expect(abs(discrete * faces - point[1]) <= 2, "at \(point[0])")
      #expect(abs(curve.lines[0].x[position] - point[3]) <= 2, "at \(point[0])")
      #expect(abs(continuous * faces - point[2]) <= 0.01 * max(1, point[2]), "at \(point[0])")
    }
    let values = metric.summarize().compactMap(\.value)
    #expect(values.count == 6)
    for (value, expected) in zip(values, made.rates.flatMap(\.self)) {
      #expect(abs(value - expected) <= 2 / faces + 0.01)
    }
  }

  @Test func `an ellipse that its detection covers counts by its area, and a second one is false`()
    throws
  {
    // Of a circle of radius 50 in its square, π / 4 are pixels of both.
    let image = Image(
      labels: [[50, 50, 0.3, 100, 100]], boxes: [[50, 50, 100, 100], [52, 52, 100, 100]],
      scores: [0.9, 0.8], size: [300, 300])
    let metrics = try metric([image]).summarize()
    #expect(metrics[0].name == "detection.fddb.disc@100fp" && metrics[0].value == 1)
    #expect(abs((metrics[1].value ?? 0) - .pi / 4) < 0.005)
    #expect(metrics.allSatisfy { $0.n == 1 })
  }

  @Test func `a region ends where its image ends`() throws {
    func rate(_ size: [Int]) throws -> Double {
      let image = Image(
        labels: [[50, 50, 0, 0, 100]], boxes: [[0, 50, 50, 100]], scores: [0.9], size: size)
      return try #require(try metric([image]).summarize()[1].value)
    }
    // Half of the circle lies outside the image and in no box.
    #expect(try abs(rate([300, 300]) - .pi / 4) < 0.01)
    #expect(try abs(rate([0, 0]) - (.pi / 8) / (0.5 + .pi / 8)) < 0.01)
  }

  @Test func `false positives of images without faces count, and none is undefined`() throws {
    let face = Image(
      labels: [[50, 40, 0, 100, 100]], boxes: [[55, 60, 90, 80]], scores: [0.5], size: [200, 200])
    let empty = Image(
      labels: [], boxes: (0..<101).map { [Double($0), 0, 5, 5] },
      scores: Array(repeating: 0.9, count: 101), size: [200, 200])
    let metrics = try metric([face, empty]).summarize()
    // At the score that finds the face there are 101 false positives.
    #expect(metrics[0].value == 0 && metrics[2].value == 1)
    let none = try metric([empty]).summarize()
    #expect(none.allSatisfy { $0.value == nil && $0.n == 0 })
    #expect(try metric([empty]).curves() == nil)
  }

  @Test func `the assignment is the best of the whole image, not the best of each detection`()
    throws
  {
    // The middle box overlaps both faces; the left one only the left face, by less.
    let labels = [[40.0, 40, 0, 60, 60], [40, 40, 0, 120, 60]]
    let image = Image(
      labels: labels, boxes: [[45, 20, 90, 80], [10, 20, 80, 80]], scores: [0.9, 0.9],
      size: [300, 300])
    let both = try metric([image]).summarize()
    let split = [
      try metric([
        Image(labels: [labels[1]], boxes: [image.boxes[0]], scores: [0.9], size: [300, 300])
      ]).summarize()[1].value ?? 0,
      try metric([
        Image(labels: [labels[0]], boxes: [image.boxes[1]], scores: [0.9], size: [300, 300])
      ]).summarize()[1].value ?? 0,
    ]
    #expect(abs((both[1].value ?? 0) - (split[0] + split[1]) / 2) < 1e-12)
  }
}
