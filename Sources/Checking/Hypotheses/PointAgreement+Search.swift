internal import FaceCore
internal import Metrics

extension PointAgreement {
  /// The other order that makes both sides agree, and the side that has it; nil where the order is right.
  func result() -> Result? {
    guard let before = error() else { return nil }
    let own = (labels: disorder(of: .labels), predictions: disorder(of: .predictions))
    if before < Limit.apart, max(own.labels ?? 1, own.predictions ?? 1) < Limit.least {
      return nil
    }
    func accepted(_ candidates: [Candidate]) -> Result? {
      candidates.compactMap { candidate -> Result? in
        guard let after = error(candidate), after <= Limit.error,
          isBetter(candidate, own: own, before: before, after: after),
          !isExplainedByPlace(candidate, after)
        else { return nil }
        return Result(candidate: candidate, before: before, after: after)
      }
      .min { $0.after < $1.after }
    }
    return accepted(named) ?? accepted(searched(before: before))
  }

  /// Orders of the smallest distances. Where the error is that of trackers a part of the points may be exchanged, such as both
  /// eyes: then an order must gain more than honest ones do.
  private func searched(before: Double) -> [Candidate] {
    if before >= Limit.error { return assigned() }
    guard before >= Limit.part, table.target.count <= Limit.mostOfPart else { return [] }
    return assigned().filter { (error($0) ?? .infinity) * Limit.blindRatio <= before }
  }

  private func isBetter(
    _ candidate: Candidate, own: (labels: Double?, predictions: Double?), before: Double,
    after: Double
  ) -> Bool {
    if candidate.isOfSides, before < Limit.error { return false }
    let (mine, other) =
      candidate.side == .labels ? (own.labels, own.predictions) : (own.predictions, own.labels)
    if let mine, let repaired = disorder(of: candidate.side, candidate) {
      guard repaired <= Limit.order else { return false }
      // Eyes in the place of the mouth still face each other.
      if case .order = candidate.change, faces.count >= Limit.blindFaces, before >= Limit.apart,
        after <= Limit.error / 2, after * 5 <= before
      {
        return true
      }
      return mine >= Limit.disorderRatio * repaired + Limit.least
        && after * Limit.errorRatio <= before
    }
    guard mine == nil, (other ?? 0) <= Limit.order else { return false }
    if other == nil, candidate.side == .labels { return false }
    guard before >= Limit.error, after * Limit.blindRatio <= before else { return false }
    return faces.count >= Limit.blindFaces
      || other != nil && after <= Limit.error / 2 && after * 5 <= before
  }

  /// Whether another way to count coordinates explains the error as well: not an order then, but a place.
  ///
  /// An order that was searched for has taken the tracker's own bias along.
  private func isExplainedByPlace(_ candidate: Candidate, _ after: Double) -> Bool {
    [FaceRepair.fromRight, .fromBelow, .exchangedAxes, .fractions].contains { repair in
      let error = error(repair: repair) ?? .infinity
      return switch candidate.change {
      case .order: error <= after * Limit.searched
      case .shift: error <= after * 1.2
      case .sides: error <= after * 1.2 && isNearer(repair, than: candidate)
      }
    }
  }

  /// The other way to count coordinates that brings the points of faces together whose boxes tell nothing of it; nil for
  /// none.
  func place() -> Place? {
    guard faces.count >= Limit.blindFaces, let before = error(), before >= Limit.error else {
      return nil
    }
    let sides = named.filter(\.isOfSides)
    let scales = [2.0, 0.5, 3, 1.0 / 3, 4, 0.25, 1.5, 2.0 / 3].map {
      FaceRepair.scale(x: ConventionSearch.rounded($0), y: ConventionSearch.rounded($0))
    }
    let repairs = [.fromRight, .fromBelow, .exchangedAxes, .fractions] + scales
    return repairs.compactMap { repair -> Place? in
      guard let after = error(repair: repair), after <= Limit.error,
        after * Limit.blindRatio <= before, sides.allSatisfy({ isNearer(repair, than: $0) })
      else { return nil }
      return Place(repair: repair, before: before, after: after)
    }
    .min { $0.after < $1.after }
  }

