internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Imaging
internal import Metrics
internal import Platform

/// Runs the pipeline over a dataset and keeps its output, segment by segment.
struct PredictionPass {
  let plan: EvaluationPlan
  let folder: RunFolder
  let header: PredictionsHeader
  let models: FaceLandmarkerModels
  let monitor: RunMonitor

  /// A frame whose image could not be decoded.
  struct BadFrame: Sendable {
    let frame: Int
    let reason: String
  }

  private typealias Outcome = Result<FramePrediction, ImageError>

  /// Analyses every frame that has no segment yet; returns the broken frames among them, and of live mode the delay.
  func run(over dataset: DatasetReader) throws -> (bad: [BadFrame], delay: LiveDelay?) {
    try FrameStretch.check(dataset) { plan.isTracked($0, in: dataset) }
    if plan.settings.runningMode == .live {
      let live = try LivePass(pass: self, dataset: dataset).run()
      return (live.bad, live.delay)
    }
    let workers = try makeWorkers()
    var bad: [BadFrame] = []
    var state: TrackingState?
    var segments = SegmentWriter(folder: folder, header: header)
    for range in SegmentWriter.ranges(of: dataset.frameCount) {
      let start = range.lowerBound
      if FileManager.default.fileExists(atPath: folder.segment(at: start).path) {
        try recheck(range, of: dataset, bad: &bad)
        state = try folder.trackingState(at: start)
        monitor.advance(by: range.count)
        continue
      }
      let frames = try dataset.frames(range)
      let runs = try FrameStretch.split(
        frames, after: start == 0 ? nil : dataset.frames(start - 1..<start).first,
        isTracked: { plan.isTracked($0, in: dataset) })
      let waves = stride(from: 0, to: runs.count, by: plan.jobs).map {
        Array(runs[$0..<min($0 + plan.jobs, runs.count)])
      }
      let steps = waves.flatMap { FrameStretch.steps(of: $0).joined() }
      let images = ImagePrefetcher(steps.map(\.frame.index), of: dataset)
      for wave in waves {
        state = try analyse(wave, of: dataset, images, from: state, workers: workers) {
          outcome, frame in
          switch outcome {
          case .success(let prediction): try segments.add(prediction)
          case .failure(let error):
            bad.append(BadFrame(frame: frame.index, reason: error.description))
            try plan.checkBad(bad, of: dataset)
            try segments.add(FramePrediction(frame: frame.index, notAnalysed: .broken))
          }
        }
      }
      try segments.finishSegment(state: state)
    }
    return (bad, nil)
  }

  /// Frames read at a time: few enough that their candidates stay a small part of the memory.
  static func ranges(of frameCount: Int) -> [Range<Int>] { ranges(of: 0..<frameCount) }

  static func ranges(of frames: Range<Int>) -> [Range<Int>] {
    stride(from: frames.lowerBound, to: frames.upperBound, by: 16).map {
      $0..<min($0 + 16, frames.upperBound)
    }
  }

  /// Frames read at a time with their labels and predictions; fewer where frames have many faces.
  static func ranges(
    of frames: Range<Int>, _ dataset: DatasetReader? = nil, _ predictions: PredictionsReader...
  ) throws -> [Range<Int>] {
    try ranges(of: frames, dataset, predictions)
  }

  static func ranges(
    of frames: Range<Int>, _ dataset: DatasetReader?, _ predictions: [PredictionsReader]
  ) throws -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var next = frames.lowerBound
    while next < frames.upperBound {
      let step = min(16, frames.upperBound - next)
      let labelled = try dataset?.range(from: next, atMost: step) ?? next..<next + step
      ranges.append(predictions.reduce(labelled) { $1.part(of: $0) })
      next = ranges[ranges.count - 1].upperBound
    }
    return ranges
  }

  /// Joins the segments into one predictions file, through a calibration where one is given.
  func join(_ dataset: DatasetReader, through calibration: AppliedCalibration?) throws {
    let url = folder.partial.appendingPathComponent("predictions.h5")
    let writer = try PredictionsWriter(url, header: try calibration?.header(header) ?? header)
    monitor.begin(.joining, dataset.frameCount)
    for segment in SegmentWriter.ranges(of: dataset.frameCount) {
      let reader = try PredictionsReader(folder.segment(at: segment.lowerBound))
      try monitor.check("while joining")
      for range in try Self.ranges(of: 0..<reader.frameCount, nil, reader) {
        let raw = try reader.predictions(range).map { prediction in
          var prediction = prediction
          prediction.frame += segment.lowerBound
          return prediction
        }
        for prediction in try calibration?.applied(to: raw, of: dataset) ?? raw {
          try writer.add(prediction)
        }
        monitor.advance(by: range.count)
      }
    }
    try writer.finish()
  }

  /// Finds out again why images of a finished segment are broken.
  private func recheck(
    _ range: Range<Int>, of dataset: DatasetReader, bad: inout [BadFrame]
  ) throws {
    for earlier in try PredictionsReader(folder.segment(at: range.lowerBound))
      .predictions(0..<range.count) where earlier.status == .broken
    {
      let frame = range.lowerBound + earlier.frame
      var reason = "the image could be decoded now"
      let stored = try dataset.image(frame)
      do {
        _ = try stored.decoded()
      } catch {
        reason = error.description
      }
      bad.append(BadFrame(frame: frame, reason: reason))
      try plan.checkBad(bad, of: dataset)
    }
  }

  /// Analyses runs side by side and hands their frames on in order; returns the last run's state.
  private func analyse(
    _ wave: [FrameStretch], of dataset: DatasetReader, _ images: ImagePrefetcher,
    from state: TrackingState?, workers: [LockedWorker], sink: (Outcome, Frame) throws -> Void
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

  private func makeWorkers() throws -> [LockedWorker] {
    try (0..<plan.jobs).map { _ in
      let member = LockedWorker(
        try FrameWorker(
          models: models, settings: plan.settings, rotationDegrees: plan.rotationDegrees))
      try member.warmUp()
      return member
    }
  }
}
