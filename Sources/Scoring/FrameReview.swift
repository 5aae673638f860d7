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
    let overlap = outcome.matches.map(\.iou).min() ?? 1
    return entry(
      missed: outcome.missed, falseDetections: outcome.falsePositives,
      falseFaces: matching?.unmatched ?? [],
      badness: (outcome.missed.count + outcome.falsePositives.count, 1 - overlap),
      found: outcome.matches.count, of: outcome.labelled)
  }

  private func evaluated(_ matching: FaceMatching) -> WorstFrames.Entry {
    let overlap = matching.matches.compactMap(\.iou).min() ?? 1
    return entry(
      missed: matching.missed, falseDetections: [], falseFaces: matching.unmatched,
      badness: (matching.missed.count + matching.unmatched.count, 1 - overlap),
      found: matching.matches.count, of: matching.labelled)
  }

  private func entry(
    missed: [Int], falseDetections: [Int], falseFaces: [Int], badness: (Int, Double), found: Int,
    of labelled: Int
  ) -> WorstFrames.Entry {
    var parts: [String] = []
    if !missed.isEmpty { parts.append("\(missed.count) missed") }
    let wrong = badness.0 - missed.count
    if wrong > 0 { parts.append("\(wrong) false positive\(wrong == 1 ? "" : "s")") }
    parts.append("\(found) of \(labelled) found")
    return entry(
      missed: missed, falseDetections: falseDetections, falseFaces: falseFaces, badness: badness,
      caption: parts.joined(separator: ", "))
  }

  private var unlabelled: WorstFrames.Entry? {
    let lost = max((earlier?.faces.count ?? 0) - prediction.faces.count, 0)
    guard let lowest = (prediction.faces + prediction.rejected).compactMap(\.presence).min() else {
      return lost == 0
        ? nil
        : entry(
          missed: [], falseDetections: [], falseFaces: [], badness: (lost, 0),
          caption: "\(lost) lost")
    }
    let presence = "lowest presence \(NumberText.text(Double(lowest)))"
    return entry(
      missed: [], falseDetections: [], falseFaces: [], badness: (lost, 1 - Double(lowest)),
      caption: lost == 0 ? presence : "\(lost) lost, \(presence)")
  }

  private func entry(
    missed: [Int], falseDetections: [Int], falseFaces: [Int], badness: (Int, Double),
    caption: String
  ) -> WorstFrames.Entry {
    WorstFrames.Entry(
      frame: frame, isVideo: isVideo, labels: labels, detections: prediction.detections,
      faces: prediction.faces, missed: Set(missed), falseDetections: Set(falseDetections),
      falseFaces: Set(falseFaces), badness: badness, caption: caption)
  }
}
