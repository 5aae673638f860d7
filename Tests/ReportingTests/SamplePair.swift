import FaceCore
import Records
import Reporting

extension Sample {
  /// Those frames in a candidate run: from frame 40 on the points lie 3 px to the right, two misses are gone, one
  /// is new.
  static let candidateFrames: [FrameEntry] = frames.enumerated().map { index, base in
    var entry = base
    if index >= 40 {
      for face in entry.prediction.faces.indices {
        entry.prediction.faces[face].points = base.prediction.faces[face].points.map {
          $0 + SIMD3(3, 0, 0)
        }
      }
      entry.errors = base.errors.map { $0.isFinite ? $0 + Double(index) / 10_000 : $0 }
    }
    if index == 7 || index == 17 {
      entry.missed = []
      entry.errorCount = 0
      entry.errors = [0.03]
    }
    if index == 30 {
      entry.missed = [0]
      entry.errorCount = 1
      entry.errors = [.infinity]
    }
    entry.expressions = ("happy", index % 2 == 0 ? "happy" : "sad")
    return entry
  }

  /// Both runs as a page of two reads them.
  static func archives() throws -> (base: [UInt8], candidate: [UInt8]) {
    var (base, candidate) = (FrameArchive(run: "before"), FrameArchive(run: "after"))
    for (own, other) in zip(frames, candidateFrames) {
      base.add(own)
      candidate.add(other, against: own)
    }
    return (try base.encoded(), try candidate.encoded())
  }

  /// A comparison of two metrics, one of them decisive.
  static let comparison: Comparison = {
    var result = Comparison(
      tool: record.tool, created: record.created, dataset: record.dataset,
      base: Comparison.Side(name: "before", record: record),
      candidate: Comparison.Side(name: "after", record: record),
      method: Comparison.Method(
        clusters: 12, resamples: 10, permutations: 10, seed: 1, level: 0.95, significance: 0.05))
    func metric(_ value: Double) -> Measurement {
      Measurement(
        name: "detection.recall@score", title: "Recall", stage: "detection", value: value,
        unit: "1", better: .higher, n: 90)
    }
    var recall = Comparison.Difference(base: metric(0.9), candidate: metric(0.911))
    recall.baseInterval = Interval(low: 0.85, high: 0.94, method: "bootstrap")
    recall.candidateInterval = Interval(low: 0.87, high: 0.95, method: "bootstrap")
    recall.interval = Interval(low: 0.004, high: 0.018, method: "paired bootstrap")
    recall.outcome = .better
    var time = Measurement(
      name: "latency.total.p50", title: "Latency of total, 50th percentile", stage: "latency",
      value: 5.2, unit: "ms", better: .lower, n: 90)
    let before = time
    time.value = 5.6
    result.differences = [recall, Comparison.Difference(base: before, candidate: time)]
    return result
  }()
}
