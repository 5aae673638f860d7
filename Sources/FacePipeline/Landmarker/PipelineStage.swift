package import Profiling

/// A timed part of a frame's analysis; the raw value is its position in a timer and in files.
package enum PipelineStage: Int, Sendable, CaseIterable {
  /// From a file's bytes to pixels.
  case decode
  /// From pixels to the detector's input.
  case detectPreprocess
  /// The detector's model.
  case detectInfer
  /// From the detector's outputs to faces.
  case detectDecode
  /// From pixels to the landmark model's input.
  case landmarkCrop
  /// The landmark model.
  case landmarkInfer
  /// From the landmark model's outputs to points on the image.
  case landmarkDecode
  /// The blendshape model with its input.
  case blendshapesInfer
  /// The fit of the canonical mesh.
  case geometry
  /// The filters over time.
  case smoothing
  /// Everything.
  case total

  /// The name in files and reports, such as `detect.infer`.
  package var name: String {
    switch self {
    case .decode: "decode"
    case .detectPreprocess: "detect.preprocess"
    case .detectInfer: "detect.infer"
    case .detectDecode: "detect.decode"
    case .landmarkCrop: "landmark.crop"
    case .landmarkInfer: "landmark.infer"
    case .landmarkDecode: "landmark.decode"
    case .blendshapesInfer: "blendshapes.infer"
    case .geometry: "geometry"
    case .smoothing: "smoothing"
    case .total: "total"
    }
  }

  /// All names, in the order of the raw values.
  package static let names = allCases.map(\.name)
}

extension StageTimer {
  /// Runs `work` and adds its duration to a stage.
  package mutating func measure<Result, Failure: Error>(
    _ stage: PipelineStage, _ work: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try measure(stage.rawValue, work)
  }
}
