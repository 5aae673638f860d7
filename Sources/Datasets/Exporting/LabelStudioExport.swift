package import FaceCore
internal import Foundation
internal import Platform

/// Writes tasks of Label Studio: labels as annotations, a tracker's output as predictions, which are pre-labels there.
package struct LabelStudioExport: DatasetExporter {
  package let name = "label-studio"
  package let summary = "Label Studio tasks: boxes, named points, flags, identities; pre-labels"
  package let labelFile = "tasks.json"
  /// Images in a folder that can be connected as a storage.
  package let layout = ExportLayout(imageFolder: "images/")

  package func losses(of face: FaceLabel, in size: ImageSize, isPrediction: Bool) -> [String] {
    let held: ExportLoss = [.identities, .ignoreFlags, .crowdFlags, .categories]
    let points = face.exportedPoints()
    let isOutside = points?.labelled.contains { !Self.holds($0, of: size) } ?? false
    return ExportLoss.of(face, holding: isPrediction ? held.union(.scores) : held)
      + ExportLoss.points(of: face, besides: points?.scheme, hidden: true, missing: false)
      + (isOutside ? ["points outside of the image"] : [])
  }

  /// Whether Label Studio takes a point: it refuses a task with one beyond 100 % of the image.
  private static func holds(_ point: Point, of size: ImageSize) -> Bool {
    (0...Double(size.width)).contains(point.x) && (0...Double(size.height)).contains(point.y)
  }

  /// Builds the tasks, and the labelling interface that shows them.
  package func makeText(of source: ExportSource, _ survey: ExportSurvey) -> any ExportText {
    let scheme = source.exportedScheme
    let names = scheme.map { PointNames.written(for: $0) } ?? []
    let labels = survey.categories.union([1]).sorted().map { survey.name(of: $0) }
    func values(_ names: [String]) -> String {
      names.map { "    <Label value=\"\($0.escapedForXML)\"/>\n" }.joined()
    }
    return Text(
      interface: "<View>\n  <Image name=\"image\" value=\"$image\"/>\n"
        + "  <RectangleLabels name=\"label\" toName=\"image\">\n\(values(labels))"
        + "  </RectangleLabels>\n"
        + (names.isEmpty
          ? ""
          : "  <KeyPointLabels name=\"point\" toName=\"image\">\n\(values(names))"
            + "  </KeyPointLabels>\n")
        + "  <Choices name=\"flags\" toName=\"image\" perRegion=\"true\" choice=\"multiple\">\n"
        + "    <Choice value=\"ignore\"/>\n    <Choice value=\"crowd\"/>\n  </Choices>\n"
        + "  <Number name=\"identity\" toName=\"image\" perRegion=\"true\"/>\n</View>\n",
      labelFile: labelFile, tracker: source.predictions?.header.trackerName, survey: survey)
  }

  private struct Text: ExportText {
    let interface: String
    let labelFile: String
    /// What gave the faces out; nil for labels.
    let tracker: String?
    let survey: ExportSurvey
    var tasks = 0

    func opening(pass: Int) -> [ExportPiece] {
      [ExportPiece("interface.xml", interface), ExportPiece(labelFile, "[")]
    }

    func closing(pass: Int) -> [ExportPiece] { [ExportPiece(labelFile, "\n]\n")] }

    mutating func pieces(of frame: ExportedFrame, pass: Int) -> [ExportPiece] {
      tasks += 1
      let regions = frame.faces.enumerated().map { index, face in
        Region(
          face: face, id: "face-\(index)", category: survey.name(of: face.category),
          size: frame.frame.size
        ).text(isPrediction: tracker != nil)
      }
      let path = frame.image.addingPercentEncoding(withAllowedCharacters: Self.plain) ?? ""
      let result = "\"result\":[\(regions.joined(separator: ","))]"
      let scores = frame.faces.compactMap(\.score)
      let work =
        if let tracker {
          "\"predictions\":[{\"model_version\":\(tracker.quotedForJSON),"
            + (scores.isEmpty
              ? ""
              : "\"score\":\(ExactText.of(scores.reduce(0, +) / Double(scores.count))),")
            + "\(result)}]"
        } else {
          "\"annotations\":[{\(result)}]"
        }
      return [
        ExportPiece(
          labelFile,
          (tasks > 1 ? "," : "") + "\n{\"id\":\(frame.frame.index + 1),\"data\":{\"image\":"
            + "\("/data/local-files/?d=\(path)".quotedForJSON)},\(work)}")
      ]
    }

    /// What a path keeps in a query.
    private static let plain = CharacterSet(
      charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/")
  }

  /// A face as regions: its box, what is said of it, and its points.
  private struct Region {
    let face: FaceLabel
    let id: String
    let category: String
    let size: ImageSize

    private func percent(_ value: Double, of side: Int) -> String {
      (value / Double(side) * 100).plainText
    }

    func text(isPrediction: Bool) -> String {
      let head =
        "\"to_name\":\"image\",\"original_width\":\(size.width),"
        + "\"original_height\":\(size.height),\"image_rotation\":0"
      let box = face.box
      let place =
        "\"x\":\(percent(box.x, of: size.width)),\"y\":\(percent(box.y, of: size.height)),"
        + "\"width\":\(percent(box.width, of: size.width)),"
        + "\"height\":\(percent(box.height, of: size.height)),\"rotation\":0"
      let score = isPrediction ? face.score.map { ",\"score\":\(ExactText.of($0))" } ?? "" : ""
      func result(_ type: String, _ name: String, _ value: String, _ more: String = "") -> String {
        "{\"id\":\"\(id)\",\"type\":\"\(type)\",\"from_name\":\"\(name)\",\(head),"
          + "\"value\":{\(value)}\(more)}"
      }
      var results = [
        result(
          "rectanglelabels", "label", "\(place),\"rectanglelabels\":[\"\(category)\"]", score)
      ]
      let flags = [(face.isIgnored, "\"ignore\""), (face.isCrowd, "\"crowd\"")].filter(\.0).map(\.1)
      if !flags.isEmpty {
        results.append(
          result("choices", "flags", "\"choices\":[\(flags.joined(separator: ","))]"))
      }
      if let identity = face.identity {
        results.append(result("number", "identity", "\"number\":\(identity)"))
      }
      guard let set = face.exportedPoints() else {
        return results.joined(separator: ",\n")
      }
      let names = PointNames.written(for: set.scheme)
      for (index, point) in set.points.enumerated()
      where set.visibility[index] != .notLabelled && LabelStudioExport.holds(point, of: size) {
        results.append(
          "{\"id\":\"\(id)-\(index)\",\"parentID\":\"\(id)\",\"type\":\"keypointlabels\","
            + "\"from_name\":\"point\",\(head),\"value\":{\"x\":\(percent(point.x, of: size.width)),"
            + "\"y\":\(percent(point.y, of: size.height)),\"width\":0.3,"
            + "\"keypointlabels\":[\(names[index].quotedForJSON)]}}")
      }
      return results.joined(separator: ",\n")
    }
  }
}

extension PredictionsHeader {
  /// The name of another tracker, or of our models.
  fileprivate var trackerName: String {
    options[Self.trackerOption] ?? models.first { $0.stage == "landmarks" }?.name
      ?? models.first?.name ?? "tracker"
  }
}
