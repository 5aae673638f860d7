internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Imaging
internal import Platform
internal import Profiling
internal import Records
internal import Running
internal import Tensor

/// Predictions of a tracker without models that is shown the first labelled box of each face.
struct SeededSource: PredictionSource {
  let tracker: PredictionOrigin
  private let plan: EvaluationPlan
  private let kind: SeededTracker

  /// What is timed in a frame.
  static let stages = [PipelineStage.decode.name, "track", PipelineStage.total.name]

  /// What its predictions state: no detector ever runs, and nothing is smoothed.
  static let facts: Set<PredictionsHeader.Fact> = [.detectorRan, .detectorBoxes]

  /// Throws where a frame has no image or belongs to no video, or nothing is labelled.
  init(_ plan: EvaluationPlan, _ kind: SeededTracker, on dataset: DatasetReader) throws {
    try dataset.requireImages()
    guard dataset.isLabelled else {
      throw EvaluationError.wrongData(
        "cannot track in \(plan.dataset.relativePath): expected labels whose first boxes seed the "
          + "tracker, found none")
    }
    try FrameStretch.check(dataset) { frame in
      guard dataset.kind(ofSequence: frame.sequence) == .video else {
        throw EvaluationError.wrongData(
          "cannot track in \(plan.dataset.relativePath): expected video sequences, found a still in "
            + "frame \(frame.index) '\(frame.name)'")
      }
      return true
    }
    BLAS.setThreadCount(1)
    self.plan = plan
    self.kind = kind
    tracker = PredictionOrigin(plan, seeded: kind)
  }

  private var options: [String: String] {
    PipelineSetting.texts(of: plan.settings)
      .filter { [PipelineSetting.numFaces, PipelineSetting.presenceConfidence].contains($0.key) }
      .merging([RunOption.mode: RunningMode.video.rawValue, RunOption.tracker: kind.rawValue]) {
        $1
      }
  }

  func predict(
    _ dataset: DatasetReader, sha256: String, into folder: RunFolder, monitor: RunMonitor
  ) throws -> PredictionsMade {
    let header = PredictionsHeader(
      datasetName: dataset.name, datasetSHA256: sha256,
      datasetPath: plan.dataset.standardizedFileURL.path, mode: RunningMode.video.rawValue,
      models: [], candidateFloor: 0, stages: Self.stages, options: options,
      numerics: Numerics.own.stated, facts: Self.facts)
    let writer = try PredictionsWriter(
      folder.partial.appendingPathComponent("predictions.h5"), header: header)
    monitor.begin(.evaluating, dataset.frameCount)
    var pass = Pass(plan)
    for range in try PredictionPass.ranges(of: 0..<dataset.frameCount, dataset) {
      let labels = try dataset.faces(range)
      for (frame, labels) in zip(try dataset.frames(range), labels) {
        try monitor.check(after: frame.index, of: dataset.frameCount)
        do {
          let image = try dataset.image(frame.index)
          try writer.add(pass.analyse(image, frame: frame, labels: labels))
        } catch let error as ImageError {
          pass.bad.append(PredictionPass.BadFrame(frame: frame.index, reason: error.description))
          try plan.running.checkBad(pass.bad, of: dataset)
          try writer.add(FramePrediction(frame: frame.index, notAnalysed: .broken))
        }
        monitor.advance(by: 1)
      }
    }
    try writer.finish()
    return PredictionsMade(
      stages: [Record.Stage(name: "tracking", state: .ran)],
      options: options.merging(["max-bad-frames": "\(plan.maxBadFrames)"]) { $1 }, bad: pass.bad,
      notes: pass.notes(of: dataset))
  }

  /// What goes on from frame to frame.
  private struct Pass {
    private let fresh: SeededTracks
    private var tracks: SeededTracks
    private var sequence: Int?
    private var pixels = PixelBuffer()
    private var timer = StageTimer(stages: SeededSource.stages)
    private var seeds = 0
    private var seeded: Set<Int> = []
    var bad: [PredictionPass.BadFrame] = []

    init(_ plan: EvaluationPlan) {
      fresh = SeededTracks(
        limit: plan.settings.numFaces, floor: plan.settings.minFacePresenceConfidence)
      tracks = fresh
    }

    /// The prediction of the next frame; throws `ImageError` where its image is broken.
    mutating func analyse(
      _ image: StoredImage, frame: Frame, labels: [FaceLabel]
    ) throws -> FramePrediction {
      if frame.sequence != sequence { (tracks, sequence) = (fresh, frame.sequence) }
      timer.beginFrame()
      switch image {
      case .encoded(let bytes):
        try timer.measure(0) { () throws(ImageError) in try pixels.decode(bytes[...]) }
      case .pixels(let stored): pixels = stored
      }
      let faces = timer.measure(1) { tracks.follow(into: pixels, labels: labels) }
      timer.recordTotal(as: 2)
      seeds += faces.seeds
      if !tracks.isEmpty { seeded.insert(frame.sequence) }
      return FramePrediction(
        frame: frame.index, size: pixels.size, stageNanoseconds: timer.nanoseconds,
        detectorRan: false, detections: [], candidates: [], faces: faces.given,
        rejected: faces.rejected)
    }

    /// What a reader must know of the seeds.
    func notes(of dataset: DatasetReader) -> [String] {
      var notes = [
        "The tracker was initialised with \(seeds) labelled \(seeds == 1 ? "box" : "boxes"). The "
          + "metrics count \(seeds == 1 ? "it" : "them"), as OTB's one-pass evaluation does."
      ]
      let without = dataset.sequenceCount - seeded.count
      if without > 0 {
        notes.append(
          "\(without) of \(dataset.sequenceCount) sequences have no labelled face to start from: "
            + "the tracker outputs no face there.")
      }
      return notes
    }
  }
}
