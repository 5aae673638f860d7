import FaceCore
import Foundation
import Metrics
import Records
import Statistics
import TestSupport
import Testing

private struct RandomCases: Decodable, Sendable {
  struct Case: Decodable, Sendable {
    var statistics: [Double?]
    var curve: [Double]?
    var operating: [[Int]]
  }
  var operatingScore: Double
  var cases: [Case]
}

private struct Inputs: Decodable { var cases: [BoxCase] }

private struct COCO100: Decodable {
  var statistics: [Double?]
  var curve: [Double]
}

private func accumulate(_ input: BoxCase, frames: [Int]? = nil) throws -> COCODetection {
  var coco = COCODetection()
  for frame in frames ?? input.frames {
    let found = input.detections(of: frame)
    try coco.add(
      frame: frame, labels: input.labels(of: frame), detections: found.map(\.detection),
      categories: found.map(\.category))
  }
  return coco
}

private func curve(_ coco: COCODetection) -> [Double]? {
  guard case .curve(let curve) = coco.precisionRecallCurve()?.content else { return nil }
  return curve.lines[0].y
}

/// The largest difference; infinite where one is defined and the other is not.
private func difference(_ measured: [Double?], _ expected: [Double?]) -> Double {
  guard measured.count == expected.count else { return .infinity }
  return zip(measured, expected).map { measured, expected in
    switch (measured, expected) {
    case (nil, nil): 0
    case (let measured?, let expected?): abs(measured - expected)
    default: .infinity
    }
  }.max() ?? 0
}

/// Room for the rounding of sums in another order, far under any difference in method.
private let tolerance = 1e-9

