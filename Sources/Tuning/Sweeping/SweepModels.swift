internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Records
internal import Running
internal import Synchronization

/// The models of a sweep: loaded at once for a dataset, and for a stored run when a frame first needs one.
final class SweepModels: Sendable {
  /// The landmark model; nil for none.
  let variant: LandmarkVariant?
  /// What runs, or ran in the stored run.
  let records: [Record.Model]
  private let plan: RunPlan
  /// The stored run's file, for messages; nil for a dataset.
  private let stored: String?
  private let loaded: Mutex<FaceLandmarkerModels?>

  /// Loads the models of a plan.
  init(_ plan: RunPlan) throws {
    self.plan = plan
    let own = try plan.loadedModels()
    variant = own.landmarks?.variant
    records = own.loaded.map { Record.Model($0) }
    stored = nil
    loaded = Mutex(own)
  }

  /// Takes the models that a stored run names, and loads none.
  init(_ plan: RunPlan, of run: SharedPredictions) {
    self.plan = plan
    variant = run.models.serving(.landmarks) == nil ? nil : plan.landmarks
    records = run.models
    stored = run.file
    loaded = Mutex(nil)
  }

  /// The loaded models; throws where one is missing or is not the one of the stored run.
  func load() throws -> FaceLandmarkerModels {
    try loaded.withLock { loaded in
      if let loaded { return loaded }
      let found = try plan.loadedModels()
      for model in records {
        guard let own = found.loaded.first(where: { $0.stage.rawValue == model.stage }),
          own.sha256 != model.sha256
        else { continue }
        throw EvaluationError.wrongData(
          "cannot sweep over \(stored ?? "the run"): expected its \(model.stage) model, \(model.name) "
            + "(SHA-256 \(model.sha256.prefix(12))…), found \(own.name) "
            + "(SHA-256 \(own.sha256.prefix(12))…)")
      }
      loaded = found
      return found
    }
  }

  /// Whether a model was needed so far.
  var isLoaded: Bool { loaded.withLock { $0 != nil } }

  /// What runs, or ran in the stored run, and what cannot.
  var facts: PipelineFacts {
    loaded.withLock { $0.map { PipelineFacts($0) } }
      ?? PipelineFacts(models: records.map { ($0, true) }, absent: [], landmarks: variant)
  }

  /// What became of each stage, in the order of the pipeline.
  func stages(with options: FaceLandmarkerOptions) -> [Record.Stage] {
    if let models = loaded.withLock({ $0 }) { return models.stages(with: options) }
    let parts: [PipelinePart] = [.landmarks, .blendshapes, .geometry]
    let absent = parts.filter { records.serving($0) == nil }
    return options.stages(
      absent: Dictionary(absent.map { ($0, "the run had no such model") }) { first, _ in first })
  }
}
