package import FaceCore
internal import Platform

/// Writes the XML of "CVAT for images 1.1": a box per face with its points in one group, and attributes.
package struct CVATExport: DatasetExporter {
  /// Name on the command line.
  package let name = "cvat"
  /// One-line summary of what it stores.
  package let summary = "CVAT for images 1.1 XML: boxes, points, and numbers as attributes"
  /// Name of the label file.
  package let labelFile = "annotations.xml"

  /// Makes the format.
  package init() {}

  /// Names of attributes for what CVAT has no place of its own for.
  fileprivate enum Flag {
    static let identity = "track_id"
    static let score = "score"
    static let ignored = "ignore"
    static let crowd = "crowd"
    static let occluded = "occluded"
  }

  /// The points of a face: those of the first scheme of which all have a label, since CVAT's points have no names.
  private static func points(of face: FaceLabel) -> Landmarks? {
    PointNames.exported.lazy.compactMap { scheme in
      face.landmarks.first { $0.scheme == scheme && $0.labelled.count == scheme.count }
    }.first
  }

  /// Data of a face that CVAT cannot store.
  package func losses(of face: FaceLabel, isPrediction: Bool) -> [String] {
    let held = Self.points(of: face)?.scheme
    let partial = face.landmarks.filter {
      $0.labelled.count < $0.scheme.count && $0.scheme != held
    }
    var whole = face
    whole.landmarks.removeAll { set in partial.contains { $0.scheme == set.scheme } }
    return ExportLoss.of(
      face, holding: [.identities, .scores, .ignoreFlags, .crowdFlags, .categories, .attributes])
      + ExportLoss.points(of: whole, besides: held, hidden: true, missing: false)
      + partial.map { "landmarks of \($0.scheme.name) of which some have no label" }
  }

  /// Builds the document.
  package func makeText(of source: ExportSource, _ survey: ExportSurvey) -> any ExportText {
    let own = [Flag.identity, Flag.score, Flag.ignored, Flag.crowd]
    let names =
      own + (source.predictions?.attributeNames ?? source.dataset.attributeNames)
      + (source.isPredictions ? ["presence"] : [])
    let attributes = names.filter { $0 != Flag.occluded }.map { name in
      let isFlag = [Flag.ignored, Flag.crowd].contains(name)
      return "<attribute><name>\(name.escapedForXML)</name><mutable>False</mutable><input_type>"
        + (isFlag ? "checkbox" : "text") + "</input_type><default_value>"
        + (isFlag ? "false" : "") + "</default_value><values>" + (isFlag ? "false" : "")
        + "</values></attribute>\n"
    }.joined()
    let labels = survey.categories.union([1]).sorted().map { category in
      "<label><name>\(survey.name(of: category))</name><type>any</type><attributes>\n\(attributes)"
        + "</attributes></label>\n"
    }.joined()
    return Text(
      head: "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<annotations>\n<version>1.1</version>\n"
        + "<meta><task><name>\(source.dataset.name.escapedForXML)</name><mode>annotation</mode>\n"
        + "<labels>\n\(labels)</labels></task></meta>\n",
      labelFile: labelFile, origin: source.isPredictions ? "auto" : "manual", survey: survey)
  }

  private struct Text: ExportText {
    let head: String
    let labelFile: String
    let origin: String
    let survey: ExportSurvey

    func opening(pass: Int) -> [ExportPiece] { [ExportPiece(labelFile, head)] }

    func closing(pass: Int) -> [ExportPiece] { [ExportPiece(labelFile, "</annotations>\n")] }

    func pieces(of frame: ExportedFrame, pass: Int) -> [ExportPiece] {
      let size = frame.frame.size
      var text =
        "<image id=\"\(frame.frame.index)\" name=\"\(frame.image.escapedForXML)\" "
        + "width=\"\(size.width)\" height=\"\(size.height)\">\n"
      for (index, face) in frame.faces.enumerated() {
        text += shapes(of: face, group: index + 1)
      }
      return [ExportPiece(labelFile, text + "</image>\n")]
    }

    private func shapes(of face: FaceLabel, group: Int) -> String {
      let box = face.box
      let isOccluded = face.attributes[Flag.occluded] == 1
      let common =
        "label=\"\(survey.name(of: face.category))\" source=\"\(origin)\" "
        + "occluded=\"\(isOccluded ? 1 : 0)\" "
      let edges = [("xtl", box.x), ("ytl", box.y), ("xbr", box.maxX), ("ybr", box.maxY)]
      var text =
        "<box \(common)" + edges.map { "\($0)=\"\(ExactText.of($1))\" " }.joined()
        + "z_order=\"0\" group_id=\"\(group)\">\n"
      var values: [(String, String)] = [
        (Flag.ignored, face.isIgnored ? "true" : ""), (Flag.crowd, face.isCrowd ? "true" : ""),
        (Flag.identity, face.identity.map { "\($0)" } ?? ""),
        (Flag.score, face.score.map(ExactText.of) ?? ""),
      ]
      values += face.attributes.filter { $0.key != Flag.occluded }.sorted { $0.key < $1.key }
        .map { ($0.key, ExactText.of($0.value)) }
      for (name, value) in values where !value.isEmpty {
        text += "<attribute name=\"\(name.escapedForXML)\">\(value)</attribute>\n"
      }
      text += "</box>\n"
      guard let set = CVATExport.points(of: face) else { return text }
      let points = set.points.map { "\(ExactText.of($0.x)),\(ExactText.of($0.y))" }
      return text
        + "<points \(common)points=\"\(points.joined(separator: ";"))\" z_order=\"0\" "
        + "group_id=\"\(group)\">\n</points>\n"
    }
  }
}

extension FaceLabel {
  /// Makes fields of the attributes that an export to CVAT makes of them.
  mutating func takeFieldsOfCVAT() {
    if let flag = attributes.removeValue(forKey: CVATExport.Flag.ignored) { isIgnored = flag != 0 }
    if let flag = attributes.removeValue(forKey: CVATExport.Flag.crowd) { isCrowd = flag != 0 }
    if let number = attributes[CVATExport.Flag.identity], let identity = Int(exactly: number),
      (0...Int(Int32.max)).contains(identity)
    {
      attributes[CVATExport.Flag.identity] = nil
      self.identity = identity
    }
  }
}
