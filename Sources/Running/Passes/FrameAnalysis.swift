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
    var state = state
    let runs = try FrameStretch.split(
      dataset.frames(range), after: start == 0 ? nil : dataset.frames(start - 1..<start).first,
      isTracked: { plan.isTracked($0, in: dataset) })
    let waves = stride(from: 0, to: runs.count, by: plan.jobs).map {
      Array(runs[$0..<min($0 + plan.jobs, runs.count)])
    }
    let steps = waves.flatMap { FrameStretch.steps(of: $0).joined() }
    let images = ImagePrefetcher(steps.map(\.frame.index), of: dataset)
    for wave in waves {
      state = try analyse(wave, images, from: state) { outcome, frame in
        switch outcome {
        case .success(let prediction): try sink(prediction)
        case .failure(let error):
          bad.append(PredictionPass.BadFrame(frame: frame.index, reason: error.description))
          try plan.checkBad(bad, of: dataset)
          try sink(FramePrediction(frame: frame.index, notAnalysed: .broken))
        }
      }
    }
    return state
  }

  /// Analyses runs side by side and hands their frames on in order; returns the last run's state.
  private func analyse(
    _ wave: [FrameStretch], _ images: ImagePrefetcher, from state: TrackingState?,
    sink: (Outcome, Frame) throws -> Void
  ) throws -> TrackingState? {
    for (run, member) in zip(wave, workers) { member.begin(from: run.continues ? state : nil) }
    var waiting: [[Outcome]] = wave.map { _ in [] }
    for step in FrameStretch.steps(of: wave) {
      try monitor.check(after: step[0].frame.index, of: dataset.frameCount)
      let work = try step.map { lane, frame in
        (
          member: workers[lane], frame: frame, image: try images.image(frame.index),
          isTracked: plan.isTracked(frame, in: dataset)
        )
      }
      let outcomes = try work.indices.concurrentMap {
        try work[$0].member.analyse(
          work[$0].image, frame: work[$0].frame, isTracked: work[$0].isTracked)
      }
      for ((lane, frame), outcome) in zip(step, outcomes) {
        if wave.count == 1 {
          try sink(outcome, frame)
        } else {
          waiting[lane].append(outcome)
        }
      }
      monitor.advance(by: step.count)
    }
    for (run, outcomes) in zip(wave, waiting) {
      for (outcome, frame) in zip(outcomes, run.frames) { try sink(outcome, frame) }
    }
    return wave.isEmpty ? nil : workers[wave.count - 1].trackingState
  }
}