@Suite("COCO statistics")
struct COCODetectionTests {
  @Test func `detections that match and all lie below the threshold are told`() throws {
    let box = BoundingBox(x: 0, y: 0, width: 10, height: 10)
    let away = BoundingBox(x: 50, y: 50, width: 10, height: 10)
    func notes(_ scores: [Double], labelled: BoundingBox) throws -> [String] {
      var coco = COCODetection()
      try coco.add(
        frame: 0, labels: [FaceLabel(box: labelled)],
        detections: scores.map { FaceDetection(box: box, score: $0) })
      return coco.notes(SeriesContext())
    }
    #expect(
      try notes([0.25, 0.45], labelled: box) == [
        "The threshold of detections, 0.5 (min-face-detection-confidence), is above every score, also of the "
          + "1 that match a label; the highest is 0.45. Set it lower, or sweep it."
      ])
    // 0.5 as a file has it.
    #expect(try notes([0.25, 0.5.nextDown], labelled: box).isEmpty)
    #expect(try notes([0.25, 0.5], labelled: box).isEmpty)
    #expect(try notes([0.25], labelled: away).isEmpty)
  }

  @Test(.tags(.oracle))
  func `all twelve equal pycocotools' on 240 random cases`() throws {
    let expected = try Oracles.read("coco_random", as: RandomCases.self).cases
    let inputs = try Oracles.read("coco_random", as: Inputs.self).cases
    #expect(expected.count >= 200)
    var worst = 0.0
    for (index, (input, expected)) in zip(inputs, expected).enumerated() {
      let values = try accumulate(input).summarize().map(\.value)
      let gap = difference(values, expected.statistics)
      #expect(gap <= tolerance, "case \(index): \(values), expected \(expected.statistics)")
      OracleTable.note("`detection.ap` … `detection.ar_large`", "pycocotools 2.0.11", gap)
      worst = max(worst, gap)
    }
    print("largest difference from pycocotools over \(inputs.count) random cases: \(worst)")
  }

  @Test(.tags(.oracle))
  func `the curve at IoU .50 equals pycocotools' on random cases`() throws {
    let expected = try Oracles.read("coco_random", as: RandomCases.self).cases
    let inputs = try Oracles.read("coco_random", as: Inputs.self).cases
    var compared = 0
    for (input, expected) in zip(inputs, expected) {
      guard let points = expected.curve else { continue }
      let measured = try #require(try curve(accumulate(input)))
      #expect(difference(measured, points) <= tolerance)
      compared += 1
    }
    #expect(compared >= 20)
  }

  @Test(.tags(.oracle))
  func `found, missed and false detections equal pycocotools' matching`() throws {
    let oracle = try Oracles.read("coco_random", as: RandomCases.self)
    let inputs = try Oracles.read("coco_random", as: Inputs.self).cases
    for (index, (input, expected)) in zip(inputs, oracle.cases).enumerated() {
      for row in expected.operating {
        let kept = input.detections(of: row[0]).filter {
          $0.category == 1 && $0.detection.score >= oracle.operatingScore
        }
        let outcome = try DetectionOutcome(
          frame: row[0], labels: input.labels(of: row[0]), detections: kept.map(\.detection))
        let counts = [
          row[0], outcome.matches.count, outcome.falsePositives.count, outcome.missed.count,
          outcome.ignored.count,
        ]
        #expect(counts == row, "case \(index)")
        #expect(outcome.matches.allSatisfy { (0.5...1).contains($0.iou) })
      }
    }
  }

  @Test(.tags(.oracle))
  func `any split into any order merges to the same bits`() throws {
    let inputs = try Oracles.read("coco_random", as: Inputs.self).cases
    var generator = SplitMix64(seed: 7)
    for input in inputs {
      let whole = try accumulate(input)
      var parts = [COCODetection](repeating: COCODetection(), count: 3)
      for frame in input.frames.shuffled(using: &generator) {
        let part = Int.random(in: 0..<3, using: &generator)
        try parts[part].merge(accumulate(input, frames: [frame]))
      }
      var merged = COCODetection()
      for part in parts.shuffled(using: &generator) { try merged.merge(part) }
      #expect(merged == whole)
      #expect(merged.summarize() == whole.summarize())
      #expect(curve(merged) == curve(whole))
    }
  }

  @Test(
    .tags(.oracle),
    .enabled(if: Shared.isAvailable))
  func `the 100 COCO images give the published statistics`() throws {
    let expected = try Oracles.read("coco_100", as: COCO100.self)
    let coco = try accumulate(COCOFiles.read())
    let values = coco.summarize().map(\.value)
    let gap = difference(values, expected.statistics)
    print("largest difference from pycocotools on the 100 COCO images: \(gap)")
    #expect(gap <= tolerance)
    #expect(try difference(#require(curve(coco)), expected.curve) <= tolerance)
    let published = [
      "0.505", "0.697", "0.573", "0.586", "0.519", "0.501",
      "0.387", "0.594", "0.595", "0.640", "0.566", "0.564",
    ]
    #expect(values.map { String(format: "%.3f", $0 ?? -1) } == published)
  }

  @Test func `equal boxes are a match at every threshold, whatever comes first`() throws {
    var coco = COCODetection()
    for frame in 0..<3 {
      let box = BoundingBox(x: 0.1, y: 0.7, width: 50.3, height: 40.1 + Double(frame))
      try coco.add(
        frame: frame, labels: [FaceLabel(box: box)],
        detections: [FaceDetection(box: box, score: 0.9)])
    }
    let defined = coco.summarize().filter { $0.value != nil }
    #expect(defined.map(\.name).contains("detection.ap_medium"))
    #expect(defined.allSatisfy { $0.value == 1 && $0.n == 3 })
  }

  @Test(arguments: [0, 2])
  func `no labels leave every statistic undefined, with a reason`(detections: Int) throws {
    var coco = COCODetection()
    let box = BoundingBox(x: 0, y: 0, width: 40, height: 40)
    let found = Array(repeating: FaceDetection(box: box, score: 0.5), count: detections)
    try coco.add(frame: 0, labels: [], detections: found)
    #expect(coco.summarize().count == 12)
    #expect(coco.summarize().allSatisfy { $0.value == nil && $0.reason != nil && $0.n == 0 })
    #expect(coco.precisionRecallCurve() == nil)
  }

  @Test func `only crowds and ignored labels leave every statistic undefined`() throws {
    var coco = COCODetection()
    let box = BoundingBox(x: 0, y: 0, width: 40, height: 40)
    try coco.add(
      frame: 0, labels: [FaceLabel(box: box, isCrowd: true), FaceLabel(box: box, isIgnored: true)],
      detections: [FaceDetection(box: box, score: 0.5)])
    #expect(coco.summarize().allSatisfy { $0.value == nil && $0.reason != nil })
    #expect(coco.scoreHistogram(minFaceDetectionConfidence: 0.5) == nil)
  }

  @Test func `labels without any detection give 0, and sizes without labels stay undefined`() throws
  {
    var coco = COCODetection()
    let box = BoundingBox(x: 0, y: 0, width: 40, height: 40)
    try coco.add(frame: 3, labels: [FaceLabel(box: box)], detections: [])
    let values = Dictionary(uniqueKeysWithValues: coco.summarize().map { ($0.name, $0.value) })
    #expect(values["detection.ap"] == 0.0)
    #expect(values["detection.ar_medium"] == 0.0)
    #expect(values["detection.ap_small"] == .some(nil))
    #expect(values["detection.ar_large"] == .some(nil))
  }

  @Test func `input that cannot be compared is refused in one line and changes nothing`() throws {
    let box = BoundingBox(x: 1, y: 2, width: 30, height: 40)
    let negative = BoundingBox(x: 1, y: 2, width: -30, height: 40)
    let label = FaceLabel(box: box)
    let cases: [(labels: [FaceLabel], detections: [FaceDetection], categories: [Int]?, String)] = [
      (
        [label], [FaceDetection(box: box, score: .nan)], nil,
        "cannot match the boxes of frame 4: expected a finite score, found nan at detection 0"
      ),
      (
        [label], [FaceDetection(box: negative, score: 1)], nil,
        "cannot match the boxes of frame 4: expected finite numbers and sides of 0 or more, "
          + "found x 1.0, y 2.0, width -30.0, height 40.0 at detection 0"
      ),
      (
        [label, FaceLabel(box: box, area: .nan)], [], nil,
        "cannot match the boxes of frame 4: expected an area of 0 or more, found nan at label 1"
      ),
      (
        [label], [FaceDetection(box: box, score: 1)], [1, 2],
        "cannot match the boxes of frame 4: expected a category for each of 1 detections, found 2"
      ),
    ]
    for (labels, detections, categories, message) in cases {
      var coco = COCODetection()
      let error = #expect(throws: MetricError.self) {
        try coco.add(frame: 4, labels: labels, detections: detections, categories: categories)
      }
      #expect(error?.description == message)
      #expect(coco == COCODetection())
    }
  }

  @Test func `a frame counts once`() throws {
    var coco = COCODetection()
    try coco.add(frame: 5, labels: [], detections: [])
    let error = #expect(throws: MetricError.self) {
      try coco.add(frame: 5, labels: [], detections: [])
    }
    #expect(
      error?.description
        == "cannot add frame 5 to detection.ap: expected each frame once, found it twice")
    let copy = coco
    #expect(throws: MetricError.self) { try coco.merge(copy) }
    #expect(coco.frames.keys.count == 1)
  }

  @Test func `the score histogram counts each score in the bin whose edges hold it`() throws {
    let box = BoundingBox(x: 0, y: 0, width: 40, height: 40)
    let away = BoundingBox(x: 200, y: 0, width: 40, height: 40)
    let crowd = BoundingBox(x: 400, y: 0, width: 100, height: 100)
    let inCrowd = BoundingBox(x: 420, y: 20, width: 40, height: 40)
    var coco = COCODetection()
    for (frame, score) in [0, 0.15, 0.3, 0.55, 0.7, 1].enumerated() {
      try coco.add(
        frame: frame, labels: [FaceLabel(box: box), FaceLabel(box: crowd, isCrowd: true)],
        detections: [
          FaceDetection(box: box, score: score), FaceDetection(box: away, score: score),
          FaceDetection(box: away, score: score), FaceDetection(box: inCrowd, score: score),
        ])
    }
    let series = try #require(coco.scoreHistogram(minFaceDetectionConfidence: 0.5))
    guard case .histogram(let histogram) = series.content else {
      Issue.record("expected a histogram")
      return
    }
    var expected = Array(repeating: 0, count: 20)
    for bin in [0, 3, 6, 11, 14, 19] { expected[bin] = 1 }
    #expect(histogram.edges.count == 21)
    #expect(histogram.counts == [expected, expected.map { $0 * 2 }])
    #expect(histogram.marks.map(\.x) == [0.5])
  }

  @Test(
    arguments: [
      [15, -2, 1.5, 0.3], [1.0000001, 0.5, 0.5, 0], [7, 7, 7, 7], [-1e300, 1e300, 0, 1],
    ])
  func `scores of any scale have a histogram from the lowest to the highest`(scores: [Double])
    throws
  {
    let box = BoundingBox(x: 0, y: 0, width: 40, height: 40)
    var coco = COCODetection()
    for (frame, score) in scores.enumerated() {
      try coco.add(frame: frame, labels: [], detections: [FaceDetection(box: box, score: score)])
    }
    let series = try #require(coco.scoreHistogram(minFaceDetectionConfidence: 0.5))
    guard case .histogram(let histogram) = series.content else {
      Issue.record("expected a histogram")
      return
    }
    #expect(histogram.counts[1].reduce(0, +) == 4)
    #expect(
      histogram.edges.count == 21 && zip(histogram.edges, histogram.edges.dropFirst()).allSatisfy(<)
    )
    #expect(histogram.edges[0] == scores.min())
    let last = try #require(histogram.edges.last)
    #expect(last >= (scores.max() ?? 0) * (1 - 1e-12))
  }
}

