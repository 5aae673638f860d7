import Metrics
import Records
import Statistics
import TestSupport
import Testing

private struct LatencyCases: Decodable, Sendable {
  struct Case: Decodable, Sendable {
    var nanoseconds: [Int64]
    var expected: [String: Double?]
  }
  var cases: [Case]
}

private func accumulate(_ samples: [Int64], stage: String = "detection") throws -> StageLatency {
  var latency = StageLatency(stages: ["decode", "detection", "total"])
  for (frame, sample) in samples.enumerated() {
    try latency.add(frame: frame, stage: stage, nanoseconds: sample)
  }
  return latency
}

private func histogram(_ samples: [Int64]) throws -> Series.Histogram {
  let series = try #require(try accumulate(samples).histogram(stage: "detection"))
  guard case .histogram(let histogram) = series.content else {
    throw Mismatch()
  }
  return histogram
}

private struct Mismatch: Error {}

struct Samples: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let nanoseconds: [Int64]

  init(_ name: String, _ nanoseconds: [Int64]) {
    testDescription = name
    self.nanoseconds = nanoseconds
  }
}

@Suite("Latency of stages")
struct StageLatencyTests {
  @Test(.tags(.oracle))
  func `percentiles and maximum equal numpy's, the mean to a relative 1e-12`() throws {
    let cases = try Oracles.read("latency_percentiles", as: LatencyCases.self).cases
    for latencies in cases {
      let metrics = try accumulate(latencies.nanoseconds).summarize()
      for (name, expected) in latencies.expected {
        let metric = try #require(metrics.first { $0.name == "latency.detection.\(name)" })
        #expect(metric.n == latencies.nanoseconds.count)
        #expect(metric.stage == "detection")
        guard let value = metric.value, let expected else {
          #expect(metric.value == nil && expected == nil && metric.reason != nil)
          #expect(try #require(metric.needs) > metric.n)
          continue
        }
        OracleTable.note(
          "`latency.<stage>.p50` … `max`", "numpy 1.26.4",
          abs(value - expected) / max(1, abs(expected)))
        // numpy sums the mean in another order.
        #expect(name == "mean" ? abs(value - expected) <= 1e-12 * expected : value == expected)
      }
    }
  }

