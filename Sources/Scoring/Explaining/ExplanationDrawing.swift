internal import FaceCore
internal import FacePipeline
internal import Imaging
internal import Records

extension Explanation {
  /// Draws over the image the pipeline's own output as overlays draw it, the candidates that it left out, and the places.
  func drawn(_ result: FaceLandmarkerResult, over image: PixelBuffer) -> PixelBuffer {
    let overlay = FaceOverlay([.contours, .detections, .regions])
    var drawing = image
    for place in places {
      if let box = place.box { overlay.drawPlace(box, place.name, on: &drawing) }
      if let point = place.point { overlay.drawPlace(point, place.name, on: &drawing) }
    }
    for candidate in detectors.first?.candidates ?? [] where candidate.isLeftOut {
      overlay.drawLeftOut(
        candidate.box, number: candidate.number, score: candidate.score, on: &drawing)
    }
    overlay.draw(result.prediction(frame: 0, stageNanoseconds: []), on: &drawing)
    return drawing
  }
}

extension Explanation.Candidate {
  /// Whether it is no detection of the result and would be one with other settings.
  fileprivate var isLeftOut: Bool {
    look != nil && [.belowThreshold, .beyondNumFaces].contains(outcome)
  }
}
