package import FacePipeline
package import Foundation

/// What an evaluation is asked to do.
package struct EvaluationPlan: Sendable {
  /// The labelled dataset.
  package var dataset: URL
  /// The folder that the run becomes.
  package var run: URL
  /// Which detector runs.
  package var variant = DetectorVariant.shortRange
  /// The operating settings.
  package var detector = DetectorOptions()
  /// A model file or a folder of them; nil means the user's cache.
  package var models: URL?
  /// The limits to judge by; nil means none.
  package var gates: URL?
  /// How many frames are worked on at once, 1 or more.
  package var jobs = 1
  /// How many broken pictures are tolerated.
  package var maxBadFrames = 0
  /// Whether to go on with an interrupted run.
  package var resumes = false
  /// Whether an existing run is replaced.
  package var replaces = false
  /// How many pictures the gallery shows.
  package var galleryCount = 12

  /// Plans an evaluation with default settings.
  package init(dataset: URL, run: URL) {
    self.dataset = dataset
    self.run = run
  }

  /// Lowest score of the candidates that are stored.
  package var candidateFloor: Double { min(0.01, detector.minFaceDetectionConfidence) }

  /// Lowest score that takes part in average precision.
  package static let averagePrecisionFloor = 0.05

  /// The settings that decide what the predictions hold, by option name.
  var predictionOptions: [String: String] {
    [
      "detector": variant.rawValue,
      "num-faces": "\(detector.numFaces)",
      "min-face-detection-confidence": "\(detector.minFaceDetectionConfidence)",
      "min-suppression-threshold": "\(detector.minSuppressionThreshold)",
    ]
  }

  /// All settings of the run, by option name.
  var options: [String: String] {
    predictionOptions.merging(
      [
        "jobs": "\(jobs)",
        "max-bad-frames": "\(maxBadFrames)",
      ]
    ) { $1 }
  }
}