/// The annotations and results of the 100 COCO images.
private enum COCOFiles {
  struct Truth: Decodable {
    struct Image: Decodable { var id: Int }
    struct Annotation: Decodable {
      var image_id: Int
      var category_id: Int
      var bbox: [Double]
      var area: Double
      var iscrowd: Int
    }
    var images: [Image]
    var annotations: [Annotation]
  }

  struct Result: Decodable {
    var image_id: Int
    var category_id: Int
    var bbox: [Double]
    var score: Double
  }

  static func read() throws -> BoxCase {
    let folder = Shared.folder.appending(path: "data/coco-eval/dataset/cocoapi")
    func decode<Content: Decodable>(_ name: String, as type: Content.Type) throws -> Content {
      try JSONDecoder().decode(type, from: Data(contentsOf: folder.appending(path: name)))
    }
    let truth = try decode("instances_val2014_100.json", as: Truth.self)
    let results = try decode("instances_val2014_fakebbox100_results.json", as: [Result].self)
    return BoxCase(
      frames: truth.images.map(\.id),
      labels: truth.annotations.map {
        [Double($0.image_id), Double($0.category_id)] + $0.bbox
          + [$0.area, Double($0.iscrowd), 0]
      },
      detections: results.map {
        [Double($0.image_id), Double($0.category_id)] + $0.bbox + [$0.score]
      })
  }
}