  /// Exchanged sides, or another way to count coordinates, of a part of the faces: others agree as they are. nil for none.
  func part() -> Part? {
    let now = errors()
    let sides = named.filter { $0.isOfSides && $0.side == .predictions }
    let scales = [2.0, 0.5].map { FaceRepair.scale(x: $0, y: $0) }
    let ways =
      sides.map { (repair: FaceRepair.sides, errors: errors($0)) }
      + ([.fromRight, .fromBelow, .exchangedAxes] + scales).map {
        (repair: $0, errors: errors(repair: $0))
      }
    return ways.compactMap { way -> Part? in
      let pairs = zip(now, way.errors).map { ($0 ?? .nan, $1 ?? .nan) }
      let wrong = pairs.indices.filter {
        let (own, other) = pairs[$0]
        return own >= Limit.error && other <= Limit.error && other * Limit.blindRatio <= own
      }
      let right = pairs.count { $0 <= Limit.error && $0 * Limit.blindRatio <= $1 }
      guard min(wrong.count, right) >= max(Limit.blindFaces, faces.count / 10),
        let before = wrong.map({ pairs[$0].0 }).median,
        let after = wrong.map({ pairs[$0].1 }).median
      else { return nil }
      return Part(
        repair: way.repair, frames: wrong.map { faces[$0].frame }, before: before, after: after)
    }
    .max { ($0.frames.count, $1.after) < ($1.frames.count, $0.after) }
  }

  /// Whether more faces are nearer to their labels with a repair than in another order.
  private func isNearer(_ repair: FaceRepair, than candidate: Candidate) -> Bool {
    let pairs = zip(errors(repair: repair), errors(candidate)).compactMap { own, other in
      own.flatMap { own in other.map { (own, $0) } }
    }
    return 2 * pairs.count { $0.0 < $0.1 } > pairs.count
  }

  /// Exchanged sides, and lists that begin one place late or early.
  private var named: [Candidate] {
    var candidates: [Candidate] = []
    for (side, scheme) in [(Side.predictions, table.source), (.labels, table.target)] {
      for step in [-1, 1] {
        let order = (0..<scheme.count).map { place -> Int? in
          (0..<scheme.count).contains(place + step) ? place + step : nil
        }
        candidates.append(Candidate(change: .shift(step), side: side, order: order))
      }
      if let others = scheme.otherSides {
        candidates.append(Candidate(change: .sides, side: side, order: others))
      }
    }
    return candidates
  }

  /// The orders in which mean distances are smallest.
  private func assigned() -> [Candidate] {
    var candidates: [Candidate] = []
    if let order = assignment({ $0.given }, count: table.source.count) {
      candidates.append(
        Candidate(change: .order, side: .predictions, order: order, isDirect: true))
    }
    if let order = assignment({ converted($0.given) }, count: table.target.count) {
      var inverse = [Int?](repeating: nil, count: table.target.count)
      for case (let place, let taken?) in order.enumerated() { inverse[taken] = place }
      candidates.append(Candidate(change: .order, side: .labels, order: inverse))
    }
    return candidates
  }

  private func assignment(_ points: (Face) -> [Point?], count: Int) -> [Int?]? {
    let rows = table.target.count
    var sums = [Double](repeating: 0, count: rows * count)
    var counts = [Int](repeating: 0, count: rows * count)
    for face in faces.prefix(100) {
      let given = points(face)
      for case (let row, let label?) in face.labelled.enumerated() {
        for case (let column, let point?) in given.enumerated() {
          sums[row * count + column] += label.distance(to: point) / face.size
          counts[row * count + column] += 1
        }
      }
    }
    let costs = zip(sums, counts).map { $1 == 0 ? nil : $0 / Double($1) }
    guard let highest = costs.compactMap(\.self).max(), highest.isFinite,
      let weights = try? PairWeights(
        rows: rows, columns: count, frame: 0,
        weight: { row, column in costs[row * count + column].map { 1 + highest - $0 } ?? 0 })
    else { return nil }
    return MaximumAssignment.columns(weights)
  }
}
