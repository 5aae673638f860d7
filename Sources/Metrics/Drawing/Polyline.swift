/// Points joined by straight lines, in metres.
struct Polyline {
  /// The corners, one or more.
  let points: [SIMD3<Double>]

  /// The sum of the distances from each point to the next.
  var length: Double {
    zip(points, points.dropFirst()).reduce(0) { $0 + Self.distance($1.0, $1.1) }
  }

  /// The distance from a point to the nearest one of the line.
  func distance(to point: SIMD3<Double>) -> Double {
    guard points.count > 1 else { return Self.distance(points[0], point) }
    return zip(points, points.dropFirst()).reduce(.infinity) { nearest, segment in
      let along = segment.1 - segment.0
      let square = Self.dot(along, along)
      let part = square > 0 ? Self.dot(point - segment.0, along) / square : 0
      return min(
        nearest, Self.distance(segment.0 + along * min(max(part, 0), 1), point))
    }
  }

  /// The corners and as many points between as make no step longer than that.
  func sampled(step: Double) -> [SIMD3<Double>] {
    [points[0]]
      + zip(points, points.dropFirst()).flatMap { start, end in
        let parts = max((Self.distance(start, end) / step).rounded(.up), 1)
        return (1...Int(parts)).map { start + (end - start) * (Double($0) / parts) }
      }
  }

  /// The larger of the two largest distances from a point of one list to the nearest of the other.
  static func hausdorff(_ first: [SIMD3<Double>], _ second: [SIMD3<Double>]) -> Double {
    var nearestOfSecond = [Double](repeating: .infinity, count: second.count)
    var largest = 0.0
    for point in first {
      var nearest = Double.infinity
      for (index, other) in second.enumerated() {
        let distance = distance(point, other)
        nearest = min(nearest, distance)
        nearestOfSecond[index] = min(nearestOfSecond[index], distance)
      }
      largest = max(largest, nearest)
    }
    return nearestOfSecond.reduce(largest) { max($0, $1) }
  }

  /// The least that the longest leash can be when both lists are walked through from end to end.
  static func discreteFrechet(_ first: [SIMD3<Double>], _ second: [SIMD3<Double>]) -> Double {
    var row = [Double](repeating: .infinity, count: second.count)
    for (index, point) in first.enumerated() {
      var (before, diagonal) = (Double.infinity, index == 0 ? 0 : Double.infinity)
      for (position, other) in second.enumerated() {
        let reach = min(row[position], before, diagonal)
        diagonal = row[position]
        before = max(reach, distance(point, other))
        row[position] = before
      }
    }
    return row.last ?? .infinity
  }

  private static func dot(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
    a.x * b.x + a.y * b.y + a.z * b.z
  }

  private static func distance(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
    dot(a - b, a - b).squareRoot()
  }
}
