internal import FaceCore
package import Records
internal import Statistics

internal import func Foundation.cbrt

/// Percentiles, mean and maximum of the time that each stage takes for a frame, from raw samples.
///
/// Percentiles are by nearest rank; one that n cannot support, n · (1 − p) < 1, is undefined.
/// In milliseconds, lower is better. A frame in which a stage did not run has no sample of it. Frames
/// in which the detector ran and frames that were tracked are two populations: where both occur, their
/// metrics follow in the slices `detector_ran` and `tracked`, after those of all frames. Frames that are decoded from
/// files have the time of `pipeline`, their total without decoding, which an app does not do.
package struct StageLatency: Metric {
  struct Sample: Sendable, Hashable {
    var nanoseconds: Int64
    var population: FramePopulation?
  }

  /// The stages in the order of the metrics.
  package let stages: [String]
  private(set) var samples: [FrameTable<Sample>]
  /// Those that frames bring times of, `total` last.
  var timedStages: [String] = []
  /// The position of `pipeline` among the stages; nil where decoding is not timed.
  var pipelineIndex: Int?
  private var knowsDetectorRan = true

  /// Starts without samples; every stage that may be timed is named here, none twice.
  package init(stages: [String]) {
    self.stages = stages
    samples = Array(repeating: FrameTable(), count: stages.count)
  }

  /// Adds the time of one stage in one frame, in nanoseconds; nil is a frame of neither population.
  ///
  /// Throws for a stage that was not named, a second sample of it for the frame, and a negative time.
  package mutating func add(
    frame: Int, stage: String, nanoseconds: Int64, population: FramePopulation? = nil
  ) throws(MetricError) {
    guard let index = stages.firstIndex(of: stage) else {
      throw .unknownStage(stage, known: stages, frame: frame)
    }
    guard nanoseconds >= 0 else {
      throw .negativeDuration(nanoseconds, stage: stage, frame: frame)
    }
    guard !samples[index].contains(frame) else {
      throw .repeatedSample(stage: stage, frame: frame)
    }
    try samples[index].add(
      Sample(nanoseconds: nanoseconds, population: population), for: frame, in: stage)
  }

  /// Takes in other samples; throws where a stage has two for a frame or the stages differ.
  package mutating func merge(_ other: StageLatency) throws(MetricError) {
    guard stages == other.stages else { throw .stagesDiffer(stages, other.stages) }
    for index in stages.indices {
      if let frame = other.samples[index].keys.first(where: samples[index].contains) {
        throw .repeatedSample(stage: stages[index], frame: frame)
      }
    }
    for index in stages.indices {
      try samples[index].merge(other.samples[index], in: stages[index])
    }
  }

  /// The frames that have a sample of any stage.
  package var countedFrames: FrameRuns { FrameRuns(unionOf: samples.flatMap(\.keys.ranges)) }

  package var byteCount: Int { samples.reduce(0) { $0 + $1.byteCount } }

  package mutating func draw(_ draw: FrameDraw) {
    samples = samples.map { $0.drawn(by: draw) }
  }

  /// Swaps the chosen frames of the stages that both have; two trackers need not have the same ones.
  package mutating func swapFrames(with other: inout StageLatency, where isChosen: (Int) -> Bool) {
    for (index, stage) in stages.enumerated() {
      guard let theirs = other.stages.firstIndex(of: stage) else { continue }
      samples[index].swapFrames(with: &other.samples[theirs], where: isChosen)
    }
  }

  /// p50, p90, p95, p99, mean and maximum of each stage, in milliseconds; n is its number of samples.
  ///
  /// The slices follow where there are both; a stage without samples in a slice is left out of it.
  package func summarize() -> [Measurement] { summarize(withSlices: false) }

  /// The same, with the slices also where there is one population only.
  package func summarize(withSlices: Bool) -> [Measurement] {
    measurements(withSlices: withSlices) { stage, population in
      TimeOrder(sorted: sortedNanoseconds(stage: stage, population: population))
    }
  }

  func measurements(
    withSlices: Bool = false, by definitions: [String: [MetricDefinition]]? = nil,
    _ order: (_ stage: String, _ population: FramePopulation?) -> TimeOrder
  ) -> [Measurement] {
    let stages = stages.filter { $0 != Self.pipeline || pipelineIndex == nil || decodesFiles }
    func metrics(of order: TimeOrder, stage: String) -> [Measurement] {
      self.metrics(of: order, by: definitions?[stage] ?? self.definitions(ofStage: stage))
    }
    let pooled = stages.flatMap { metrics(of: order($0, nil), stage: $0) }
    let slices = FramePopulation.allCases.map { population in
      stages.flatMap { stage -> [Measurement] in
        let order = order(stage, population)
        return order.count == 0 ? [] : metrics(of: order, stage: stage)
      }
      .map { metric in
        var metric = metric
        metric.slice = population.rawValue
        return metric
      }
    }
    return !withSlices && slices.contains { $0.isEmpty } ? pooled : pooled + slices.flatMap { $0 }
  }

  /// The samples of a stage in nanoseconds, ascending; empty for a stage that was not named.
  ///
  /// Those of one population, or of all frames.
  package func sortedNanoseconds(stage: String, population: FramePopulation? = nil) -> [Int64] {
    nanoseconds(stage: stage, population: population).sorted()
  }

  /// The samples of a stage in nanoseconds, in the order of the frames.
  package func nanoseconds(stage: String, population: FramePopulation? = nil) -> [Int64] {
    guard let index = stages.firstIndex(of: stage) else { return [] }
    return samples[index].entries.filter { population == nil || $0.population == population }
      .map(\.nanoseconds)
  }

  /// The times of a stage with their clusters; those of a dataset's one clip are all of one.
  private func times(
    of population: FramePopulation?, stage: Int, in clusters: FrameClusters
  ) -> [(nanoseconds: Int64, cluster: Int)] {
    let times = samples[stage].times(of: population, in: clusters)
    return clusters.isOfOneClip ? times.map { ($0.nanoseconds, 0) } : times
  }

  /// The intervals of percentiles of these samples (`PercentileInterval`); nil for metrics that are none of theirs.
  package func intervals(of metrics: [Measurement], in clusters: FrameClusters) -> [Interval?] {
    var known: [TimeOrder.Key: PercentileInterval] = [:]
    return metrics.map { metric in
      guard metric.value != nil, let index = stages.firstIndex(of: metric.stage),
        metric.slice.map({ FramePopulation(rawValue: $0) != nil }) ?? true,
        metric.name.hasPrefix("latency.\(metric.stage).p"),
        let percent = Gate.percentile(of: metric.name)
      else { return nil }
      let population = metric.slice.flatMap(FramePopulation.init(rawValue:))
      let key = TimeOrder.Key(stage: metric.stage, population: population)
      let interval =
        known[key] ?? PercentileInterval(times(of: population, stage: index, in: clusters))
      known[key] = interval
      return interval.interval(ofPercentile: percent)
    }
  }

  /// How many samples are over a binomial gate's limit; nil for a gate on something else.
  package func count(beyondLimitOf gate: Gate) -> LimitCount? {
    let words = gate.metric.split(separator: ".")
    guard words.first == "latency", words.count > 2, let limit = gate.limit,
      gate.slice == nil || gate.slice.flatMap(FramePopulation.init(rawValue:)) != nil
    else { return nil }
    let sorted = sortedNanoseconds(
      stage: words[1..<(words.count - 1)].joined(separator: "."),
      population: gate.slice.flatMap(FramePopulation.init(rawValue:)))
    return LimitCount(
      samples: sorted.count, beyond: sorted.count { Self.milliseconds($0) > limit })
  }

  func metrics(of order: TimeOrder, stage: String) -> [Measurement] {
    metrics(of: order, by: definitions(ofStage: stage))
  }

  /// The definitions of a stage's percentiles, mean and maximum.
  func definitions(ofStage stage: String) -> [MetricDefinition] {
    let words = words(of: stage)
    return Self.definitions.map { $0.at(stage: stage, words: words) }
  }

  /// The metrics that these definitions of a stage name.
  func metrics(of order: TimeOrder, by definitions: [MetricDefinition]) -> [Measurement] {
    let n = order.count
    let isTotal = definitions.first?.name == Self.medianTotal
    let noSample =
      isTotal
      ? "no frame has a time, as in predictions that state none ('facegauge track' measures them)"
      : "no frame ran this stage"
    let percentiles = zip(Self.percents, definitions).map { percent, definition in
      let needs = NearestRank.samplesNeeded(forPercentile: percent)
      return definition.measurement(
        n < needs ? nil : order.percentile(percent).map(Self.milliseconds), n: n, needs: needs,
        else: n == 0 ? noSample : "p\(percent) needs \(needs) samples, there are \(n)")
    }
    let (mean, maximum) = (definitions[Self.percents.count], definitions[Self.percents.count + 1])
    guard let last = order.last else {
      return percentiles + [mean, maximum].map { $0.undefined(noSample, needs: 1, n: 0) }
    }
    return percentiles + [
      mean.measurement(Double(order.sum) / Double(n) / 1e6, n: n),
      maximum.measurement(Self.milliseconds(last), n: n),
    ]
  }

  static func milliseconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / 1e6 }
}

