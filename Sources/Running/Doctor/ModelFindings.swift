internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Imaging
internal import Platform
internal import Profiling

/// The stages of the pipeline, each run once, and the files that their models are in.
struct ModelFindings {
  let store: ModelStore
  let stages: [InstallationFinding]
  let files: [InstallationFinding]

  init(models: URL?) {
    let folder = models.map { $0.isFolder ? $0 : $0.deletingLastPathComponent() }
    let store = folder.map { ModelStore(folder: $0) } ?? .standard()
    self.store = store
    stages = Self.stages(models)
    files =
      models.map { $0.isFolder ? Self.files(in: store) : [Self.file($0)] } ?? Self.files(in: store)
  }

  private static func stages(_ source: URL?) -> [InstallationFinding] {
    let parts: [PipelinePart] = [.detection, .landmarks, .blendshapes, .geometry]
    let result = Result { try run(source) }
    return parts.map { part in
      var finding = InstallationFinding("stage \(part.rawValue)", .missing, "not run")
      switch result {
      case .success(let run):
        if let reason = run.absent[part] {
          finding.found = reason
          finding.advice = "get its model with 'facegauge models pull'"
        } else {
          (finding.state, finding.found) = (.ok, run.found[part] ?? "ran")
        }
      case .failure(let error) where part == parts[0]:
        finding.found = "\(error)"
        finding.advice = "get the models with 'facegauge models pull'"
      case .failure:
        finding.advice = "see stage \(parts[0].rawValue); then 'facegauge models pull'"
      }
      finding.isStage = true
      return finding
    }
  }

  /// Runs every stage that has a model on an even grey image, and says what ran and how long it took.
  private static func run(
    _ source: URL?
  ) throws -> (found: [PipelinePart: String], absent: [PipelinePart: String]) {
    let models = try FaceLandmarkerModels(detector: .shortRange, from: source)
    var options = FaceLandmarkerOptions()
    options.outputFaceBlendshapes = true
    options.outputFacialTransformationMatrixes = true
    let landmarker = try FaceLandmarker(models, options: options)
    let grey = PixelBuffer(width: 640, height: 480, color: RGB(128, 128, 128))
    var timer = StageTimer(stages: PipelineStage.names)
    // The first time is spent on memory and caches.
    for _ in 0..<2 {
      timer.beginFrame()
      _ = try landmarker.detect(grey, timer: &timer)
      let region = FaceRegion(region: .whole, detectionScore: 1)
      if var face = try landmarker.runLandmarks(on: region, of: grey, timer: &timer) {
        landmarker.addBlendshapesAndPose(to: &face, size: grey.size, timer: &timer)
      }
    }
    let spent: [PipelinePart: PipelineStage] = [
      .detection: .detectInfer, .landmarks: .landmarkInfer, .blendshapes: .blendshapesInfer,
      .geometry: .geometry,
    ]
    var found: [PipelinePart: String] = [:]
    for model in models.loaded {
      let nanoseconds = spent[model.stage].flatMap { timer.nanoseconds[$0.rawValue] }
      found[model.stage] =
        model.name
        + (nanoseconds.map { ", ran in \((Double($0) / 1e6).text()) ms" } ?? ", loaded")
        + (model.isPinned ? "" : ", other bytes than the pinned ones")
    }
    return (
      found,
      Dictionary(models.absent.map { ($0.stage, $0.reason) }, uniquingKeysWith: { $1 })
    )
  }

  private static func files(in store: ModelStore) -> [InstallationFinding] {
    ModelCatalog.files.map { file in
      let path = store.url(of: file).path
      let state = store.state(of: file)
      let thing = "model file \(file.name)"
      switch state {
      case .present:
        return InstallationFinding(thing, .ok, "\(path), SHA-256 as pinned")
      case .absent:
        let served = ModelCatalog.all.filter { $0.locations.contains { $0.file == file } }
        return InstallationFinding(
          thing, .missing,
          "not in \(store.folder.path); it has \(served.map(\.name).joined(separator: ", "))",
          advice: state.remedy)
      case .wrong:
        return InstallationFinding(
          thing, .warning, "\(path) has other bytes than the pinned ones",
          advice: state.remedy)
      }
    }
  }

  /// A file that `--models` names, which need not be a pinned one.
  private static func file(_ url: URL) -> InstallationFinding {
    let thing = "model file \(url.lastPathComponent)"
    do {
      let digest = try SHA256.hexadecimal(ofFile: url.path)
      let isPinned = ModelCatalog.files.contains { $0.sha256 == digest }
      return InstallationFinding(
        thing, .ok,
        "\(url.path), " + (isPinned ? "SHA-256 as pinned" : "SHA-256 \(digest), not a pinned file"))
    } catch {
      return InstallationFinding(
        thing, .missing, "\(error)", advice: "give '--models' a file or folder that is there")
    }
  }
}
