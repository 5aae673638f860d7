internal import FaceCore
internal import Metrics
internal import Records

/// Collects the times of the stages, and what no stage accounts for, apart where the detector ran.
struct LatencyScoring {
  private let stages: [String]
  var latency: StageLatency

  init(stages: [String]) {
    self.stages = stages
    latency = StageLatency(stages: stages + ["unaccounted"])
  }

  mutating func add(_ prediction: FramePrediction) throws(MetricError) {
    let population: StageLatency.Population = prediction.detectorRan ? .detectorRan : .tracked
    var accounted: Int64 = 0
    for case (let stage, let nanoseconds?) in zip(stages, prediction.stageNanoseconds) {
      let time = Int64(clamping: nanoseconds)
      try latency.add(
        frame: prediction.frame, stage: stage, nanoseconds: time, population: population)
      if stage == "total", stages.count > 1 {
        try latency.add(
          frame: prediction.frame, stage: "unaccounted",
          nanoseconds: max(time - accounted, 0), population: population)
      } else {
        accounted += time
      }
    }
  }
}