extension StageLatency {
  /// The metrics of any one stage.
  package static let definitions = percents.map(percentile) + [mean, maximum]

  static let percents = [50, 90, 95, 99]

  private static func percentile(_ percent: Int) -> MetricDefinition {
    definition(
      "p\(percent)", "Latency of \(MetricDefinition.anyStage), \(percent)th percentile",
      "sample of rank ⌈n · \(percent) / 100⌉ (nearest rank), undefined under "
        + "\(NearestRank.samplesNeeded(forPercentile: percent)) samples",
      source: "Hyndman and Fan 1996, type 1; numpy.percentile, method inverted_cdf")
  }

  private static let mean = definition(
    "mean", "Latency of \(MetricDefinition.anyStage), mean", "sum / n, undefined without samples")

  private static let maximum = definition(
    "max", "Latency of \(MetricDefinition.anyStage), maximum",
    "largest sample, undefined without samples", source: "maximum")

  private static let definition = DefinitionGroup(
    prefix: MetricName.latency(MetricDefinition.anyStage, ""), stage: MetricDefinition.anyStage,
    unit: "ms", source: "arithmetic mean")
}

extension StageLatency {
  /// Counts of a stage's samples in milliseconds (`latency.<stage>`), percentiles marked.
  ///
  /// Equal bins, 1, 2 or 5 times a power of ten nanoseconds wide: Freedman and Diaconis' rule within
  /// 8 to 120 bins. Nil where the stage has no sample; a percentile that is undefined has no mark.
  /// That of one population is named `latency.<stage>@<population>`.
  package func histogram(stage: String, population: FramePopulation? = nil) -> Series? {
    let sorted = sortedNanoseconds(stage: stage, population: population)
    guard let low = sorted.first, let high = sorted.last else { return nil }
    let width = Self.binWidth(of: sorted)
    let first = low / width
    var counts = Array(repeating: 0, count: Int(high / width - first) + 1)
    for sample in sorted { counts[Int(sample / width - first)] += 1 }
    let marks = Self.percents.compactMap { percent -> Series.Mark? in
      guard sorted.count >= NearestRank.samplesNeeded(forPercentile: percent),
        let value = NearestRank.percentile(percent, ofSorted: sorted)
      else { return nil }
      return Series.Mark(label: "p\(percent)", x: Self.milliseconds(value), y: 0)
    }
    return Series(
      name: SeriesName.latency(stage, population),
      title: "Latency of \(words(of: stage) ?? "stage \(stage)")"
        + (population.map { ", \($0.words)" } ?? ""),
      content: .histogram(
        .init(
          xLabel: "latency (ms)",
          edges: (0...counts.count).map { Double(first + Int64($0)) * Double(width) / 1e6 },
          groups: ["frames"], counts: [counts], marks: marks)))
  }

