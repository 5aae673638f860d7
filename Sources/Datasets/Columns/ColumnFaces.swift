internal import FaceCore
internal import Foundation
internal import Platform

/// Frames and faces of the rows of a table, by a mapping of its columns.
struct ColumnFaces {
  /// A face whose points have no scheme yet.
  struct Face {
    var label: FaceLabel
    /// The position of its category among the names of all.
    var category: Int?
    var hasBox: Bool
    /// By the number of its name, a point and its visibility as the table has it.
    var points: [Int: (point: Point, seen: Double?)] = [:]
  }

  /// An image or a frame.
  struct Frame {
    var name: String
    var image: String?
    var sequence: String
    var number: Int?
    var seconds: Double?
    var subject: String?
    var split: String?
    var size: ImageSize?
    var faces: [Face] = []
  }

  let plan: ColumnPlan
  private(set) var frames: [Frame] = []
  private(set) var pointNames: [String]
  /// Names of categories, in the order of their first occurrence.
  private(set) var categories: [String] = []
  private(set) var faceless = 0
  private(set) var negative = 0
  private(set) var texts: [String: Int] = [:]
  /// The highest visibility of a point.
  private(set) var highestVisibility = 0.0
  private var hasPartialVisibility = false

  private var positions: [String: Int] = [:]
  private var pointNumbers: [String: Int]
  private var categoryNumbers: [String: Int] = [:]
  private var identities: [String: Int] = [:]
  private var rowFaces: [String: (frame: Int, face: Int)] = [:]
  private let title: String
  private let base: Double
  private let seconds: Double
  private let radians: Double

  private static let pointLimit = 4096

  /// Knows of `categories`, such as those of other tables, before any row.
  init(_ plan: ColumnPlan, title: String, angleFactor: Double = 1, categories: [String] = []) {
    self.plan = plan
    self.title = title
    base = plan.mapping["base"] == "1" ? 1 : 0
    seconds = ["ms": 0.001, "us": 1e-6, "ns": 1e-9][plan.mapping["time-unit"] ?? ""] ?? 1
    radians = (plan.mapping["angle-unit"] == "radians" ? 1 : Double.pi / 180) * angleFactor
    pointNames = plan.points.map(\.name)
    pointNumbers = Dictionary(
      pointNames.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { a, _ in a })
    for name in categories { _ = category(name) }
  }

  /// The points in order of their numbers, where all have one; else as they come.
  var pointOrder: [Int] {
    let numbers = pointNames.compactMap { Int($0) }
    guard numbers.count == pointNames.count else { return Array(pointNames.indices) }
    return pointNames.indices.sorted { numbers[$0] < numbers[$1] }
  }

  /// Takes a row.
  mutating func add(_ row: [String], of table: ColumnTable) throws(FileError) {
    let place = try frame(row, table)
    if let column = plan.mapping["point"] {
      return try addPoint(row, column, to: place, table)
    }
    guard var face = try face(row, table) else {
      faceless += 1
      return
    }
    for (number, columns) in plan.points.enumerated() {
      guard let x = try table.number(columns.x, in: row),
        let y = try table.number(columns.y, in: row)
      else { continue }
      let seen = try table.state(columns.visibility, in: row)
      put(Point(x: x, y: y), seen, at: number, into: &face)
    }
    guard face.hasBox || !face.points.isEmpty || !hasPlaces else {
      faceless += 1
      return
    }
    frames[place].faces.append(face)
  }

  /// Whether rows have boxes or points.
  var hasPlaces: Bool {
    !plan.points.isEmpty || ["x", "cx", "box", "point"].contains { plan.mapping[$0] != nil }
  }

  /// What visibilities are where a point is certainly seen: 1 of probabilities, 100 of percent; nil for states.
  var certainVisibility: Double? {
    if highestVisibility > 10, highestVisibility <= 100 { return 100 }
    return hasPartialVisibility && highestVisibility <= 1 ? 1 : nil
  }

  private mutating func put(_ point: Point, _ seen: Double?, at number: Int, into face: inout Face)
  {
    guard let known = Point.unlessMissing(x: point.x, y: point.y) else { return }
    if let seen {
      highestVisibility = max(highestVisibility, seen)
      hasPartialVisibility = hasPartialVisibility || seen != seen.rounded()
    }
    face.points[number] = (Point(x: known.x - base, y: known.y - base), seen)
  }

