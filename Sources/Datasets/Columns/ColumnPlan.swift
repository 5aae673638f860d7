internal import FaceCore
internal import Platform

/// A mapping against the columns of one table: which column each value is in.
struct ColumnPlan {
  /// The columns of a point.
  struct Point {
    let name: String
    var x: String?
    var y: String?
    var visibility: String?
  }

  let mapping: ColumnMapping
  /// The points of a row, in order; none where each row is a point, or there are none.
  let points: [Point]
  /// Columns of coefficients, by their place in the list of all.
  let coefficients: [(column: String, index: Int)]
  /// Columns of attributes, by name.
  let attributes: [(column: String, name: String)]
  /// Columns that are not read.
  let leftOut: [String]

  /// Throws where the table lacks a column.
  init(_ mapping: ColumnMapping, of table: ColumnTable) throws(FileError) {
    self.mapping = mapping
    let header = table.columns.names
    var used: Set<String> = []
    func use(_ column: String, as key: String) throws(FileError) {
      guard table.columns.has(column) else {
        throw table.wrong(
          "a column '\(column.prefix(60))' for \(key) (--columns)"
            + Suggestion.perhaps(column, among: header),
          found: header.prefix(12).joined(separator: ","))
      }
      used.insert(column)
    }
    var points: [Point] = []
    var places: [String: Int] = [:]
    func put(_ column: String, _ name: String, _ part: ColumnMapping.PointPart) {
      let place = places[name] ?? points.count
      if place == points.count {
        places[name] = place
        points.append(Point(name: name))
      }
      switch part {
      case .x: points[place].x = column
      case .y: points[place].y = column
      case .visibility: points[place].visibility = column
      }
      used.insert(column)
    }
    var coefficients: [(column: String, index: Int)] = []
    var attributes: [(column: String, name: String)] = []
    for (key, column) in mapping.columns.sorted(by: { $0.key < $1.key }) {
      if ColumnMapping.settingKeys.contains(where: { $0.key == key }) { continue }
      if key == "coefficients" {
        for (word, name) in ColumnMapping.expand(column, in: header) {
          guard let shape = Blendshape(spelled: word) else {
            // ARKit's 52nd is none of MediaPipe's.
            guard Blendshape.isTongue(spelled: word) else { continue }
            attributes.append((name, "tongueOut"))
            used.insert(name)
            continue
          }
          coefficients.append((name, shape.index))
          used.insert(name)
        }
        guard !coefficients.isEmpty else {
          throw table.wrong(
            "columns '\(column.prefix(60))' of coefficients such as jawOpen (--columns)",
            found: header.prefix(12).joined(separator: ","))
        }
      } else if let part = Self.parts[key], mapping["point"] == nil {
        let names = ColumnMapping.expand(column, in: header)
        guard !names.isEmpty else {
          throw table.wrong(
            "columns '\(column.prefix(60))' for \(key), with {} for the number or name of a point "
              + "(--columns)", found: header.prefix(12).joined(separator: ","))
        }
        for (word, name) in names { put(name, word, part) }
      } else if let (name, part) = ColumnMapping.point(key) {
        try use(column, as: key)
        put(column, name, part)
      } else {
        try use(column, as: key)
        if let shape = ColumnMapping.coefficient(key) { coefficients.append((column, shape.index)) }
        if let name = ColumnMapping.attribute(key) { attributes.append((column, name)) }
      }
    }
    if let half = points.first(where: { $0.x == nil || $0.y == nil }) {
      throw table.wrong(
        "x and y of point '\(half.name.prefix(40))' (--columns)", found: half.x ?? half.y ?? "")
    }
    let repeated = Dictionary(grouping: coefficients, by: \.index).filter { $0.value.count > 1 }
    if let twice = repeated.min(by: { $0.key < $1.key })?.value {
      throw table.wrong(
        "each coefficient in one column (--columns)",
        found: twice.map(\.column).sorted().joined(separator: " and "))
    }
    self.points = Self.inOrder(points)
    (self.coefficients, self.attributes) = (coefficients, attributes)
    leftOut = header.filter { !used.contains($0) }
  }

  private static let parts: [String: ColumnMapping.PointPart] = [
    "px": .x, "py": .y, "pv": .visibility,
  ]

  /// Points by their numbers, where all have one; else as they come.
  private static func inOrder(_ points: [Point]) -> [Point] {
    let numbers = points.compactMap { Int($0.name) }
    guard numbers.count == points.count else { return points }
    return zip(numbers, points).sorted { $0.0 < $1.0 }.map(\.1)
  }
}
