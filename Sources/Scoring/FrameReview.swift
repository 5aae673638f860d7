internal import FaceCore
internal import Metrics
internal import Running

/// What went wrong in a frame, for the gallery of the worst.
///
/// Where the detector looked, its misses and false positives count; in tracked frames those of the faces.
/// Without labels, a face that was there in the frame before and is gone counts, and low presence is bad.
struct FrameReview {
  let frame: Frame
  let isVideo: Bool
  let labels: [FaceLabel]
  let prediction: FramePrediction
  let earlier: FramePrediction?
  let outcome: DetectionOutcome?
  let matching: FaceMatching?

  /// The frame with its badness and caption; nil where nothing is wrong.
  var entry: WorstFrames.Entry? {
    guard let evaluated else { return unlabelled }
    return evaluated.badness.errors > 0 ? evaluated : nil
  }

  /// The frame with what is right and wrong in it; nil without labels.
  var evaluated: WorstFrames.Entry? { outcome.map(evaluated) ?? matching.map(evaluated) }

  private func evaluated(_ outcome: DetectionOutcome) -> WorstFrames.Entry {
    evaluated(
      missed: outcome.missed, falseDetections: outcome.falsePositives,
      falseFaces: matching?.unmatched ?? [], wrong: outcome.falsePositives.count,
      overlaps: outcome.matches.map { $0.iou }, of: outcome.labelled)
  }

  private func evaluated(_ matching: FaceMatching) -> WorstFrames.Entry {
    evaluated(
      missed: matching.missed, falseDetections: [], falseFaces: matching.unmatched,
      wrong: matching.unmatched.count, overlaps: matching.matches.map { $0.iou },
      of: matching.labelled)
  }

  /// `wrong` counts the false positives, `overlaps` are those of what was found.
  private func evaluated(
    missed: [Int], falseDetections: [Int], falseFaces: [Int], wrong: Int, overlaps: [Double?],
    of labelled: Int
  ) -> WorstFrames.Entry {
    var parts: [String] = []
    if !missed.isEmpty { parts.append("\(missed.count) missed") }
    if wrong > 0 { parts.append("\(wrong) false positive\(wrong == 1 ? "" : "s")") }
    parts.append("\(overlaps.count) of \(labelled) found")
    return entry(
      missed: missed, falseDetections: falseDetections, falseFaces: falseFaces,
      badness: (missed.count + wrong, 1 - (overlaps.compactMap(\.self).min() ?? 1)),
      caption: parts.joined(separator: ", "))
  }

  private var unlabelled: WorstFrames.Entry? {
    let lost = max((earlier?.faces.count ?? 0) - prediction.faces.count, 0)
    let lowest = (prediction.faces + prediction.rejected).compactMap(\.presence).min().map {
      Double($0)
    }
    guard lost > 0 || lowest != nil else { return nil }
    let parts = [
      lost == 0 ? nil : "\(lost) lost", lowest.map { "lowest presence \(NumberText.text($0))" },
    ]
    return entry(
      badness: (lost, lowest.map { 1 - $0 } ?? 0),
      caption: parts.compactMap(\.self).joined(separator: ", "))
  }

  private func entry(
    missed: [Int] = [], falseDetections: [Int] = [], falseFaces: [Int] = [],
    badness: (Int, Double), caption: String
  ) -> WorstFrames.Entry {
    WorstFrames.Entry(
      frame: frame, isVideo: isVideo, labels: labels, detections: prediction.detections,
      faces: prediction.faces, missed: Set(missed), falseDetections: Set(falseDetections),
      falseFaces: Set(falseFaces), badness: badness, caption: caption)
  }
}
