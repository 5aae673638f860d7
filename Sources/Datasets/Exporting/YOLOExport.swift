package import FaceCore
internal import Platform

/// Writes a folder as Ultralytics reads it: images, a text file per image, and `data.yaml`; scores and tracks of results.
package struct YOLOExport: DatasetExporter {
  package let name = "yolo"
  package let summary = "YOLO txt with data.yaml: boxes, points with flags, scores, tracks"
  /// Name of the file that describes the folder.
  package let labelFile = "data.yaml"
  /// Images and texts in folders of their own.
  package let layout = ExportLayout(
    imageFolder: "images/", hasFilePerImage: true, hasOneScheme: true)

  package func losses(of face: FaceLabel, in size: ImageSize, isPrediction: Bool) -> [String] {
    ExportLoss.of(face, holding: isPrediction ? [.scores, .identities, .categories] : .categories)
      + (Self.classes.contains(face.category)
        ? [] : ["objects of categories outside of 1 to \(Self.classes.upperBound)"])
      + (isPrediction && face.score == nil ? ["faces without a score, which get 1"] : [])
  }

  /// The categories that have a class, which is one less.
  private static let classes = 1...1000

  package func makeText(of source: ExportSource, _ survey: ExportSurvey) -> any ExportText {
    Text(
      scheme: source.exportedScheme, areResults: source.isPredictions, survey: survey,
      labelFile: labelFile)
  }

  private struct Text: ExportText {
    /// The scheme of all rows, which must be equally long.
    let scheme: LandmarkScheme?
    let areResults: Bool
    let survey: ExportSurvey
    let labelFile: String

    func opening(pass: Int) -> [ExportPiece] {
      let last = survey.categories.filter(YOLOExport.classes.contains).max() ?? 1
      var text = "path: .\ntrain: images\nval: images\nnames:\n"
      for category in 1...last {
        text += "  \(category - 1): \(survey.name(of: category))\n"
      }
      if let scheme {
        let names = PointNames.written(for: scheme).joined(separator: ", ")
        text += "kpt_shape: [\(scheme.count), 3]\n"
        if let sides = scheme.otherSides {
          text += "flip_idx: [\(sides.map { "\($0)" }.joined(separator: ", "))]\n"
        }
        text += "kpt_names:\n  0: [\(names)]\n"
      }
      return [ExportPiece(labelFile, text)]
    }

    func pieces(of frame: ExportedFrame, pass: Int) -> [ExportPiece] {
      let path = PathText(String(frame.image.dropFirst("images/".count))).withoutSuffix
      let rows = frame.faces.filter { YOLOExport.classes.contains($0.category) }.map {
        row(of: $0, in: frame.frame.size) + "\n"
      }
      return [ExportPiece("labels/\(path).txt", rows.joined())]
    }

    private func row(of face: FaceLabel, in size: ImageSize) -> String {
      let (box, width, height) = (face.box, Double(size.width), Double(size.height))
      var numbers = [
        (box.x + box.width / 2) / width, (box.y + box.height / 2) / height, box.width / width,
        box.height / height,
      ]
      if let scheme {
        let set = face.landmarks.first { $0.scheme == scheme }
        for index in 0..<scheme.count {
          let state = set?.visibility[index] ?? .notLabelled
          guard let point = set?.points[index], state != .notLabelled else {
            numbers += [0, 0, 0]
            continue
          }
          numbers += [point.x / width, point.y / height, Double(state.rawValue)]
        }
      }
      if areResults { numbers.append(face.score ?? 1) }
      let extras = areResults ? face.identity.map { " \($0)" } ?? "" : ""
      return "\(face.category - 1) " + numbers.map(\.plainText).joined(separator: " ") + extras
    }
  }
}
