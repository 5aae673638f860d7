internal import FaceCore
internal import Foundation
internal import Platform
package import Records

/// Checks whether the positions of heads are in centimetres, as labels and predictions are compared, and of the same camera.
package enum PositionsCheck: FindingCheck {
  package static let names = ["positions.unit", "positions.camera"]

  /// What decides.
  private enum Limit {
    /// Fewer heads tell no unit.
    static let faces = 12
    /// How far the decimal logarithm of the median ratio may be from a whole number other than 0: a camera whose focal
    /// length is not known makes heads some times nearer or farther, and hardly ten times to within 1.6.
    static let distance = 0.2
    /// How far those of nine heads of ten may be from the median's: one unit is the same for all.
    static let steadiness = 0.2
    /// Units are metres to micrometres.
    static let powers = 1.0...4.0
    /// The distance at which heads mostly are, in centimetres: labels that are three times as far off are the wrong ones.
    static let usual = 60.0
    /// Three times, as a decimal logarithm.
    static let farther = 0.5
    /// What MediaPipe's camera sees from top to bottom, in degrees.
    static let fieldOfView = 63.0
    /// How far the assumed camera must be from the dataset's, as the logarithm of the ratio of their focal lengths.
    static let camera = 0.05
  }

  /// A labelled head and what was predicted of it.
  private struct Head {
    let frame: Int
    let label: Double
    let given: Double
    /// How much farther heads come out where MediaPipe's camera is assumed in place of the labelled one.
    let assumed: Double?
  }

  package static func findings(in sample: JoinedSample) -> [Finding] {
    let heads = sample.pairs.compactMap { pair -> Head? in
      let (joined, label, face) = sample.faces(of: pair)
      guard let label = distance(label.pose), let given = distance(face.pose) else { return nil }
      return Head(frame: pair.frame, label: label, given: given, assumed: assumed(joined))
    }
    guard heads.count >= Limit.faces else { return [] }
    return [unit(heads, in: sample) ?? camera(heads, in: sample)].compactMap(\.self)
  }

  /// Positions of MediaPipe's camera, where the dataset states another one: always those of our own pipeline, those of other
  /// trackers where that explains them.
  private static func camera(_ heads: [Head], in sample: JoinedSample) -> Finding? {
    let known = heads.compactMap { head in head.assumed.map { (head: head, factor: $0) } }
    guard known.count >= Limit.faces else { return nil }
    let factor = known.map(\.factor).median ?? 1
    let ratio = known.map { $0.head.given / $0.head.label }.median ?? 1
    let isExplained = abs(log(ratio / factor)) <= abs(log(ratio)) / 2
    guard abs(log(factor)) >= Limit.camera, sample.format == nil || isExplained else { return nil }
    let angle = 2 * atan(factor * tan(Limit.fieldOfView / 2 * .pi / 180)) * 180 / .pi
    return Finding(
      names[1], .note,
      "The positions of predicted heads are those of a camera that sees 63° from top to bottom, as MediaPipe "
        + "assumes; the dataset's sees \(angle.rounded().plainText)°, which makes distances "
        + "\(factor.shortText()) times as long.",
      statistic: "median ratio of predicted to labelled distances of heads",
      before: ratio, after: ratio / factor, n: known.count,
      remedy: "Divide predicted positions by \(factor.shortText()) where this camera is used.",
      frames: sample.named(known.map(\.head.frame)))
  }

  private static func assumed(_ joined: JoinedFrame) -> Double? {
    guard let focalLength = joined.focalLength, focalLength > 0, joined.size.height > 0 else {
      return nil
    }
    let own = Double(joined.size.height) / 2 / tan(Limit.fieldOfView / 2 * .pi / 180)
    return own / focalLength
  }

  private static func unit(_ heads: [Head], in sample: JoinedSample) -> Finding? {
    let ratios = heads.map { log10($0.given / $0.label) }
    let middle = ratios.median ?? 0
    let power = middle.rounded()
    let steady = ratios.count { abs($0 - middle) <= Limit.steadiness }
    guard Limit.powers.contains(abs(power)), abs(middle - power) <= Limit.distance,
      steady * 10 >= ratios.count * 9
    else { return nil }
    func unlikelihood(_ distances: [Double]) -> Double {
      abs(log10((distances.median ?? Limit.usual) / Limit.usual))
    }
    let isOfLabels =
      unlikelihood(heads.map(\.label)) > unlikelihood(heads.map(\.given)) + Limit.farther
    let exponent = isOfLabels ? -power : power
    let factor = pow(10, exponent)
    let words = [-2.0: ", as metres are", 1: ", as millimetres are"][exponent] ?? ""
    let (side, other) = isOfLabels ? ("labelled", "predicted") : ("predicted", "labelled")
    return Finding(
      names[0], .suspect,
      "The distances of \(side) heads are \(factor.plainText) times those of the \(other) ones\(words).",
      statistic: "median ratio of predicted to labelled distances of heads",
      before: pow(10, middle), after: pow(10, middle - power), n: heads.count,
      remedy:
        "Write the translations of \(side) poses in centimetres, \(times(1 / factor)) as large, "
        + "and \(isOfLabels ? "import the labels" : "track or import") again.",
      frames: sample.named(heads.map(\.frame)))
  }

  private static func times(_ factor: Double) -> String {
    factor >= 1 ? "\(factor.rounded().plainText) times" : "\(factor.shortText()) times"
  }

  private static func distance(_ pose: HeadPose?) -> Double? {
    guard let matrix = pose?.matrix else { return nil }
    let position = SIMD3(Double(matrix[3]), Double(matrix[7]), Double(matrix[11]))
    let distance = (position * position).sum().squareRoot()
    return distance.isFinite && distance > 0 ? distance : nil
  }
}
