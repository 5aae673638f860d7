package import FaceCore
internal import Foundation

/// Writes the XML of dlib's imglab: boxes, ignore flags, and the 68 points of ibug68 as parts.
package struct ImglabExport: DatasetExporter {
  /// Name on the command line.
  package let name = "imglab"
  /// One-line summary of what it stores.
  package let summary = "dlib imglab XML: boxes, ignore flags, and ibug68 as parts 00 to 67"
  /// Name of the label file.
  package let labelFile = "labels.xml"

  /// Makes the format.
  package init() {}

  /// Data of a face that imglab cannot store.
  package func losses(of face: FaceLabel) -> [String] {
    ExportLoss.extras(of: face)
      + [
        face.isCrowd ? "crowd flags" : nil, face.category != 1 ? "categories" : nil,
        abs(face.area - face.box.area) > 1e-5 * face.area ? "areas other than the box's" : nil,
      ].compactMap { $0 }
      + face.landmarks.filter { $0.scheme != .ibug68 }.map { "landmarks of \($0.scheme.name)" }
      + (face.landmarks.contains {
        $0.scheme == .ibug68 && $0.visibility.contains(.occluded)
      } ? ["hidden points, which become visible"] : [])
  }

  /// Builds the document.
  package func makeText(of dataset: DatasetReader, _ survey: ExportSurvey) -> any ExportText {
    Text(name: dataset.name)
  }

  private struct Text: ExportText {
    let name: String

    var passes: Int { 1 }

    func opening(pass: Int) -> String {
      "<?xml version='1.0' encoding='UTF-8'?>\n<dataset>\n<name>\(name.escapedForXML)</name>\n"
        + "<images>\n"
    }

    func closing(pass: Int) -> String { "</images>\n</dataset>\n" }

    func text(of frame: Frame, file: String, faces: [FaceLabel], pass: Int) -> String {
      var text =
        "  <image file='\(file.escapedForXML)' width='\(frame.size.width)' "
        + "height='\(frame.size.height)'>\n"
      for face in faces {
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
      return text + "  </image>\n"
    }
  }
}

extension String {
  /// The text escaped for an XML attribute or element; characters that XML cannot hold become question marks.
  fileprivate var escapedForXML: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "'": text += "&apos;"
      case "\"": text += "&quot;"
      case "\t", "\n", "\r": text += "&#\(scalar.value);"
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
        text += "?"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}
