package import FaceCore
package import FacePipeline
package import Records

extension FaceLandmarkerModels {
  /// What becomes of the stages that a run may lack, in the order of the pipeline.
  package func stages(with options: FaceLandmarkerOptions) -> [Record.Stage] {
    options.stages(
      absent: Dictionary(absent.map { ($0.stage, $0.reason) }, uniquingKeysWith: { $1 }))
  }
}

extension FaceLandmarkerOptions {
  /// The state of each part with these options; `absent` gives the reason for each part without one.
  package func stages(absent: [PipelinePart: String]) -> [Record.Stage] {
    PipelinePart.allCases.map { part in
      let name = part.rawValue
      if let reason = absent[part] {
        return Record.Stage(name: name, state: .noModel, reason: reason)
      }
      if part != .detection, let reason = absent[.landmarks] {
        return Record.Stage(name: name, state: .noModel, reason: "no landmarks: \(reason)")
      }
      let why: String? =
        switch part {
        case .smoothing where !smooths:
          "only video and live mode with num-faces 1 and without compatibility ios smooth"
        case .blendshapes where !outputFaceBlendshapes,
          .geometry where !outputFacialTransformationMatrixes:
          "it was not requested"
        default: nil
        }
      return Record.Stage(name: name, state: why == nil ? .ran : .off, reason: why)
    }
  }
}
