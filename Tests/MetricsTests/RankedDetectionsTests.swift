import FaceCore
import Metrics
import Records
import Statistics
import TestSupport
import Testing

private struct Inputs: Decodable { var cases: [BoxCase] }

private struct Expected: Decodable {
  var operatingScore: Double
  var names: [String]
  var cases: [[Double?]]
  var vocAtThreeTenths: [[Double?]]
}

/// Three accumulators over the same images.
private struct Accumulators: Equatable {
  var ranked = RankedDetections()
  var voc = VOCDetection()
  var vocAtThreeTenths = VOCDetection(minOverlap: 0.3)
  var wider = WIDERDetection()

  init() {}

  init(_ input: BoxCase, frames: [Int]? = nil, operatingScore: Double = 0.5) throws {
    // Level k counts the label in row i where (31 i + 17 k) mod 5 < 3, as in the oracle's script.
    let levels = ["easy", "medium", "hard"]
    for frame in frames ?? input.frames {
      var labels = input.labels(of: frame)
      let rows = input.labels.indices.filter { Int(input.labels[$0][0]) == frame }
      for (index, row) in rows.enumerated() {
        for (level, name) in levels.enumerated() {
          labels[index].attributes["wider_\(name)"] = (31 * row + 17 * level) % 5 < 3 ? 1 : 0
        }
      }
      let found = input.detections(of: frame).filter { $0.category == 1 }.map(\.detection)
      try ranked.add(
        frame: frame, labels: labels, detections: found,
        kept: found.filter { $0.score >= operatingScore })
      try voc.add(frame: frame, labels: labels, detections: found)
      try vocAtThreeTenths.add(frame: frame, labels: labels, detections: found)
      try wider.add(frame: frame, labels: labels, detections: found)
    }
  }

  mutating func merge(_ other: Accumulators) throws {
    try ranked.merge(other.ranked)
    try voc.merge(other.voc)
    try vocAtThreeTenths.merge(other.vocAtThreeTenths)
    try wider.merge(other.wider)
  }

  var metrics: [Measurement] { ranked.summarize() + voc.summarize() + wider.summarize() }
}

private func box(at x: Double, width: Double = 40) -> BoundingBox {
  BoundingBox(x: x, y: 0, width: width, height: 40)
}

private func value(_ metrics: [Measurement], _ name: String) -> Double? {
  metrics.first { $0.name == "detection.\(name)" }?.value
}

