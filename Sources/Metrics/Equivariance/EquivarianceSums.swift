package import FaceCore

/// Sums over faces of originals and of transformed images, from which it follows how much an output depends on the image's pose.
///
/// Memory does not grow with the dataset.
package struct EquivarianceSums: Sendable {
  /// The coefficients, in their order.
  static let channels = LeakageSums.coefficients
  /// Above so many people several are resampled together.
  static let maxUnits = 100

  /// How many points the compared faces have; nil before the first face with points.
  package private(set) var pointCount: Int?
  private var byUnit: [Int: Unit] = [:]

  /// Starts without faces.
  package init() {}

  /// Counts an original with its transformed image: faces that both have, that only the original has, that only the other has.
  package mutating func count(pairs: Int, lost: Int, gained: Int, cluster: Int) {
    byUnit[cluster % Self.maxUnits, default: Unit()].counts += SIMD4(
      Double(pairs), Double(lost), Double(gained), 1)
  }

  /// Takes in a face of the original and the same face of the transformed image, moved back onto it, sides exchanged back.
  ///
  /// Points count if both have the same ones and the frame of the original face is known.
  package mutating func add(
    _ original: FacePrediction, _ transformed: FacePrediction, cluster: Int
  ) {
    let key = cluster % Self.maxUnits
    var unit = byUnit[key, default: Unit()]
    defer { byUnit[key] = unit }
    let count = original.points.count
    if count == transformed.points.count, pointCount ?? count == count,
      let frame = FaceFrame(original)
    {
      pointCount = count
      unit.addPoints(original.points, transformed.points, frame)
    }
    guard let before = original.blendshapes, let after = transformed.blendshapes else { return }
    for (index, channel) in Self.channels.enumerated() {
      guard let old = before.given(channel), let new = after.given(channel) else { continue }
      unit.channels[3 * index] += 1
      unit.channels[3 * index + 1] += new - old
      unit.channels[3 * index + 2] += (new - old).magnitude
    }
  }

  /// The sums of what is resampled, each with its number.
  var units: [(key: Int, unit: Unit)] {
    byUnit.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Sums over some faces, which add up.
  struct Unit: Sendable {
    /// Pairs, lost and gained faces, images.
    var counts = SIMD4<Double>.zero
    /// Faces with points, the sum of their mean distances, then of each point the sums of x and y of its offset, of its
    /// distance, and of x and y of its position, and the faces that have it; in units of the face's frame.
    var points: [Double] = []
    /// Of each coefficient the faces, the sum of differences and that of their sizes.
    var channels = [Double](repeating: 0, count: 3 * EquivarianceSums.channels.count)

    /// How many numbers a point has.
    static let pointWidth = 6

    mutating func addPoints(
      _ original: [SIMD3<Float>], _ transformed: [SIMD3<Float>], _ frame: FaceFrame
    ) {
      func point(_ position: SIMD3<Float>) -> Point {
        Point(x: Double(position.x), y: Double(position.y))
      }
      func given(_ points: [SIMD3<Float>]) -> [Int] {
        points.indices.filter { points[$0].x.isFinite && points[$0].y.isFinite }
      }
      let known = given(original)
      guard known == given(transformed),
        let middle = Point(meanOf: known.map { point(original[$0]) })
      else { return }
      if points.isEmpty {
        points = [Double](repeating: 0, count: 2 + Self.pointWidth * original.count)
      }
      let n = Double(known.count)
      var total = 0.0
      for index in known {
        let (old, new) = (point(original[index]), point(transformed[index]))
        let offset = frame.offset(from: old, to: new)
        let place = frame.offset(from: middle, to: old)
        let distance = (offset.x * offset.x + offset.y * offset.y).squareRoot()
        total += distance
        let start = 2 + Self.pointWidth * index
        points[start] += offset.x
        points[start + 1] += offset.y
        points[start + 2] += distance
        points[start + 3] += place.x
        points[start + 4] += place.y
        points[start + 5] += 1
      }
      points[0] += 1
      points[1] += total / n
    }

    mutating func add(_ other: Unit, times: Int) {
      let times = Double(times)
      counts += times * other.counts
      if points.isEmpty { points = [Double](repeating: 0, count: other.points.count) }
      for index in other.points.indices { points[index] += times * other.points[index] }
      for index in channels.indices { channels[index] += times * other.channels[index] }
    }
  }
}
