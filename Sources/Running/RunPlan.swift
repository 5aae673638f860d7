package import Datasets
package import FaceCore
package import FacePipeline
package import Foundation
package import Platform
internal import Profiling

/// Which pipeline runs on which frames, and where its predictions go.
package struct RunPlan: Sendable {
  /// The dataset.
  package var dataset: URL
  /// The folder that the run becomes.
  package var run: URL
  /// Which detector runs.
  package var detector = DetectorVariant.shortRange
  /// Which landmark model runs; nil means the best that is there.
  package var landmarks: LandmarkVariant?
  /// Models of the user's that run in place of MediaPipe's.
  package var own = OwnModels()
  /// The operating settings.
  package var settings = FaceLandmarkerOptions()
  /// How far images have to be turned clockwise to be upright, a multiple of 90 degrees.
  package var rotationDegrees = 0
  /// The pixels that the longer side of a JPEG keeps at least when it is decoded at 1/2, 1/4 or 1/8; nil decodes it whole.
  package var minDecodedSide: Int?
  /// A model file or a folder of them; nil means the user's cache.
  package var models: URL?
  /// A blendshape head that runs in place of the blendshape model; nil means that model.
  package var blendshapeHead: URL?
  /// How many frames, or videos in video mode, are worked on at once, 1 or more.
  package var jobs = 1
  /// How many broken images are tolerated.
  package var maxBadFrames = 0
  /// Whether to go on with an interrupted run.
  package var resumes = false
  /// Whether an existing run is replaced.
  package var replaces = false
  /// The clock of live mode.
  package var liveTiming: any LiveTiming = SystemClock()

  /// Plans a run with default settings.
  package init(dataset: URL, run: URL) {
    self.dataset = dataset
    self.run = run
  }

  /// Loads the models that run.
  package func loadedModels() throws(FileError) -> FaceLandmarkerModels {
    try FaceLandmarkerModels(
      detector: detector, landmarks: landmarks, blendshapes: blendshapeHead, own: own, from: models)
  }

  /// Whether a frame is one of a video that a tracker follows.
  package func isTracked(_ frame: Frame, in dataset: DatasetReader) -> Bool {
    settings.runningMode != .image && dataset.kind(ofSequence: frame.sequence) == .video
  }

  /// The settings that decide what the predictions hold, by option name.
  package var predictionOptions: [String: String] {
    PipelineSetting.texts(of: settings).merging(
      [
        RunOption.mode: settings.runningMode.rawValue,
        RunOption.compatibility: settings.compatibility.rawValue,
        RunOption.detector: (own.detector.map { .own($0) } ?? RunDetector.mediaPipe(detector))
          .text,
        "landmarks": own.landmarks.map { _ in RunDetector.own } ?? landmarks?.rawValue ?? "auto",
        RunOption.rotation: "\(rotationDegrees)",
      ]
    ) { $1 }
    .merging(cardDigests) { $1 }
    .merging(minDecodedSide.map { [RunOption.minDecodedSide: "\($0)"] } ?? [:]) { $1 }
  }

  /// The cards of the user's models, by option name.
  private var cardDigests: [String: String] {
    [
      RunOption.detectorCard: own.detector?.card.sha256,
      RunOption.landmarkCard: own.landmarks?.card.sha256,
    ].compactMapValues { $0 }
  }

  /// Throws where more images are broken than the plan tolerates.
  package func checkBad(_ bad: [PredictionPass.BadFrame], of dataset: DatasetReader) throws {
    guard bad.count > maxBadFrames, let last = bad.last else { return }
    let name = try dataset.frames(last.frame..<(last.frame + 1))[0].name
    throw EvaluationError.wrongData(
      "cannot evaluate \(dataset.url.relativePath): expected at most \(maxBadFrames) broken "
        + "images (--max-bad-frames), found \(bad.count), the last in frame \(last.frame) "
        + "'\(name)': \(last.reason)")
  }
}
