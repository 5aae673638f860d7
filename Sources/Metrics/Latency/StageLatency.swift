package import Records

/// Percentiles, mean and maximum of the time that each stage takes for a frame, from raw samples.
///
/// Percentiles are by nearest rank; one that n cannot support, n · (1 − p) < 1, is undefined.
/// In milliseconds, lower is better. A frame in which a stage did not run has no sample of it. Frames
/// in which the detector ran and frames that were tracked are two populations: where both occur, their
/// figures follow in the slices `detector_ran` and `tracked`, beside those of all frames.
package struct StageLatency: Metric {
  /// Whether a frame needed the detector; raw values are the names of the slices.
  package enum Population: String, CaseIterable, Sendable {
    case detectorRan = "detector_ran"
    case tracked

    /// The frames of the population, in words.
    package var words: String {
      switch self {
      case .detectorRan: "frames in which the detector ran"
      case .tracked: "tracked frames"
      }
    }
  }

  private struct Sample: Sendable, Hashable {
    var nanoseconds: Int64
    var population: Population?
  }

  /// The stages in the order of the figures.
  package let stages: [String]
  private var samples: [FrameTable<Sample>]

  /// Starts without samples; every stage that may be timed is named here, none twice.
  package init(stages: [String]) {
    self.stages = stages
    samples = Array(repeating: FrameTable(), count: stages.count)
  }

  /// Adds the time of one stage in one frame, in nanoseconds; nil is a frame of neither population.
  ///
  /// Throws for a stage that was not named, a second sample of it for the frame, and a negative time.
  package mutating func add(
    frame: Int, stage: String, nanoseconds: Int64, population: Population? = nil
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

  /// The frames that have a sample of any stage, ascending.
  package var countedFrames: [Int] { Set(samples.flatMap(\.keys)).sorted() }

  /// Keeps the frames that a draw takes, as often as it takes them.
  package mutating func draw(_ draw: FrameDraw) {
    samples = samples.map { $0.drawn(by: draw) }
  }

  /// Swaps the chosen frames with another accumulator's of the same stages.
  package mutating func exchange(with other: inout StageLatency, where isChosen: (Int) -> Bool) {
    for index in stages.indices {
      samples[index].exchange(with: &other.samples[index], where: isChosen)
    }
  }

  /// p50, p90, p95, p99, mean and maximum of each stage, in milliseconds; n is its number of samples.
  ///
  /// The slices follow where there are both; a stage without samples in a slice is left out of it.
  package func summarize() -> [Measurement] { summarize(withSlices: false) }

  /// The same, with the slices also where there is one population only.
  package func summarize(withSlices: Bool) -> [Measurement] {
    let pooled = stages.flatMap { Self.figures(of: sortedNanoseconds(stage: $0), stage: $0) }
    let slices = Population.allCases.map { population in
      stages.flatMap { stage -> [Measurement] in
        let sorted = sortedNanoseconds(stage: stage, population: population)
        return sorted.isEmpty ? [] : Self.figures(of: sorted, stage: stage)
      }
      .map { figure in
        var figure = figure
        figure.slice = population.rawValue
        return figure
      }
    }
    return !withSlices && slices.contains { $0.isEmpty } ? pooled : pooled + slices.flatMap { $0 }
  }

  /// The samples of a stage in nanoseconds, ascending; empty for a stage that was not named.
  ///
  /// Those of one population, or of all frames.
  package func sortedNanoseconds(stage: String, population: Population? = nil) -> [Int64] {
    nanoseconds(stage: stage, population: population).sorted()
  }

  /// The samples of a stage in nanoseconds, in the order of the frames.
  package func nanoseconds(stage: String, population: Population? = nil) -> [Int64] {
    guard let index = stages.firstIndex(of: stage) else { return [] }
    return samples[index].entries.filter { population == nil || $0.population == population }
      .map(\.nanoseconds)
  }

  /// The order-statistic interval of a percentile of these samples; nil for a figure that is none of theirs.
  package func interval(of figure: Measurement) -> Interval? {
    guard figure.value != nil, stages.contains(figure.stage),
      figure.slice.map({ Population(rawValue: $0) != nil }) ?? true,
      figure.name.hasPrefix("latency.\(figure.stage).p"),
      let percent = Gate.percentile(of: figure.name)
    else { return nil }
    let sorted = sortedNanoseconds(
      stage: figure.stage, population: figure.slice.flatMap(Population.init))
    return OrderStatistics.interval(ofPercentile: percent, sortedNanoseconds: sorted)
  }

  /// How many samples are over a binomial gate's limit; nil for a gate on something else.
  package func count(beyondLimitOf gate: Gate) -> LimitCount? {
    let words = gate.metric.split(separator: ".")
    guard words.first == "latency", words.count > 2, let limit = gate.limit,
      gate.slice == nil || gate.slice.flatMap(Population.init) != nil
    else { return nil }
    let sorted = sortedNanoseconds(
      stage: words[1..<(words.count - 1)].joined(separator: "."),
      population: gate.slice.flatMap(Population.init))
    return LimitCount(
      samples: sorted.count, beyond: sorted.count { Self.milliseconds($0) > limit })
  }

  private static func figures(of sorted: [Int64], stage: String) -> [Measurement] {
    let n = sorted.count
    let noSample = "no frame ran this stage"
    let percentiles = zip(percents, definitions).map { percent, definition in
      let definition = definition.at(stage: stage)
      let needs = NearestRank.samplesNeeded(forPercentile: percent)
      guard n >= needs, let value = NearestRank.percentile(percent, ofSorted: sorted) else {
        let reason = "p\(percent) needs \(needs) samples, there are \(n)"
        return definition.undefined(n == 0 ? noSample : reason, needs: needs, n: n)
      }
      return definition.measurement(milliseconds(value), n: n)
    }
    let (mean, maximum) = (mean.at(stage: stage), maximum.at(stage: stage))
    guard let last = sorted.last else {
      return percentiles + [mean, maximum].map { $0.undefined(noSample, needs: 1, n: 0) }
    }
    let sum = sorted.reduce(into: Int128(0)) { $0 += Int128($1) }
    return percentiles + [
      mean.measurement(Double(sum) / Double(n) / 1e6, n: n),
      maximum.measurement(milliseconds(last), n: n),
    ]
  }

  static func milliseconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / 1e6 }
}

extension StageLatency {
  /// The figures of any one stage.
  package static let definitions = percents.map(percentile) + [mean, maximum]

  static let percents = [50, 90, 95, 99]

  private static func percentile(_ percent: Int) -> MetricDefinition {
    definition(
      "p\(percent)", "Latency of \(MetricDefinition.anyStage), \(percent)th percentile",
      "sample of rank ⌈n · \(percent) / 100⌉ (nearest rank), undefined under "
        + "\(NearestRank.samplesNeeded(forPercentile: percent)) samples",
      "Hyndman and Fan 1996, type 1; numpy.percentile, method inverted_cdf")
  }

  private static let mean = definition(
    "mean", "Latency of \(MetricDefinition.anyStage), mean", "sum / n, undefined without samples",
    "arithmetic mean")

  private static let maximum = definition(
    "max", "Latency of \(MetricDefinition.anyStage), maximum",
    "largest sample, undefined without samples", "maximum")

  private static func definition(
    _ name: String, _ title: String, _ formula: String, _ source: String
  ) -> MetricDefinition {
    MetricDefinition(
      name: "latency.\(MetricDefinition.anyStage).\(name)", title: title,
      stage: MetricDefinition.anyStage, unit: "ms", direction: .lower, formula: formula,
      source: source)
  }
}
