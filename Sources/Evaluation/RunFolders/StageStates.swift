internal import FacePipeline
internal import Records

extension FaceLandmarkerModels {
  /// What becomes of the stages that a run may lack, in the order of the pipeline.
  func stages(with options: FaceLandmarkerOptions) -> [Record.Stage] {
    options.stages(
      absent: Dictionary(absent.map { ($0.stage, $0.reason) }, uniquingKeysWith: { $1 }))
  }
}

extension FaceLandmarkerOptions {
  /// The state of each stage with these options; `absent` gives the reason for each stage without a model.
  func stages(absent: [String: String]) -> [Record.Stage] {
    ["detection", "landmarks", "smoothing", "blendshapes", "geometry"].map { name in
      if let reason = absent[name] {
        return Record.Stage(name: name, state: .noModel, reason: reason)
      }
      if name != "detection", let reason = absent["landmarks"] {
        return Record.Stage(name: name, state: .noModel, reason: "no landmarks: \(reason)")
      }
      let why: String? =
        switch name {
        case "smoothing" where !smooths:
          "only video and live mode with num-faces 1 and without compatibility ios smooth"
        case "blendshapes" where !outputFaceBlendshapes,
          "geometry" where !outputFacialTransformationMatrixes:
          "it was not requested"
        default: nil
        }
      return Record.Stage(name: name, state: why == nil ? .ran : .off, reason: why)
    }
  }
}
