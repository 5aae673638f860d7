internal import FaceCore
internal import FacePipeline
internal import Imaging
internal import Records

/// Draws what an explanation lists over its image.
struct ExplanationDrawing {
  private let explanation: Explanation
  private let prediction: FramePrediction

  init(_ explanation: Explanation, _ result: FaceLandmarkerResult) {
    self.explanation = explanation
    prediction = result.prediction(frame: 0, stageNanoseconds: [])
  }

  /// The pipeline's own output as overlays draw it, the candidates that it left out, and the places.
  func drawn(over image: PixelBuffer) -> PixelBuffer {
    let overlay = FaceOverlay([.contours, .detections, .regions])
    var drawing = image
    for place in explanation.places {
      if let box = place.box { overlay.drawPlace(box, place.name, on: &drawing) }
      if let point = place.point { overlay.drawPlace(point, place.name, on: &drawing) }
    }
    for candidate in explanation.detectors.first?.candidates ?? [] where isLeftOut(candidate) {
      overlay.drawLeftOut(
        candidate.box, number: candidate.number, score: candidate.score, on: &drawing)
    }
    overlay.draw(prediction, on: &drawing)
    return drawing
  }

  /// Candidates that are not detections of the result and would be with other settings.
  private func isLeftOut(_ candidate: Explanation.Candidate) -> Bool {
    candidate.look != nil && [.belowThreshold, .beyondNumFaces].contains(candidate.outcome)
  }
}
