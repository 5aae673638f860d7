package import FaceCore
internal import Platform

/// Writes the XML of dlib's imglab: boxes, ignore flags, and the 68 points of ibug68 as parts.
package struct ImglabExport: DatasetExporter {
  package let name = "imglab"
  package let summary = "dlib imglab XML: boxes, ignore flags, and ibug68 as parts 00 to 67"
  package let labelFile = "labels.xml"

  package func losses(of face: FaceLabel, in size: ImageSize, isPrediction: Bool) -> [String] {
    ExportLoss.of(face, holding: .ignoreFlags)
      + ExportLoss.points(
        of: face, besides: face.landmarks.map(\.scheme).first { $0 == .ibug68 }, hidden: true,
        missing: false)
  }

  package func makeText(of source: ExportSource, _ survey: ExportSurvey) -> any ExportText {
    Text(name: source.dataset.name, labelFile: labelFile)
  }

  private struct Text: ExportText {
    let name: String
    let labelFile: String

    func opening(pass: Int) -> [ExportPiece] {
      let head =
        "<?xml version='1.0' encoding='UTF-8'?>\n<dataset>\n<name>\(name.escapedForXML)</name>\n"
        + "<images>\n"
      return [ExportPiece(labelFile, head)]
    }

    func closing(pass: Int) -> [ExportPiece] {
      [ExportPiece(labelFile, "</images>\n</dataset>\n")]
    }

    func pieces(of frame: ExportedFrame, pass: Int) -> [ExportPiece] {
      let size = frame.frame.size
      var text =
        "  <image file='\(frame.image.escapedForXML)' width='\(size.width)' "
        + "height='\(size.height)'>\n"
      for face in frame.faces {
        let box = face.box
        text +=
          "    <box top='\(ExactText.of(box.y))' left='\(ExactText.of(box.x))' "
          + "width='\(ExactText.of(box.width))' height='\(ExactText.of(box.height))'"
          + (face.isIgnored ? " ignore='1'" : "")
        guard let set = face.landmarks.first(where: { $0.scheme == .ibug68 }) else {
          text += "/>\n"
          continue
        }
        text += ">\n"
        for (index, point) in set.points.enumerated() where set.visibility[index] != .notLabelled {
          let part = index < 10 ? "0\(index)" : "\(index)"
          text +=
            "      <part name='\(part)' x='\(ExactText.of(point.x))' y='\(ExactText.of(point.y))'/>\n"
        }
        text += "    </box>\n"
      }
      return [ExportPiece(labelFile, text + "  </image>\n")]
    }
  }
}
