internal import FaceCore
internal import Foundation

/// Factors and offsets that many pairs of labelled and predicted faces ask for.
struct ScaleVotes {
  private struct Pair {
    let label: BoundingBox
    let face: BoundingBox
    let size: ImageSize
    let weight: Double

    /// From the prediction's middle to the label's.
    var step: Point { Point(x: label.center.x - face.center.x, y: label.center.y - face.center.y) }
  }

  private var pairs: [Pair] = []

  /// In a frame of several faces each of the largest is tried with each.
  private static let faceLimit = 6
  /// Half of the width of what counts as one factor: natural logarithm.
  private static let factorWidth = 0.05

  /// How far from the step that most pairs have, in sizes of the face, one still belongs to it.
  private static let nearness = 0.5

  /// Collects pairs with predicted boxes in another convention of boxes, and labels in another one too.
  init(_ agreement: Agreement, base: [FaceRepair], labels repairs: [FaceRepair] = []) {
    for scene in agreement.scenes {
      let faces = scene.faces.map { $0.repaired(by: base, in: scene.size).box }
        .sorted { $0.area > $1.area }.prefix(Self.faceLimit)
      let labels = scene.labels.prefix(Self.faceLimit)
        .map { $0.repaired(by: repairs, in: scene.size).box }
      let weight = 1 / Double(max(1, faces.count * labels.count))
      for label in labels {
        for face in faces where face.isWellFormed {
          pairs.append(Pair(label: label, face: face, size: scene.size, weight: weight))
        }
      }
    }
  }

  /// Factors of x and y from predictions to labels, in pixels or as fractions of the image's sides.
  func factors(ofFractions: Bool) -> (x: Double, y: Double)? {
    let known = pairs.filter { !ofFractions || $0.size.width > 0 && $0.size.height > 0 }
    func factor(_ axis: (Point) -> Double, _ side: (ImageSize) -> Int) -> Double? {
      let votes = known.compactMap { pair -> (value: Double, weight: Double)? in
        let label = axis(pair.label.center) / (ofFractions ? Double(side(pair.size)) : 1)
        let ratio = label / axis(pair.face.center)
        return ratio > 0 && ratio.isFinite ? (log(ratio), pair.weight) : nil
      }
      return Self.mode(votes, halfWidth: Self.factorWidth).map(exp)
    }
    guard let x = factor(\.x, \.width), let y = factor(\.y, \.height) else { return nil }
    return (x, y)
  }

  /// The step from predictions to labels, in pixels.
  func steps() -> Point? {
    guard let size = pairs.map({ $0.label.area.squareRoot() }).median else { return nil }
    func step(_ axis: KeyPath<Pair, Double>) -> Double? {
      Self.mode(pairs.map { ($0[keyPath: axis], $0.weight) }, halfWidth: 0.1 * size)
    }
    guard let x = step(\.step.x), let y = step(\.step.y) else { return nil }
    let near = pairs.filter { pair in
      let limit = Self.nearness * pair.label.area.squareRoot()
      return abs(pair.step.x - x) < limit && abs(pair.step.y - y) < limit
    }
    return Point(x: near.map(\.step.x).median ?? x, y: near.map(\.step.y).median ?? y)
  }

  /// How many frames with one face tell a crop; of many, each is compared with about so many others.
  private static let crop = (frames: 10, others: 20)

  /// The factor and the step from predictions to labels of a part of the image that was scaled, by frames with one labelled face:
  /// the median of how far labels of two frames are apart for predictions. nil where few faces are apart.
  static func crop(of agreement: Agreement) -> (factor: Double, step: Point)? {
    let pairs = agreement.scenes.filter { $0.labels.count == 1 }.compactMap { scene in
      scene.faces.first.map {
        (label: scene.labels[0].box.center, face: $0.box.center, side: abs($0.box.width))
      }
    }
    guard pairs.count >= crop.frames else { return nil }
    var factors: [Double] = []
    for apart in stride(from: 1, to: pairs.count, by: max(1, pairs.count / crop.others)) {
      for (one, other) in zip(pairs, pairs.dropFirst(apart)) {
        for axis in [\Point.x, \Point.y] {
          let face = other.face[keyPath: axis] - one.face[keyPath: axis]
          guard abs(face) > one.side / 2 else { continue }
          factors.append((other.label[keyPath: axis] - one.label[keyPath: axis]) / face)
        }
      }
    }
    guard factors.count >= crop.frames, let factor = factors.median, factor > 0, factor.isFinite,
      let x = pairs.map({ $0.label.x - factor * $0.face.x }).median,
      let y = pairs.map({ $0.label.y - factor * $0.face.y }).median
    else { return nil }
    return (factor, Point(x: x, y: y))
  }

  /// The median of the votes in the window that holds the most weight; nil without votes.
  private static func mode(
    _ votes: [(value: Double, weight: Double)], halfWidth: Double
  ) -> Double? {
    let sorted = votes.sorted { $0.value < $1.value }
    var (best, bestRange, held, first): (Double, Range<Int>, Double, Int) = (0, 0..<0, 0, 0)
    for last in sorted.indices {
      held += sorted[last].weight
      while sorted[last].value - sorted[first].value > 2 * halfWidth {
        held -= sorted[first].weight
        first += 1
      }
      if held > best { (best, bestRange) = (held, first..<last + 1) }
    }
    return bestRange.isEmpty ? nil : sorted[(bestRange.lowerBound + bestRange.upperBound) / 2].value
  }
}
