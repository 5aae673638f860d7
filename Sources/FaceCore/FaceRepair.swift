/// A change of faces that were written by another convention into ours: pixels as stored, x to the right, y down.
///
/// The text form, `NAME` or `NAME=VALUE`, is what `import --repair` takes and what findings name. A finding tries each as
/// a hypothesis, so what it promises is what the import does.
package indirect enum FaceRepair: Sendable, Hashable {
  /// x and y are fractions of the image's sides.
  case fractions
  /// Coordinates are for an image of another size: factors of x and y.
  case scale(x: Double, y: Double)
  /// The image was brought to a square of this side, its sides' ratio kept and the rest filled on both sides alike.
  case letterbox(Double)
  /// The square in the middle of the image was brought to this side.
  case centerCrop(Double)
  /// The image was scaled to a longer side of this many pixels.
  case longerSide(Double)
  /// The image was scaled to a shorter side of this many pixels.
  case shorterSide(Double)
  /// x and y are exchanged, and so are width and height.
  case exchangedAxes
  /// y is counted from the lower edge.
  case fromBelow
  /// x is counted from the right edge.
  case fromRight
  /// All coordinates are off by a constant, in pixels.
  case move(x: Double, y: Double)
  /// Width and height hold the box's far corner.
  case corners
  /// The box's four numbers are its edges in this order: `trbl` (top, right, bottom, left) or `lrtb`.
  case edges(String)
  /// x and y hold the box's centre.
  case center
  /// x and y hold the box's corner and were read as its centre.
  case corner
  /// Points and coefficients of left and right are exchanged; positions stay.
  case sides
  /// Coefficients stand this many places late in their list.
  case slots(Int)
  /// Coefficients or scores are percent.
  case percent
  /// Coefficients of some faces are percent, those that reach beyond `highestFraction`.
  case mixedPercent
  /// Angles are degrees that were read as radians.
  case degrees
  /// Angles are radians that were read as degrees.
  case radians
  /// The signs of these angles are turned around, of `yaw`, `pitch` and `roll`.
  case negated([String])
  /// Yaw and pitch are exchanged.
  case exchangedAngles
  /// Scores fall with quality: 1 − score.
  case scoresFalling
  /// The same change of the points alone; boxes stay.
  case points(FaceRepair)

  /// All by name, with the form of the value after `=`; nil for none.
  package static let all: [(name: String, value: String?)] = [
    ("fractions", nil), ("scale", "X or XxY"), ("letterbox", "SIDE"),
    ("centre-crop", "SIDE"), ("longer-side", "SIDE"), ("shorter-side", "SIDE"),
    ("exchange-axes", nil), ("from-below", nil), ("from-right", nil),
    ("move", "X,Y"), ("corners", nil), ("edges", "trbl|lrtb"), ("centre", nil), ("corner", nil),
    ("exchange-sides", nil), ("slots", "N"), ("percent", nil),
    ("mixed-percent", nil), ("degrees", nil), ("radians", nil),
    ("negate", "yaw+pitch+roll"), ("exchange-angles", nil), ("falling-scores", nil),
  ]

  /// Reads the text form; nil where it is none.
  package init?(_ text: String) {
    if text.hasPrefix(Self.pointsPrefix) {
      guard let inner = Self(String(text.dropFirst(Self.pointsPrefix.count))), inner.isOfPlace
      else { return nil }
      self = .points(inner)
      return
    }
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
      String.init)
    let value = parts.count == 2 ? parts[1] : nil
    func numbers(_ separator: Character) -> [Double] {
      (value ?? "").split(separator: separator, omittingEmptySubsequences: false)
        .map { Double($0).flatMap { $0.isFinite ? $0 : nil } ?? .nan }
    }
    switch (parts[0], value) {
    case ("fractions", nil): self = .fractions
    case ("scale", .some):
      let factors = numbers("x")
      guard (1...2).contains(factors.count), factors.allSatisfy({ $0 > 0 }) else { return nil }
      self = .scale(x: factors[0], y: factors[factors.count - 1])
    case ("letterbox", .some), ("centre-crop", .some), ("longer-side", .some),
      ("shorter-side", .some):
      guard let side = numbers("x").first, numbers("x").count == 1, side > 0 else { return nil }
      switch parts[0] {
      case "letterbox": self = .letterbox(side)
      case "centre-crop": self = .centerCrop(side)
      case "longer-side": self = .longerSide(side)
      default: self = .shorterSide(side)
      }
    case ("exchange-axes", nil): self = .exchangedAxes
    case ("from-below", nil): self = .fromBelow
    case ("from-right", nil): self = .fromRight
    case ("move", .some):
      let steps = numbers(",")
      guard steps.count == 2, steps.allSatisfy({ !$0.isNaN }) else { return nil }
      self = .move(x: steps[0], y: steps[1])
    case ("corners", nil): self = .corners
    case ("edges", .some(let order)) where Self.edgeOrders.contains(order): self = .edges(order)
    case ("centre", nil): self = .center
    case ("corner", nil): self = .corner
    case ("exchange-sides", nil): self = .sides
    case ("slots", .some(let value)):
      guard let count = Int(value), count != 0, abs(count) < 52 else { return nil }
      self = .slots(count)
    case ("percent", nil): self = .percent
    case ("mixed-percent", nil): self = .mixedPercent
    case ("degrees", nil): self = .degrees
    case ("radians", nil): self = .radians
    case ("negate", .some(let value)):
      let axes = value.split(separator: "+").map(String.init)
      guard !axes.isEmpty, Set(axes).isSubset(of: ["yaw", "pitch", "roll"]) else { return nil }
      self = .negated(axes)
    case ("exchange-angles", nil): self = .exchangedAngles
    case ("falling-scores", nil): self = .scoresFalling
    default: return nil
    }
  }

  /// The text form.
  package var text: String {
    func short(_ value: Double) -> String {
      value == value.rounded() && abs(value) < 1e9 ? "\(Int(value))" : "\(value)"
    }
    return switch self {
    case .fractions: "fractions"
    case .scale(let x, let y): x == y ? "scale=\(short(x))" : "scale=\(short(x))x\(short(y))"
    case .letterbox(let side): "letterbox=\(short(side))"
    case .centerCrop(let side): "centre-crop=\(short(side))"
    case .longerSide(let side): "longer-side=\(short(side))"
    case .shorterSide(let side): "shorter-side=\(short(side))"
    case .exchangedAxes: "exchange-axes"
    case .fromBelow: "from-below"
    case .fromRight: "from-right"
    case .move(let x, let y): "move=\(short(x)),\(short(y))"
    case .corners: "corners"
    case .edges(let order): "edges=\(order)"
    case .center: "centre"
    case .corner: "corner"
    case .sides: "exchange-sides"
    case .slots(let count): "slots=\(count)"
    case .percent: "percent"
    case .mixedPercent: "mixed-percent"
    case .degrees: "degrees"
    case .radians: "radians"
    case .negated(let axes): "negate=\(axes.joined(separator: "+"))"
    case .exchangedAngles: "exchange-angles"
    case .scoresFalling: "falling-scores"
    case .points(let inner): Self.pointsPrefix + inner.text
    }
  }

  /// The highest coefficient of a tracker that overshoots 1; percent of a face that moves reach beyond it.
  package static let highestFraction: Float = 1.5
  /// Before a change of the points alone.
  package static let pointsPrefix = "points:"
  /// Other orders in which libraries write the edges of a box.
  package static let edgeOrders = ["trbl", "lrtb"]

  /// Whether it moves points, so that it can be one of the points alone.
  package var isOfPlace: Bool {
    switch self {
    case .fractions, .scale, .letterbox, .centerCrop, .longerSide, .shorterSide, .exchangedAxes,
      .fromBelow, .fromRight, .move:
      true
    default: false
    }
  }

  /// The factor and the step of an image that was scaled by one of its sides; nil for other changes.
  package func scaling(of size: ImageSize) -> (factor: Double, x: Double, y: Double)? {
    let (width, height) = (Double(size.width), Double(size.height))
    switch self {
    case .letterbox(let side):
      let longer = max(width, height)
      return (longer / side, (width - longer) / 2, (height - longer) / 2)
    case .centerCrop(let side):
      let shorter = min(width, height)
      return (shorter / side, (width - shorter) / 2, (height - shorter) / 2)
    case .longerSide(let side): return (max(width, height) / side, 0, 0)
    case .shorterSide(let side): return (min(width, height) / side, 0, 0)
    default: return nil
    }
  }

  /// A point in pixels of our convention; `size` is the image's.
  package func point(_ point: Point, in size: ImageSize) -> Point {
    let (width, height) = (Double(size.width), Double(size.height))
    return switch self {
    case .fractions: Point(x: point.x * width, y: point.y * height)
    case .scale(let x, let y): Point(x: point.x * x, y: point.y * y)
    case .exchangedAxes: Point(x: point.y, y: point.x)
    case .fromBelow: Point(x: point.x, y: height - point.y)
    case .fromRight: Point(x: width - point.x, y: point.y)
    case .move(let x, let y): Point(x: point.x + x, y: point.y + y)
    case .letterbox, .centerCrop, .longerSide, .shorterSide:
      scaling(of: size).map {
        Point(x: point.x * $0.factor + $0.x, y: point.y * $0.factor + $0.y)
      } ?? point
    case .points(let inner): inner.point(point, in: size)
    default: point
    }
  }

  /// A box in pixels of our convention; `size` is the image's.
  package func box(_ box: BoundingBox, in size: ImageSize) -> BoundingBox {
    let (width, height) = (Double(size.width), Double(size.height))
    return switch self {
    case .fractions:
      BoundingBox(
        x: box.x * width, y: box.y * height, width: box.width * width, height: box.height * height)
    case .scale(let x, let y):
      BoundingBox(x: box.x * x, y: box.y * y, width: box.width * x, height: box.height * y)
    case .exchangedAxes:
      BoundingBox(x: box.y, y: box.x, width: box.height, height: box.width)
    case .fromBelow:
      BoundingBox(x: box.x, y: height - box.maxY, width: box.width, height: box.height)
    case .fromRight:
      BoundingBox(x: width - box.maxX, y: box.y, width: box.width, height: box.height)
    case .move(let x, let y):
      BoundingBox(x: box.x + x, y: box.y + y, width: box.width, height: box.height)
    case .letterbox, .centerCrop, .longerSide, .shorterSide:
      scaling(of: size).map {
        BoundingBox(
          x: box.x * $0.factor + $0.x, y: box.y * $0.factor + $0.y, width: box.width * $0.factor,
          height: box.height * $0.factor)
      } ?? box
    case .edges("trbl"):
      BoundingBox(x: box.height, y: box.x, width: box.y - box.height, height: box.width - box.x)
    case .edges:
      BoundingBox(x: box.x, y: box.width, width: box.y - box.x, height: box.height - box.width)
    case .corners:
      BoundingBox(x: box.x, y: box.y, width: box.width - box.x, height: box.height - box.y)
    case .center:
      BoundingBox(
        x: box.x - box.width / 2, y: box.y - box.height / 2, width: box.width, height: box.height)
    case .corner:
      BoundingBox(
        x: box.x + box.width / 2, y: box.y + box.height / 2, width: box.width, height: box.height)
    default: box
    }
  }
}
