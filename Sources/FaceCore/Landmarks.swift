/// How a labelled point was seen; raw values are those of the dataset file.
package enum PointVisibility: UInt8, Sendable, Codable {
  /// The point has no label; its coordinates mean nothing.
  case notLabelled = 0
  /// The point is labelled where it would be behind an occluder.
  case occluded = 1
  /// The point is labelled and can be seen.
  case visible = 2

  /// Whether two states are the same; what enums with raw values get without it is generic, and slow over many points.
  package static func == (one: Self, other: Self) -> Bool { one.rawValue == other.rawValue }

  /// Whether two states differ.
  package static func != (one: Self, other: Self) -> Bool { one.rawValue != other.rawValue }
}

/// The labelled points of one face, in the order of their scheme, in pixels.
package struct Landmarks: Sendable, Hashable {
  /// The scheme that names and orders the points.
  package let scheme: LandmarkScheme
  /// One position a point, `scheme.count` of them.
  package var points: [Point]
  /// One state a point, `scheme.count` of them.
  package var visibility: [PointVisibility]

  /// Depths in pixels, `scheme.count` of them, in the direction of their source; nil for flat labels.
  package var depths: [Double]?

  /// Pairs points with their states and depths; all must have `scheme.count` elements, else nil.
  package init?(
    scheme: LandmarkScheme, points: [Point], visibility: [PointVisibility]? = nil,
    depths: [Double]? = nil
  ) {
    let states = visibility ?? Array(repeating: .visible, count: points.count)
    guard points.count == scheme.count, states.count == scheme.count,
      depths.map({ $0.count == scheme.count }) ?? true
    else { return nil }
    self.depths = depths
    self.scheme = scheme
    self.points = points
    self.visibility = states
  }

  /// The points that have a label.
  package var labelled: [Point] {
    visibility.contains(.notLabelled)
      ? zip(points, visibility).filter { $0.1 != .notLabelled }.map(\.0) : points
  }
}
