internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Imaging
internal import Platform
package import Records
internal import Running
internal import Tensor

/// Explains why faces of an image were found or not, by running the pipeline on it.
package struct FaceExplainer {
  /// The explanation, and the image with its numbers drawn over it.
  package struct Outcome: Sendable {
    /// The numbers.
    package var explanation: Explanation
    /// The drawing as PNG.
    package var png: [UInt8]
    /// The drawing as JPEG, reduced, for a page.
    package var jpeg: [UInt8]
    /// Size of the JPEG.
    package var jpegWidth, jpegHeight: Int
  }

  private let plan: ExplanationPlan

  /// Prepares to explain.
  package init(_ plan: ExplanationPlan) {
    self.plan = plan
  }

  /// Runs the pipeline and puts its numbers together.
  ///
  /// Throws where the image or a model that the settings name is missing or broken.
  package func run() throws -> Outcome {
    BLAS.setThreadCount(1)
    let pipeline = plan.pipeline
    let image = try ExplainedImage(plan)
    var notes = image.notes
    let models = try pipeline.loadedModels()
    notes += models.absent.filter { $0.stage == .landmarks }.map {
      "The stage \($0.stage.rawValue) did not run: \($0.reason)."
    }
    let own = try examine(models, image)
    let places = places(image)
    var detectors = [try describe(own, pipeline.detector, places)]
    for other in DetectorVariant.allCases where other != pipeline.detector {
      let models: FaceLandmarkerModels
      do throws(FileError) {
        models = try FaceLandmarkerModels(
          detector: other, landmarks: pipeline.landmarks, from: pipeline.models)
      } catch {
        guard error.kind == .missing else { throw error }
        notes.append("The \(other.rawValue) detector was not asked: \(error.description).")
        continue
      }
      detectors.append(try describe(try examine(models, image), other, places))
    }
    let settings = pipeline.settings
    let explanation = Explanation(
      source: image.source, size: image.pixels.size,
      settings: .init(
        detector: pipeline.detector.rawValue,
        minFaceDetectionConfidence: settings.minFaceDetectionConfidence,
        minFacePresenceConfidence: settings.minFacePresenceConfidence,
        minSuppressionThreshold: settings.suppressionThreshold(with: models.landmarks?.variant),
        numFaces: settings.numFaces, rotationDegrees: pipeline.rotationDegrees,
        minDecodedSide: pipeline.minDecodedSide),
      places: places, detectors: detectors, notes: notes)
    let drawing = explanation.drawn(own.result, over: image.pixels)
    let reduced = drawing.reduced(toFit: plan.drawingSide)
    return Outcome(
      explanation: explanation, png: try drawing.pngBytes(),
      jpeg: try reduced.jpegBytes(quality: 85), jpegWidth: reduced.width,
      jpegHeight: reduced.height)
  }

  private func examine(
    _ models: FaceLandmarkerModels, _ image: ExplainedImage
  ) throws -> DetectorExamination {
    try DetectorExamination(
      models, settings: plan.pipeline.settings, rotationDegrees: plan.pipeline.rotationDegrees,
      image: image.seen)
  }

  private func places(_ image: ExplainedImage) -> [Explanation.Place] {
    switch plan.place {
    case .point(let point): [Explanation.Place("point", point: point)]
    case .box(let box): [Explanation.Place("box", box: box)]
    case nil:
      image.labels.enumerated().map { Explanation.Place("label \($0 + 1)", box: $1) }
    }
  }

  private func describe(
    _ examination: DetectorExamination, _ detector: DetectorVariant, _ places: [Explanation.Place]
  ) throws -> Explanation.DetectorResult {
    let found = places.map { examination.result(at: $0) }
    return Explanation.DetectorResult(
      detector: detector.rawValue, answers: examination.count,
      candidates: try examination.candidates(
        examination.listed(found), looks: plan.looks, always: Set(found.compactMap(\.candidate))),
      detections: examination.result.detections.count, faces: examination.result.faces.count,
      places: found)
  }
}