  private mutating func addPoint(
    _ row: [String], _ column: String, to place: Int, _ table: ColumnTable
  ) throws(FileError) {
    guard let name = table.text(column, in: row) else {
      faceless += 1
      return
    }
    let number = pointNumbers[name] ?? pointNames.count
    if number == pointNames.count {
      guard number < Self.pointLimit else {
        throw table.wrong("at most \(Self.pointLimit) names of points in \(column)", found: name)
      }
      pointNumbers[name] = number
      pointNames.append(name)
    }
    let words = ["face", "identity"].compactMap { plan.mapping[$0] }.map {
      table.text($0, in: row) ?? ""
    }
    let key = "\(place)\u{0}" + words.joined(separator: "\u{0}")
    let last = frames[place].faces.indices.last
    let known = words.isEmpty ? last.map { (place, $0) } : rowFaces[key]
    let isOther = known.map { frames[$0.0].faces[$0.1].points[number] != nil } ?? true
    var index = known?.1 ?? 0
    if known == nil || (isOther && words.isEmpty) {
      let face =
        try face(row, table)
        ?? Face(
          label: FaceLabel(box: BoundingBox(x: 0, y: 0, width: 0, height: 0)), hasBox: false)
      index = frames[place].faces.count
      frames[place].faces.append(face)
      rowFaces[key] = (place, index)
    } else if isOther {
      throw table.wrong("each point of a face once", found: name)
    }
    let (x, y) = (plan.mapping["px"] ?? plan.mapping["x"], plan.mapping["py"] ?? plan.mapping["y"])
    guard let x = try table.number(x, in: row), let y = try table.number(y, in: row) else { return }
    let seen = try table.state(plan.mapping["pv"], in: row)
    var face = frames[place].faces[index]
    frames[place].faces[index].points = [:]
    put(Point(x: x, y: y), seen, at: number, into: &face)
    frames[place].faces[index] = face
  }

  // MARK: Frames

  private mutating func frame(_ row: [String], _ table: ColumnTable) throws(FileError) -> Int {
    func text(_ key: String) -> String? { table.text(plan.mapping[key], in: row) }
    func number(_ key: String) throws(FileError) -> Double? {
      try table.number(plan.mapping[key], in: row)
    }
    let file = text("image")?.replacing("\\", with: "/")
    let isOfVideo = file.map { VideoContainer.allExtensions.contains(Self.suffix($0)) } ?? false
    let sequence = text("sequence") ?? (isOfVideo ? file : nil) ?? title
    let image = isOfVideo ? nil : file
    var count: Int?
    if let given = text("frame") {
      count = DelimitedText.wholeNumber(given)
      guard count.map({ (0...Int(Int32.max)).contains($0) }) == true else {
        throw table.wrong("a whole number in \(plan.mapping["frame"] ?? "")", found: given)
      }
    }
    let time = try number("time")
    guard image != nil || count != nil || time != nil else {
      let keys = ["image", "frame", "time"].compactMap { plan.mapping[$0] }
      throw table.wrong(
        keys.isEmpty
          ? "columns of images or frames (--columns)"
          : "a value in \(keys.joined(separator: " or "))",
        found: row.prefix(6).joined(separator: ","))
    }
    let own = image ?? count.map { "\($0)" } ?? time.map { "\($0)" } ?? ""
    let key = plan.mapping.isOfVideos ? "\(sequence)\u{0}\(own)" : own
    if let known = positions[key] { return known }
    positions[key] = frames.count
    var frame = Frame(
      name: image ?? "\(sequence)/\(own)", image: image, sequence: sequence, number: count,
      seconds: time.map { $0 * seconds }, subject: text("subject"), split: text("split"))
    if let width = try number("image-width"), let height = try number("image-height"),
      let width = Int(exactly: width), let height = Int(exactly: height),
      (1...65_535).contains(width), (1...65_535).contains(height)
    {
      frame.size = ImageSize(width: width, height: height)
    }
    frames.append(frame)
    return frames.count - 1
  }

  private static func suffix(_ name: String) -> String { PathText(name).suffix.lowercased() }

  // MARK: Faces

