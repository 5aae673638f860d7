internal import FaceCore
internal import Foundation
package import Records

/// Coordinates and boxes of one side that are written by another convention; of several that fit, the best.
package enum CoordinatesCheck: FindingCheck {
  package static let names = [
    "coordinates.fractions", "coordinates.scale", "coordinates.exchanged-axes",
    "coordinates.from-below", "coordinates.from-right", "coordinates.offset", "images.rotated",
    "boxes.corners", "boxes.centre",
  ]

  /// Those that lead motion to another side.
  static let turned = [
    "coordinates.exchanged-axes", "coordinates.from-below", "coordinates.from-right",
    "images.rotated",
  ]

  package static func findings(in sample: JoinedSample) -> [Finding] {
    let search = ConventionSearch(sample)
    if let best = search.best() { return [finding(best, search, sample)] }
    if let points = PointAgreement(sample), let place = points.place(), search.allows(place.repair)
    {
      return [finding(place, points, sample)]
    }
    if let offset = ConstantOffset(sample) { return [finding(offset, sample)] }
    return withoutSizes(search, sample).map { [$0] } ?? []
  }

  private static func finding(
    _ found: ConventionSearch.Hypothesis, _ search: ConventionSearch, _ sample: JoinedSample
  ) -> Finding {
    let (before, after) = (search.before, found.fit)
    let byOverlap = after.share - before.share >= ConventionSearch.Limit.gain
    let distanceAfter =
      found.repairs.contains(.sides) ? after.exchangedDistance : after.namedDistance
    let isByDistance = !byOverlap && before.distance != nil && after.distance != nil
    let areFractions =
      !found.isOfLabels && !found.repairs.contains(.fractions) && search.areFractions(\.faces)
    return Finding(
      areFractions ? "coordinates.fractions" : name(of: found.repairs), .suspect,
      areFractions
        ? "Predictions are fractions of the image's sides, and no size of the images is known."
        : summary(found.repairs, ofLabels: found.isOfLabels),
      statistic: isByDistance
        ? "median distance of eyes and mouth from the labels, in sizes of the face"
        : byOverlap ? "share of labelled faces found at IoU .50" : "mean IoU of labelled faces",
      before: isByDistance ? before.namedDistance : byOverlap ? before.share : before.mean,
      after: isByDistance ? distanceAfter : byOverlap ? after.share : after.mean, n: before.count,
      remedy: remedy(found.repairs, ofLabels: found.isOfLabels),
      frames: search.frames(of: found).map { sample.frames[$0].named })
  }

  /// Of faces in the middle of their images, whose boxes are where they belong in either convention.
  private static func finding(
    _ place: PointAgreement.Place, _ points: PointAgreement, _ sample: JoinedSample
  ) -> Finding {
    let isOfLabels = sample.format == nil
    return Finding(
      name(of: [place.repair]), .suspect, summary([place.repair], ofLabels: isOfLabels),
      statistic: PointsCheck.statistic, before: place.before, after: place.after,
      n: points.faces.count, remedy: remedy([place.repair], ofLabels: isOfLabels),
      frames: points.worst(5).map { sample.frames[$0].named })
  }

  private static func finding(_ offset: ConstantOffset, _ sample: JoinedSample) -> Finding {
    let isOfLabels = sample.format == nil
    let sign: Double = isOfLabels ? -1 : 1
    let move = FaceRepair.move(x: sign * offset.step.x, y: sign * offset.step.y)
    return Finding(
      "coordinates.offset", .suspect, summary([move], ofLabels: isOfLabels),
      statistic: "distance of boxes from the labels in pixels, the same for all faces",
      before: (offset.step.x * offset.step.x + offset.step.y * offset.step.y).squareRoot(),
      after: 0,
      n: offset.count, remedy: remedy([move], ofLabels: isOfLabels),
      frames: offset.frames.map { sample.frames[$0].named })
  }

  /// Fractions that nothing can be made of, because no image's size is known.
  private static func withoutSizes(_ search: ConventionSearch, _ sample: JoinedSample) -> Finding? {
    let scenes = search.agreement.scenes.filter { $0.size.width == 0 || $0.size.height == 0 }
    guard search.before.found == 0, search.before.count >= ConventionSearch.Limit.faces,
      scenes.count == search.agreement.scenes.count, search.areFractions(\.faces),
      !search.areFractions(\.labels)
    else { return nil }
    return Finding(
      "coordinates.fractions", .suspect,
      "Predictions are smaller than a pixel, as fractions of the image's sides are.",
      statistic: "share of labelled faces found at IoU .50", before: 0, n: search.before.count,
      remedy:
        "Import the labels again with their images (--images), and the predictions with --repair fractions.",
      frames: scenes.prefix(5).map { sample.frames[$0.frame].named })
  }

  // MARK: - Words

  private static func name(of repairs: [FaceRepair]) -> String {
    let axes = Set(repairs).intersection([.exchangedAxes, .fromBelow, .fromRight])
    if axes.count > 1 { return "images.rotated" }
    let names: [(FaceRepair, String)] = [
      (.exchangedAxes, "coordinates.exchanged-axes"), (.fromBelow, "coordinates.from-below"),
      (.fromRight, "coordinates.from-right"),
    ]
    if let named = names.first(where: { axes.contains($0.0) }) { return named.1 }
    switch repairs.first {
    case .fractions: return "coordinates.fractions"
    case .scale: return "coordinates.scale"
    case .move: return "coordinates.offset"
    case .center: return "boxes.centre"
    default: return "boxes.corners"
    }
  }

  private static func summary(_ repairs: [FaceRepair], ofLabels: Bool) -> String {
    let sides = ofLabels ? ["Labels", "the predictions"] : ["Predictions", "the labels"]
    let turn = name(of: repairs) == "images.rotated" ? ", as in an image that was turned" : ""
    return
      "\(sides[0]) agree with \(sides[1]) if \(clauses(repairs).joined(separator: " and "))\(turn)."
  }

  private static func clauses(_ repairs: [FaceRepair]) -> [String] {
    if repairs.count > 1, case .scale(let x, let y) = repairs[0], repairs[1] == .fractions {
      let side = { (factor: Double) in String(format: "%.0f", 1 / factor) }
      let first =
        x == 0.01 && y == 0.01
        ? "they are taken as percent of the image's sides"
        : x == 0.001 && y == 0.001
          ? "they are taken as thousandths of the image's sides"
          : "they are taken as of images of \(side(x))x\(side(y)) pixels"
      return [first] + clauses(Array(repairs.dropFirst(2)))
    }
    return repairs.compactMap { repair in
      switch repair {
      case .fractions: "they are taken as fractions of the image's sides"
      case .scale(let x, let y):
        x == y
          ? "they are multiplied by \(short(x))"
          : "x is multiplied by \(short(x)), y by \(short(y))"
      case .exchangedAxes: "x and y are exchanged"
      case .fromBelow: "y is counted from the lower edge"
      case .fromRight: "x is counted from the right edge"
      case .move(let x, let y): "x is moved by \(short(x)) and y by \(short(y)) pixels"
      case .corners: "width and height of boxes are taken as the far corner"
      case .center: "x and y of boxes are taken as the centre"
      case .sides: "left and right of points are exchanged"
      default: nil
      }
    }
  }

  private static func short(_ value: Double) -> String { String(format: "%.4g", value) }

  private static func remedy(_ repairs: [FaceRepair], ofLabels: Bool) -> String {
    let options = repairs.map { "--repair \($0.text)" }.joined(separator: " ")
    return "Import the \(ofLabels ? "labels" : "predictions") again with \(options)."
  }
}
