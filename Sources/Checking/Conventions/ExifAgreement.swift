internal import Datasets
internal import FaceCore
internal import Records

/// Whether faces agree if one side's are taken as of the images that viewers show, each turned as its own Exif says.
enum ExifAgreement {
  /// What must be seen: so many labelled faces, images, and the share of faces found then, and more than before.
  private static let least = (faces: 5, images: 3, share: 0.5, gain: 0.3)

  /// The finding; nil where it explains nothing.
  static func finding(in sample: JoinedSample) -> Finding? {
    var (found, count) = ((before: 0, ofPredictions: 0, ofLabels: 0), 0)
    var frames: [Finding.Frame] = []
    for joined in sample.frames where joined.orientation > 1 {
      guard let turn = ExifTurn(orientation: joined.orientation, stored: joined.size) else {
        continue
      }
      let boxes = joined.predictedBoxes
      let turned = boxes.map(turn.box)
      for label in joined.labels.map(\.box) {
        count += 1
        found.before += label.isFound(among: boxes) ? 1 : 0
        found.ofPredictions += label.isFound(among: turned) ? 1 : 0
        found.ofLabels += turn.box(label).isFound(among: boxes) ? 1 : 0
      }
      frames.append(joined.named)
    }
    let isOfLabels = sample.format == nil || found.ofLabels > found.ofPredictions
    let after = isOfLabels ? found.ofLabels : found.ofPredictions
    guard count >= least.faces, frames.count >= least.images,
      Double(after) >= least.share * Double(count),
      Double(after - found.before) >= least.gain * Double(count)
    else { return nil }
    let (side, other) = isOfLabels ? ("labels", "predictions") : ("predictions", "labels")
    return Finding(
      "images.rotated", .suspect,
      "Of \(frames.count) images that Exif turns, the \(side) agree with the \(other) if they are taken as of "
        + "the upright images.",
      statistic: "share of labelled faces found at IoU .50, on images that Exif turns",
      before: Double(found.before) / Double(count), after: Double(after) / Double(count), n: count,
      remedy: "Import the \(side) again with --apply-exif labels.", frames: frames)
  }
}
