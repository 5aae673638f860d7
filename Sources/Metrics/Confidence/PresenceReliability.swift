package import FaceCore
package import Records

/// Whether the presence that a tracker gives a face is the chance that the face is one.
///
/// Over every face that has a presence, given out or rejected by its threshold; it is true where it
/// matches a labelled face (`FaceMatching`), and left out where it falls on an ignored label or a
/// crowd. Faces that the landmark stage never saw do not count.
package struct PresenceReliability: FrameMetric {
  /// One frame's presences with whether they are true.
  package struct Entry: Sendable, Hashable {
    var evaluated: [ConfidenceOutcome] = []
    /// A score that the tracker gives a face and that is no probability; nil where all are.
    var stray: Double?
  }

  package var frames = FrameTable<Entry>()

  package init() {}

  /// The first score that is no probability; nil where all are.
  package var strayScore: Double? {
    for entry in frames.entries { if let stray = entry.stray { return stray } }
    return nil
  }

  /// The frames that the metrics rest on.
  package var countedFrames: FrameRuns { frames.keys { !$0.evaluated.isEmpty } }

  /// Takes in one analysed frame of a labelled dataset; throws for a frame added before.
  ///
  /// A presence outside [0, 1], and without a presence such a score, is no probability: the tracker's
  /// others are then none either, and every metric is undefined.
  /// `matching` is that of the labels and the faces that are given out, if it is known.
  package mutating func add(
    frame: Int, labels: [FaceLabel], prediction: FramePrediction, matching: FaceMatching? = nil
  ) throws(MetricError) {
    let faces = prediction.faces + prediction.rejected
    let known = prediction.rejected.isEmpty ? matching : nil
    let matching =
      if let known { known } else {
        try FaceMatching(
          frame: frame, labels: labels, faces: faces,
          facesHavePositions: matching?.facesHavePositions ?? true)
      }
    let found = Set(matching.matches.map(\.face))
    let ignored = Set(matching.ignored)
    var entry = Entry()
    for (index, face) in faces.enumerated() {
      let given = (face.presence ?? face.detectionScore).map { Double($0) }
      if let given, !(0...1).contains(given) { entry.stray = entry.stray ?? given }
      guard !ignored.contains(index), let presence = face.presence,
        let evaluated = ConfidenceOutcome(Double(presence), isTrue: found.contains(index))
      else { continue }
      entry.evaluated.append(evaluated)
    }
    try add(entry, for: frame)
  }

  private static let metrics:
    [(definition: MetricDefinition, value: @Sendable ([ConfidenceOutcome]) -> Double?)] = [
      (
        definition("ece", "ECE of presence", widths(10)),
        { ExpectedCalibrationError(ReliabilityBins($0, equalWidth: 10))?.value }
      ),
      (
        definition("ece15", "ECE of presence, 15 bins", widths(15)),
        { ExpectedCalibrationError(ReliabilityBins($0, equalWidth: 15))?.value }
      ),
      (
        definition(
          "ece_mass", "ECE of presence, bins of equal mass",
          "sum over 10 bins of as many faces each of n_b / n |mean presence - share of true|, less "
            + "what chance adds"),
        { ExpectedCalibrationError(ReliabilityBins($0, equalMass: 10))?.value }
      ),
      (
        definition(
          "mce", "MCE of presence", "largest |mean presence - share of true| of 10 bins (a, b]"),
        { ReliabilityBins($0, equalWidth: 10).maximumError }
      ),
      (
        definition("brier", "Brier score of presence", "mean of (presence - 1 for true, 0 else)²"),
        { BrierScore(ReliabilityBins($0, equalWidth: 10))?.score }
      ),
      (
        definition(
          "brier.reliability", "Brier score of presence, reliability",
          "mean over 10 bins of (mean presence - share of true)², weighed by n_b"),
        { BrierScore(ReliabilityBins($0, equalWidth: 10))?.reliability }
      ),
      (
        definition(
          "brier.resolution", "Brier score of presence, resolution", .higher,
          "mean over 10 bins of (share of true - share of true of all)², weighed by n_b"),
        { BrierScore(ReliabilityBins($0, equalWidth: 10))?.resolution }
      ),
    ]

  /// ECE and MCE, then the Brier score with its parts.
  package static let definitions = metrics.map(\.definition)

  package var calibrationErrors: [String: ExpectedCalibrationError] {
    let evaluated = frames.entries.flatMap(\.evaluated)
    return [
      "presence.ece": ExpectedCalibrationError(ReliabilityBins(evaluated, equalWidth: 10)),
      "presence.ece15": ExpectedCalibrationError(ReliabilityBins(evaluated, equalWidth: 15)),
      "presence.ece_mass": ExpectedCalibrationError(ReliabilityBins(evaluated, equalMass: 10)),
    ].compactMapValues(\.self)
  }

  /// The metrics in the order of `definitions`; n is the number of faces with a presence.
  package func summarize() -> [Measurement] {
    let evaluated = frames.entries.flatMap(\.evaluated)
    let stray = strayScore
    return Self.measurements(
      stray == nil ? Self.metrics.map { $0.value(evaluated) } : [], n: evaluated.count,
      stray: stray)
  }

  /// The metrics from their values, in the order of `definitions`; of scores that are no probabilities from one of them.
  static func measurements(_ values: [Double?], n: Int, stray: Double?) -> [Measurement] {
    definitions.enumerated().map { index, definition in
      if let stray {
        return definition.undefined(
          "the scores are no probabilities: \(stray) is outside [0, 1]", n: n)
      }
      return values[index].map { definition.measurement($0, n: n) }
        ?? definition.undefined("no face has a presence in [0, 1]", n: 0)
    }
  }

  private static func widths(_ bins: Int) -> String {
    "sum over \(bins) bins (a, b], 0 in the first, of n_b / n |mean presence - share of true|, "
      + "less what chance adds"
  }

  private static let definition = DefinitionGroup(
    prefix: "presence.", stage: "landmarks", range: .unit,
    ending: "; faces given out and rejected, true where they match a label; in [0, 1]",
    source:
      "Naeini et al. 2015; Guo et al. 2017, bias as in Kumar et al. 2019; Brier 1950, Murphy 1973")
}

extension PresenceReliability: FamilyWithoutSettings {
  package static let requirements: MetricRequirements = [.labels, .faces, .analysedFrames]

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    try add(
      frame: frame.frame.index, labels: frame.labels, prediction: frame.prediction,
      matching: frame.matching)
  }

  package func resampler(of clusters: FrameClusters, isSlice: Bool) -> any FamilyResampler {
    PresenceResampler(self, of: clusters)
  }

  /// Whether a face has a presence, or a score instead of one.
  package var isPresent: Bool {
    frames.entries.contains { !$0.evaluated.isEmpty || $0.stray != nil }
  }

  package func notes(_ context: SeriesContext) -> [String] {
    guard let stray = strayScore else { return [] }
    return [
      "The tracker's scores are not probabilities (\(stray) is outside 0 to 1): they rank faces, and "
        + "metrics of calibration are undefined. Faces with a score below \(context.minScore) count as "
        + "not found (--min-face-detection-confidence takes any number for such a tracker)."
    ]
  }

  package static let presentation = MetricPresentation(
    extremes: ["presence.mce"], needs: [.presences: Set(definitions.map(\.name))])
}

extension PresenceReliability.Entry: Packable {
  package func pack(into row: inout RowWriter) { row.write(evaluated, stray) }
  package init(from row: inout RowReader) { self.init(evaluated: row.read(), stray: row.read()) }
}
