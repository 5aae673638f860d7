package import FaceCore
package import Foundation
package import Platform
package import TFLite
package import Tensor

/// Cards of the user's own models that run in place of MediaPipe's.
package struct OwnModels: Sendable, Hashable {
  /// The detector; nil for MediaPipe's.
  package var detector: DetectorCard?
  /// The landmark model; nil for MediaPipe's.
  package var landmarks: LandmarkCard?

  /// No model of the user's unless given.
  package init(detector: DetectorCard? = nil, landmarks: LandmarkCard? = nil) {
    (self.detector, self.landmarks) = (detector, landmarks)
  }
}

/// The models of the whole pipeline as far as they are there; shared by any number of landmarkers.
package struct FaceLandmarkerModels: Sendable {
  /// The detector.
  package let detector: DetectorModel
  /// The landmark model; nil where there is none.
  package let landmarks: LandmarkModel?
  /// What gives the coefficients; nil where nothing is there.
  package let blendshapes: BlendshapeSource?
  /// The mesh that head poses fit; nil where it is not there.
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
  /// `own` describes models of the user's, which run in place of MediaPipe's. `engine` loads and runs all of them.
  /// `head` names a head that runs in place of the blendshape model. An instruction set that `FACEGAUGE_KERNELS` names
  /// and the machine lacks is an error.
  package init(
    detector: DetectorVariant, landmarks: LandmarkVariant? = nil, blendshapes head: URL? = nil,
    own: OwnModels = OwnModels(), from models: URL? = nil,
    engine: any InferenceModel.Type = ModelCatalog.engine
  ) throws(FileError) {
    if let problem = Kernels.limitProblem { throw FileError(.unavailable, problem) }
    self.detector = try DetectorModel(
      own.detector.map { .own($0) } ?? .blazeFace(detector), from: models, engine: engine)
    var absent: [AbsentStage] = []
    let lone = Self.loneModel(models)

    func optional<Loaded>(
      _ candidates: [ModelDescription], _ load: (Int) throws(FileError) -> Loaded
    ) throws(FileError) -> Loaded? {
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
      throw FileError(
        .missing,
        "cannot load \(landmarks.model.name): expected a folder or bundle of models, found the "
          + "single model \(lone)")
    }
    let asked = landmarks.map { LandmarkSource.mediaPipe($0) }
    if let source = own.landmarks.map({ .own($0) }) ?? asked {
      self.landmarks = try LandmarkModel(source, from: models, engine: engine)
    } else {
      let variants = LandmarkVariant.allCases
      self.landmarks = try optional(variants.map(\.model)) { index throws(FileError) in
        try LandmarkModel(.mediaPipe(variants[index]), from: models, engine: engine)
      }
    }
    if let scheme = self.landmarks?.scheme, scheme != .mediapipe478 {
      blendshapes = nil
      mesh = nil
      self.absent =
        absent
        + [.blendshapes, .geometry].map {
          AbsentStage(
            stage: $0,
            reason: "it needs the points of mediapipe478, and the landmark model has \(scheme.name)"
          )
        }
      loaded = [self.detector.loaded, self.landmarks?.loaded].compactMap(\.self)
      return
    }
    if let head, self.landmarks != nil {
      let (head, sha256) = try BlendshapeHead.file(head)
      blendshapes = .head(
        head,
        LoadedModel(
          name: "blendshape-head", stage: .blendshapes, sha256: sha256,
          remark: head.remark(on: self.landmarks?.loaded)))
    } else {
      blendshapes = try optional([.faceBlendshapes]) { _ throws(FileError) in
        .model(try BlendshapeModel(from: models, engine: engine))
      }
    }
    let geometry = try optional([.faceGeometryMetadata]) { _ throws(FileError) in
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
    return models.isThere && !models.isFolder ? models.lastPathComponent : nil
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
  /// The models that our own engine planned, with the stages that run them, in the order of the pipeline.
  package var plannedModels: [(stage: PipelineStage, model: Model)] {
    let models: [(stage: PipelineStage, model: (any InferenceModel)?)] = [
      (.detectInfer, detector.model), (.landmarkInfer, landmarks?.model),
      (.blendshapesInfer, blendshapes?.model?.model),
    ]
    return models.compactMap { stage, model in (model as? Model).map { (stage, $0) } }
  }

  /// SHA-256 over a line for each step of all plans, with kernel, output shape and work.
  package func planSHA256() throws(DigestError) -> String {
    let lines = plannedModels.flatMap { stage, model in
      model.plan.map { "\(stage.name) \($0.name) \($0.outputShape) \($0.multiplyAccumulates)\n" }
    }
    return try SHA256.hexadecimal(of: Array(lines.joined().utf8))
  }
}
