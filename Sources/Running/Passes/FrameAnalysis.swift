package import Datasets
package import FaceCore
package import FacePipeline
internal import Imaging
internal import Platform

/// Runs the pipeline over stretches of a dataset, a few of them side by side.
package struct FrameAnalysis {
  private typealias Outcome = Result<FramePrediction, ImageError>

  private let plan: RunPlan
  private let dataset: DatasetReader
  private let monitor: RunMonitor
  private let workers: [LockedWorker]

  /// Makes as many workers as the plan has jobs, and warms them up.
  package init(
    plan: RunPlan, models: FaceLandmarkerModels, of dataset: DatasetReader,
    monitor: RunMonitor
  ) throws {
    self.plan = plan
    self.dataset = dataset
    self.monitor = monitor
    workers = try (0..<plan.jobs).map { _ in
      let member = LockedWorker(try FrameWorker(plan, models: models))
      try member.warmUp()
      return member
    }
  }

  /// Analyses some frames, the first of which may go on with a track, and hands them on in order.
  ///
  /// Returns how the last one left the tracker. Throws where more images are broken than the plan tolerates.
  package func run(
    _ range: Range<Int>, from state: TrackingState?, bad: inout [PredictionPass.BadFrame],
    sink: (FramePrediction) throws -> Void
  ) throws -> TrackingState? {
    let start = range.lowerBound
    let runs = try FrameStretch.split(
      dataset.frames(range), after: start == 0 ? nil : dataset.frames(start - 1..<start).first,
      isTracked: { plan.isTracked($0, in: dataset) })
    func take(_ outcome: Outcome, _ frame: Frame) throws {
      switch outcome {
      case .success(let prediction): try sink(prediction)
      case .failure(let error):
        bad.append(PredictionPass.BadFrame(frame: frame.index, reason: error.description))
        try plan.checkBad(bad, of: dataset)
        try sink(FramePrediction(frame: frame.index, notAnalysed: .broken))
      }
    }
    guard workers.count > 1 else { return try inTurn(runs, from: state, take) }
    // Only the first stretch may go on with a track.
    let work = OrderedWork(workers) {
      [plan, dataset, monitor] (worker: LockedWorker, run: FrameStretch) in
      worker.begin(from: run.continues ? state : nil)
      let outcomes = try run.frames.map { frame in
        try monitor.check(after: frame.index, of: dataset.frameCount)
        defer { monitor.advance(by: 1) }
        return try worker.analyse(
          dataset.image(frame.index), frame: frame, isTracked: plan.isTracked(frame, in: dataset))
      }
      return Finding(frames: run.frames, outcomes: outcomes, state: worker.trackingState)
    }
    var last: TrackingState?
    func take(_ finding: Finding) throws {
      for (outcome, frame) in zip(finding.outcomes, finding.frames) { try take(outcome, frame) }
      last = finding.state
    }
    for run in runs { try work.add(run, take: take) }
    try work.finish(take: take)
    return last
  }

  /// What a stretch came to.
  private struct Finding: Sendable {
    var frames: [Frame]
    var outcomes: [Outcome]
    var state: TrackingState
  }

  /// The same with one worker, whose images are read ahead, and which hands each frame on at once.
  private func inTurn(
    _ runs: [FrameStretch], from state: TrackingState?, _ take: (Outcome, Frame) throws -> Void
  ) throws -> TrackingState? {
    let images = ImagePrefetcher(runs.flatMap { $0.frames.map(\.index) }, of: dataset)
    for run in runs {
      workers[0].begin(from: run.continues ? state : nil)
      for frame in run.frames {
        try monitor.check(after: frame.index, of: dataset.frameCount)
        try take(
          workers[0].analyse(
            images.image(frame.index), frame: frame, isTracked: plan.isTracked(frame, in: dataset)),
          frame)
        monitor.advance(by: 1)
      }
    }
    return runs.isEmpty ? nil : workers[0].trackingState
  }
}
