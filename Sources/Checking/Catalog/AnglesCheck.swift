internal import FaceCore
package import Records

/// Checks whether the angles of heads are in our unit, order, signs and camera axes.
package enum AnglesCheck: FindingCheck {
  /// Axes of another camera, units, exchanged angles, signs.
  package static let names = [
    "angles.axes", "angles.radians", "angles.degrees", "angles.order", "angles.signs",
  ]

  /// What decides; tuned on honest pairs and planted mistakes.
  private enum Limit {
    /// Fewer heads tell neither signs nor units.
    static let faces = 12
    /// The standard deviation of a labelled angle that tells its sign; frontal faces are silent.
    static let spread = 5.0
    /// A sign is wrong where labels and predictions correlate by this the other way round.
    static let correlation = 0.7
    /// Predictions of an exchanged angle do not correlate with their own label.
    static let unrelated = 0.4
    /// Predicted angles move by this share of the labels' at least, with either sign.
    static let slope = 0.3
    /// π / 180 is .0175: heads that move by so little are in another unit.
    static let unit = 0.008...0.035
    /// The error falls by this at least; a constant offset between models does not hide it.
    static let errorRatio = 1.3
    /// Axes of another camera are half a turn away; then errors are those of trackers, below 30°.
    static let axes = (before: 120.0, after: 30.0, ratio: 3.0)
    /// Angles that wrap around lie beyond 60° in this many more faces than labels do, and no one turn mends them.
    static let wrapped = (beyond: 60.0, share: 0.4, error: 45.0)
  }

  /// What it finds, one finding at most.
  package static func findings(in sample: JoinedSample) -> [Finding] {
    let heads = sample.pairs.compactMap { pair -> HeadPair? in
      let (_, label, face) = sample.faces(of: pair)
      return HeadPair(frame: pair.frame, label, face)
    }
    guard heads.count >= Limit.faces else { return [] }
    // In clips in which few heads turn, the others say nothing of signs and units.
    let turned = turned(heads)
    let telling = turned.count >= Limit.faces ? turned : heads
    let found =
      axes(heads, in: sample) ?? radians(telling, in: sample) ?? order(telling, in: sample)
      ?? signs(telling, in: sample) ?? degrees(telling, in: sample)
      ?? SeveralAngles(telling, least: (Limit.spread, Limit.correlation)).flatMap {
        several($0, telling, in: sample)
      }
    return found.map { [$0] } ?? []
  }

  /// The heads that the labels have turned away from their median by what tells signs.
  private static func turned(_ heads: [HeadPair]) -> [HeadPair] {
    let medians = HeadPair.axes.map { axis in
      heads.map { axis.value($0.labelAngles) }.median ?? 0
    }
    return heads.filter { head in
      zip(HeadPair.axes, medians).contains { abs($0.value(head.labelAngles) - $1) >= Limit.spread }
    }
  }

  private static func finding(
    _ name: String, _ summary: String, after: Double, remedy: String, _ heads: [HeadPair],
    in sample: JoinedSample
  ) -> Finding {
    Finding(
      name, .suspect, summary, statistic: "median angle between poses, in degrees",
      before: HeadPair.error(heads), after: after, n: heads.count, remedy: remedy,
      frames: HeadPair.frames(heads, of: sample))
  }

  private static func axes(_ heads: [HeadPair], in sample: JoinedSample) -> Finding? {
    let before = HeadPair.error(heads)
    guard before >= Limit.axes.before else { return nil }
    let turns = [
      ("x", Rotation(w: 0, x: 1, y: 0, z: 0)), ("y", Rotation(w: 0, x: 0, y: 1, z: 0)),
      ("z", Rotation(w: 0, x: 0, y: 0, z: 1)),
    ]
    let tried = turns.flatMap { axis, turn in
      [
        (axis, "camera", HeadPair.error(heads) { turn * $0 }),
        (axis, "head", HeadPair.error(heads) { $0 * turn }),
      ]
    }
    guard let (axis, of, after) = tried.min(by: { $0.2 < $1.2 }), after <= Limit.axes.after,
      after * Limit.axes.ratio <= before
    else { return nil }
    let opencv = axis == "x" ? ", as OpenCV's axes (y down, z ahead) are from OpenGL's" : ""
    return finding(
      "angles.axes",
      "Predicted poses are turned by 180° about the \(of)'s \(axis) axis from the labels\(opencv).",
      after: after,
      remedy: "Turn the predicted poses by 180° about the \(of)'s \(axis) axis, and import the "
        + "predictions again.", heads, in: sample)
  }

  private static func radians(_ heads: [HeadPair], in sample: JoinedSample) -> Finding? {
    for side in [Side.predictions, .labels] {
      let pairs = side == .predictions ? heads : heads.map(\.exchanged)
      let relations = HeadPair.axes.map { HeadRelation(pairs, $0.value, $0.value) }
        .filter { $0.spread >= Limit.spread }
      guard let common = HeadRelation(relations), common.correlation >= Limit.correlation,
        Limit.unit.contains(common.slope),
        relations.allSatisfy({ abs($0.slope) <= Limit.unit.upperBound })
      else { continue }
      let after = HeadPair.error(
        pairs.map { pair in
          pair.changed { ($0.pitch * 180 / .pi, $0.yaw * 180 / .pi, $0.roll * 180 / .pi) }
        })
      return finding(
        "angles.radians",
        "The angles of the \(side.rawValue) are radians that were read as degrees.",
        after: after, remedy: side.remedy(.radians), heads, in: sample)
    }
    return nil
  }

  private static func order(_ heads: [HeadPair], in sample: JoinedSample) -> Finding? {
    let (yaw, pitch) = (HeadPair.axes[0].value, HeadPair.axes[1].value)
    let crossed = [HeadRelation(heads, yaw, pitch), HeadRelation(heads, pitch, yaw)]
    let own = [HeadRelation(heads, yaw, yaw), HeadRelation(heads, pitch, pitch)]
    guard crossed.allSatisfy({ $0.spread >= Limit.spread }),
      crossed.allSatisfy({ $0.correlation >= Limit.correlation && $0.slope >= Limit.slope }),
      own.allSatisfy({ abs($0.correlation) <= Limit.unrelated })
    else { return nil }
    let after = HeadPair.error(
      heads.map { $0.changed { (pitch: $0.yaw, yaw: $0.pitch, roll: $0.roll) } })
    guard after * Limit.errorRatio <= HeadPair.error(heads) else { return nil }
    return finding(
      "angles.order", "Yaw and pitch of the predictions are exchanged.", after: after,
      remedy: Side.predictions.remedy(.exchangedAngles), heads, in: sample)
  }

  private static func signs(_ heads: [HeadPair], in sample: JoinedSample) -> Finding? {
    var wrong = HeadPair.axes.filter { axis in
      let relation = HeadRelation(heads, axis.value, axis.value)
      return relation.spread >= Limit.spread && relation.correlation <= -Limit.correlation
        && relation.slope <= -Limit.slope
    }
    .map(\.name)
    guard !wrong.isEmpty else { return nil }
    func error(without signs: [String]) -> Double {
      func sign(_ axis: String) -> Double { signs.contains(axis) ? -1 : 1 }
      return HeadPair.error(
        heads.map { pair in
          pair.changed {
            (sign("pitch") * $0.pitch, sign("yaw") * $0.yaw, sign("roll") * $0.roll)
          }
        })
    }
    var after = error(without: wrong)
    guard after * Limit.errorRatio <= HeadPair.error(heads) else { return nil }
    // Where angles are small, an inverse is hardly more than the other sign of all three.
    let all = HeadPair.axes.map(\.name)
    let inverted = HeadPair.error(heads) { $0.inverse }
    if wrong == all || inverted * Limit.errorRatio <= after {
      let ofAll = error(without: all)
      if inverted < ofAll {
        let option = FaceRepair.negated(all).text
        return finding(
          "angles.axes", "Predicted rotations are inverted: they lead from the camera to the head.",
          after: inverted,
          remedy: "Transpose the predicted rotations, and import the predictions again."
            + (ofAll <= inverted * Limit.errorRatio
              ? " Of angles, --repair \(option) does nearly the same." : ""),
          heads,
          in: sample)
      }
      (wrong, after) = (all, ofAll)
    }
    return finding(
      "angles.signs",
      "Predicted heads turn the other way: \(turnedAround(wrong)).", after: after,
      remedy: Side.predictions.remedy(.negated(wrong)), heads, in: sample)
  }

  private static func turnedAround(_ angles: [String]) -> String {
    "the sign of \(angles.joined(separator: " and ")) is turned around"
  }

  /// Several mistakes at once, each of which the others hide.
  private static func several(
    _ found: SeveralAngles, _ heads: [HeadPair], in sample: JoinedSample
  ) -> Finding? {
    let slopes = found.slopes.map(abs)
    let areRadians = slopes.allSatisfy { Limit.unit.contains($0) }
    guard areRadians || slopes.allSatisfy({ $0 >= Limit.slope }),
      found.ownCorrelations.allSatisfy({ abs($0) <= Limit.unrelated })
    else { return nil }
    let after = HeadPair.error(heads.map { found.repaired($0, areRadians: areRadians) })
    guard after * Limit.errorRatio <= HeadPair.error(heads) else { return nil }
    var mistakes: [(words: String, repair: FaceRepair)] = []
    if areRadians { mistakes.append(("they are radians that were read as degrees", .radians)) }
    if !found.isInOrder { mistakes.append((found.order, .exchangedAngles)) }
    if !found.turned.isEmpty {
      mistakes.append((turnedAround(found.turned), .negated(found.turned)))
    }
    return finding(
      areRadians ? "angles.radians" : found.isInOrder ? "angles.signs" : "angles.order",
      "Predicted angles agree with the labels if "
        + mistakes.map(\.words).joined(separator: ", and ") + ".",
      after: after,
      remedy: found.isInOrder || found.isOfYawAndPitch
        ? Side.predictions.remedy(mistakes.map(\.repair))
        : "Write the predicted angles in that way, and import the predictions again.", heads,
      in: sample)
  }

  private static func degrees(_ heads: [HeadPair], in sample: JoinedSample) -> Finding? {
    for side in [Side.predictions, .labels] {
      let pairs = side == .predictions ? heads : heads.map(\.exchanged)
      let share = HeadPair.share(pairs.map(\.givenAngles), beyond: Limit.wrapped.beyond)
      let known = HeadPair.share(pairs.map(\.labelAngles), beyond: Limit.wrapped.beyond)
      guard share - known >= Limit.wrapped.share,
        HeadPair.alignedError(pairs) >= Limit.wrapped.error
      else { continue }
      return Finding(
        "angles.degrees", .suspect,
        "The poses of the \(side.rawValue) are turned in all directions, as degrees are that were "
          + "read as radians.",
        statistic: "share of heads of the \(side.rawValue) with an angle beyond 60°",
        before: share, n: heads.count,
        remedy: side.remedy(.degrees), frames: HeadPair.frames(heads, of: sample))
    }
    return nil
  }
}
