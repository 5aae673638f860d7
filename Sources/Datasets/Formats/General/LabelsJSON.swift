internal import FaceCore
package import Foundation
package import Platform

/// FaceGauge's own small JSON of labelled images, for labels made by hand.
package struct LabelsJSON: DatasetFormat {
  package let name = "labels"
  package let summary = "FaceGauge's labels JSON: boxes and points, as in Datasets/portraits"
  package let settings = ImportSetting.ofPoints

  package init() {}

  private static let header = JSONHeader("facegauge.labels", version: 1)

  /// A JSON file whose first bytes name the schema.
  package func recognises(_ source: URL) -> String? {
    JSONLines.recognises(source, schema: Self.header.schema, type: "json")
  }

  /// Reads each JSON file; image names are relative to it.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var unread: [String: Int] = [:]
    for source in sources {
      let bytes = try SourceFiles.bytes(of: source, limit: 256 << 20)
      try Self.header.check(bytes, source: source.relativePath)
      let file = try JSONDecoder().value(
        LabelsFile.self, from: bytes, source: source.relativePath, noun: "labels")
      let folder = options.imageFolder ?? source.deletingLastPathComponent()
      for image in file.images {
        var faces: [FaceLabel] = []
        for face in image.faces {
          faces.append(try face.label(in: image.name, of: source.relativePath))
          for key in face.unreadKeys { unread[key, default: 0] += 1 }
        }
        try sink(
          ImportedFrame(
            name: image.name, image: folder.appendingPathComponent(image.file), faces: faces))
      }
    }
    return Self.remarks(ofUnread: unread)
  }

  /// The keys that nothing reads and that are nearly one that is read; others, such as a source, may be there.
  private static func remarks(ofUnread counts: [String: Int]) -> [ImportRemark] {
    let known = LabelledFace.CodingKeys.allCases.map(\.rawValue)
    return Array(
      counts.sorted { $0.key < $1.key }.lazy.compactMap { key, count -> ImportRemark? in
        guard let meant = Suggestion.nearest(to: key, among: known).first else { return nil }
        let text = "\(count) faces have a key '\(key)', which nothing reads: "
        // The number of a label is of no person: nothing is lost with it.
        return key.lowercased() == "id"
          ? ImportRemark.assumed(text + "who a face is stands in '\(meant)'")
          : ImportRemark.dropped(text + "perhaps '\(meant)' is meant")
      }.prefix(16))
  }
}

private struct LabelsFile: Decodable {
  var images: [LabelledImage]
}

private struct LabelledImage: Decodable {
  var name: String
  var file: String
  var faces: [LabelledFace]
}

private struct LabelledFace: Decodable {
  struct Points: Decodable {
    var points: [[Double]]
    var visible: [UInt8]
  }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case box, ignore, identity, landmarks, attributes
  }

  /// A key of any name.
  private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { return nil }
  }

  var box: [Double]
  var ignore: Bool?
  var identity: Int?
  var landmarks: [String: Points]?
  /// Other numbers by name.
  var attributes: [String: Double]?
  /// Keys of other names.
  var unreadKeys: [String]

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    box = try container.decode([Double].self, forKey: .box)
    ignore = try container.decodeIfPresent(Bool.self, forKey: .ignore)
    identity = try container.decodeIfPresent(Int.self, forKey: .identity)
    landmarks = try container.decodeIfPresent([String: Points].self, forKey: .landmarks)
    attributes = try container.decodeIfPresent([String: Double].self, forKey: .attributes)
    let keys = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
    unreadKeys = keys.filter { CodingKeys(rawValue: $0) == nil }
  }

  func label(in image: String, of file: String) throws(FileError) -> FaceLabel {
    func wrong(_ what: String) -> FileError {
      FileError.wrongData("cannot read \(file), image '\(image)': \(what)")
    }
    guard box.count == 4 else {
      throw wrong("expected a box of 4 numbers, found \(box.count)")
    }
    let rectangle = BoundingBox(x: box[0], y: box[1], width: box[2], height: box[3])
    guard rectangle.isWellFormed else { throw wrong("expected a box of non-negative size") }
    var label = FaceLabel(box: rectangle, isIgnored: ignore ?? false, identity: identity)
    for (name, value) in attributes ?? [:] {
      guard DatasetLayout.isTableName(name) else {
        throw wrong("expected attributes of plain names, found '\(name.prefix(60))'")
      }
      label.attributes[name] = value
    }
    for (name, labelled) in (landmarks ?? [:]).sorted(by: { $0.key < $1.key }) {
      guard let scheme = LandmarkScheme.named(name) else {
        let known = LandmarkScheme.all.map(\.name).joined(separator: ", ")
        throw wrong("expected a landmark scheme (\(known)), found '\(name)'")
      }
      let states = labelled.visible.compactMap(PointVisibility.init(rawValue:))
      let points = labelled.points.compactMap { pair in
        pair.count == 2 ? Point(x: pair[0], y: pair[1]) : nil
      }
      guard let set = Landmarks(scheme: scheme, points: points, visibility: states) else {
        throw wrong(
          "expected \(scheme.count) points [x, y] and \(scheme.count) states 0 to 2 in \(name), "
            + "found \(points.count) and \(states.count)")
      }
      label.landmarks +=
        PointOrder(scheme).landmarks(
          zip(set.points, set.visibility).map {
            $1 == .notLabelled ? nil : Point.unlessMissing(x: $0.x, y: $0.y)
          }, set.visibility
        ).map { [$0] } ?? []
    }
    return label
  }
}
