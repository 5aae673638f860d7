internal import Datasets
internal import FaceCore
internal import Foundation
internal import Metrics
internal import Running
internal import Scoring

/// The frames of a timing run, their images read before the clock starts.
struct ProfiledClip: Sendable {
  /// A frame with its stored image.
  struct Entry: Sendable {
    let frame: Frame
    let image: StoredImage
    let isTracked: Bool
    /// Frames of a subject, else of a video, share it.
    let cluster: Int
  }

  /// Frames in a row that one tracker sees; a still is alone.
  let runs: [[Entry]]
  /// Why frames are missing; nil where all that were asked for are there.
  let note: String?

  /// Maximum number of bytes of stored images that are kept in memory.
  private static let byteLimit = 1 << 30

  /// Reads frames up to a limit; throws where there is none or timestamps do not ascend.
  init(_ dataset: DatasetReader, plan: ProfilePlan, monitor: RunMonitor) throws {
    try dataset.requireImages()
    let pipeline = plan.pipeline
    try FrameStretch.check(dataset) { pipeline.isTracked($0, in: dataset) }
    let wanted = min(plan.frameLimit ?? .max, dataset.frameCount)
    guard wanted > 0 else {
      throw EvaluationError.wrongData(
        "cannot profile \(dataset.url.relativePath): expected a frame or more, found none")
    }
    monitor.begin(.reading, wanted)
    var runs: [[Entry]] = []
    var bytes = 0
    var taken = 0
    var last: Frame?
    var clusters = FrameClusters()
    reading: for range in PredictionPass.ranges(of: wanted) {
      for run in try FrameStretch.split(
        dataset.frames(range), after: last, isTracked: { pipeline.isTracked($0, in: dataset) })
      {
        if !run.continues { runs.append([]) }
        for frame in run.frames {
          let image = try dataset.image(frame.index)
          bytes += image.byteCount
          if bytes > Self.byteLimit, taken > 0 { break reading }
          clusters.add(frame, of: dataset.sequence(frame.sequence))
          runs[runs.count - 1].append(
            Entry(
              frame: frame, image: image, isTracked: pipeline.isTracked(frame, in: dataset),
              cluster: clusters.cluster(of: frame.index) ?? 0))
          last = frame
          taken += 1
        }
      }
      try monitor.check("while reading")
      monitor.advance(by: range.count)
    }
    self.runs = runs.filter { !$0.isEmpty }
    note =
      taken < wanted
      ? "Only the first \(taken) of \(wanted) frames were timed: their images fill 1 GiB of "
        + "memory." : nil
  }

  /// All frames in order, each with whether a tracker begins there.
  var steps: [(entry: Entry, begins: Bool)] {
    runs.flatMap { run in run.enumerated().map { ($0.element, $0.offset == 0) } }
  }
}
