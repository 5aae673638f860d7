import FaceCore

/// How the first face of a clip moves, from frame to frame.
struct FrameMotion {
  private struct Place {
    var sequence: Int
    var points: [SIMD3<Float>]
    var box: BoundingBox
  }

  /// The face in the frames before, the latest first, at most two.
  private var earlier: [Place] = []

  /// Mean distance of the points from the frame before in thousandths of the box's diagonal, and the root mean
  /// square of their second difference in pixels; NaN where the face is not in the frames before.
  mutating func add(_ entry: FrameEntry) -> (motion: Float, jitter: Float) {
    guard entry.video != nil, let face = entry.prediction.faces.first, !face.points.isEmpty,
      let box = face.box
    else {
      earlier = []
      return (.nan, .nan)
    }
    let own = Place(sequence: entry.frame.sequence, points: face.points, box: box)
    guard let last = earlier.first, last.sequence == own.sequence,
      last.points.count == own.points.count, box.iou(with: last.box) > 0.5
    else {
      earlier = [own]
      return (.nan, .nan)
    }
    let before = earlier.dropFirst().first
    earlier = [own, last]
    var jitter = Float.nan
    if let before {
      let squares = own.points.indices.map { index -> Float in
        let change = own.points[index] - 2 * last.points[index] + before.points[index]
        return change.x * change.x + change.y * change.y
      }
      jitter = (squares.reduce(0, +) / Float(squares.count)).squareRoot()
    }
    return (Self.distance(from: last.points, to: own.points, in: box), jitter)
  }

  /// Mean distance of all faces' points from those of the same faces in another prediction, in thousandths of the
  /// boxes' diagonals; NaN where no face has points in both.
  static func distance(from base: FramePrediction, to other: FramePrediction) -> Float {
    let distances = other.faces.compactMap { face -> Float? in
      guard let box = face.box, !face.points.isEmpty else { return nil }
      let near = base.faces.filter {
        $0.scheme == face.scheme && $0.points.count == face.points.count
      }
      .map { ($0, $0.box?.iou(with: box) ?? 0) }.max { $0.1 < $1.1 }
      guard let near, near.1 > 0.5 else { return nil }
      return distance(from: near.0.points, to: face.points, in: box)
    }
    return distances.isEmpty ? .nan : distances.reduce(0, +) / Float(distances.count)
  }

  private static func distance(
    from base: [SIMD3<Float>], to points: [SIMD3<Float>], in box: BoundingBox
  ) -> Float {
    var sum: Float = 0
    for (own, before) in zip(points, base) {
      let (x, y) = (own.x - before.x, own.y - before.y)
      sum += (x * x + y * y).squareRoot()
    }
    let diagonal = Float((box.width * box.width + box.height * box.height).squareRoot())
    return diagonal > 0 ? 1000 * sum / Float(points.count) / diagonal : .nan
  }
}

/// The labelled and the predicted expression of each frame, as positions among their names.
struct ExpressionLanes {
  /// The words in the order in which they first came, at most 255.
  private(set) var names: [String] = []
  private var labelled: [UInt8] = []
  private var predicted: [UInt8] = []

  /// Takes in the next frame.
  mutating func add(_ entry: FrameEntry) {
    labelled.append(number(of: entry.expressions.labelled))
    predicted.append(number(of: entry.expressions.predicted))
  }

  /// The lanes that have a word, by the name of their section; 255 stands for none.
  var lanes: [(name: String, values: [UInt8])] {
    [("expression.labelled", labelled), ("expression", predicted)].filter {
      $0.values.contains { $0 != 255 }
    }
  }

  private mutating func number(of word: String?) -> UInt8 {
    guard let word else { return 255 }
    if let position = names.firstIndex(of: word) { return UInt8(position) }
    guard names.count < 255 else { return 255 }
    names.append(word)
    return UInt8(names.count - 1)
  }
}