  @Test(
    arguments: [(50, 2), (90, 10), (99, 100)])
  func `a percentile is defined from the n that supports it on`(percent: Int, needs: Int) throws {
    for n in [needs - 1, needs] {
      let metrics = try accumulate((0..<Int64(n)).map { $0 }).summarize()
      let metric = try #require(metrics.first { $0.name == "latency.detection.p\(percent)" })
      #expect((metric.value != nil) == (n == needs))
      #expect(metric.needs == (n == needs ? nil : needs))
      #expect(
        metric.reason
          == (n == needs ? nil : "p\(percent) needs \(needs) samples, there are \(n)"))
    }
  }

  @Test func `a stage that never ran has all its metrics, undefined`() throws {
    let unused = try accumulate([5]).summarize().filter { $0.stage == "decode" }
    #expect(unused.count == 6)
    #expect(unused.allSatisfy { $0.value == nil && $0.reason == "no frame ran this stage" })
    #expect(try accumulate([5]).histogram(stage: "decode") == nil)
  }

  @Test func `frames of trackers with different stages are swapped by the names of the stages`()
    throws
  {
    var ours = StageLatency(stages: ["total"])
    try ours.add(frame: 0, stage: "total", nanoseconds: 5)
    var theirs = StageLatency(stages: ["detect", "total"])
    for (frame, stage, time) in [(0, "detect", 1), (0, "total", 9), (1, "total", 7)] {
      try theirs.add(frame: frame, stage: stage, nanoseconds: Int64(time))
    }
    ours.swapFrames(with: &theirs) { $0 == 0 }
    #expect(ours.nanoseconds(stage: "total") == [9])
    #expect(theirs.nanoseconds(stage: "total") == [5, 7])
    #expect(theirs.nanoseconds(stage: "detect") == [1])
    theirs.swapFrames(with: &ours) { $0 == 0 }
    #expect(theirs.nanoseconds(stage: "total") == [9, 7])
  }

  @Test func `any split merges to the same bits`() throws {
    var generator = SplitMix64(seed: 3)
    var whole = StageLatency(stages: ["a", "b"])
    var parts = [StageLatency](repeating: StageLatency(stages: ["a", "b"]), count: 5)
    for frame in (0..<500).shuffled(using: &generator) {
      let sample = Int64.random(in: 0...9_000_000, using: &generator)
      let stage = Bool.random(using: &generator) ? "a" : "b"
      try whole.add(frame: frame, stage: stage, nanoseconds: sample)
      try parts[frame % 5].add(frame: frame, stage: stage, nanoseconds: sample)
    }
    var merged = StageLatency(stages: ["a", "b"])
    for part in parts.shuffled(using: &generator) { try merged.merge(part) }
    #expect(merged == whole)
    #expect(merged.summarize() == whole.summarize())
    #expect(merged.histogram(stage: "a") == whole.histogram(stage: "a"))
  }

  @Test func `frames with the detector and tracked frames have their own metrics and pooled ones`()
    throws
  {
    var generator = SplitMix64(seed: 4)
    var all = StageLatency(stages: ["detect", "total"])
    var pooled = all
    var single: [FramePopulation: StageLatency] = [.detectorRan: all, .tracked: all]
    for frame in 0..<400 {
      let population: FramePopulation = frame % 4 == 0 ? .detectorRan : .tracked
      for stage in population == .tracked ? ["total"] : ["detect", "total"] {
        let time = Int64.random(in: 0...9_000_000, using: &generator)
        try all.add(frame: frame, stage: stage, nanoseconds: time, population: population)
        try pooled.add(frame: frame, stage: stage, nanoseconds: time)
        try single[population]?.add(frame: frame, stage: stage, nanoseconds: time)
      }
    }
    let metrics = all.summarize()
    #expect(metrics.filter { $0.slice == nil } == pooled.summarize())
    for (population, expected) in single {
      var slice = metrics.filter { $0.slice == population.rawValue }
      for index in slice.indices { slice[index].slice = nil }
      #expect(slice == expected.summarize().filter { $0.n > 0 })
    }
    #expect(Set(metrics.compactMap(\.slice)) == ["detector_ran", "tracked"])
  }

  @Test
  func `the pipeline is the total of each frame without its decoding, with percentiles of its own`()
    throws
  {
    var latency = StageLatency(timing: ["decode", "detect", "total"])
    var pipeline: [Int64] = []
    for frame in 0..<50 {
      // Long decoding comes with a short rest: a difference of percentiles would be another number.
      let (decode, rest) = (Int64(1_000_000 * (frame + 1)), Int64(20_000_000 - 300_000 * frame))
      try latency.add(
        frame: frame, detectorRan: frame % 5 == 0,
        stageNanoseconds: [UInt64(decode), UInt64(rest / 2), UInt64(decode + rest)])
      pipeline.append(rest)
    }
    let metrics = latency.summarize()
    func metric(_ name: String, _ slice: String? = nil) throws -> Measurement {
      try #require(metrics.first { $0.name == "latency.\(name)" && $0.slice == slice })
    }
    let p90 = try metric("pipeline.p90")
    #expect(p90.value == Double(pipeline.sorted()[44]) / 1e6 && p90.n == 50)
    let totals = try (metric("total.p90").value ?? 0, metric("decode.p90").value ?? 0)
    #expect(p90.value != totals.0 - totals.1)
    #expect(try metric("pipeline.p50", "tracked").n == 40)
    #expect(p90.title == "Latency of pipeline (without decoding files), 90th percentile")
    #expect(try metric("total.p90").title == "Latency of total (with decoding), 90th percentile")
    #expect(
      latency.histogram(stage: "pipeline")?.title
        == "Latency of pipeline (without decoding files)")
    #expect(try metric("unaccounted.max").value == Double(pipeline[0] - pipeline[0] / 2) / 1e6)
  }

  @Test func `frames that no file was decoded for have no pipeline, and the total says so`() throws
  {
    var latency = StageLatency(timing: ["decode", "detect", "total"])
    for frame in 0..<3 {
      try latency.add(frame: frame, detectorRan: true, stageNanoseconds: [nil, 5, 9])
    }
    let metrics = latency.summarize()
    #expect(!metrics.contains { $0.name.hasPrefix("latency.pipeline") })
    #expect(metrics.contains { $0.title == "Latency of total (no file decoded), mean" })
    var other = StageLatency(timing: ["detect", "total"])
    try other.add(frame: 0, detectorRan: true, stageNanoseconds: [5, 9])
    // Whether a tracker that times no decoding decodes is not known.
    #expect(other.summarize().contains { $0.title == "Latency of total, mean" })
    #expect(!other.stages.contains("pipeline"))
  }

  @Test func `a frame that decodes longer than it takes has a pipeline of 0`() throws {
    #expect(StageLatency.pipelineNanoseconds(total: 3, decode: 5) == 0)
    #expect(StageLatency.pipelineNanoseconds(total: 3, decode: nil) == nil)
    #expect(StageLatency.pipelineNanoseconds(total: nil, decode: 5) == nil)
  }

  @Test func `one population alone has no slices: they would repeat the pooled metrics`() throws {
    var latency = StageLatency(stages: ["total"])
    try latency.add(frame: 0, stage: "total", nanoseconds: 5, population: .detectorRan)
    try latency.add(frame: 1, stage: "total", nanoseconds: 5)
    #expect(latency.summarize().allSatisfy { $0.slice == nil })
  }

  @Test func `the mean of samples near the largest integer does not overflow`() throws {
    let metrics = try accumulate([.max, .max, 0]).summarize()
    let mean = try #require(metrics.first { $0.name == "latency.detection.mean" }?.value)
    #expect(abs(mean / (Double(Int64.max) / 1e6 * 2 / 3) - 1) < 1e-12)
    #expect(try histogram([.max, .max, 0]).counts[0].reduce(0, +) == 3)
  }

  static let samples = [
    Samples("zero", [0]), Samples("one", [7_000_000]), Samples("equal", [3, 3, 3]),
    Samples("two", [1_000_000, 2_000_000]),
    Samples("outlier", Array(repeating: 2_000_000, count: 99) + [900_000_000]),
    Samples("spread", (0..<1000).map { $0 * $0 * 37 % 5_000_011 }),
  ]

  @Test(arguments: samples)
  func `the histogram holds every sample between its edges, in at most 122 bins`(samples: Samples)
    throws
  {
    let nanoseconds = samples.nanoseconds
    let histogram = try histogram(nanoseconds)
    let counts = histogram.counts[0]
    #expect(counts.count <= 122)
    #expect(histogram.edges.count == counts.count + 1)
    #expect(zip(histogram.edges, histogram.edges.dropFirst()).allSatisfy { $0 < $1 })
    for bin in counts.indices {
      let inside = nanoseconds.count {
        (histogram.edges[bin]..<histogram.edges[bin + 1]).contains(Double($0) / 1e6)
      }
      #expect(counts[bin] == inside, "bin \(bin)")
    }
    #expect(counts.reduce(0, +) == nanoseconds.count)
  }

  @Test func `negative times, unknown stages, second samples and other stages are refused`() throws
  {
    var latency = StageLatency(stages: ["decode", "total"])
    let negative = #expect(throws: MetricError.self) {
      try latency.add(frame: 3, stage: "total", nanoseconds: -1)
    }
    #expect(
      negative?.description == "cannot add the latency of stage 'total' in frame 3: "
        + "expected 0 ns or more, found -1 ns")
    let unknown = #expect(throws: MetricError.self) {
      try latency.add(frame: 3, stage: "nms", nanoseconds: 1)
    }
    #expect(
      unknown?.description == "cannot add the latency of frame 3: "
        + "expected a stage of decode, total, found 'nms'")
    try latency.add(frame: 3, stage: "total", nanoseconds: 1)
    let before = latency
    let repeated = #expect(throws: MetricError.self) {
      try latency.add(frame: 3, stage: "total", nanoseconds: 2)
    }
    #expect(
      repeated?.description == "cannot add the latency of stage 'total' in frame 3: "
        + "expected one sample a frame, found another")
    #expect(latency == before)
    #expect(throws: MetricError.self) { try latency.merge(before) }
    #expect(throws: MetricError.self) { try latency.merge(StageLatency(stages: ["decode"])) }
  }
}
