package import FaceCore
package import Foundation
package import Platform
package import TFLite

/// The models of the whole pipeline as far as they are there; shared by any number of landmarkers.
package struct FaceLandmarkerModels: Sendable {
  /// The detector.
  package let detector: DetectorModel
  /// The landmark model; nil where there is none.
  package let landmarks: LandmarkModel?
  /// The blendshape model; nil where there is none.
  package let blendshapes: BlendshapeModel?
  /// The mesh that head poses fit; nil where there is none.
  package let mesh: CanonicalFaceMesh?
  /// The stages that cannot run, each with its reason.
  package let absent: [AbsentStage]
  /// What was loaded, in the order of the pipeline.
  package let loaded: [LoadedModel]

  /// A stage that cannot run.
  package struct AbsentStage: Sendable, Hashable {
    /// The part of the pipeline.
    package let stage: PipelinePart
    /// Why, such as `no model: face_blendshapes.tflite is only in face_landmarker.task`.
    package let reason: String
  }

  /// Loads what is in the user's cache, or in a file or folder that the user names.
  ///
  /// The detector must be there, and so must a landmark model that is asked for by name. With nil the landmark model
  /// is v2 where the bundle is there, else attention. Every other model may be missing; one with other bytes
  /// than the pinned ones, or of other shapes, is an error. A single `.tflite` is a detector and nothing else.
  package init(
    detector: DetectorVariant, landmarks: LandmarkVariant? = nil, from models: URL? = nil
  ) throws(ModelStoreError) {
    self.detector = try DetectorModel(detector, from: models)
    var absent: [AbsentStage] = []
    let lone = Self.loneModel(models)

    func optional<Loaded>(
      _ candidates: [ModelDescription], _ load: (Int) throws(ModelStoreError) -> Loaded
    ) throws(ModelStoreError) -> Loaded? {
      if lone == nil {
        for index in candidates.indices {
          do {
            return try load(index)
          } catch {
            guard error.kind == .missing else { throw error }
          }
        }
      }
      let reason =
        lone.map { "\($0) is a single model, taken for the detector" }
        ?? candidates.map { Self.whereabouts(of: $0, in: models) }.joined(separator: ", and ")
      absent.append(AbsentStage(stage: candidates[0].stage, reason: "no model: \(reason)"))
      return nil
    }

    if let landmarks, let lone {
      throw ModelStoreError(
        .missing,
        "cannot load \(landmarks.model.name): expected a folder or bundle of models, found the "
          + "single model \(lone)")
    }
    if let landmarks {
      self.landmarks = try LandmarkModel(landmarks, from: models)
    } else {
      let variants = LandmarkVariant.allCases
      self.landmarks = try optional(variants.map(\.model)) { index throws(ModelStoreError) in
        try LandmarkModel(variants[index], from: models)
      }
    }
    blendshapes = try optional([.faceBlendshapes]) { _ throws(ModelStoreError) in
      try BlendshapeModel(from: models)
    }
    let geometry = try optional([.faceGeometryMetadata]) { _ throws(ModelStoreError) in
      let bytes = try ModelBytes(.faceGeometryMetadata, from: models)
      return (
        mesh: try CanonicalFaceMesh(bytes),
        loaded: LoadedModel(.faceGeometryMetadata, bytes)
      )
    }
    mesh = geometry?.mesh
    self.absent = absent
    loaded = [
      self.detector.loaded, self.landmarks?.loaded, blendshapes?.loaded, geometry?.loaded,
    ].compactMap(\.self)
  }

  /// Name of the single model that the user names instead of a folder or bundle.
  static func loneModel(_ models: URL?) -> String? {
    guard let models, models.pathExtension.lowercased() != "task" else { return nil }
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: models.path, isDirectory: &isFolder)
    return exists && !isFolder.boolValue ? models.lastPathComponent : nil
  }

  private static func whereabouts(of model: ModelDescription, in models: URL?) -> String {
    let location = model.locations[0]
    if let models, models.pathExtension.lowercased() == "task" {
      return "\(location.member ?? location.file.name) is not in \(models.lastPathComponent)"
    }
    return location.member.map { "\($0) is only in \(location.file.name)" }
      ?? "\(location.file.name) is not there"
  }
}

extension FaceLandmarkerModels {
  /// The planned models with the stages that run them, in the order of the pipeline.
  package var plannedModels: [(stage: PipelineStage, model: Model)] {
    var models: [(stage: PipelineStage, model: Model)] = [(.detectInfer, detector.model)]
    if let landmarks { models.append((.landmarkInfer, landmarks.model)) }
    if let blendshapes { models.append((.blendshapesInfer, blendshapes.model)) }
    return models
  }

  /// SHA-256 over a line for each step of all plans, with kernel, output shape and work.
  package func planSHA256() throws(DigestError) -> String {
    let lines = plannedModels.flatMap { stage, model in
      model.plan.map { "\(stage.name) \($0.name) \($0.outputShape) \($0.multiplyAccumulates)\n" }
    }
    return try SHA256.hexadecimal(of: Array(lines.joined().utf8))
  }
}
