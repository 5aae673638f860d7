package import Datasets
package import FaceCore
package import FacePipeline
internal import Foundation
internal import Imaging
internal import Platform

/// Runs the pipeline over a dataset and keeps its output, segment by segment.
package struct PredictionPass {
  let plan: RunPlan
  let folder: RunFolder
  let header: PredictionsHeader
  let models: FaceLandmarkerModels
  let monitor: RunMonitor

  /// Makes a prediction pass.
  package init(
    plan: RunPlan, folder: RunFolder, header: PredictionsHeader, models: FaceLandmarkerModels,
    monitor: RunMonitor
  ) {
    self.plan = plan
    self.folder = folder
    self.header = header
    self.models = models
    self.monitor = monitor
  }

  /// A frame whose image could not be decoded.
  package struct BadFrame: Sendable, Codable {
    package let frame: Int
    package let reason: String

    package init(frame: Int, reason: String) {
      self.frame = frame
      self.reason = reason
    }

    /// Finds out again why the image of a frame that was analysed before is broken.
    package init(lookingAgainAt frame: Int, of dataset: DatasetReader) throws {
      self.frame = frame
      let stored = try dataset.image(frame)
      do {
        _ = try stored.decoded()
        reason = "the image could be decoded now"
      } catch {
        reason = error.description
      }
    }
  }

  /// Analyses every frame that has no segment yet; returns the broken frames among them.
  ///
  /// `live` hears how live mode keeps up with its clock.
  package func run(
    over dataset: DatasetReader, live: (LiveEvent) -> Void = { _ in }
  ) throws -> [BadFrame] {
    try FrameStretch.check(dataset) { plan.isTracked($0, in: dataset) }
    if plan.settings.runningMode == .live {
      return try LivePass(pass: self, dataset: dataset).run(live)
    }
    let analysis = try FrameAnalysis(plan: plan, models: models, of: dataset, monitor: monitor)
    var bad: [BadFrame] = []
    var state: TrackingState?
    var segments = SegmentWriter(folder: folder, header: header)
    for range in SegmentWriter.ranges(of: dataset.frameCount) {
      let start = range.lowerBound
      if folder.segment(at: start).isThere {
        try recheck(range, of: dataset, bad: &bad)
        state = try folder.trackingState(at: start)
        monitor.advance(by: range.count)
        continue
      }
      state = try analysis.run(range, from: state, bad: &bad) { try segments.add($0) }
      try segments.finishSegment(state: state)
    }
    return bad
  }

  /// Frames read at a time: few enough that their candidates stay a small part of the memory.
  package static func ranges(of frameCount: Int) -> [Range<Int>] { ranges(of: 0..<frameCount) }

  static func ranges(of frames: Range<Int>) -> [Range<Int>] {
    stride(from: frames.lowerBound, to: frames.upperBound, by: 16).map {
      $0..<min($0 + 16, frames.upperBound)
    }
  }

  /// Frames read at a time with their labels and predictions; fewer where frames have many faces.
  package static func ranges(
    of frames: Range<Int>, _ dataset: DatasetReader?, _ predictions: [PredictionsReader] = []
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

  /// Maps the predictions of consecutive frames before they are written.
  package typealias Map = (_ predictions: [FramePrediction]) throws -> [FramePrediction]

  /// Joins the segments into one predictions file with a header of its own, mapped where a map is given.
  package func join(_ dataset: DatasetReader, header: PredictionsHeader, map: Map?) throws {
    let url = folder.partial.appendingPathComponent("predictions.h5")
    let writer = try PredictionsWriter(url, header: header)
    monitor.begin(.joining, dataset.frameCount)
    for segment in SegmentWriter.ranges(of: dataset.frameCount) {
      try Self.copy(
        PredictionsReader(folder.segment(at: segment.lowerBound)), from: segment.lowerBound,
        into: writer, map: map, monitor: monitor)
    }
    try writer.finish()
  }

  /// Copies a file whose frames are the dataset's from `first` on, mapped where a map is given.
  ///
  /// `look` sees the predictions before they are mapped.
  package static func copy(
    _ reader: PredictionsReader, from first: Int, into writer: PredictionsWriter, map: Map?,
    monitor: RunMonitor,
    look: ([FramePrediction]) throws -> Void = { _ in }
  ) throws {
    for range in try ranges(of: 0..<reader.frameCount, nil, [reader]) {
      try monitor.check("while joining")
      let raw = try reader.predictions(range).map { prediction in
        var prediction = prediction
        prediction.frame += first
        return prediction
      }
      try look(raw)
      for prediction in try map?(raw) ?? raw {
        try writer.add(prediction)
      }
      monitor.advance(by: range.count)
    }
  }

  /// Finds out again why images of a finished segment are broken.
  private func recheck(
    _ range: Range<Int>, of dataset: DatasetReader, bad: inout [BadFrame]
  ) throws {
    for earlier in try PredictionsReader(folder.segment(at: range.lowerBound))
      .predictions(0..<range.count) where earlier.status == .broken
    {
      bad.append(try BadFrame(lookingAgainAt: range.lowerBound + earlier.frame, of: dataset))
      try plan.checkBad(bad, of: dataset)
    }
  }
}
