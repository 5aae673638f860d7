package import FaceCore
internal import Platform

/// Writes COCO's annotation JSON: boxes, areas, flags, identities as track_id, and points of the one scheme whose names
/// the category has.
package struct COCOExport: DatasetExporter {
  package let name = "coco"
  package let summary = "COCO JSON: boxes, flags, track_id, 5 to 478 named keypoints; or results"
  package let labelFile = "labels.json"

  package init() {}

  /// A tracker's output as results.
  package let layout = ExportLayout(hasOneScheme: true, hasBareResults: true)

  package func losses(of face: FaceLabel, in size: ImageSize, isPrediction: Bool) -> [String] {
    ExportLoss.of(
      face, holding: [.identities, .scores, .ignoreFlags, .crowdFlags, .categories, .areas])
      + (isPrediction && face.score == nil ? ["faces without a score, which get 1"] : [])
  }

  /// Builds the document, or results with a document of their images.
  package func makeText(of source: ExportSource, _ survey: ExportSurvey) -> any ExportText {
    let scheme = source.exportedScheme
    let names = scheme.map {
      PointNames.written(for: $0).map(\.quotedForJSON).joined(separator: ",")
    }
    let edges = scheme.map(PointSkeleton.edges)?.map { "[\($0.0 + 1),\($0.1 + 1)]" } ?? []
    let points =
      names.map { ",\"keypoints\":[\($0)],\"skeleton\":[\(edges.joined(separator: ","))]" } ?? ""
    let categories = survey.categories.union([1]).sorted().map { category in
      "{\"id\":\(category),\"name\":\"\(survey.name(of: category))\","
        + "\"supercategory\":\"\"\(points)}"
    }
    return Text(
      head: "{\"info\":{\"description\":\(source.dataset.name.quotedForJSON)},\"licenses\":[],\n"
        + "\"categories\":[\(categories.joined(separator: ","))],\n\"images\":[",
      areResults: source.isPredictions, labelFile: labelFile, scheme: scheme)
  }

  private struct Text: ExportText {
    let head: String
    let areResults: Bool
    let labelFile: String
    /// The scheme of all points: COCO has as many of each object as its category has names.
    let scheme: LandmarkScheme?
    var images = 0
    var annotations = 0

    var passes: Int { 2 }

    private func file(_ pass: Int) -> String {
      areResults ? ["images.json", "results.json"][pass] : labelFile
    }

    func opening(pass: Int) -> [ExportPiece] {
      [ExportPiece(file(pass), pass == 0 ? head : areResults ? "[" : "\"annotations\":[")]
    }

    func closing(pass: Int) -> [ExportPiece] {
      let end = areResults ? ["],\n\"annotations\":[]}\n", "]\n"] : ["],\n", "]}\n"]
      return [ExportPiece(file(pass), end[pass])]
    }

    mutating func pieces(of frame: ExportedFrame, pass: Int) -> [ExportPiece] {
      let (index, size) = (frame.frame.index, frame.frame.size)
      guard pass == 1 else {
        images += 1
        return [
          ExportPiece(
            file(0),
            (images > 1 ? "," : "")
              + "\n{\"id\":\(index),\"file_name\":\(frame.image.quotedForJSON),"
              + "\"width\":\(size.width),\"height\":\(size.height)}")
        ]
      }
      let rows = frame.faces.map { face in
        annotations += 1
        return (annotations > 1 ? "," : "") + "\n"
          + COCOExport.row(
            of: face, face.landmarks.first { $0.scheme == scheme },
            id: areResults ? nil : annotations, image: index)
      }
      return [ExportPiece(file(1), rows.joined())]
    }
  }

  /// An annotation with its points, or without an id a result.
  private static func row(
    of face: FaceLabel, _ points: Landmarks?, id: Int?, image: Int
  ) -> String {
    let box = [face.box.x, face.box.y, face.box.width, face.box.height].map(ExactText.of)
    var row = id.map { "{\"id\":\($0)," } ?? "{"
    row +=
      "\"image_id\":\(image),\"category_id\":\(face.category),"
      + "\"bbox\":[\(box.joined(separator: ","))]"
    if id != nil {
      row +=
        ",\"area\":\(ExactText.of(face.area)),\"iscrowd\":\(face.isCrowd ? 1 : 0),"
        + "\"ignore\":\(face.isIgnored ? 1 : 0)"
    }
    if let identity = face.identity { row += ",\"track_id\":\(identity)" }
    if let score = face.score ?? (id == nil ? 1 : nil) {
      row += ",\"score\":\(ExactText.of(score))"
    }
    if let set = points {
      let numbers = zip(set.points, set.visibility).map { point, state in
        state == .notLabelled
          ? "0,0,0" : "\(ExactText.of(point.x)),\(ExactText.of(point.y)),\(state.rawValue)"
      }
      if id != nil { row += ",\"num_keypoints\":\(set.labelled.count)" }
      row += ",\"keypoints\":[\(numbers.joined(separator: ","))]"
    }
    return row + "}"
  }
}
