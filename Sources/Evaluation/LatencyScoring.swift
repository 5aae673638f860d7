internal import FaceCore
internal import Metrics
internal import Records

/// Collects the times of the stages, and what no stage accounts for, apart where the detector ran.
struct LatencyScoring {
  private let stages: [String]
  var latency: StageLatency

  /// Names the timed stages, `total` last; `others` are added to `latency` by the caller.
  init(stages: [String], others: [String] = []) {
    self.stages = stages
    latency = StageLatency(stages: stages + ["unaccounted"] + others)
  }

  /// Adds the times of a frame, of neither population where it is unknown whether the detector ran.
  mutating func add(_ prediction: FramePrediction, saysDetectorRan: Bool) throws(MetricError) {
    try add(
      frame: prediction.frame, detectorRan: saysDetectorRan ? prediction.detectorRan : nil,
      stageNanoseconds: prediction.stageNanoseconds)
  }

  /// Adds the time of each stage that ran in a frame.
  mutating func add(
    frame: Int, detectorRan: Bool?, stageNanoseconds: [UInt64?]
  ) throws(MetricError) {
    let population = detectorRan.map { $0 ? StageLatency.Population.detectorRan : .tracked }
    var accounted: Int64 = 0
    for case (let stage, let nanoseconds?) in zip(stages, stageNanoseconds) {
      let time = Int64(clamping: nanoseconds)
      try latency.add(frame: frame, stage: stage, nanoseconds: time, population: population)
      if stage == "total", stages.count > 1 {
        try latency.add(
          frame: frame, stage: "unaccounted", nanoseconds: max(time - accounted, 0),
          population: population)
      } else {
        let (sum, overflow) = accounted.addingReportingOverflow(time)
        accounted = overflow ? .max : sum
      }
    }
  }
}
