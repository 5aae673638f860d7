internal import Calibration
internal import Datasets
internal import FaceCore
internal import Metrics
internal import Records

/// The scores that decide about faces, with their labels, of stills and single frames.
///
/// They are taken at the loosest setting of a sweep, so a curve covers all its settings.
struct SweptScores: Sendable {
  /// Detections by their score, and labelled faces without one.
  private(set) var detections: [ScoredCase] = []
  /// Faces that the landmark model looked at by their presence, and labelled faces that it did not see.
  private(set) var presences: [ScoredCase] = []

  /// Takes in what a setting gave in a frame; faces given up without presence count as looked at.
  ///
  /// Where no face of the whole dataset has a position, detections say nothing.
  mutating func add(
    _ prediction: FramePrediction, labels: [FaceLabel], facesHavePositions: Bool
  ) throws {
    guard prediction.status == .analysed else { return }
    if facesHavePositions { try addDetections(of: prediction, labels: labels) }
    let faces = prediction.faces + prediction.rejected
    let matching = try FaceMatching(
      frame: prediction.frame, labels: labels, faces: faces,
      facesHavePositions: facesHavePositions)
    for match in matching.matches {
      guard let presence = faces[match.face].presence else { continue }
      presences.append(ScoredCase(score: Double(presence), isPositive: true))
    }
    for position in matching.unmatched {
      guard let presence = faces[position].presence else { continue }
      presences.append(ScoredCase(score: Double(presence), isPositive: false))
    }
    presences += matching.missed.map { _ in .missed() }
  }

  private mutating func addDetections(
    of prediction: FramePrediction, labels: [FaceLabel]
  ) throws {
    let outcome = try DetectionOutcome(
      frame: prediction.frame, labels: labels, detections: prediction.detections)
    for match in outcome.matches {
      detections.append(
        ScoredCase(score: prediction.detections[match.detection].score, isPositive: true))
    }
    for position in outcome.falsePositives {
      detections.append(ScoredCase(score: prediction.detections[position].score, isPositive: false))
    }
    detections += outcome.missed.map { _ in .missed() }
  }

  /// The scores as a state to resume from: each with 1 for a face, 0 for none, and 2 for a face without a score.
  var state: [[Float]] {
    get {
      [detections, presences].map { cases in
        cases.flatMap { one in
          one.score.isFinite ? [Float(one.score), one.positive > 0 ? 1 : 0] : [0, 2]
        }
      }
    }
    set {
      let lists = newValue.map { list in
        stride(from: 0, to: list.count - list.count % 2, by: 2).map { position in
          list[position + 1] == 2
            ? ScoredCase.missed()
            : ScoredCase(score: Double(list[position]), isPositive: list[position + 1] > 0)
        }
      }
      guard lists.count == 2 else { return }
      (detections, presences) = (lists[0], lists[1])
    }
  }

  /// Adds the scores of other frames.
  mutating func add(_ other: SweptScores) {
    detections += other.detections
    presences += other.presences
  }

  /// Precision over recall, and where both classes are there recall and misses over false positives.
  func series() throws(CalibrationError) -> [Series] {
    var lines: [(label: String, curve: ScoreCurve)] = []
    for (label, cases) in [("detection score", detections), ("presence", presences)]
    where cases.contains(where: { $0.positive > 0 }) {
      lines.append((label, try ScoreCurve(cases)))
    }
    guard !lines.isEmpty else { return [] }
    func series(
      _ name: String, _ title: String, _ x: String, _ y: String,
      _ points: (ScoreCurve) -> [CurvePoint]
    ) -> Series? {
      let drawn = lines.compactMap { label, curve -> Series.Line? in
        let points = Self.thinned(points(curve))
        return points.isEmpty
          ? nil
          : Series.Line(
            label: label, x: points.map(\.x), y: points.map(\.y),
            thresholds: points.map(\.threshold))
      }
      return drawn.isEmpty
        ? nil
        : Series(name: name, title: title, xLabel: x, yLabel: y, lines: drawn)
    }
    return [
      series("sweep.pr", "Precision over recall", "recall", "precision", \.precisionRecall),
      series(
        "sweep.roc", "Recall over false positives", "false positives accepted (share)", "recall",
        \.roc),
      series(
        "sweep.det", "Misses over false positives", "false positives accepted (share)",
        "misses (share)", \.det),
    ].compactMap { $0 }
  }

  private static let pointLimit = 400

  /// At most this many points, including both ends.
  private static func thinned(_ points: [CurvePoint]) -> [CurvePoint] {
    guard points.count > pointLimit else { return points }
    return (0..<pointLimit).map { points[$0 * (points.count - 1) / (pointLimit - 1)] }
  }
}

extension SweptScore {
  /// A case as a part of a sweep holds it.
  init(_ one: ScoredCase) {
    self.init(score: one.score, isFace: one.positive > 0)
  }

  var scored: ScoredCase { ScoredCase(score: score, isPositive: isFace) }
}
