internal import FaceCore
internal import Platform

/// The parts of CVAT's XML that images and videos share.
struct CVATShapes {
  let survey: ExportSurvey
  /// Whether a person or a program drew the shapes.
  let origin: String

  /// Names of attributes for what CVAT has no place of its own for.
  enum Flag {
    static let identity = "track_id"
    static let score = "score"
    static let ignored = "ignore"
    static let crowd = "crowd"
    static let occluded = "occluded"
  }

  init(_ source: ExportSource, _ survey: ExportSurvey) {
    self.survey = survey
    origin = source.isPredictions ? "auto" : "manual"
  }

  /// The document up to its first image; of a video of frames of a size, which is its task, up to its first track.
  static func head(
    of source: ExportSource, _ survey: ExportSurvey,
    video: (clip: SequenceDescription, size: ImageSize)? = nil
  ) -> String {
    let name = video.flatMap { $0.clip.name.isEmpty ? nil : $0.clip.name } ?? source.dataset.name
    let mode = video == nil ? "annotation" : "interpolation"
    let length = video.map { "<size>\($0.clip.count)</size>" } ?? ""
    let original = video.map { video in
      "<original_size><width>\(video.size.width)</width><height>\(video.size.height)</height>"
        + "</original_size>\n"
    }
    let stored = source.predictions?.attributeNames ?? source.dataset.attributeNames
    var names = [Flag.identity, Flag.score, Flag.ignored, Flag.crowd]
    for name in stored + (source.isPredictions ? ["presence"] : [])
    where name != Flag.occluded && !names.contains(name) {
      names.append(name)
    }
    let attributes = names.map { name in
      let isFlag = [Flag.ignored, Flag.crowd].contains(name)
      return "<attribute><name>\(name.escapedForXML)</name><mutable>True</mutable><input_type>"
        + (isFlag ? "checkbox" : "text") + "</input_type><default_value>"
        + (isFlag ? "false" : "") + "</default_value><values>" + (isFlag ? "false" : "")
        + "</values></attribute>\n"
    }.joined()
    let labels = survey.categories.union([1]).sorted().map { category in
      "<label><name>\(survey.name(of: category))</name><type>any</type><attributes>\n\(attributes)"
        + "</attributes></label>\n"
    }.joined()
    return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<annotations>\n<version>1.1</version>\n"
      + "<meta><task><name>\(name.escapedForXML)</name>\(length)<mode>\(mode)</mode>\n"
      + (original ?? "") + "<labels>\n\(labels)</labels></task></meta>\n"
  }

  /// Label and origin of a shape or a track.
  func title(of face: FaceLabel) -> String {
    "label=\"\(survey.name(of: face.category))\" source=\"\(origin)\""
  }

  /// Whether a face is hidden in part, as an attribute of XML.
  func occlusion(of face: FaceLabel) -> String {
    "occluded=\"\((face.attributes[Flag.occluded] ?? 0) > 0 ? 1 : 0)\""
  }

  /// Attributes of a face whose place another number has, in a few words each.
  static func losses(of face: FaceLabel) -> [String] {
    var losses: [String] = []
    if let occlusion = face.attributes[Flag.occluded], occlusion != 0, occlusion != 1 {
      losses.append("values of the attribute 'occluded' other than 0 and 1")
    }
    let fields: [(name: String, own: Double?)] = [
      (Flag.identity, face.identity.map { Double($0) }), (Flag.score, face.score),
    ]
    for (name, own) in fields {
      if let own, let other = face.attributes[name], own != other {
        losses.append("attributes '\(name)' of faces with another \(name) of their own")
      }
    }
    return losses
  }

  /// The edges of a box as attributes of XML: the far ones less the near ones as written are its sides.
  func edges(of box: BoundingBox) -> String {
    "xtl=\"\(ExactText.of(box.x))\" ytl=\"\(ExactText.of(box.y))\" "
      + "xbr=\"\(ExactText.of(box.x, plus: box.width))\" "
      + "ybr=\"\(ExactText.of(box.y, plus: box.height))\" z_order=\"0\""
  }

  /// What else is known of a face, as elements.
  func attributes(of face: FaceLabel) -> String {
    var values: [(String, String)] = [
      (Flag.ignored, face.isIgnored ? "true" : ""), (Flag.crowd, face.isCrowd ? "true" : ""),
      (Flag.identity, face.identity.map { "\($0)" } ?? ""),
      (Flag.score, face.score.map(ExactText.of) ?? ""),
    ]
    let own = Set(values.filter { !$0.1.isEmpty }.map(\.0))
    values += face.attributes.filter { $0.key != Flag.occluded && !own.contains($0.key) }
      .sorted { $0.key < $1.key }.map { ($0.key, ExactText.of($0.value)) }
    return values.filter { !$0.1.isEmpty }.map { name, value in
      "<attribute name=\"\(name.escapedForXML)\">\(value)</attribute>\n"
    }.joined()
  }
}

extension FaceLabel {
  /// Makes fields of the attributes that exports to CVAT and Label Studio make of them.
  mutating func takeExportedFields() {
    typealias Flag = CVATShapes.Flag
    if let flag = attributes.removeValue(forKey: Flag.ignored) { isIgnored = flag != 0 }
    if let flag = attributes.removeValue(forKey: Flag.crowd) { isCrowd = flag != 0 }
    if let number = attributes[Flag.identity], let identity = Int(exactly: number),
      (0...Int(Int32.max)).contains(identity)
    {
      attributes[Flag.identity] = nil
      self.identity = identity
    }
  }
}
