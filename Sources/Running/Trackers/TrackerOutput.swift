internal import Datasets
internal import FaceCore
internal import Foundation
internal import Platform

/// Where a tracker's predictions go.
///
/// One tracker whose frames wait for it writes parts of 256 frames first, in a folder next to the file, so that a run that
/// ends early can be resumed. Several trackers, and one that is paced, write to their files at once: times that were
/// measured together stay together.
struct TrackerOutput {
  private enum Target {
    case file(PredictionsWriter)
    case parts(RunFolder, SegmentWriter)
  }

  private let url: URL
  private let frameCount: Int
  private let header: PredictionsHeader
  private var target: Target
  /// Frames of parts that an interrupted run has finished.
  let earlierFrames: Int

  /// The stages of the predictions.
  var stages: [String] { header.stages }

  /// Starts a file.
  init(_ url: URL, header: PredictionsHeader) throws {
    (self.url, self.header, frameCount, earlierFrames) = (url, header, 0, 0)
    target = .file(try PredictionsWriter(url, header: header))
  }

  /// Starts parts, or opens those of an interrupted run. Throws where that ran with other settings.
  init(
    _ url: URL, header: PredictionsHeader, frameCount: Int, resumes: Bool, replaces: Bool,
    _ monitor: RunMonitor
  ) throws {
    let folder = try RunFolder(
      url, replaces: replaces, resumes: resumes, isOfFile: true, monitor: monitor)
    // A tracker may be started in another way: what it calls itself must be the same.
    var known = header
    known.options["command"] = nil
    try folder.agree(on: known, jobs: 1)
    (self.url, self.header, self.frameCount) = (url, header, frameCount)
    target = .parts(folder, SegmentWriter(folder: folder, header: header))
    earlierFrames =
      SegmentWriter.ranges(of: frameCount).prefix { folder.segment(at: $0.lowerBound).isThere }
      .last?.upperBound ?? 0
  }

  /// Reads the frames that an interrupted run has finished, with the header of their part: its facts hold until then.
  func readEarlier(_ see: (FramePrediction, PredictionsHeader) -> Void) throws {
    guard case .parts(let folder, _) = target else { return }
    do {
      for range in SegmentWriter.ranges(of: earlierFrames) {
        let reader = try PredictionsReader(folder.segment(at: range.lowerBound))
        for frames in PredictionPass.ranges(of: reader.frameCount) {
          for prediction in try reader.predictions(frames) {
            see(prediction, reader.header)
          }
        }
      }
    } catch {
      guard error.kind == .wrongData else { throw error }
      throw FileError(.wrongData, "\(error.description) (--force starts again)")
    }
  }

  /// Adds the next frame; `facts` are what all so far hold, `timesUnit` is that of the times of a part.
  mutating func add(
    _ prediction: FramePrediction, facts: Set<PredictionsHeader.Fact>,
    timesUnit: @autoclosure () -> Double?
  ) throws {
    switch target {
    case .file(let writer): try writer.add(prediction)
    case .parts(let folder, var segments):
      try segments.add(prediction)
      if (prediction.frame + 1) % SegmentWriter.length == 0 {
        try segments.finishSegment(state: nil, facts: facts, timesUnit: timesUnit())
      }
      target = .parts(folder, segments)
    }
  }

  /// Gives the file its name; parts are joined and removed.
  mutating func finish(
    facts: Set<PredictionsHeader.Fact>, timesUnit: Double?, _ monitor: RunMonitor
  ) throws {
    switch target {
    case .file(let writer): try writer.finish(facts: facts, timesUnit: timesUnit)
    case .parts(let folder, var segments):
      try segments.finishSegment(state: nil, facts: facts)
      var header = header
      if earlierFrames > 0 { header.options[RunOption.resumed] = "frame \(earlierFrames)" }
      let writer = try PredictionsWriter(url, header: header)
      monitor.begin(.joining, frameCount)
      for range in SegmentWriter.ranges(of: frameCount) {
        try PredictionPass.copy(
          PredictionsReader(folder.segment(at: range.lowerBound)), from: range.lowerBound,
          into: writer, map: nil, monitor: monitor)
      }
      try writer.finish(facts: facts, timesUnit: timesUnit)
      folder.remove()
    }
  }

  /// What becomes of an output whose run ends early: it goes, unless a part is finished. Returns how many frames stay.
  func keepFinished() -> Int {
    guard case .parts(let folder, _) = target else { return 0 }
    let kept = SegmentWriter.ranges(of: frameCount).prefix {
      folder.segment(at: $0.lowerBound).isThere
    }
    if kept.isEmpty { folder.remove() }
    return kept.last?.upperBound ?? 0
  }
}
