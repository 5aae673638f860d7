package import FaceCore
internal import Platform

/// Writes the XML of "CVAT for images 1.1": a box per face with its points in one group, and attributes.
package struct CVATExport: DatasetExporter {
  package let name = "cvat"
  package let summary = "CVAT for images 1.1 XML: boxes, points, and numbers as attributes"
  package let labelFile = "annotations.xml"
  /// Images in a folder of their own, as CVAT exports them.
  package let layout = ExportLayout(imageFolder: "images/")

  package init() {}

  /// The points of a face: those of the first scheme of which all have a label, since CVAT's points have no names.
  private static func points(of face: FaceLabel) -> Landmarks? {
    face.exportedPoints { $0.labelled.count == $0.scheme.count }
  }

  package func losses(of face: FaceLabel, in size: ImageSize, isPrediction: Bool) -> [String] {
    let held = Self.points(of: face)?.scheme
    let partial = face.landmarks.filter {
      $0.labelled.count < $0.scheme.count && $0.scheme != held
    }
    var whole = face
    whole.landmarks.removeAll { set in partial.contains { $0.scheme == set.scheme } }
    return ExportLoss.of(
      face, holding: [.identities, .scores, .ignoreFlags, .crowdFlags, .categories, .attributes])
      + CVATShapes.losses(of: face)
      + ExportLoss.points(of: whole, besides: held, hidden: true, missing: false)
      + partial.map { "landmarks of \($0.scheme.name) of which some have no label" }
  }

  package func makeText(of source: ExportSource, _ survey: ExportSurvey) -> any ExportText {
    Text(
      head: CVATShapes.head(of: source, survey), labelFile: labelFile,
      shapes: CVATShapes(source, survey))
  }

  private struct Text: ExportText {
    let head: String
    let labelFile: String
    let shapes: CVATShapes

    func opening(pass: Int) -> [ExportPiece] { [ExportPiece(labelFile, head)] }

    func closing(pass: Int) -> [ExportPiece] { [ExportPiece(labelFile, "</annotations>\n")] }

    func pieces(of frame: ExportedFrame, pass: Int) -> [ExportPiece] {
      let size = frame.frame.size
      let name = String(frame.image.dropFirst("images/".count))
      var text =
        "<image id=\"\(frame.frame.index)\" name=\"\(name.escapedForXML)\" "
        + "width=\"\(size.width)\" height=\"\(size.height)\">\n"
      for (index, face) in frame.faces.enumerated() {
        text += elements(of: face, group: index + 1)
      }
      return [ExportPiece(labelFile, text + "</image>\n")]
    }

    private func elements(of face: FaceLabel, group: Int) -> String {
      let common = "\(shapes.title(of: face)) \(shapes.occlusion(of: face))"
      let box =
        "<box \(common) \(shapes.edges(of: face.box)) group_id=\"\(group)\">\n"
        + shapes.attributes(of: face) + "</box>\n"
      guard let set = CVATExport.points(of: face) else { return box }
      let points = set.points.map { "\(ExactText.of($0.x)),\(ExactText.of($0.y))" }
      return box
        + "<points \(common) points=\"\(points.joined(separator: ";"))\" z_order=\"0\" "
        + "group_id=\"\(group)\">\n</points>\n"
    }
  }
}
