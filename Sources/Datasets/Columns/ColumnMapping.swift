internal import FaceCore
internal import Foundation
package import Platform

/// Which columns of a table hold what, as `import --columns` reads it.
package struct ColumnMapping: Hashable, JSONDocument {
  package static let schemaName = "facegauge.columns"
  package static let schemaVersion = 1
  package static let fileName = "columns.json"
  package static let noun = "a mapping of columns"

  /// A coordinate of a point, or whether it is seen.
  enum PointPart: String, CaseIterable {
    case x, y
    case visibility = "v"
  }

  /// What stands for the number or name of a point in a pattern of columns.
  static let blank = "{}"

  /// The keys that name one column each.
  static let columnKeys: [String] = [
    "image", "x", "y", "width", "height", "x2", "y2", "cx", "cy", "box", "score", "label",
    "expression", "identity", "subject", "sequence", "frame", "time", "split", "ignore", "crowd",
    "yaw", "pitch", "roll", "image-width", "image-height", "face", "point",
  ]

  /// The keys that say how numbers are meant, and what they may be.
  static let settingKeys: [(key: String, values: [String])] = [
    ("form", ["xywh", "xyxy", "cxcywh"]), ("space", ["pixels", "relative"]), ("base", ["0", "1"]),
    ("time-unit", ["s", "ms", "us", "ns"]), ("angle-unit", ["degrees", "radians"]),
    ("first-frame", ["0", "1"]), ("header", ["yes", "no"]),
  ]

  private static let aliases = [
    "w": "width", "h": "height", "category": "label", "track": "identity", "number": "frame",
    "file": "image", "confidence": "score",
  ]

  private var schema = Self.schemaName
  private var version = Self.schemaVersion
  /// By key the name of a column, a pattern of names, or the value of a setting.
  package private(set) var columns: [String: String]

  init(_ columns: [String: String]) { self.columns = columns }

  /// Reads `KEY=COLUMN,…`, as the command line has it.
  package init(text: String) throws(FileError) {
    func wrong(_ expected: String, _ found: some StringProtocol) -> FileError {
      FileError.wrongData(
        "cannot read --columns: expected \(expected), found '\(found.prefix(60))'")
    }
    var columns: [String: String] = [:]
    for part in text.split(separator: ",") {
      let sides = part.split(separator: "=", maxSplits: 1).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard sides.count == 2, !sides[0].isEmpty, !sides[1].isEmpty else {
        throw wrong("KEY=COLUMN, such as image=file, or a .json file", part)
      }
      let key = Self.aliases[sides[0]] ?? sides[0]
      guard columns.updateValue(sides[1], forKey: key) == nil else {
        throw wrong("each key once", key)
      }
    }
    self.init(columns)
    if let problem = firstProblem {
      throw wrong(problem.expected, "\(problem.position.dropFirst("columns.".count))")
    }
  }

  /// Reads a file, or the text itself where it does not name one.
  package init(argument: String) throws(FileError) {
    guard argument.lowercased().hasSuffix(".json") else {
      try self.init(text: argument)
      return
    }
    let bytes = try InputFile.bytes(of: URL(fileURLWithPath: argument), mebibytes: 1)
    try self.init(json: bytes, source: argument)
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    schema = try container.decode(String.self, forKey: .schema)
    version = try container.decode(Int.self, forKey: .version)
    columns = try container.decode([String: String].self, forKey: .columns)
    for (alias, key) in Self.aliases where columns[key] == nil {
      if let column = columns.removeValue(forKey: alias) { columns[key] = column }
    }
  }

  package var firstProblem: JSONProblem? {
    func problem(_ key: String, _ expected: String, _ found: String) -> JSONProblem {
      JSONProblem(position: "columns.\(key.prefix(60))", expected: expected, found: found)
    }
    guard !columns.isEmpty else {
      return JSONProblem(position: "columns", expected: "at least one column", found: "none")
    }
    for (key, column) in columns.sorted(by: { $0.key < $1.key }) {
      let name = Self.aliases[key] ?? key
      guard !column.isEmpty else { return problem(key, "the name of a column", "none") }
      if name != key, columns[name] != nil { return problem(key, "\(name) once", "\(key) too") }
      if let setting = Self.settingKeys.first(where: { $0.key == name }) {
        guard setting.values.contains(column) else {
          return problem(
            key, "\(key)=" + setting.values.joined(separator: " or "), "\"\(column.prefix(40))\"")
        }
      } else if !Self.columnKeys.contains(name), !Self.isPattern(name), Self.point(name) == nil,
        Self.coefficient(name) == nil, Self.attribute(name) == nil
      {
        return problem(
          key,
          "one of " + Self.columnKeys.joined(separator: ", ") + ", px, py, pv, p0x, p0y, …, "
            + "coefficients, a coefficient, attribute.NAME, "
            + Self.settingKeys.map(\.key).joined(separator: ", ")
            + Suggestion.perhaps(name, among: Self.columnKeys, quote: "'"), "another key")
      }
    }
    return firstMissing.map { problem($0.key, $0.expected, "none") }
  }

  /// A key that another one requires.
  private var firstMissing: (key: String, expected: String)? {
    let pairs: [(String, [[String]])] = [
      ("x", [["y"]]), ("y", [["x"]]), ("cx", [["cy"]]), ("cy", [["cx"]]), ("px", [["py"]]),
      ("py", [["px"]]), ("pv", [["px"]]), ("width", [["height"]]), ("height", [["width"]]),
      ("x2", [["y2"]]), ("y2", [["x2"]]), ("image-width", [["image-height"]]),
      ("image-height", [["image-width"]]), ("point", [["px"], ["x"]]), ("box", [["form"]]),
    ]
    for (key, groups) in pairs where columns[key] != nil {
      guard !groups.contains(where: { $0.allSatisfy { columns[$0] != nil } }) else { continue }
      return (key, "\(groups[0].joined(separator: " and ")) with \(key)")
    }
    let hasCorners = columns["x2"] != nil
    let hasSize = columns["width"] != nil
    if columns["x"] != nil, columns["point"] == nil, !hasCorners, !hasSize {
      return ("x", "width and height, or x2 and y2, with x and y")
    }
    if columns["cx"] != nil, !hasSize { return ("cx", "width and height with cx and cy") }
    guard ["image", "sequence", "frame", "time"].contains(where: { columns[$0] != nil }) else {
      return ("image", "the column of images (image), or of frames of a clip (frame, time)")
    }
    return nil
  }

  private static func isPattern(_ key: String) -> Bool {
    ["px", "py", "pv", "coefficients"].contains(key)
  }

  /// The point and the part of it that a key such as `p0x` or `point.left_eye.x` names.
  static func point(_ key: String) -> (name: String, part: PointPart)? {
    guard let last = key.last.flatMap({ PointPart(rawValue: "\($0)") }) else { return nil }
    let number = key.dropFirst().dropLast()
    if key.first == "p", !number.isEmpty, number.allSatisfy({ $0.isASCII && $0.isNumber }) {
      return (String(number), last)
    }
    let name = key.dropFirst("point.".count).dropLast(2)
    guard key.hasPrefix("point."), key.dropLast().hasSuffix("."), !name.isEmpty else { return nil }
    return (String(name), last)
  }

  /// The coefficient that a key names.
  static func coefficient(_ key: String) -> Blendshape? { Blendshape(rawValue: key) }

  /// The attribute that a key names.
  static func attribute(_ key: String) -> String? {
    let name = String(key.dropFirst("attribute.".count))
    return key.hasPrefix("attribute.") && DatasetLayout.isTableName(name) ? name : nil
  }

  subscript(key: String) -> String? {
    get { columns[key] }
    set { columns[key] = newValue }
  }

  /// Whether coordinates are fractions of the image.
  var isRelative: Bool { columns["space"] == "relative" }

  /// Whether the first row has the names of the columns.
  var hasHeader: Bool { columns["header"] != "no" }

  /// Whether rows are of frames of recordings, rather than of stills.
  var isOfVideos: Bool {
    ["sequence", "frame", "time"].contains { columns[$0] != nil }
  }

  /// How its frames are joined with those of a dataset: by the names of their images, where they have any.
  func join(ofImages hasImages: Bool) -> FrameKey {
    if columns["image"] != nil, hasImages { return .name }
    return columns["frame"] != nil ? .number : columns["time"] != nil ? .time : .name
  }

  /// The names of columns that one pattern stands for, by what takes the place of the blank, in the header's order.
  static func expand(_ pattern: String, in header: [String]) -> [(word: String, column: String)] {
    guard let hole = pattern.range(of: blank) else { return [] }
    let (start, end) = (pattern[..<hole.lowerBound], pattern[hole.upperBound...])
    return header.compactMap { name in
      guard name.count > start.count + end.count, name.hasPrefix(start), name.hasSuffix(end)
      else { return nil }
      return (String(name.dropFirst(start.count).dropLast(end.count)), name)
    }
  }
}