  /// In nanoseconds, never 0.
  private static func binWidth(of sorted: [Int64]) -> Int64 {
    let low = sorted[0]
    let high = sorted[sorted.count - 1]
    let range = Double(high - low)
    let lowerQuartile = sorted[(sorted.count - 1) / 4]
    let upperQuartile = sorted[(sorted.count - 1) * 3 / 4]
    let ideal = 2 * Double(upperQuartile - lowerQuartile) / cbrt(Double(sorted.count))
    let wanted = range > 0 ? min(max(ideal, range / 120), range / 8) : Double(high) / 20
    var decade: Int64 = 1
    while true {
      for width in [decade, 2 * decade, 5 * decade] where Double(width) >= wanted { return width }
      decade *= 10
    }
  }
}

extension StageLatency: MetricFamily {
  package static let requirements: MetricRequirements = [.analysedFrames, .times]

  package init(_ context: MetricContext) {
    self.init(timing: context.stages)
    knowsDetectorRan = context.facts.contains(.detectorRan)
  }

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    try add(
      frame: frame.frame.index,
      detectorRan: knowsDetectorRan ? frame.prediction.detectorRan : nil,
      stageNanoseconds: frame.prediction.stageNanoseconds)
  }

  package func measurements(inSlice: Bool) -> [Measurement] {
    inSlice && stages.contains(Self.total)
      ? metrics(
        of: TimeOrder(sorted: sortedNanoseconds(stage: Self.total)), stage: Self.total)
      : summarize()
  }

  package func resampler(of clusters: FrameClusters, isSlice: Bool) -> any FamilyResampler {
    LatencyResampler(self, of: clusters, isSlice: isSlice)
  }

  package func series(_ context: SeriesContext) -> [Series] {
    [Self.pipeline, Self.total].compactMap { histogram(stage: $0) }
  }

  package static let presentation = MetricPresentation(
    sliced: [medianTotal], extremes: [maximum.name],
    headlines: [
      .init(.latency, percentiles(of: pipeline) + percentiles(of: total), isCompared: false),
      .init(.latency, choice: 1, percentiles(of: total), isCompared: false),
    ])

  private static func percentiles(of stage: String) -> [String] {
    ["p50", "p95"].map { MetricName.latency(stage, $0) }
  }
}

extension StageLatency.Sample: Packable {
  package func pack(into row: inout RowWriter) {
    let population = population.flatMap { FramePopulation.allCases.firstIndex(of: $0) }
    row.write(nanoseconds, UInt8(population.map { $0 + 1 } ?? 0))
  }

  package init(from row: inout RowReader) {
    nanoseconds = row.read()
    let population = Int(row.byte())
    self.population = population == 0 ? nil : FramePopulation.allCases[population - 1]
  }
}
