internal import FaceCore
internal import Records

extension StageLatency {
  /// The stage that holds the others.
  package static let total = MetricName.total
  /// The name of its median.
  package static let medianTotal = MetricName.latency(total, "p50")
  /// The total without decoding files.
  package static let pipeline = MetricName.pipeline
  /// From the moment that a paced frame is due to its end.
  package static let response = MetricName.response
  /// Names that no tracker's own stages may have.
  package static let reserved = MetricName.reservedStages

  /// Starts without samples of timed stages, `total` last, of what they leave unaccounted, and of the pipeline where
  /// decoding is among them.
  package init(timing stages: [String], others: [String] = []) {
    let hasPipeline =
      [MetricName.decode, Self.total].allSatisfy(stages.contains) && !stages.contains(Self.pipeline)
    self.init(
      stages: stages + [MetricName.unaccounted] + (hasPipeline ? [Self.pipeline] : []) + others)
    timedStages = stages
    pipelineIndex = hasPipeline ? stages.count + 1 : nil
  }

  /// Whether a frame was decoded from a file, and its decoding was timed.
  package var decodesFiles: Bool { pipelineIndex.map { samples[$0].count > 0 } ?? false }

  /// A stage's name with whether it counts decoding; nil where the name says all that is known.
  func words(of stage: String) -> String? {
    guard let pipelineIndex else { return nil }
    switch stage {
    case Self.pipeline: return "\(stage) (without decoding files)"
    case Self.total where samples[pipelineIndex].count > 0: return "\(stage) (with decoding)"
    case Self.total where stages.firstIndex(of: stage).map { samples[$0].count > 0 } ?? false:
      return "\(stage) (no file decoded)"
    default: return nil
    }
  }

  /// The time of a frame without decoding its file, in nanoseconds; nil where none was decoded.
  package static func pipelineNanoseconds(total: UInt64?, decode: UInt64?) -> UInt64? {
    guard let total, let decode else { return nil }
    return total > decode ? total - decode : 0
  }

  /// Adds the time of each stage that ran in a frame; `detectorRan` is nil where that is unknown.
  package mutating func add(
    frame: Int, detectorRan: Bool?, stageNanoseconds: [UInt64?]
  ) throws(MetricError) {
    let population = detectorRan.map { $0 ? FramePopulation.detectorRan : .tracked }
    var accounted: Int64 = 0
    for case (let stage, let nanoseconds?) in zip(timedStages, stageNanoseconds) {
      let time = Int64(clamping: nanoseconds)
      try add(frame: frame, stage: stage, nanoseconds: time, population: population)
      if stage == Self.total, timedStages.count > 1 {
        try add(
          frame: frame, stage: MetricName.unaccounted, nanoseconds: max(time - accounted, 0),
          population: population)
      } else if ![Self.response, MetricName.transfer].contains(stage) {
        let (sum, overflow) = accounted.addingReportingOverflow(time)
        accounted = overflow ? .max : sum
      }
    }
    guard pipelineIndex != nil else { return }
    func time(_ stage: String) -> UInt64? {
      timedStages.firstIndex(of: stage).flatMap { stageNanoseconds[$0] }
    }
    let (total, decode) = (time(Self.total), time(MetricName.decode))
    if let time = Self.pipelineNanoseconds(total: total, decode: decode) {
      try add(
        frame: frame, stage: Self.pipeline, nanoseconds: Int64(clamping: time),
        population: population)
    }
  }
}
