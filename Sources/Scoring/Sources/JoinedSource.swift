internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Metrics
internal import Records
internal import Running
internal import Statistics

/// Predictions that lie in the parts of a run, made by as many processes.
struct JoinedSource: PredictionSource {
  let tracker: PredictionOrigin
  private let calibration: AppliedCalibration?
  private let plan: EvaluationPlan
  private let joined: JoinedParts

  /// Looks at every part; throws `.wrongData` with the names of those that are missing or hold something else.
  init(
    _ plan: EvaluationPlan, _ folder: ShardFolder, of dataset: DatasetReader,
    calibration: AppliedCalibration?
  ) throws {
    joined = try JoinedParts(folder)
    try FrameStretch.check(dataset) { plan.running.isTracked($0, in: dataset) }
    let facts = joined.plan.facts
    var tracker = PredictionOrigin(plan, facts: facts)
    tracker.take(calibration?.detector)
    if joined.kinds > 1 {
      tracker.noTimes =
        "the frames ran on \(joined.kinds) kinds of machine, whose latencies are not pooled "
        + "(table latency.machines)"
    }
    self.tracker = tracker
    try calibration?.check(models: facts.models.map { .init($0.model) }, tracker: nil)
    self.plan = plan
    self.calibration = calibration
  }

  func predict(
    _ dataset: DatasetReader, sha256: String, into run: RunFolder, monitor: RunMonitor
  ) throws -> PredictionsMade {
    try joined.check(
      dataset: dataset.name, sha256: sha256, frames: dataset.frameCount,
      options: plan.running.predictionOptions)
    let facts = joined.plan.facts
    let header = facts.header(plan.running, of: dataset, sha256: sha256, numerics: joined.numerics)
    let writer = try PredictionsWriter(
      run.partial.appendingPathComponent("predictions.h5"),
      header: try calibration?.header(header) ?? header)
    var bad: [PredictionPass.BadFrame] = []
    var times: [String: [Int64]] = [:]
    let total = header.stages.firstIndex(of: StageLatency.total)
    monitor.begin(.joining, dataset.frameCount)
    for (index, part) in joined.parts.enumerated() {
      try PredictionPass.copy(
        PredictionsReader(joined.folder.file(ofPart: index)), from: part.part.firstFrame,
        into: writer, map: calibration?.map(of: dataset), monitor: monitor
      ) { raw in
        for prediction in raw where prediction.status == .broken {
          bad.append(try PredictionPass.BadFrame(lookingAgainAt: prediction.frame, of: dataset))
          try plan.running.checkBad(bad, of: dataset)
        }
        if let total, tracker.noTimes != nil {
          times[part.host.kind, default: []] += raw.compactMap {
            $0.stageNanoseconds.indices.contains(total)
              ? $0.stageNanoseconds[total].map { Int64(clamping: $0) } : nil
          }
        }
      }
    }
    try writer.finish()
    var made = facts.made(plan, bad: bad)
    made.notes.insert(contentsOf: joined.notes, at: 0)
    made.series = [Self.table(of: times)].compactMap { $0 }
    made.origin = (joined.host, joined.noise)
    return made
  }

  /// The latency of each kind of machine; nil where there is but one.
  private static func table(of times: [String: [Int64]]) -> Series? {
    guard times.count > 1 else { return nil }
    let rows = times.sorted { $0.key < $1.key }.map { kind, times in
      let sorted = times.sorted()
      let percentiles = [50, 95, 99].map { percent -> String in
        guard sorted.count >= NearestRank.samplesNeeded(forPercentile: percent),
          let time = NearestRank.percentile(percent, ofSorted: sorted)
        else { return "too few" }
        return NumberText.text(Double(time) / 1e6)
      }
      return [kind, "\(sorted.count)"] + percentiles
    }
    return Series(
      name: "latency.machines", title: "Latency of a frame by kind of machine",
      columns: ["machine", "frames", "p50 (ms)", "p95 (ms)", "p99 (ms)"], rows: rows)
  }
}
