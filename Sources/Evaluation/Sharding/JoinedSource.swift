internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Metrics
internal import Records
internal import Statistics

/// Predictions that lie in the parts of a run, made by as many processes.
struct JoinedSource: PredictionSource {
  let tracker: PredictionOrigin
  private let calibration: AppliedCalibration?
  private let plan: EvaluationPlan
  private let folder: ShardFolder
  private let shards: ShardPlan
  private let parts: [ShardFolder.Part]

  /// Looks at every part; throws `.wrongData` with the names of those that are missing or hold something else.
  init(
    _ plan: EvaluationPlan, _ folder: ShardFolder, of dataset: DatasetReader,
    calibration: AppliedCalibration?
  ) throws {
    let (shards, digest) = try folder.plan()
    let found = try folder.parts(of: shards, digest: digest)
    let faults = ShardFolder.faults(found, of: shards)
    guard faults.isEmpty else { throw Self.refusal(faults, in: folder) }
    let strangers = folder.strangers(in: shards)
    guard strangers.isEmpty else {
      throw EvaluationError(
        .wrongData,
        "cannot join \(folder.url.relativePath): expected only the \(shards.count) parts of its plan, "
          + "found " + Self.list(strangers))
    }
    parts = try found.map { try $0.get() }
    try FrameStretch.check(dataset) { plan.isTracked($0, in: dataset) }
    let facts = shards.facts
    var tracker = PredictionOrigin(plan, facts: facts)
    tracker.take(calibration?.detector)
    let kinds = Set(zip(parts, shards.sizes).filter { $1 > 0 }.map(\.0.host.kind))
    if kinds.count > 1 {
      tracker.noTimes =
        "the frames ran on \(kinds.count) kinds of machine, whose latencies are not pooled "
        + "(table latency.machines)"
    }
    self.tracker = tracker
    try calibration?.check(models: facts.models.map { .init($0.model) }, tracker: nil)
    self.plan = plan
    self.folder = folder
    self.shards = shards
    self.calibration = calibration
  }

  func predict(
    _ dataset: DatasetReader, sha256: String, into run: RunFolder, monitor: RunMonitor
  ) throws -> PredictionsMade {
    guard sha256 == shards.dataset.sha256, dataset.frameCount == shards.dataset.frames else {
      throw EvaluationError(
        .wrongData,
        "cannot join \(folder.url.relativePath): expected the dataset with SHA-256 "
          + "\(shards.dataset.sha256) ('\(shards.dataset.name)'), found \(sha256) ('\(dataset.name)')"
      )
    }
    let facts = shards.facts
    let header = facts.header(plan, of: dataset, sha256: sha256)
    let writer = try PredictionsWriter(
      run.partial.appendingPathComponent("predictions.h5"),
      header: try calibration?.header(header) ?? header)
    var bad: [PredictionPass.BadFrame] = []
    var times: [String: [Int64]] = [:]
    let total = header.stages.firstIndex(of: StageLatency.total)
    monitor.begin(.joining, dataset.frameCount)
    for (index, part) in parts.enumerated() {
      try PredictionPass.copy(
        PredictionsReader(folder.file(ofPart: index)), from: part.part.firstFrame, of: dataset,
        into: writer, through: calibration, monitor: monitor
      ) { raw in
        for prediction in raw where prediction.status == .broken {
          bad.append(try PredictionPass.BadFrame(lookingAgainAt: prediction.frame, of: dataset))
          try plan.checkBad(bad, of: dataset)
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
    made.notes.insert(contentsOf: notes, at: 0)
    made.series = [Self.table(of: times)].compactMap { $0 }
    made.origin = (parts[0].host, noise)
    return made
  }

  private var notes: [String] {
    var notes = [
      "This run was joined from \(shards.count == 1 ? "1 part" : "\(shards.count) parts"): its "
        + "latencies come from as many processes."
    ]
    let other = Set(parts.map(\.numerics)).filter { $0 != shards.numerics }
    if !other.isEmpty {
      notes.append(
        "The parts were computed with different numerics (--mixed-numerics), which changes points and "
          + "scores: "
          + ([shards.numerics] + other.sorted { $0.words < $1.words }).map(\.words)
          .joined(separator: "; ") + ".")
    }
    return notes
  }

  /// Why the machines were noisy, as one of the parts has it.
  private var noise: [String] {
    let noisy = parts.filter { !$0.part.noise.isEmpty }
    guard let first = noisy.first else { return [] }
    return [
      "\(noisy.count) of \(parts.count) parts ran on a noisy machine, the first of them because "
        + first.part.noise.joined(separator: ", and ")
    ]
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
      content: .table(
        Series.Table(
          columns: ["machine", "frames", "p50 (ms)", "p95 (ms)", "p99 (ms)"], rows: rows)))
  }

  private static func refusal(
    _ faults: [ShardFolder.Fault], in folder: ShardFolder
  ) -> EvaluationError {
    let named = faults.map {
      "\(ShardFolder.fileName(ofPart: $0.shard)) (\($0.reason))"
    }
    return EvaluationError(
      .wrongData,
      "cannot join \(folder.url.relativePath): expected every part of its plan, found "
        + "\(faults.count == 1 ? "1 fault" : "\(faults.count) faults"): " + list(named)
        + "; shards to run again: \(faults.ranges)")
  }

  private static func list(_ names: [String]) -> String {
    let shown = names.prefix(8).joined(separator: ", ")
    return names.count > 8 ? "\(shown) and \(names.count - 8) more" : shown
  }
}

extension ShardPlan {
  /// How many frames each part has.
  fileprivate var sizes: [Int] { zip(bounds, bounds.dropFirst()).map { $1 - $0 } }
}
