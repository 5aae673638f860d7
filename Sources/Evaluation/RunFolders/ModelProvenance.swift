internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Records

extension Record.Model {
  /// A model that a run loaded.
  init(_ model: LoadedModel) {
    self.init(
      name: model.name, stage: model.stage.rawValue, sha256: model.sha256, remark: model.remark)
  }

  /// A model that predictions were made with.
  init(_ model: PredictionsHeader.Model) {
    self.init(
      name: model.name, stage: model.stage, sha256: model.sha256, remark: model.remark)
  }
}

extension PredictionsHeader.Model {
  /// A model that a run loaded.
  init(_ model: LoadedModel) {
    self.init(
      name: model.name, stage: model.stage.rawValue, sha256: model.sha256, remark: model.remark)
  }

  /// A model of a record.
  init(_ model: Record.Model) {
    self.init(
      name: model.name, stage: model.stage, sha256: model.sha256, remark: model.remark)
  }
}

extension Sequence<Record.Model> {
  /// The model that serves a part of the pipeline; nil where there is none.
  func serving(_ part: PipelinePart) -> Record.Model? { first { $0.stage == part.rawValue } }
}

extension Sequence<PredictionsHeader.Model> {
  /// The model that serves a part of the pipeline; nil where there is none.
  func serving(_ part: PipelinePart) -> PredictionsHeader.Model? {
    first { $0.stage == part.rawValue }
  }
}
