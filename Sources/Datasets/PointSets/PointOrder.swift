internal import FaceCore

/// An order in which a source has the points of a scheme.
package struct PointOrder: Sendable, Hashable {
  /// The name of `import --scheme`.
  package let name: String
  let scheme: LandmarkScheme
  /// For each point of the source its place in the scheme; nil for a point that the scheme does not have.
  let places: [Int?]

  init(name: String? = nil, _ scheme: LandmarkScheme, places: [Int?]) {
    (self.name, self.scheme, self.places) = (name ?? scheme.name, scheme, places)
  }

  /// The order of a scheme itself.
  init(_ scheme: LandmarkScheme) {
    self.init(scheme, places: Array(0..<scheme.count))
  }

  /// Every order that a source may state: those of the schemes, and five points with the subject's left before the right.
  package static let all =
    LandmarkScheme.all.map { PointOrder($0) } + [
      PointOrder(name: "five-left-first", .five, places: [1, 0, 2, 4, 3]),
      PointOrder(name: "five-left-mouth-first", .five, places: [0, 1, 2, 4, 3]),
    ]

  /// The order of that name, or nil.
  package static func named(_ name: String) -> PointOrder? {
    all.first { $0.name == name }
  }

  /// MediaPipe's mesh without the irises, as Face Mesh gives it unless it is asked for them.
  private static let meshWithoutIrises = PointOrder(.mediapipe478, places: Array(0..<468))

  private static let ofSources = all + [meshWithoutIrises]

  /// How many points sources may have without a table of them.
  static var counts: [Int] { Set(ofSources.map(\.places.count)).sorted() }

  static func withCount(_ count: Int) -> [PointOrder] {
    ofSources.filter { $0.places.count == count }
  }

  /// The order of this name that has as many points, as the mesh without the irises; itself where there is none.
  func ofCount(_ count: Int) -> PointOrder {
    guard count != places.count else { return self }
    return Self.withCount(count).first { $0.name == name } ?? self
  }

  /// The same, where the source's point k is the k-th of `positions`.
  func permuted(_ positions: [Int]) -> PointOrder {
    PointOrder(name: name, scheme, places: positions.map { places[$0] })
  }

  /// Places values of the source's points; what no point of the source has is `missing`.
  func placed<Value>(_ values: [Value], missing: Value) -> [Value] {
    var placed = [Value](repeating: missing, count: scheme.count)
    for (value, place) in zip(values, places) {
      if let place { placed[place] = value }
    }
    return placed
  }

  /// The landmarks of a face; a point is nil, or at the mark of a missing one, where it is not labelled.
  ///
  /// Nil where no point is labelled.
  func landmarks(
    _ points: [Point?], _ states: [PointVisibility]? = nil, depths: [Double]? = nil
  ) -> Landmarks? {
    let seen = points.enumerated().map { index, point in
      point == nil ? PointVisibility.notLabelled : states?[index] ?? .visible
    }
    let placedStates = placed(seen, missing: .notLabelled)
    guard placedStates.contains(where: { $0 != .notLabelled }) else { return nil }
    let nowhere = Point(x: .nan, y: .nan)
    let positions = zip(points, seen).map { $1 == .notLabelled ? nowhere : $0 ?? nowhere }
    return Landmarks(
      scheme: scheme, points: placed(positions, missing: nowhere), visibility: placedStates,
      depths: depths.map { placed($0, missing: .nan) })
  }

  /// The landmarks that a format took for those of another order.
  func landmarks(_ set: Landmarks) -> Landmarks? {
    guard places.count == set.points.count else { return nil }
    return landmarks(
      zip(set.points, set.visibility).map { $1 == .notLabelled ? nil : $0 }, set.visibility,
      depths: set.depths)
  }
}

extension Point {
  /// The point, counted from the pixel `base`; nil for -1, -1, -999, -999 and the like, which mark one without a label.
  static func unlessMissing(x: Double, y: Double, base: Double = 0) -> Point? {
    x == y && missingMarks.contains(x) ? nil : Point(x: x - base, y: y - base)
  }

  /// Numbers that stand for none.
  static let missingMarks: Set<Double> = [-1, -999, -9999, -99999]
}
