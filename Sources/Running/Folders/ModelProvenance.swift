package import Datasets
package import FaceCore
package import FacePipeline
package import Records

extension Record.Model {
  /// A model that a run loaded.
  package init(_ model: LoadedModel) {
    self.init(
      name: model.name, stage: model.stage.rawValue, sha256: model.sha256, remark: model.remark)
  }

  /// A model that predictions were made with.
  package init(_ model: PredictionsHeader.Model) {
    self.init(name: model.name, stage: model.stage, sha256: model.sha256, remark: model.remark)
  }
}

extension PredictionsHeader.Model {
  /// A model that a run loaded.
  package init(_ model: LoadedModel) {
    self.init(
      name: model.name, stage: model.stage.rawValue, sha256: model.sha256, remark: model.remark)
  }

  /// A model of a record.
  package init(_ model: Record.Model) {
    self.init(name: model.name, stage: model.stage, sha256: model.sha256, remark: model.remark)
  }
}

extension Sequence<Record.Model> {
  /// The model that serves a part of the pipeline; nil where there is none.
  package func serving(_ part: PipelinePart) -> Record.Model? {
    first { $0.stage == part.rawValue }
  }
}

extension Sequence<PredictionsHeader.Model> {
  /// The model that serves a part of the pipeline; nil where there is none.
  package func serving(_ part: PipelinePart) -> PredictionsHeader.Model? {
    first { $0.stage == part.rawValue }
  }
}
