internal import FaceCore
internal import Metrics
package import Records

/// Checks whether points stand in the order of their scheme, and are points at all.
package enum PointsCheck: FindingCheck {
  /// Sides exchanged, a list that is shifted, another order, places for missing points, another scheme.
  package static let names = [
    "points.sides", "points.shift", "points.order", "points.missing", "points.scheme",
  ]

  /// What it finds, one finding at most.
  package static func findings(in sample: JoinedSample) -> [Finding] {
    let order = PointAgreement(sample)
    if let order, let part = order.part() {
      return part.repair == .sides ? [finding(part, of: order, in: sample)] : []
    }
    let result = order?.result()
    if let order, let result { return [finding(result, of: order, in: sample)] }
    let found = missing(in: sample)?.finding ?? order.flatMap { foreign($0, in: sample) }
    return found.map { [$0] } ?? []
  }

  /// Of a part of the faces, which one option for all would not mend.
  static func finding(
    _ part: PointAgreement.Part, of order: PointAgreement, in sample: JoinedSample
  ) -> Finding {
    let areSides = part.repair == .sides
    return Finding(
      areSides ? "points.sides" : "coordinates.points", .suspect,
      "Points agree in \(part.frames.count) of \(order.faces.count) faces of the sample if "
        + (areSides
          ? "left and right are exchanged" : "they are read with --repair \(part.repair.text)")
        + ", and in others as they are.",
      statistic: statistic, before: part.before, after: part.after, n: part.frames.count,
      remedy:
        "Write these faces as the others are, predictions or labels: --repair \(part.repair.text) on all would turn "
        + "the others wrong.",
      frames: sample.named(part.frames))
  }

  static let statistic = "median distance of points, as a share of the face's size"

  private static func finding(
    _ result: PointAgreement.Result, of order: PointAgreement, in sample: JoinedSample
  ) -> Finding {
    let (side, candidate) = (result.candidate.side, result.candidate)
    let scheme = side == .labels ? order.table.target : order.table.source
    let (name, summary, remedy): (String, String, String)
    switch candidate.change {
    case .sides:
      name = "points.sides"
      summary =
        "Points agree if left and right of the \(side.rawValue) are exchanged."
      remedy = side.remedy(.sides)
    case .shift(let step):
      name = "points.shift"
      summary =
        "The \(side.adjective) points stand one place too \(step > 0 ? "late" : "early") in their "
        + "list."
      remedy = mapping(side, candidate.order, scheme)
    case .order:
      name = "points.order"
      let moved = candidate.order.enumerated().count { $1 != nil && $1 != $0 }
      let isOfOneScheme = order.table.source == order.table.target || side == .labels
      summary =
        "The \(side.adjective) points are not in the order of \(scheme.name)"
        + (isOfOneScheme
          ? ": \(moved) of \(candidate.order.count { $0 != nil }) lie where others belong." : ".")
      remedy = mapping(side, isOfOneScheme ? candidate.order : [], scheme)
    }
    return Finding(
      name, .suspect, summary, statistic: statistic, before: result.before, after: result.after,
      n: order.faces.count, remedy: remedy, frames: sample.named(order.worstFirst))
  }

  /// How to import a side again by a table of our points to theirs.
  private static func mapping(
    _ side: Side, _ order: [Int?], _ scheme: LandmarkScheme
  ) -> String {
    // Where most stay the others tell more.
    let moved = order.enumerated().count { $1 != nil && $1 != $0 }
    let isPart = 2 * moved < order.count { $0 != nil }
    let entries = order.enumerated().compactMap { place, taken in
      taken.flatMap { isPart && $0 == place ? nil : "\"\(place)\": \($0)" }
    }
    let table =
      entries.isEmpty
      ? "a table of the points of \(scheme.name) to theirs"
      : "whose points of \(scheme.name) are \(isPart ? "as they stand but for " : ""){"
        + entries.prefix(6).joined(separator: ", ")
        + (entries.count > 6 ? ", …" : "") + "}"
    // The order that an import reads is not stored: names, a table and the faces may each have changed it.
    let places =
      entries.isEmpty
      ? ""
      : " Numbers after colons count points as they were read: where that was by names, by --points or as the faces "
        + "show, replace each by the number of that point in the file."
    return "Import the \(side.rawValue) again with --points mapping.json, \(table).\(places)"
  }

  /// Places for missing points, and the side that has them.
  static func missing(in sample: JoinedSample) -> (of: Side, finding: Finding)? {
    var (labels, predictions) = (MissingPoints(), MissingPoints())
    for joined in sample.frames {
      for set in joined.labels.flatMap(\.comparedLandmarks) {
        labels.look(at: set.known, in: joined.named)
      }
      for face in joined.prediction.faces where !face.points.isEmpty {
        predictions.look(at: face.known, in: joined.named)
      }
    }
    return labels.finding(of: .labels).map { (.labels, $0) }
      ?? predictions.finding(of: .predictions).map { (.predictions, $0) }
  }

  /// Points of which only the number is that of their scheme.
  private static func foreign(_ order: PointAgreement, in sample: JoinedSample) -> Finding? {
    typealias Limit = PointAgreement.Limit
    guard order.faces.count >= Limit.foreignFaces, let error = order.error(),
      error >= Limit.error
    else { return nil }
    let sides = [Side.labels, .predictions]
    let disorders = sides.map { order.disorder(of: $0) }
    guard let wrong = disorders.firstIndex(where: { Limit.foreign.contains($0 ?? 0) }),
      disorders[1 - wrong].map({ $0 <= Limit.order }) ?? false
    else { return nil }
    let side = sides[wrong]
    let scheme = side == .labels ? order.table.target : order.table.source
    return Finding(
      "points.scheme", .suspect,
      "The \(side.adjective) points have the number of \(scheme.name) and not its geometry: left "
        + "and right points do not face each other.",
      statistic: statistic, before: error, n: order.faces.count,
      remedy: "Import the \(side.rawValue) again with --scheme and the points' scheme, or with "
        + "--points mapping.json.",
      frames: sample.named(order.faces.map(\.frame)))
  }
}
