internal import FaceCore
internal import Platform

/// One set of points per face, with their visibility.
struct MappedPoints {
  private enum State: String, CaseIterable {
    case notLabelled = "not-labelled"
    case occluded, visible
  }

  private enum Layout {
    /// Rows of K points of D numbers, after the axes were reordered.
    case points
    /// All x, then all y.
    case apart
    /// x and y alternating.
    case together
  }

  private let scheme: LandmarkScheme
  private let layout: Layout
  /// The array of the points.
  let table: MappedTable
  private let visible: MappedTable?
  private let states: [PointVisibility]
  /// Whether the image's size is needed, which coordinates are fractions of.
  let needsSize: Bool
  private let base: Double
  /// The numbers at the left or upper, and at the right or lower edge of the image.
  private let edges: [Double]
  private let isDeep: Bool
  private let file: MappedFile

  init(_ object: JSONNode, in file: MappedFile) throws(FileError) {
    self.file = file
    try object.requireKeys(optional: [
      "path", "columns", "scheme", "count", "layout", "visible", "space", "base", "range",
    ])
    scheme = try Self.scheme(object)
    base = try object["base"].given?.number() ?? 0
    needsSize = try object["space"].given?.choice(MappedBoxes.Space.self) == .relative
    edges = try object["range"].given?.numbers(count: 2) ?? [0, 1]
    guard edges[0] < edges[1], needsSize || !object["range"].isGiven else {
      throw object["range"].wrong("a lower and a higher number, with \"space\": \"relative\"")
    }
    let name = try object["layout"].given?.text() ?? "NKD"
    switch name {
    case "xyxy": layout = .together
    case "xxyy": layout = .apart
    default:
      let isAlone = file.isImage || file.isMATLAB
      guard (isAlone ? ["DKN", "DK"] : ["DKN"]).contains(String(name.sorted())) else {
        throw object["layout"].wrong("xyxy, xxyy, or N, K and D once each")
      }
      layout = .points
    }
    table = try file.table(
      object, layout: layout == .points ? name : nil, widths: [2 * scheme.count])
    if table.rows == 0 {
      isDeep = false
    } else if layout == .points {
      let shape = table.rowShape
      guard shape.count == 2, shape[0] == scheme.count, (2...3).contains(shape[1]) else {
        throw file.wrong(
          table.path, "\(scheme.count) points of 2 or 3 numbers per face",
          found: MappedTable.text(shape))
      }
      isDeep = shape[1] == 3
    } else {
      guard table.width == 2 * scheme.count else {
        throw file.wrong(
          table.path, "\(2 * scheme.count) numbers per face", found: "\(table.width)")
      }
      isDeep = false
    }
    guard let entry = object["visible"].given else {
      (visible, states) = (nil, [])
      return
    }
    try entry.requireKeys(optional: ["path", "columns", "states"])
    visible = try file.table(entry, widths: [scheme.count])
    var states: [PointVisibility] = []
    for word in try entry["states"].items(1...Int.max) {
      switch try word.choice(State.self) {
      case .notLabelled: states.append(.notLabelled)
      case .occluded: states.append(.occluded)
      case .visible: states.append(.visible)
      }
    }
    self.states = states
  }

  private static func scheme(_ object: JSONNode) throws(FileError) -> LandmarkScheme {
    if let name = try object["scheme"].given?.text() {
      guard let scheme = LandmarkScheme.named(name) else {
        let known = LandmarkScheme.all.map(\.name).joined(separator: ", ")
        throw object["scheme"].wrong("a scheme (\(known))")
      }
      return scheme
    }
    let count = try object["count"].number("the count of points, or a scheme")
    let schemes = Int(exactly: count).map(LandmarkScheme.withCount) ?? []
    guard let only = schemes.first, schemes.count == 1 else {
      let known = LandmarkScheme.all.map { "\($0.count)" }.joined(separator: ", ")
      throw object["count"].wrong(
        schemes.isEmpty
          ? "the count of a scheme (\(known))"
          : "a scheme instead, as \(schemes.map(\.name).joined(separator: ", ")) have as many")
    }
    return only
  }

  /// Throws unless there are points for each of `rows` faces.
  func require(rows: Int, as other: String) throws(FileError) {
    try table.require(rows: rows, as: other)
    try visible?.require(rows: rows, as: other, width: scheme.count)
  }

  /// The points of a face; nil if none is labelled. A point with NaN, or at -1, -1 or -9999, -9999, is not labelled.
  func landmarks(_ row: Int, size: ImageSize?) throws(FileError) -> Landmarks? {
    let numbers = try table.row(row)
    let count = scheme.count
    let step = layout == .points ? (isDeep ? 3 : 2) : (layout == .together ? 2 : 1)
    let second = layout == .apart ? count : 1
    let scaleX = needsSize ? Double(size?.width ?? 0) / (edges[1] - edges[0]) : 1
    let scaleY = needsSize ? Double(size?.height ?? 0) / (edges[1] - edges[0]) : 1
    let origin = needsSize ? edges[0] : base
    let points = (0..<count).map {
      Point(
        x: (numbers[$0 * step] - origin) * scaleX,
        y: (numbers[$0 * step + second] - origin) * scaleY
      )
    }
    var seen = [PointVisibility](repeating: .visible, count: count)
    if let visible {
      for (index, value) in try visible.row(row).enumerated() {
        guard let state = Int(exactly: value), states.indices.contains(state) else {
          throw file.wrong(
            visible.path, "states of 0 to \(states.count - 1)", found: "\(value) in row \(row)")
        }
        seen[index] = states[state]
      }
    }
    for index in 0..<count
    where !points[index].x.isFinite || !points[index].y.isFinite
      || Point.unlessMissing(x: numbers[index * step], y: numbers[index * step + second]) == nil
    {
      seen[index] = .notLabelled
    }
    let labelled = zip(points, seen).filter { $0.1 != .notLabelled }.map(\.0)
    // Points that are all at one place are rows that nobody filled.
    guard let first = labelled.first,
      labelled.count == 1 || labelled.contains(where: { $0 != first })
    else { return nil }
    return Landmarks(
      scheme: scheme, points: points, visibility: seen,
      depths: isDeep ? (0..<count).map { numbers[$0 * 3 + 2] * scaleX } : nil)
  }
}
