internal import FaceCore
package import Platform

/// A table from the points of a scheme to those of a source, as `import --points` reads it.
package struct PointMapping: Hashable, JSONDocument {
  package static let schemaName = "facegauge.points"
  package static let schemaVersion = 1
  package static let fileName = "mapping.json"
  package static let noun = "a table of points"

  /// A point of the source: its index from 0, or its name.
  package enum SourcePoint: Sendable, Hashable, Codable {
    case index(Int)
    case name(String)

    package init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let index = try? container.decode(Int.self) {
        self = .index(index)
      } else {
        self = .name(try container.decode(String.self))
      }
    }

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .index(let index): try container.encode(index)
      case .name(let name): try container.encode(name)
      }
    }
  }

  private var schema = Self.schemaName
  private var version = Self.schemaVersion
  /// Name of our scheme.
  var scheme: String
  /// By our index from 0 or our name the point of the source.
  var points: [String: SourcePoint]

  package var firstProblem: JSONProblem? {
    guard let known = LandmarkScheme.named(scheme) else {
      return JSONProblem(
        position: "scheme",
        expected: "one of " + LandmarkScheme.all.map(\.name).joined(separator: ", "),
        found: "\"\(scheme.prefix(40))\"")
    }
    guard !points.isEmpty else {
      return JSONProblem(position: "points", expected: "at least one point", found: "none")
    }
    var (places, sources): ([Int: String], [SourcePoint: String]) = ([:], [:])
    for (key, source) in points.sorted(by: { $0.key < $1.key }) {
      func wrong(_ expected: String, _ found: String) -> JSONProblem {
        JSONProblem(position: "points.\(key.prefix(40))", expected: expected, found: found)
      }
      guard let place = Self.place(key, in: known) else {
        let names = PointNames.names(of: known)?.prefix(6).joined(separator: ", ")
        return wrong(
          "a point of \(scheme), 0 to \(known.count - 1)"
            + (names.map { " or a name such as \($0)" } ?? ""), "another")
      }
      if let other = places.updateValue(key, forKey: place) {
        return wrong("each point of \(scheme) once", "\(other) too")
      }
      if case .index(let index) = source, index < 0 { return wrong("0 or more", "\(index)") }
      if let other = sources.updateValue(key, forKey: source) {
        return wrong("each point of the source once", "that of \(other)")
      }
    }
    return nil
  }

  private static func place(_ key: String, in scheme: LandmarkScheme) -> Int? {
    if let index = Int(key) { return (0..<scheme.count).contains(index) ? index : nil }
    return PointNames.names(of: scheme)?.firstIndex(of: key)
  }

  /// The order of a source's points; throws where it lacks one that the table names.
  func order(
    names: [String]?, count: Int, in file: String
  ) throws(FileError) -> PointOrder {
    guard let known = LandmarkScheme.named(scheme) else { return PointOrder(.five, places: []) }
    var places = [Int?](repeating: nil, count: count)
    for (key, source) in points {
      let found: Int?
      let text: String
      switch source {
      case .index(let index): (found, text) = (index < count ? index : nil, "point \(index)")
      case .name(let name): (found, text) = (names?.firstIndex(of: name), "point '\(name)'")
      }
      guard let found else {
        let list = names.map { ": " + $0.prefix(8).joined(separator: ", ") } ?? " without names"
        throw FileError.wrongData(
          "cannot read \(file): expected \(text) of --points, found \(count) points\(list)")
      }
      places[found] = Self.place(key, in: known)
    }
    return PointOrder(known, places: places)
  }
}