@Suite("Detections by score")
struct RankedDetectionsTests {
  @Test(.tags(.oracle))
  func `FROC, LRP, calibration, VOC and WIDER equal NumPy's on 240 random cases`() throws {
    let expected = try Oracles.read("detection_metrics", as: Expected.self)
    let inputs = try Oracles.read("coco_random", as: Inputs.self).cases
    #expect(inputs.count >= 200 && expected.cases.count == inputs.count)
    var worst: [String: Double] = [:]
    var defined: [String: Int] = [:]
    for (index, input) in inputs.enumerated() {
      let all = try Accumulators(input, operatingScore: expected.operatingScore)
      let loose = all.vocAtThreeTenths.summarize()
      #expect(all.metrics.map(\.name) == expected.names)
      let errors = all.ranked.calibrationErrors
      #expect(errors.values.allSatisfy { $0.value <= $0.binned })
      let names = expected.names + ["VOC at IoU 0.3", "VOC at IoU 0.3, eleven points"]
      for ((name, metric), wanted) in zip(
        zip(names, all.metrics + loose), expected.cases[index] + expected.vocAtThreeTenths[index])
      {
        #expect((metric.value == nil) == (metric.reason != nil))
        // The oracle has the error of the bins as it is; what chance adds is tested in ConfidenceTests.
        let binned = metric.value == nil ? nil : errors[name]?.binned
        guard let value = binned ?? metric.value, let wanted else {
          #expect(
            metric.value == nil && wanted == nil,
            "case \(index), \(name): \(metric.value as Any), expected \(wanted as Any)")
          continue
        }
        // The sums run in another order.
        #expect(abs(value - wanted) <= 1e-9, "case \(index), \(name): \(value), not \(wanted)")
        worst[name] = max(worst[name] ?? 0, abs(value - wanted))
        OracleTable.note(name, "numpy 1.26.4", abs(value - wanted))
        defined[name, default: 0] += 1
      }
    }
    #expect(defined.count == 15 && defined.values.allSatisfy { $0 >= 150 })
    print("largest differences: \(worst.sorted { $0.key < $1.key })")
  }

  @Test func `any split in any order merges to the same bits`() throws {
    let inputs = try Oracles.read("coco_random", as: Inputs.self).cases
    var generator = SplitMix64(seed: 5)
    for input in inputs {
      let whole = try Accumulators(input)
      var parts = Array(repeating: Accumulators(), count: 3)
      for frame in input.frames.shuffled(using: &generator) {
        try parts[Int.random(in: 0..<3, using: &generator)]
          .merge(Accumulators(input, frames: [frame]))
      }
      var merged = Accumulators()
      for part in parts.shuffled(using: &generator) { try merged.merge(part) }
      #expect(merged == whole)
      #expect(merged.metrics == whole.metrics)
      #expect(merged.ranked.freeResponseCurve() == whole.ranked.freeResponseCurve())
      #expect(merged.ranked.reliabilityDiagram() == whole.ranked.reliabilityDiagram())
    }
  }

  @Test func `two images by hand`() throws {
    var ranked = RankedDetections()
    // Shifted by 10 of 40 pixels: IoU 30 / 50.
    let found = [
      FaceDetection(box: box(at: 0), score: 0.9), FaceDetection(box: box(at: 110), score: 0.6),
      FaceDetection(box: box(at: 500), score: 0.6), FaceDetection(box: box(at: 600), score: 0.3),
    ]
    try ranked.add(
      frame: 0, labels: [FaceLabel(box: box(at: 0)), FaceLabel(box: box(at: 100))],
      detections: found, kept: Array(found.prefix(3)))
    try ranked.add(
      frame: 1, labels: [FaceLabel(box: box(at: 0))], detections: [], kept: [])
    let metrics = ranked.summarize()
    let errors = ranked.calibrationErrors
    func expect(_ name: String, _ wanted: Double, _ comment: Comment) throws {
      let found = try #require(
        errors["detection.\(name)"]?.binned ?? value(metrics, name), comment)
      #expect(abs(found - wanted) < 1e-12, comment)
    }
    // False positives an image: 0 to 0.9, 0.5 to 0.6, 1 to 0.3; recalls 1/3, 2/3, 2/3.
    try expect("froc", (2 * 1.0 / 3 + 5 * 2.0 / 3) / 7, "two rates are under half a false positive")
    try expect("lrp", (0.4 / 0.5 + 1 + 1) / 4, "TP 2, FP 1, FN 1")
    try expect("olrp", 2.0 / 3, "one perfect detection and two misses")
    try expect("olrp.score", 0.9, "0.6 and 0.3 add false ones")
    try expect("ece", 0.25 * 0.1 + 0.5 * 0.1 + 0.25 * 0.3, "bins of 0.9, 0.6 and 0.3")
    try expect("brier", (0.01 + 0.16 + 0.36 + 0.09) / 4, "true, true, false, false")
    try expect("d_ece", (0.1 + 2 * 0.1) / 3, "bins of 0.9 and 0.6")
    try expect("la_ece", (0.1 + 2 * abs(0.6 - 0.3)) / 3, "half of them with an IoU of 0.6")
    for (name, error) in errors { #expect(metrics.first { $0.name == name }?.value == error.value) }
  }

  @Test func `detections on ignored faces and crowds count neither way`() throws {
    var ranked = RankedDetections()
    let labels = [
      FaceLabel(box: box(at: 0), isIgnored: true),
      FaceLabel(box: box(at: 100, width: 300), isCrowd: true),
    ]
    let found = [0, 110, 200].map { FaceDetection(box: box(at: $0), score: 0.7) }
    try ranked.add(frame: 0, labels: labels, detections: found, kept: found)
    #expect(ranked.summarize().allSatisfy { $0.value == nil && $0.reason != nil && $0.n == 0 })
    #expect(ranked.freeResponseCurve() == nil && ranked.reliabilityDiagram() == nil)
  }

  @Test
  func `labels without detections are an LRP error of 1 and a FROC of 0, and nothing to calibrate`()
    throws
  {
    var ranked = RankedDetections()
    try ranked.add(frame: 0, labels: [FaceLabel(box: box(at: 0))], detections: [], kept: [])
    let metrics = ranked.summarize()
    #expect(metrics.map(\.value) == [0, 1, 1, nil, nil, nil, nil, nil])
    #expect(metrics[3].reason == "no score gives a lower error than finding nothing")
  }

  @Test func `of equal LRP errors the higher score is given`() throws {
    var ranked = RankedDetections()
    // One of two faces is 1 / 2, and so are both with two false ones: 2 / 4.
    let found = [
      FaceDetection(box: box(at: 0), score: 0.9), FaceDetection(box: box(at: 300), score: 0.8),
      FaceDetection(box: box(at: 400), score: 0.7), FaceDetection(box: box(at: 100), score: 0.6),
    ]
    try ranked.add(
      frame: 0, labels: [FaceLabel(box: box(at: 0)), FaceLabel(box: box(at: 100))],
      detections: found, kept: [])
    let metrics = ranked.summarize()
    #expect(value(metrics, "olrp") == 0.5 && value(metrics, "olrp.score") == 0.9)
  }

  @Test func `scores outside [0, 1] leave calibration undefined, and the rest as it is`() throws {
    var ranked = RankedDetections()
    let found = [FaceDetection(box: box(at: 0), score: 12)]
    try ranked.add(
      frame: 0, labels: [FaceLabel(box: box(at: 0))], detections: found, kept: found)
    let metrics = ranked.summarize()
    #expect(metrics.map(\.value) == [1, 0, 0, 12, nil, nil, nil, nil])
    #expect(
      metrics[4].reason == "the scores are no probabilities: 12.0 is outside [0, 1]")
    #expect(ranked.reliabilityDiagram() == nil)
  }

  @Test func `what cannot be compared, and a frame twice, are refused and change nothing`() throws {
    let bad = [FaceDetection(box: box(at: 0), score: .nan)]
    var all = Accumulators()
    #expect(throws: MetricError.self) {
      try all.ranked.add(frame: 0, labels: [], detections: bad, kept: [])
    }
    #expect(throws: MetricError.self) {
      try all.ranked.add(frame: 0, labels: [], detections: [], kept: bad)
    }
    #expect(throws: MetricError.self) {
      try all.voc.add(frame: 0, labels: [], detections: bad)
    }
    #expect(throws: MetricError.self) {
      try all.wider.add(frame: 0, labels: [], detections: bad)
    }
    #expect(all == Accumulators())
    try all.ranked.add(frame: 3, labels: [], detections: [], kept: [])
    try all.voc.add(frame: 3, labels: [], detections: [])
    try all.wider.add(frame: 3, labels: [], detections: [])
    let copy = all
    for (name, merge) in [
      ("detection.froc", { try all.ranked.merge(copy.ranked) }),
      ("detection.voc.ap", { try all.voc.merge(copy.voc) }),
      ("detection.wider.easy", { try all.wider.merge(copy.wider) }),
    ] as [(String, () throws -> Void)] {
      let error = #expect(throws: MetricError.self, performing: merge)
      #expect(
        error?.description
          == "cannot add frame 3 to \(name): expected each frame once, found it twice")
    }
    let overlaps = #expect(throws: MetricError.self) {
      try all.voc.merge(all.vocAtThreeTenths)
    }
    #expect(
      overlaps?.description == "cannot merge detections: expected matches at IoU 0.5, found 0.3")
  }
}
