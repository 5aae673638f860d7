internal import Datasets
package import FacePipeline

/// Names of options in records, predictions and calibrations that are read again.
package enum RunOption {
  package static let compatibility = "compatibility"
  package static let detector = "detector"
  /// The OpenBLAS core that a tracker of ours computed with.
  package static let blasCore = "blas-core"
  /// SHA-256 of the card of the user's detector.
  package static let detectorCard = "detector-model"
  /// The instruction set of the kernels that a tracker of ours computed with.
  package static let kernels = "kernels"
  /// SHA-256 of the card of the user's landmark model.
  package static let landmarkCard = "landmark-model"
  /// The pixels that the longer side of a JPEG kept at least when it was decoded; absent where it was decoded whole.
  package static let minDecodedSide = "min-decoded-side"
  package static let mode = "mode"
  /// What a stage's name follows where the value is the SHA-256 of the model of another tracker.
  package static let trackerModel = "model."
  /// The file of predictions that were read.
  package static let predictions = "predictions"
  /// The frame from which on another process tracked, where a tracker's run was interrupted.
  package static let resumed = "resumed"
  package static let rotation = "rotation"
  package static let schedule = "schedule"
  /// The tracker of predictions that are not our own pipeline's.
  package static let tracker = PredictionsHeader.trackerOption
  /// The base of relative gates.
  package static let against = "against"
}

/// The detector of a run, as its options name it.
package enum RunDetector: Sendable, Hashable {
  case mediaPipe(DetectorVariant)
  /// A model of the user's, whose candidates have that many points.
  case ownPoints(Int)

  /// The word for models of the user's.
  static let own = "own"

  package static func own(_ card: DetectorCard) -> RunDetector { .ownPoints(card.keypointCount) }

  /// Reads the text of an option; nil for another one.
  package init?(_ text: String) {
    if let variant = DetectorVariant(rawValue: text) {
      self = .mediaPipe(variant)
    } else if let points = text.wholeMatch(of: /own with ([0-6]) points/) {
      self = .ownPoints(Int(points.1) ?? 0)
    } else {
      return nil
    }
  }

  /// The text of the option.
  var text: String {
    switch self {
    case .mediaPipe(let variant): variant.rawValue
    case .ownPoints(let count): "\(Self.own) with \(count) points"
    }
  }

  /// What its candidates mean.
  package var geometry: DetectorGeometry {
    switch self {
    case .mediaPipe(let variant): variant.geometry
    case .ownPoints(let count): .ofImage(keypoints: count)
    }
  }
}
