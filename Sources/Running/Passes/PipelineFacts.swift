package import Datasets
package import FaceCore
package import FacePipeline
internal import Foundation
package import Records

/// What a run states of the pipeline that made its predictions, with or without the models at hand.
package struct PipelineFacts: Sendable {
  /// The models, in the order of the pipeline, and whether their bytes are the pinned ones.
  package var models: [(model: Record.Model, isPinned: Bool)]
  /// The stages that could not run, each with its reason.
  package var absent: [(stage: PipelinePart, reason: String)]
  /// Which of MediaPipe's landmark models there was; nil without one.
  package var landmarks: LandmarkVariant?
  /// Names and orders the points.
  package var scheme = LandmarkScheme.mediapipe478

  package init(
    models: [(model: Record.Model, isPinned: Bool)],
    absent: [(stage: PipelinePart, reason: String)], landmarks: LandmarkVariant?,
    scheme: LandmarkScheme = .mediapipe478
  ) {
    self.models = models
    self.absent = absent
    self.landmarks = landmarks
    self.scheme = scheme
  }

  package init(_ models: FaceLandmarkerModels) {
    self.models = models.loaded.map { (Record.Model($0), $0.isPinned) }
    absent = models.absent.map { ($0.stage, $0.reason) }
    landmarks = models.landmarks?.variant
    scheme = models.landmarks?.scheme ?? .mediapipe478
  }

  /// The description of the predictions that they make of a dataset, in this process unless `numerics` says otherwise.
  package func header(
    _ plan: RunPlan, of dataset: DatasetReader, sha256: String,
    numerics: PredictionsHeader.Numerics = Numerics.own.stated
  ) -> PredictionsHeader {
    PredictionsHeader(
      datasetName: dataset.name, datasetSHA256: sha256,
      datasetPath: plan.dataset.standardizedFileURL.path,
      mode: plan.settings.runningMode.rawValue,
      models: models.map { .init($0.model) },
      candidateFloor: plan.settings.minCandidateScore, stages: PipelineStage.names,
      options: plan.predictionOptions, numerics: numerics)
  }
}
