package import FaceCore
internal import Foundation

/// Writes COCO's annotation JSON: boxes, areas, flags, identities as track_id, and the points of one scheme per face.
package struct COCOExport: DatasetExporter {
  /// Name on the command line.
  package let name = "coco"
  /// One-line summary of what it stores.
  package let summary =
    "COCO JSON: boxes, flags, track_id, scores, and 5 to 194 named keypoints"
  /// Name of the label file.
  package let labelFile = "labels.json"

  /// Makes the format.
  package init() {}

  /// The schemes that keypoints can have, in order of preference.
  private static let schemes: [LandmarkScheme] = [
    .ibug68, .wflw98, .lapa106, .cofw29, .aflw21, .aflw19, .five, .dlib5, .blazeface6, .facepp83,
    .helen194,
  ]

  private static func points(of face: FaceLabel) -> Landmarks? {
    schemes.lazy.compactMap { scheme in face.landmarks.first { $0.scheme == scheme } }.first
  }

  /// Data of a face that COCO cannot store.
  package func losses(of face: FaceLabel) -> [String] {
    let held = Self.points(of: face)?.scheme
    return ExportLoss.extras(of: face).filter { !["identities", "scores"].contains($0) }
      + face.landmarks.filter { $0.scheme != held }.map {
        "landmarks of \($0.scheme.name)" + (held.map { " in addition to \($0.name)" } ?? "")
      }
  }

  /// Builds the document.
  package func makeText(of dataset: DatasetReader, _ survey: ExportSurvey) -> any ExportText {
    let scheme = Self.schemes.first(where: dataset.schemes.contains)
    let names = scheme.map { PointNames.written(for: $0).map(Self.quoted).joined(separator: ",") }
    let points = names.map { ",\"keypoints\":[\($0)],\"skeleton\":[]" } ?? ""
    let categories = survey.categories.union([1]).sorted().map { category in
      "{\"id\":\(category),\"name\":\"\(category == 1 ? "face" : "category \(category)")\","
        + "\"supercategory\":\"\"\(points)}"
    }
    return Text(
      head: "{\"info\":{\"description\":\(Self.quoted(dataset.name))},\"licenses\":[],\n"
        + "\"categories\":[\(categories.joined(separator: ","))],\n\"images\":[")
  }

  private struct Text: ExportText {
    let head: String
    private var images = 0
    private var annotations = 0

    init(head: String) { self.head = head }

    var passes: Int { 2 }

    func opening(pass: Int) -> String { pass == 0 ? head : "\"annotations\":[" }

    func closing(pass: Int) -> String { pass == 0 ? "],\n" : "]}\n" }

    mutating func text(
      of frame: Frame, file: String, faces: [FaceLabel], pass: Int
    ) -> String {
      guard pass == 1 else {
        images += 1
        return (images > 1 ? "," : "")
          + "\n{\"id\":\(frame.index),\"file_name\":\(COCOExport.quoted(file)),"
          + "\"width\":\(frame.size.width),\"height\":\(frame.size.height)}"
      }
      return faces.map { face in
        annotations += 1
        return (annotations > 1 ? "," : "") + "\n"
          + COCOExport.row(of: face, id: annotations, image: frame.index)
      }.joined()
    }
  }

  private static func row(of face: FaceLabel, id: Int, image: Int) -> String {
    let box = [face.box.x, face.box.y, face.box.width, face.box.height].map(ExactText.of)
    var row =
      "{\"id\":\(id),\"image_id\":\(image),\"category_id\":\(face.category),"
      + "\"bbox\":[\(box.joined(separator: ","))],\"area\":\(ExactText.of(face.area)),"
      + "\"iscrowd\":\(face.isCrowd ? 1 : 0),\"ignore\":\(face.isIgnored ? 1 : 0)"
    if let identity = face.identity { row += ",\"track_id\":\(identity)" }
    if let score = face.score { row += ",\"score\":\(ExactText.of(score))" }
    if let set = points(of: face) {
      let numbers = zip(set.points, set.visibility).map { point, state in
        state == .notLabelled
          ? "0,0,0" : "\(ExactText.of(point.x)),\(ExactText.of(point.y)),\(state.rawValue)"
      }
      row +=
        ",\"num_keypoints\":\(set.labelled.count),\"keypoints\":[\(numbers.joined(separator: ","))]"
    }
    return row + "}"
  }

  private static func quoted(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "\"") { quoted, scalar in
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    } + "\""
  }
}
