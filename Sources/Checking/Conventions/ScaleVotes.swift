internal import FaceCore
internal import Foundation

/// Factors and offsets that many pairs of labelled and predicted faces ask for.
struct ScaleVotes {
  private struct Pair {
    let label: BoundingBox
    let face: BoundingBox
    let size: ImageSize
    let weight: Double
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
    func factor(_ center: (BoundingBox) -> Double, _ side: (ImageSize) -> Int) -> Double? {
      let votes = known.compactMap { pair -> (value: Double, weight: Double)? in
        let label = center(pair.label) / (ofFractions ? Double(side(pair.size)) : 1)
        let ratio = label / center(pair.face)
        return ratio > 0 && ratio.isFinite ? (log(ratio), pair.weight) : nil
      }
      return Self.mode(votes, halfWidth: Self.factorWidth).map(exp)
    }
    guard let x = factor({ $0.x + $0.width / 2 }, \.width),
      let y = factor({ $0.y + $0.height / 2 }, \.height)
    else { return nil }
    return (x, y)
  }

  /// The steps of x and y from predictions to labels, in pixels.
  func steps() -> (x: Double, y: Double)? {
    let sizes = pairs.map { $0.label.area.squareRoot() }.sorted()
    guard !sizes.isEmpty else { return nil }
    let halfWidth = 0.1 * sizes[sizes.count / 2]
    func step(_ center: (BoundingBox) -> Double) -> Double? {
      Self.mode(
        pairs.map { (center($0.label) - center($0.face), $0.weight) }, halfWidth: halfWidth)
    }
    guard let x = step({ $0.x + $0.width / 2 }), let y = step({ $0.y + $0.height / 2 }) else {
      return nil
    }
    let near = pairs.compactMap { pair -> (x: Double, y: Double)? in
      let (dx, dy) = (
        pair.label.x + pair.label.width / 2 - pair.face.x - pair.face.width / 2,
        pair.label.y + pair.label.height / 2 - pair.face.y - pair.face.height / 2
      )
      let limit = Self.nearness * pair.label.area.squareRoot()
      return abs(dx - x) < limit && abs(dy - y) < limit ? (dx, dy) : nil
    }
    guard !near.isEmpty else { return (x, y) }
    let (sortedX, sortedY) = (near.map(\.x).sorted(), near.map(\.y).sorted())
    return (sortedX[near.count / 2], sortedY[near.count / 2])
  }

  /// How many frames with one face tell a crop; of many, each is compared with about so many others.
  private static let crop = (frames: 10, others: 20)

  /// The factor and the step from predictions to labels of a part of the image that was scaled, by frames with one labelled face:
  /// the median of how far labels of two frames are apart for predictions. nil where few faces are apart.
  static func crop(of agreement: Agreement) -> (factor: Double, x: Double, y: Double)? {
    let pairs = agreement.scenes.filter { $0.labels.count == 1 }.compactMap { scene in
      scene.faces.first.map { (label: scene.labels[0].box, face: $0.box) }
    }
    guard pairs.count >= crop.frames else { return nil }
    let centers = pairs.map { pair in
      (
        labelX: pair.label.x + pair.label.width / 2, faceX: pair.face.x + pair.face.width / 2,
        labelY: pair.label.y + pair.label.height / 2, faceY: pair.face.y + pair.face.height / 2,
        side: abs(pair.face.width)
      )
    }
    var factors: [Double] = []
    for apart in stride(from: 1, to: centers.count, by: max(1, centers.count / crop.others)) {
      for (one, other) in zip(centers, centers.dropFirst(apart)) {
        for (label, face) in [
          (other.labelX - one.labelX, other.faceX - one.faceX),
          (other.labelY - one.labelY, other.faceY - one.faceY),
        ] where abs(face) > one.side / 2 {
          factors.append(label / face)
        }
      }
    }
    guard factors.count >= crop.frames else { return nil }
    let factor = factors.sorted()[factors.count / 2]
    guard factor > 0, factor.isFinite else { return nil }
    let (x, y) = (
      centers.map { $0.labelX - factor * $0.faceX }.sorted(),
      centers.map { $0.labelY - factor * $0.faceY }.sorted()
    )
    return (factor, x[x.count / 2], y[y.count / 2])
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
