internal import FaceCore
internal import Metrics
package import Records

/// Checks whether coefficients are fractions that stand in their own places.
package enum CoefficientsCheck: FindingCheck {
  /// Percent, bytes, 1 for rest, sides exchanged, a list that is shifted, another order, coefficients that never move.
  package static let names = [
    "coefficients.percent", "coefficients.bytes", "coefficients.inverted", "coefficients.sides",
    "coefficients.slots", "coefficients.order",
    "coefficients.dead",
  ]

  /// What decides; tuned on honest pairs and planted mistakes.
  private enum Limit {
    /// One second of video; correlations of less mean nothing.
    static let faces = 30
    /// More faces change no correlation much.
    static let sample = 400
    /// Coefficients beyond their range reach 1.1 in ARKit's recordings; percent of lively faces are tens.
    static let percent = 5.0
    /// Beyond this numbers are no coefficients, and no percent of them: trackers overshoot 100 a little.
    static let mostPercent = 1000.0
    /// So many faces of either unit in one file are no outliers.
    static let mixed = 5
    /// The highest of bytes of lively faces; percent that overshoot are told apart by the error.
    static let bytes = 120.0...256
    /// The least of those that may be thousandths: percent do not overshoot so far.
    static let thousandths = 300.0
    /// The most of those that may be tenths; percent of faces at rest are told apart by the error.
    static let tenths = 15.0
    /// Faces of fractions among those of percent reach so far on the other side.
    static let moving = 0.1
    /// Variance of a coefficient that moves, by .03; the metrics' dead ones have 1e-6.
    static let variance = 1e-3
    static let deadVariance = 1e-6
    /// Fewer moving coefficients than this are a matter of chance.
    static let channels = 6
    static let sides = 2
    /// A right order correlates by this at least in each half of the frames, and by this more than the order as it is.
    static let correlation = 0.4
    static let gain = 0.2
    /// A tracker that follows the labels less well: so many times more than as it is, of so many channels, by so many faces
    /// in each half, where chance gives a mean of about 0.02.
    static let weak = (correlation: 0.15, factor: 3.0, channels: 16, faces: 100)
    /// In so many frames sides do not seem exchanged by chance; nor in this share of the videos where they are shorter.
    static let video = (frames: 100, share: 0.25)
    /// The differences of sides have the opposite sign: a tracker that confuses sides at random is near 0.
    static let opposite = -0.5
    /// An order that was fitted to one half of the frames correlates so in the other, where the order as it is does not.
    static let fitted = (before: 0.3, after: 0.6)
  }

  /// What it finds, one finding at most.
  package static func findings(in sample: JoinedSample) -> [Finding] {
    let pairs = CoefficientPairs(sample).rows
    guard pairs.count >= Limit.faces else { return [] }
    let step = max(1, pairs.count / Limit.sample)
    let all = CoefficientPairs(
      stride(from: 0, to: pairs.count, by: step).map { pairs[$0] })
    guard max(all.highest(\.labelled), all.highest(\.given)) <= Limit.mostPercent else { return [] }
    let found =
      percentAlone(all, in: sample) ?? mixed(all, in: sample) ?? inParts(all, in: sample)
      ?? inverted(all, in: sample) ?? sidesOfVideos(pairs, in: sample) ?? moved(all, in: sample)
      ?? order(all, in: sample) ?? exchangedDirections(all, in: sample)
      ?? invertedAlone(all, in: sample) ?? dead(all, in: sample)
    return found.map { [$0] } ?? []
  }

  /// Exchanged sides or a shifted list, whichever fits the labels more: neighbours in the list are often both sides of one.
  private static func moved(_ all: CoefficientPairs, in sample: JoinedSample) -> Finding? {
    let sides = sides(all, in: sample)
    guard let slots = slots(all, in: sample) else { return sides }
    let exchanged = all.correlations(Blendshape.otherSides, variance: Limit.variance)?.after
    return sides != nil && (exchanged ?? -1) > slots.after ?? 1 ? sides : slots
  }

  /// Percent of some faces of a side and fractions of the others, as in two files that were joined.
  private static func mixed(_ all: CoefficientPairs, in sample: JoinedSample) -> Finding? {
    typealias Values = (CoefficientPairs.Row) -> [Float]
    let sides: [(Side, Values, others: Values, divisor: Float, unit: Double)] = [
      (.predictions, \.given, \.labelled, 100, 1), (.labels, \.labelled, \.given, 0.01, 100),
    ]
    for (side, values, others, divisor, unit) in sides {
      func isPercent(_ row: CoefficientPairs.Row) -> Bool {
        values(row).contains { $0 > FaceRepair.highestFraction }
      }
      let percent = CoefficientPairs(all.rows.filter(isPercent))
      let fractions = CoefficientPairs(all.rows.filter { !isPercent($0) })
      guard min(percent.rows.count, fractions.rows.count) >= Limit.mixed,
        percent.highest(values) >= Limit.percent, let before = all.error(),
        let percentAsIs = percent.error(), let divided = percent.error(divisor: divisor),
        let fractionsAsIs = fractions.error(), let wrong = fractions.error(divisor: divisor),
        divided / unit < percentAsIs,
        fractionsAsIs < wrong / unit || fractions.largest(others).median ?? 0 >= Limit.moving
      else { continue }
      let parts = parts(percent, of: side, asPercent: divided)
      let after = parts?.error ?? divided
      let (part, rest) = (Double(percent.rows.count), Double(fractions.rows.count))
      let name = sample.names[side]
      return Finding(
        parts?.name ?? "coefficients.percent", .suspect,
        "The coefficients of the \(name) are \(parts?.word ?? "percent") in \(percent.rows.count) of "
          + "\(all.rows.count) faces of the sample, and fractions in the others.",
        statistic: "mean difference of coefficients", before: before,
        after: (after / (parts.map { side == .labels ? $0.divisor : 1 } ?? unit) * part
          + fractionsAsIs * rest)
          / (part + rest), n: all.rows.count,
        remedy: parts.map {
          "Divide the coefficients of faces that reach beyond \(FaceRepair.highestFraction) by \(Int($0.divisor)), "
            + "and import the \(name) again."
        }
          ?? "Import the \(name) again with --repair \(FaceRepair.mixedPercent.text), which "
          + "divides those of faces that reach beyond \(FaceRepair.highestFraction).",
        frames: percent.shown(of: sample))
    }
    return nil
  }

  /// Fractions that are written in hundredths, or in 255ths.
  private static func inParts(_ all: CoefficientPairs, in sample: JoinedSample) -> Finding? {
    let (labelled, given) = (all.highest(\.labelled), all.highest(\.given))
    guard min(labelled, given) < Limit.percent / 2, max(labelled, given) >= Limit.percent,
      let before = all.error(), let after = all.error(divisor: labelled < given ? 100 : 0.01)
    else { return nil }
    let side = labelled < given ? Side.predictions : .labels
    let parts = parts(all, of: side, asPercent: after)
    let name = sample.names[side]
    return all.finding(
      parts?.name ?? "coefficients.percent",
      "The coefficients of the \(name) reach \(Int(max(labelled, given).rounded())): they are "
        + "\(parts?.word ?? "percent"), not fractions.",
      statistic: "mean difference of coefficients", before: before,
      after: (parts?.error ?? after) / (side == .labels ? parts?.divisor ?? 100 : 1),
      remedy: parts.map {
        "Divide the coefficients by \(Int($0.divisor)), and import the \(name) again."
      } ?? sample.names.remedy(of: side, .percent), in: sample)
  }

  /// Other parts than percent that coefficients are written in, where these fit better.
  private static func parts(
    _ rows: CoefficientPairs, of side: Side, asPercent: Double
  ) -> (name: String, word: String, divisor: Double, error: Double)? {
    let highest = side == .predictions ? rows.highest(\.given) : rows.highest(\.labelled)
    let unit: (name: String, word: String, divisor: Double)
    switch highest {
    case Limit.thousandths...: unit = ("coefficients.percent", "thousandths", 1000)
    case Limit.bytes: unit = ("coefficients.bytes", "bytes", 255)
    case ...Limit.tenths: unit = ("coefficients.percent", "tenths", 10)
    default: return nil
    }
    let factor = Float(side == .predictions ? unit.divisor : 1 / unit.divisor)
    guard let error = rows.error(divisor: factor),
      side == .predictions ? error < asPercent : error / unit.divisor < asPercent / 100
    else { return nil }
    return (unit.name, unit.word, unit.divisor, error)
  }

  /// 1 at rest and 0 where the face moves.
  private static func inverted(_ all: CoefficientPairs, in sample: JoinedSample) -> Finding? {
    let own = Array(Blendshape.allCases.indices)
    guard
      all.halves.allSatisfy({ half in
        half.correlations(own, variance: Limit.variance).map {
          $0.count >= Limit.channels && $0.before <= Limit.opposite
        } ?? false
      }), let now = all.correlations(own, variance: Limit.variance)
    else { return nil }
    return all.finding(
      "coefficients.inverted",
      "The coefficients of the \(sample.names.predictions) fall where those of the \(sample.names.labels) rise.",
      before: now.before, after: -now.before,
      remedy: sample.names.remedy("Write 1 minus each coefficient"), in: sample)
  }

  /// All sides exchanged, or those of the eyes alone, which some tools name by the image.
  ///
  /// Faces that move to one side in a part of the frames tell it by more pairs of sides. Where sides other than those of gaze
  /// are right, in and out of gaze are exchanged.
  private static func sides(_ all: CoefficientPairs, in sample: JoinedSample) -> Finding? {
    func areExchanged(_ word: String) -> Bool {
      func isSo(_ pairs: CoefficientPairs, _ count: Int) -> Bool {
        let found = pairs.sideCorrelations(variance: Limit.variance, of: word)
        return found.count >= count && found.median ?? 0 <= Limit.opposite
      }
      let others = all.sideCorrelations(variance: Limit.variance, of: word, withGaze: false)
      return others.median ?? -1 < 0
        && (all.halves.allSatisfy { isSo($0, Limit.sides) } || isSo(all, 2 * Limit.sides))
    }
    let ofEyes = areExchanged("eye")
    guard ofEyes || areExchanged("") else { return nil }
    let direction = all.ownDirection(variance: Limit.variance) ?? Limit.opposite
    let ofMouth = all.exchangedDirections(variance: Limit.variance).contains {
      $0.0 == .mouthLeft || $0.0 == .jawLeft
    }
    let isOfAll = direction < -Limit.opposite && (ofMouth || areExchanged(""))
    guard isOfAll || ofEyes else { return nil }
    let own =
      all.sideCorrelations(variance: Limit.variance, of: isOfAll ? "" : "eye").median ?? 0
    let names = sample.names
    return all.finding(
      "coefficients.sides",
      "Left and right coefficients of the \(isOfAll ? names.predictions : names.predicted + " eyes") are "
        + "exchanged: where \(names.theLabels) move on one side, they move on the other.",
      statistic: "median correlation of the differences between left and right", before: own,
      after: -own,
      remedy: isOfAll
        ? names.remedy(of: .predictions, .sides)
        : names.remedy("Exchange left and right of the coefficients whose names begin with 'eye'"),
      in: sample)
  }

  /// Opposite directions of gaze, jaw or mouth exchanged, as where one rig means the image's left and another the face's.
  private static func exchangedDirections(
    _ all: CoefficientPairs, in sample: JoinedSample
  ) -> Finding? {
    let found = all.exchangedDirections(variance: Limit.variance)
    guard !found.isEmpty else { return nil }
    let own = Blendshape.allCases.map { shape in
      found.first { $0.0 == shape }?.1 ?? found.first { $0.1 == shape }?.0
    }
    let values = all.correlations(own.map { $0?.index ?? -1 }, variance: Limit.variance)
    let words = found.map { "\($0.0.rawValue) and \($0.1.rawValue)" }.joined(separator: ", ")
    return all.finding(
      "coefficients.order",
      "Opposite coefficients of the \(sample.names.predictions) are exchanged: \(words).",
      before: values?.before ?? 0, after: values?.after ?? 0,
      remedy: sample.names.remedy("Exchange the two of each"), in: sample)
  }

  /// 1 at rest of some coefficients alone, as where an eye's openness was written as its blink.
  private static func invertedAlone(_ all: CoefficientPairs, in sample: JoinedSample) -> Finding? {
    let found = all.invertedAlone(variance: Limit.variance)
    guard !found.isEmpty else { return nil }
    let own = Blendshape.allCases.map { found.contains($0) ? $0.index : -1 }
    let before = all.correlations(own, variance: Limit.variance)?.before ?? 0
    return all.finding(
      "coefficients.inverted",
      "\(listed(found)) of the \(sample.names.predictions) fall\(found.count == 1 ? "s" : "") where "
        + "\(sample.names.theLabels) rise.",
      before: before, after: -before,
      remedy: sample.names.remedy("Write 1 minus each of these"), in: sample)
  }

  /// Percent of some coefficients alone.
  private static func percentAlone(_ all: CoefficientPairs, in sample: JoinedSample) -> Finding? {
    let found = all.percentAlone(variance: Limit.variance)
    guard !found.isEmpty else { return nil }
    let mended = CoefficientPairs(
      all.rows.map { row in
        var given = row.given
        for shape in found { given[shape.index] /= 100 }
        return CoefficientPairs.Row(frame: row.frame, labelled: row.labelled, given: given)
      })
    return all.finding(
      "coefficients.percent",
      "\(listed(found)) of the \(sample.names.predictions) \(found.count == 1 ? "is" : "are") percent, "
        + "and the others fractions.",
      statistic: "mean difference of coefficients", before: all.error() ?? 0,
      after: mended.error() ?? 0,
      remedy: sample.names.remedy("Divide these by 100"), in: sample)
  }

  /// Up to eight names.
  private static func listed(_ shapes: [Blendshape]) -> String {
    shapes.prefix(8).map(\.rawValue).joined(separator: ", ") + (shapes.count > 8 ? ", …" : "")
  }

  /// Sides exchanged in some videos alone, as in recordings of a mirrored camera among others.
  private static func sidesOfVideos(
    _ rows: [CoefficientPairs.Row], in sample: JoinedSample
  ) -> Finding? {
    let videos = Dictionary(grouping: rows) { sample.frames[$0.frame].frame.sequence }
      .sorted { $0.key < $1.key }.map(\.value).filter { $0.count >= Limit.faces }
    let sides = videos.compactMap { rows -> (rows: [CoefficientPairs.Row], median: Double)? in
      let all = CoefficientPairs(rows).sideCorrelations(variance: Limit.variance)
      return all.count < Limit.sides ? nil : all.median.map { (rows, $0) }
    }
    let wrong = sides.filter { $0.median <= Limit.opposite }
    let told =
      areMany(wrong.map(\.rows), of: sides.count) ? wrong : wrong.filter { isClear($0.rows) }
    guard !told.isEmpty, sides.contains(where: { $0.median >= -Limit.opposite }) else {
      return nil
    }
    let before = told.map(\.median).median ?? 0
    return Finding(
      "coefficients.sides", .suspect,
      "Left and right coefficients of the \(sample.names.predictions) are exchanged in \(told.count) of "
        + "\(sides.count) videos in which \(sample.names.theLabels) move on one side.",
      statistic: "median correlation of the differences between left and right", before: before,
      after: -before, n: told.reduce(0) { $0 + $1.rows.count },
      remedy:
        "Exchange left and right in the \(sample.names.predictions) of these videos, and import all again: --repair "
        + "\(FaceRepair.sides.text) on all would turn the others wrong.",
      frames: sample.named(told.map(\.rows[0].frame)))
  }

  /// Whether so many of the videos have exchanged sides that it is no chance, which a few of many short ones are.
  private static func areMany(_ wrong: [[CoefficientPairs.Row]], of videos: Int) -> Bool {
    let frames = wrong.reduce(0) { $0 + $1.count }
    return frames >= Limit.video.frames
      && Double(wrong.count) >= Limit.video.share * Double(videos)
  }

  /// Whether the sides of one video are exchanged throughout, or those of several pairs.
  private static func isClear(_ rows: [CoefficientPairs.Row]) -> Bool {
    func isSo(_ pairs: CoefficientPairs, _ count: Int) -> Bool {
      let found = pairs.sideCorrelations(variance: Limit.variance)
      return found.count >= count && found.median ?? 0 <= Limit.opposite
    }
    let all = CoefficientPairs(rows)
    return rows.count >= Limit.video.frames
      && (isSo(all, 2 * Limit.sides) || all.halves.allSatisfy { isSo($0, Limit.sides) })
  }

  private static func slots(_ all: CoefficientPairs, in sample: JoinedSample) -> Finding? {
    let halves = all.halves
    var best: (step: Int, before: Double, after: Double)?
    for step in [-2, -1, 1, 2] {
      let order = Blendshape.allCases.indices.map { $0 + step }
      guard halves.allSatisfy({ isBetter(order, in: $0) }),
        let (before, after, _) = all.correlations(order, variance: Limit.variance),
        after > best?.after ?? 0
      else { continue }
      best = (step, before, after)
    }
    guard let best else { return nil }
    let (count, names) = (abs(best.step), sample.names)
    return all.finding(
      "coefficients.slots",
      "The coefficients of the \(names.predictions) stand \(count) place\(count == 1 ? "" : "s") "
        + "\(best.step > 0 ? "later" : "earlier") in their list than those of the \(names.labels).",
      before: best.before, after: best.after,
      remedy: names.remedy(of: .predictions, .slots(best.step)), in: sample)
  }

  private static func isBetter(_ order: [Int], in half: CoefficientPairs) -> Bool {
    guard let found = half.correlations(order, variance: Limit.variance) else { return false }
    return isBetterThanChance(found, in: half)
      || found.count >= Limit.channels && found.after >= Limit.correlation
        && found.after >= found.before + Limit.gain
  }

  /// Whether another order is that of a tracker that follows the labels less well.
  private static func isBetterThanChance(
    _ found: (before: Double, after: Double, count: Int), in half: CoefficientPairs
  ) -> Bool {
    found.count >= Limit.weak.channels && half.rows.count >= Limit.weak.faces
      && found.after >= max(Limit.weak.correlation, Limit.weak.factor * found.before)
  }

  /// An order that is fitted to the first half of the frames and counts by the second.
  private static func order(_ all: CoefficientPairs, in sample: JoinedSample) -> Finding? {
    let halves = all.halves
    let own = Array(Blendshape.allCases.indices)
    guard let now = halves[1].correlations(own, variance: Limit.variance),
      now.count >= Limit.channels, now.before <= Limit.fitted.before,
      let order = halves[0].assignment(variance: Limit.variance),
      let other = halves[1].correlations(order, variance: Limit.variance),
      other.count >= Limit.channels, other.before <= Limit.fitted.before,
      other.after >= Limit.fitted.after || isBetterThanChance(other, in: halves[1])
    else { return nil }
    let first = order.enumerated().first { $0.offset != $0.element && $0.element >= 0 }
    let names = Blendshape.names
    let example = first.map { " \(names[$0.offset]) moves as the one named \(names[$0.element])." }
    return all.finding(
      "coefficients.order",
      "The coefficients of the \(sample.names.predictions) are in another order." + (example ?? ""),
      before: other.before, after: other.after,
      remedy: sample.names.remedy(
        "Write the coefficients by their names, or in the order of the format"), in: sample)
  }

  private static func dead(_ all: CoefficientPairs, in sample: JoinedSample) -> Finding? {
    let still = Blendshape.allCases.filter { shape in
      let (labelled, given) = all.columns(shape.index, shape.index)
      return shape != .neutral && labelled.count >= Limit.faces
        && labelled.variance >= Limit.variance && given.variance < Limit.deadVariance
    }
    guard !still.isEmpty else { return nil }
    return Finding(
      "coefficients.dead", .note,
      "\(still.count) coefficient\(still.count == 1 ? "" : "s") of the \(sample.names.predictions) never "
        + "move\(still.count == 1 ? "s" : ""), although \(sample.names.theLabels) do: \(listed(still)).",
      statistic: "coefficients that never move", before: Double(still.count), n: all.rows.count)
  }
}
