package import FaceCore
internal import Platform

/// Writes a tracker's output as WIDER FACE's evaluation reads it: a text file per image with boxes and scores.
package struct WIDERDetectionsExport: DatasetExporter {
  package let name = "wider-detections"
  package let summary = "WIDER-style detections: EVENT/NAME.txt, rows x y w h score"
  /// A name that no image has.
  package let labelFile = ".txt"
  /// Files named after the images.
  package let layout = ExportLayout(
    hasFilePerImage: true, needsImages: false, hasBareResults: true, isOfPredictions: true)

  package func losses(of face: FaceLabel, in size: ImageSize, isPrediction: Bool) -> [String] {
    ExportLoss.of(face, holding: .scores)
      + ExportLoss.points(of: face, besides: nil, hidden: false, missing: false)
      + (face.score == nil ? ["faces without a score, which get 1"] : [])
  }

  package func makeText(of source: ExportSource, _ survey: ExportSurvey) -> any ExportText {
    Text()
  }

  private struct Text: ExportText {
    func pieces(of frame: ExportedFrame, pass: Int) -> [ExportPiece] {
      let path = PathText(frame.image)
      let name = path.suffix == "jpg" ? path.stem : path.name
      let rows = frame.faces.sorted { $0.score ?? 1 > $1.score ?? 1 }.map { face in
        let box = [face.box.x, face.box.y, face.box.width, face.box.height, face.score ?? 1]
        return box.map(ExactText.of).joined(separator: " ") + "\n"
      }
      return [
        ExportPiece("\(path.withoutSuffix).txt", "\(name)\n\(rows.count)\n\(rows.joined())")
      ]
    }
  }
}
