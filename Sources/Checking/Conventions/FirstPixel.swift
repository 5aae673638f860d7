internal import FaceCore
internal import Metrics

/// A step of one pixel on both axes from predicted to labelled points, as coordinates have that count from 0 and from 1.
///
/// Other than `ConstantOffset` it is a median of trackers that err by more.
struct FirstPixel {
  /// How many faces it rests on.
  let count: Int
  /// The medians of the steps.
  let step: Point
  /// What moves predictions: 1 or -1 for both axes.
  let move: Double
  /// The median error of points as a share of the face's size, as it is and moved.
  let before, after: Double
  /// Positions in the sample of some frames that have it.
  let frames: [Int]

  private static let leastFaces = 20
  /// How far a median may be from a whole pixel, and how exactly it must be known.
  private static let tolerance = 0.15
  private static let exactness = 0.05
  /// The same for a third of the faces: an error of the tracker grows with the face.
  private static let toleranceOfThird = 0.35
  /// The share of the error that stays, at most: less is nothing to tell.
  private static let gain = 0.95

  private struct Face {
    let step: Point
    let size: Double
    let frame: Int
    let pairs: [(labelled: Point, given: Point)]

    init?(_ face: PointAgreement.Face) {
      pairs = zip(face.labelled, face.given).compactMap { labelled, given in
        labelled.flatMap { labelled in given.map { (labelled, $0) } }
      }
      guard !pairs.isEmpty else { return nil }
      let count = Double(pairs.count)
      step = Point(
        x: pairs.reduce(0) { $0 + $1.labelled.x - $1.given.x } / count,
        y: pairs.reduce(0) { $0 + $1.labelled.y - $1.given.y } / count)
      size = face.size
      frame = face.frame
    }

    /// The mean error of points when predictions are moved, as a share of the face's size.
    func error(_ move: Double) -> Double {
      let sum = pairs.reduce(0) {
        $0 + $1.labelled.distance(to: Point(x: $1.given.x + move, y: $1.given.y + move))
      }
      return sum / Double(pairs.count) / size
    }
  }

  /// Measures the step; nil for another one, or where sides have points of different schemes.
  init?(_ points: PointAgreement?) {
    guard let points, points.table.source == points.table.target else { return nil }
    let faces = points.faces.compactMap(Face.init).sorted { $0.size < $1.size }
    guard faces.count >= Self.leastFaces else { return nil }
    let axes = [faces.map(\.step.x), faces.map(\.step.y)]
    let medians = axes.compactMap(\.median)
    guard medians.count == 2 else { return nil }
    let move = medians[0] < 0 ? -1.0 : 1.0
    let root = Double(faces.count).squareRoot()
    for (values, median) in zip(axes, medians) {
      // 1.4826 and 1.2533: the standard error of a median of normal values by their median deviation.
      let deviation = values.map { abs($0 - median) }.median ?? 0
      guard abs(median - move) <= Self.tolerance,
        1.4826 * 1.2533 * deviation / root <= Self.exactness
      else { return nil }
    }
    let third = faces.count / 3
    for part in [faces.prefix(third), faces.suffix(third)] {
      for values in [part.map(\.step.x), part.map(\.step.y)] {
        guard let median = values.median, abs(median - move) <= Self.toleranceOfThird else {
          return nil
        }
      }
    }
    guard let before = faces.map({ $0.error(0) }).median,
      let after = faces.map({ $0.error(move) }).median, after <= Self.gain * before
    else { return nil }
    (self.before, self.after, self.move) = (before, after, move)
    count = faces.count
    step = Point(x: medians[0], y: medians[1])
    frames = faces.map(\.frame)
  }
}