  private mutating func face(_ row: [String], _ table: ColumnTable) throws(FileError) -> Face? {
    func text(_ key: String) -> String? { table.text(plan.mapping[key], in: row) }
    let none = BoundingBox(x: 0, y: 0, width: 0, height: 0)
    let box = try box(row, table)
    if let box, !box.isWellFormed {
      negative += 1
      return nil
    }
    var face = Face(
      label: FaceLabel(box: box ?? none), category: text("label").map { category($0) },
      hasBox: box.map { $0.width > 0 && $0.height > 0 } ?? false)
    face.label.score = try table.number(plan.mapping["score"], in: row)
    face.label.expression = text("expression")
    for (key, flag) in [("ignore", \FaceLabel.isIgnored), ("crowd", \FaceLabel.isCrowd)] {
      guard let column = plan.mapping[key], let state = try table.state(column, in: row) else {
        continue
      }
      // Open Images writes -1 for what it does not know.
      guard [1, 0, -1].contains(state) else {
        throw table.wrong("0 or 1 in \(column)", found: text(key) ?? "")
      }
      face.label[keyPath: flag] = state == 1
    }
    face.label.identity = text("identity").flatMap {
      DelimitedText.wholeNumber($0) == -1 ? nil : identity($0)
    }
    for (key, name) in [("yaw", "headYaw"), ("pitch", "headPitch"), ("roll", "headRoll")] {
      if let angle = try table.number(plan.mapping[key], in: row) {
        face.label.attributes[name] = angle * radians
      }
    }
    for (column, name) in plan.attributes {
      guard let word = table.text(column, in: row), !DelimitedText.isNoNumber(word) else {
        continue
      }
      let value = ["true": 1, "false": 0][word.lowercased()] ?? Double(word)
      if let value, value.isFinite {
        face.label.attributes[name] = value
      } else {
        texts[column, default: 0] += 1
      }
    }
    if !plan.coefficients.isEmpty {
      var shapes = [Float](repeating: .nan, count: Blendshape.allCases.count)
      for (column, index) in plan.coefficients {
        guard let value = try table.number(column, in: row) else { continue }
        shapes[index] = Float(value)
        guard shapes[index].isFinite else {
          throw table.wrong("a number in \(column)", found: "\(value)")
        }
      }
      if shapes.contains(where: { !$0.isNaN }) { face.label.blendshapes = shapes }
    }
    let isEmpty =
      !face.hasBox && face.label.blendshapes == nil && face.label.attributes.isEmpty
      && plan.points.isEmpty && plan.mapping["point"] == nil && face.label.expression == nil
    return isEmpty ? nil : face
  }

  private mutating func category(_ name: String) -> Int {
    if let known = categoryNumbers[name] { return known }
    categoryNumbers[name] = categories.count
    categories.append(name)
    return categories.count - 1
  }

  private mutating func identity(_ name: String) -> Int {
    let number = identities[name] ?? identities.count
    identities[name] = number
    return number
  }

  /// The names of identities, in the order of their first occurrence.
  var identityNames: [String] { identities.sorted { $0.value < $1.value }.map(\.key) }

  private func box(_ row: [String], _ table: ColumnTable) throws(FileError) -> BoundingBox? {
    if let column = plan.mapping["box"] {
      guard let text = table.text(column, in: row) else { return nil }
      let words = text.split { !($0.isASCII && ($0.isNumber || "+-.eE".contains($0))) }
      let numbers = words.compactMap { Double($0) }
      guard !words.isEmpty else { return nil }
      guard numbers.count == 4, words.count == 4, numbers.allSatisfy(\.isFinite) else {
        throw table.wrong("four numbers in \(column)", found: text)
      }
      return Self.box(numbers, form: plan.mapping["form"] ?? "xywh", base: base)
    }
    guard plan.mapping["point"] == nil || plan.mapping["px"] != nil else { return nil }
    let keys: (form: String, names: [String]) =
      plan.mapping["cx"] != nil
      ? ("cxcywh", ["cx", "cy", "width", "height"])
      : plan.mapping["x2"] != nil
        ? ("xyxy", ["x", "y", "x2", "y2"]) : ("xywh", ["x", "y", "width", "height"])
    var numbers: [Double] = []
    for key in keys.names {
      guard let value = try table.number(plan.mapping[key], in: row) else { return nil }
      numbers.append(value)
    }
    return Self.box(numbers, form: keys.form, base: base)
  }

  private static func box(_ numbers: [Double], form: String, base: Double) -> BoundingBox {
    let (x, y, third, fourth) = (numbers[0] - base, numbers[1] - base, numbers[2], numbers[3])
    return switch form {
    case "xyxy": BoundingBox(x: x, y: y, width: third - base - x, height: fourth - base - y)
    case "cxcywh":
      BoundingBox(x: x - third / 2, y: y - fourth / 2, width: third, height: fourth)
    default: BoundingBox(x: x, y: y, width: third, height: fourth)
    }
  }
}
