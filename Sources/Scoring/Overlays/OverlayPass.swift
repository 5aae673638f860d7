internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Imaging
internal import Platform
package import Running

/// Draws the frames of a finished run into a folder, one PNG a frame.
package struct OverlayPass {
  /// What came of it.
  package struct Summary: Sendable {
    /// How many images were written.
    package var images = 0
    /// Frames without a prediction: broken ones and those that live mode dropped.
    package var leftOut = 0
    /// Why the mesh was drawn as dots; nil where it was not.
    package var meshNote: String?
  }

  private let plan: OverlayPlan
  private let monitor: RunMonitor

  /// Prepares to draw.
  package init(_ plan: OverlayPlan, monitor: RunMonitor = .silent) {
    self.plan = plan
    self.monitor = monitor
  }

  /// Draws, frame by frame; what is written when it is interrupted stays.
  ///
  /// Throws before anything is written where the dataset is not the run's, no frame is chosen or the folder has
  /// files that may not be there.
  package func run() throws(EvaluationError) -> Summary {
    try EvaluationError.wrapping {
      let target = ImageFolder(url: plan.folder)
      guard plan.folder.withoutLinks != plan.run.withoutLinks else {
        throw FileError(
          writing: plan.folder, "expected another folder than the run, found the same")
      }
      try target.check(mayHaveFiles: plan.replaces)
      let predictions = try PredictionsReader(plan.run.appendingPathComponent("predictions.h5"))
      let chosen = plan.frames.count(of: predictions.frameCount)
      guard chosen > 0 else {
        throw EvaluationError.wrongData(
          "cannot draw \(plan.run.relativePath): expected a frame below "
            + "\(predictions.frameCount), found none from \(plan.frames.first) on")
      }
      var summary = Summary()
      let overlay = try overlay(&summary)
      let dataset = try dataset(of: predictions)
      try plan.folder.makeFolder()
      monitor.begin(.drawing, chosen)
      for window in try PredictionPass.ranges(of: 0..<predictions.frameCount, nil, [predictions]) {
        let wanted = window.filter(plan.frames.contains)
        guard let first = wanted.first, let last = wanted.last else { continue }
        let found = try predictions.predictions(first..<last + 1)
        for frame in wanted {
          try check(after: summary.images, of: chosen)
          let prediction = found[frame - first]
          if prediction.status == .analysed {
            let (name, image) = try draw(prediction, with: overlay, of: dataset)
            try target.write(try image.pngBytes(), to: name)
            summary.images += 1
          } else {
            summary.leftOut += 1
          }
          monitor.advance(by: 1)
        }
      }
      return summary
    }
  }

  private func overlay(_ summary: inout Summary) throws -> FaceOverlay {
    var triangles: [SIMD3<Int32>] = []
    if plan.drawn.contains(.mesh) {
      do throws(FileError) {
        triangles = try CanonicalFaceMesh(from: plan.models).triangles
      } catch {
        guard error.kind == .missing else { throw error }
        summary.meshNote = "the mesh is drawn as dots: \(error.description)"
      }
    }
    return FaceOverlay(plan.drawn, triangles: triangles, isOnWhite: plan.canvas == .white)
  }

  /// The run's dataset, or nil where nothing of it is drawn.
  private func dataset(of predictions: PredictionsReader) throws -> DatasetReader? {
    let header = predictions.header
    guard plan.canvas == nil || plan.drawn.contains(.labels) || plan.dataset != nil else {
      return nil
    }
    let url = plan.dataset ?? URL(fileURLWithPath: header.datasetPath)
    guard DatasetReader.isThere(url) else {
      let hint = plan.dataset == nil ? " (--dataset gives its path)" : ""
      throw EvaluationError(
        .notFound,
        "cannot draw \(plan.run.relativePath): no dataset \(url.relativePath)\(hint)")
    }
    let dataset = try DatasetReader(url)
    let sha256 = try monitor.hash(dataset)
    guard dataset.frameCount == predictions.frameCount,
      try monitor.isDigest(header.datasetSHA256, of: dataset, sha256: sha256)
    else {
      throw EvaluationError.wrongData(
        "cannot draw \(plan.run.relativePath) on \(url.relativePath): expected the dataset with "
          + "SHA-256 \(header.datasetSHA256) and \(predictions.frameCount) frames, found \(sha256) "
          + "and \(dataset.frameCount)")
    }
    return dataset
  }

  private func draw(
    _ prediction: FramePrediction, with overlay: FaceOverlay, of dataset: DatasetReader?
  ) throws -> (name: String, image: PixelBuffer) {
    let index = prediction.frame
    let frame = try dataset?.frames(index..<index + 1).first
    let labels =
      plan.drawn.contains(.labels) ? try dataset?.labels(index..<index + 1).first ?? [] : []
    let name = ImageFolder.fileName(frame: index, name: frame?.name)
    guard plan.canvas == nil, let dataset else {
      let size = prediction.size ?? ImageSize(width: 0, height: 0)
      return (name, overlay.renderedOnCanvas(prediction, labels: labels, size: size))
    }
    let image = try dataset.image(index).decoded()
    return (name, overlay.rendered(prediction, labels: labels, on: image))
  }

  private func check(after done: Int, of total: Int) throws(EvaluationError) {
    guard monitor.isInterrupted() else { return }
    throw EvaluationError(
      .interrupted,
      "interrupted after \(done) of \(total) images, which are in \(plan.folder.relativePath)")
  }
}
