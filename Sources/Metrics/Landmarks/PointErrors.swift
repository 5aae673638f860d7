internal import FaceCore

/// Sums of the errors and places of each point, exact so that their order does not matter.
struct PointErrors: Sendable, Hashable {
  /// A row for each point: its error, then x and y of its label in the face's frame.
  private var sums: [Int128] = []
  private(set) var counts: [Int] = []
  private static let width = 3

  /// Adds the errors of a face's points and where its labels lie, each to 2⁻⁴⁰; over 2²⁰ counts as 2²⁰.
  mutating func add(_ errors: [Double?], at places: [Point]) {
    if sums.isEmpty {
      sums = Array(repeating: 0, count: Self.width * errors.count)
      counts = Array(repeating: 0, count: errors.count)
    }
    for case (let point, let error?) in errors.enumerated() {
      for (column, value) in [error, places[point].x, places[point].y].enumerated() {
        let bounded = max(-0x1p20, min(value, 0x1p20))
        sums[Self.width * point + column] += Int128((bounded * 0x1p40).rounded())
      }
      counts[point] += 1
    }
  }

  mutating func merge(_ other: PointErrors) {
    guard !sums.isEmpty else {
      self = other
      return
    }
    for index in other.sums.indices { sums[index] += other.sums[index] }
    for point in other.counts.indices { counts[point] += other.counts[point] }
  }

  /// The mean error of a point; nil where no face has it.
  func mean(_ point: Int) -> Double? { mean(point, column: 0) }

  /// Where a point's labels lie on average; nil where no face has it.
  func place(_ point: Int) -> Point? {
    guard let x = mean(point, column: 1), let y = mean(point, column: 2) else { return nil }
    return Point(x: x, y: y)
  }

  private func mean(_ point: Int, column: Int) -> Double? {
    counts[point] == 0
      ? nil : Double(sums[Self.width * point + column]) / 0x1p40 / Double(counts[point])
  }
}

/// How many faces have an error of each limit of a cumulative distribution or less, by each normaliser.
struct ErrorCounts: Sendable, Hashable {
  /// The errors at which the distribution is shown.
  static let limits = (0...200).map { Double($0) / 1000 }

  /// For each normaliser how many errors are beyond the limit before and not beyond the limit; last those beyond all.
  private var counts = LandmarkNormalizer.allCases.map { _ in
    [Int](repeating: 0, count: limits.count + 1)
  }

  /// Counts a face, ∞ for a missed one.
  mutating func add(_ face: LandmarkAccuracy.Face) {
    for normalizer in counts.indices {
      guard let error = face.error(normalizer) else { continue }
      counts[normalizer][Self.limits.firstIndex { error <= $0 } ?? Self.limits.count] += 1
    }
  }

  mutating func merge(_ other: ErrorCounts) {
    for normalizer in counts.indices {
      for limit in counts[normalizer].indices {
        counts[normalizer][limit] += other.counts[normalizer][limit]
      }
    }
  }

  /// The share of the faces with an error of each limit or less; nil without faces.
  func shares(_ normalizer: Int) -> [Double]? {
    let total = counts[normalizer].reduce(0, +)
    guard total > 0 else { return nil }
    var below = 0
    return counts[normalizer].dropLast().map { count in
      below += count
      return Double(below) / Double(total)
    }
  }
}
