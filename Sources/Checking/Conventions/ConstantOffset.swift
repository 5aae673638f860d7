internal import FaceCore

/// A step in pixels that all predictions are away from their labels, as origins of 1 or of half a pixel give it.
struct ConstantOffset {
  /// How many faces it rests on, at different places.
  let count: Int
  /// The step from predictions to labels.
  let step: Point
  /// Positions in the sample of some frames that have it.
  let frames: [Int]

  /// How far a step may be from the others, and from a whole number of half pixels: what `Float` rounds at 4,000 pixels,
  /// and text with two decimals. Trackers and people err by more.
  private static let exactness = 0.011
  /// The share of faces that must have the step.
  private static let share = 0.95
  /// How many faces at different places must have it.
  private static let faces = 5

  /// Measures the step; nil unless it is the same for all faces, to the hundredth of a pixel.
  init?(_ sample: JoinedSample) {
    var steps: [(x: Double, y: Double, frame: Int)] = []
    var places: Set<BoundingBox> = []
    for pair in sample.pairs {
      let (_, known, given) = sample.faces(of: pair)
      guard case let label = known.box, let face = given.box else { continue }
      let (x, y) = (label.x - face.x, label.y - face.y)
      guard abs(label.maxX - face.maxX - x) <= 2 * Self.exactness,
        abs(label.maxY - face.maxY - y) <= 2 * Self.exactness
      else { continue }
      places.insert(label)
      steps.append((x, y, pair.frame))
    }
    let all = sample.pairs.count
    guard places.count >= Self.faces, Double(steps.count) >= Self.share * Double(all) else {
      return nil
    }
    func halves(_ values: [Double]) -> Double { (2 * (values.median ?? 0)).rounded() / 2 }
    let step = Point(x: halves(steps.map(\.x)), y: halves(steps.map(\.y)))
    let same = steps.filter {
      abs($0.x - step.x) <= Self.exactness && abs($0.y - step.y) <= Self.exactness
    }
    guard step.x != 0 || step.y != 0, Double(same.count) >= Self.share * Double(all) else {
      return nil
    }
    count = same.count
    self.step = step
    frames = same.map(\.frame)
  }
}
