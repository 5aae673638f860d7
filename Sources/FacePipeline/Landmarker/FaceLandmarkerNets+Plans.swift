package import Digests
package import TFLite

extension FaceLandmarkerNets {
  /// The planned nets with the stages that run them, in the order of the pipeline.
  package var plannedNets: [(stage: PipelineStage, model: Model)] {
    var nets: [(stage: PipelineStage, model: Model)] = [(.detectInfer, detector.model)]
    if let landmarks { nets.append((.landmarkInfer, landmarks.model)) }
    if let blendshapes { nets.append((.blendshapesInfer, blendshapes.model)) }
    return nets
  }

  /// SHA-256 over a line for each step of all plans, with kernel, output shape and work.
  package func planSHA256() throws(DigestError) -> String {
    let lines = plannedNets.flatMap { stage, model in
      model.plan.map { "\(stage.name) \($0.name) \($0.outputShape) \($0.multiplyAccumulates)\n" }
    }
    return try SHA256.hexadecimal(of: Array(lines.joined().utf8))
  }
}
