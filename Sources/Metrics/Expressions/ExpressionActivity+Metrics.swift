package import Records

extension ExpressionActivity {
  /// What is active at once, how often the neutral fallback flickers, then onsets and delays of each expression.
  package static let definitions = [overlapShare, neutralFlicker, onsetsFound, delay]

  /// A neutral stretch that is shorter is a flicker, in microseconds.
  private static let flicker: Int64 = 200_000
  /// An onset is sought so far before and after a labelled one, in microseconds.
  private static let reach: Int64 = 500_000

  private static let definition = DefinitionGroup(
    prefix: "expressions.", source: "rules over blendshapes; FaceGauge")
  private static let overlapShare = definition(
    "overlap_share", "Time with several expressions", .neither, in: .proportion,
    "time of videos in which two expressions or more are active, neutral aside, over all in which the rules can "
      + "be evaluated; in [0, 1]; undefined without such time")
  private static let neutralFlicker = definition(
    "neutral_flicker_per_minute", "Flicker of neutral", .lower, in: .rate, unit: "1/min",
    "stretches of videos under 0.2 s in which neutral is active, between two frames in which it is not, per minute "
      + "in which the rules can be evaluated; undefined without such time")
  private static let onsetsFound = definition(
    "<expression>.onsets_found", "Onsets of <expression> found", .higher, in: .proportion,
    "labelled onsets with a predicted one within 0.5 s before or after, over all; an onset is a frame of a video in "
      + "which the rule holds for the coefficients and did not in the frame before; in [0, 1]; undefined without a "
      + "labelled onset")
  private static let delay = definition(
    "<expression>.delay", "Delay of <expression>", .closest, in: .any, target: 0, unit: "ms",
    "mean over the labelled onsets that are found of the nearest predicted onset's time less the labelled one's; "
      + "undefined without one")

  /// Times in microseconds and counts over sequences.
  private struct Totals {
    var (known, several): (Int64, Int64) = (0, 0)
    var (frames, flickers) = (0, 0)
    /// By expression: labelled onsets, those with a predicted one, and the sum of the delays of these.
    var onsets: [(labelled: Int, found: Int, delay: Int64)]

    init(expressions: Int) { onsets = Array(repeating: (0, 0, 0), count: expressions) }
  }

  /// Metrics over all videos, then those of each expression where coefficients are labelled.
  package func summarize() -> [Measurement] {
    let names = rules.names
    var totals = Totals(expressions: names.count)
    for sequence in frames.sequences {
      addTimes(of: sequence.entries, to: &totals)
      for index in names.indices { addOnsets(of: index, in: sequence.entries, to: &totals) }
    }
    let minutes = Double(totals.known) / 60e6
    let unknown = "no face of a video has the coefficients of the rules for any time"
    func overTime(_ definition: MetricDefinition, _ value: Double) -> Measurement {
      definition.measurement(totals.known > 0 ? value : nil, n: totals.frames, else: unknown)
    }
    var metrics = [
      overTime(Self.overlapShare, Double(totals.several) / Double(totals.known)),
      overTime(Self.neutralFlicker, Double(totals.flickers) / minutes),
    ]
    guard frames.entries.contains(where: { $0.labelled != nil }) else { return metrics }
    for (name, onsets) in zip(names, totals.onsets) {
      let (share, mean) = (Self.onsetsFound.at(expression: name), Self.delay.at(expression: name))
      guard onsets.labelled > 0 else {
        metrics += [share, mean].map { $0.undefined("\(name) has no labelled onset", n: 0) }
        continue
      }
      let delay = onsets.found == 0 ? nil : Double(onsets.delay) / Double(onsets.found) / 1000
      metrics += [
        share.measurement(Double(onsets.found) / Double(onsets.labelled), n: onsets.labelled),
        mean.measurement(delay, n: onsets.found, else: "no labelled onset was found"),
      ]
    }
    return metrics
  }

  private func addTimes(of entries: [Entry], to totals: inout Totals) {
    let neutral = rules.names.firstIndex(of: ExpressionRules.neutral)
    /// When neutral began after another expression; nil where it did not.
    var began: Int64?
    var wasNeutral: Bool?
    for (index, entry) in entries.enumerated() {
      let next = index + 1 < entries.count ? entries[index + 1].time : entry.time
      guard let isActive = entry.isActive else {
        (began, wasNeutral) = (nil, nil)
        continue
      }
      let time = max(0, next - entry.time)
      totals.frames += 1
      totals.known += time
      let several = isActive.indices.count { isActive[$0] && $0 != neutral } > 1
      if several { totals.several += time }
      let isNeutral = neutral.map { isActive[$0] } ?? false
      if isNeutral, wasNeutral == false { began = entry.time }
      if !isNeutral {
        if let began, entry.time - began < Self.flicker { totals.flickers += 1 }
        began = nil
      }
      wasNeutral = isNeutral
    }
  }

  private func addOnsets(of index: Int, in entries: [Entry], to totals: inout Totals) {
    let wanted = Self.onsets(entries) { $0.labelled?[index] }
    let given = Self.onsets(entries) { $0.predicted?[index] }
    for time in wanted {
      totals.onsets[index].labelled += 1
      let nearest = given.min { ($0 - time).magnitude < ($1 - time).magnitude }
      guard let nearest, (nearest - time).magnitude <= Self.reach else { continue }
      totals.onsets[index].found += 1
      totals.onsets[index].delay += nearest - time
    }
  }

  /// When something begins to hold; nil where it is not known.
  private static func onsets(
    _ entries: [Entry], _ holds: (Entry) -> Bool?
  ) -> [Int64] {
    zip(entries, entries.dropFirst()).compactMap { earlier, entry in
      holds(earlier) == false && holds(entry) == true ? entry.time : nil
    }
  }
}
