internal import FaceCore
internal import Foundation
internal import Metrics
package import Records

/// Boxes that cover another part of the head than the labelled ones, such as the points alone: no mistake, but one to know.
///
/// Boxes around eyes, nose and mouth alone are one: compared with those of faces, most count as missed.
package enum BoxesCheck: FindingCheck {
  package static let names = [
    "boxes.extent", "boxes.repeated", "boxes.repeated-labels", "boxes.unsuppressed",
    "boxes.ignored-regions", "boxes.overlapping-labels",
  ]

  /// How many faces a median rests on, and the ratios of sides beyond which it costs matches: at a ratio of .8 of both sides
  /// the IoU of concentric boxes is .64.
  private static let limit = (faces: 20, ratio: 0.8)

  package static func findings(in sample: JoinedSample) -> [Finding] {
    let twice = repeated(
      sample.frames.map { $0.prediction.detections.map(\.box) }, of: .predictions, in: sample,
      names[1], "each is a false positive")
    let labelledTwice = repeated(
      sample.frames.map { $0.labels.map(\.box).filter { $0.area > 0 } }, of: .labels,
      in: sample, names[2], "each is a missed face")
    return [
      extent(in: sample), twice, labelledTwice,
      labelledTwice == nil ? overlapping(in: sample) : nil,
    ].compactMap(\.self) + wrong(in: sample, areRepeated: twice != nil)
  }

  /// False detections that are there by rule: further boxes of faces that are found, as before suppression, and faces of
  /// regions that are one ignored label. Frames whose faces are not labelled have none.
  private static func wrong(in sample: JoinedSample, areRepeated: Bool) -> [Finding] {
    var (all, wrong) = (0, 0)
    var again: [Finding.Frame] = []
    var within: [Finding.Frame] = []
    for joined in sample.frames where !joined.isUnlabelled {
      let detections = joined.prediction.detections
      guard let outcome = joined.outcome else { continue }
      let regions = joined.ignored.filter { !$0.isCrowd }.map(\.box)
      all += detections.count
      wrong += outcome.falsePositives.count
      for box in outcome.falsePositives.map({ detections[$0].box }) {
        if box.isFound(among: joined.labels.map(\.box)) {
          again.append(joined.named)
        } else if regions.contains(where: { 2 * $0.intersection(with: box) >= box.area }) {
          within.append(joined.named)
        }
      }
    }
    var found: [Finding] = []
    if !areRepeated, again.count >= limit.faces, 5 * again.count >= all {
      found.append(
        Finding(
          names[3], .note,
          "\(again.count) of \(all) predicted boxes are on a labelled face that a better one has found, as boxes before "
            + "non-maximum suppression are: each is a false positive.",
          statistic: "share of predicted boxes that are a further one of a face",
          before: Double(again.count) / Double(all), n: all,
          remedy:
            "Export what the tracker gives out after suppression. 'facegauge sweep' with --threshold "
            + "min-suppression-threshold=0.3,0.5 measures stored boxes with it.",
          frames: again.uniqued))
    }
    if within.count >= limit.faces, 10 * within.count >= wrong {
      found.append(
        Finding(
          names[4], .note,
          "\(within.count) of \(wrong) false detections lie in ignored boxes that are larger, and these count for boxes "
            + "with an IoU of .50 alone.",
          statistic: "share of false detections that lie in ignored boxes",
          before: Double(within.count) / Double(wrong), n: wrong,
          remedy:
            "If these boxes are regions with several faces, import the labels again with them as crowds, which hold any "
            + "number of faces: iscrowd of COCO, crowd of CVAT, Label Studio and CSV.",
          frames: within.uniqued))
    }
    return found
  }

  /// Boxes that stand more than once in a frame with the same numbers, as in files that were appended to themselves.
  private static func repeated(
    _ boxes: [[BoundingBox]], of side: Side, in sample: JoinedSample, _ name: String,
    _ effect: String
  ) -> Finding? {
    let repeats = boxes.map { $0.count - Set($0).count }
    let (count, again) = (boxes.reduce(0) { $0 + $1.count }, repeats.reduce(0, +))
    guard again >= limit.faces, 10 * again >= count else { return nil }
    return Finding(
      name, .suspect,
      "\(again) of \(count) \(side.adjective) boxes repeat another one of their frame, number by number: "
        + "\(effect).",
      statistic: "share of \(side.adjective) boxes that are repeats",
      before: Double(again) / Double(count), after: 0, n: count,
      remedy: "Import each file of \(side.rawValue) once, and rows that are there twice once.",
      frames: zip(sample.frames, repeats).filter { $1 > 0 }.map(\.0.named))
  }

  /// Labelled boxes that are another one of the same face, as of two annotators, or of head and face.
  private static func overlapping(in sample: JoinedSample) -> Finding? {
    let all = sample.frames.reduce(0) { $0 + $1.labels.count }
    let twice = sample.frames.map { joined in
      let boxes = joined.labels.map(\.box)
      return boxes.indices.count { index in
        boxes[..<index].contains { $0.iou(with: boxes[index]) >= ofOneFace }
      }
    }
    let count = twice.reduce(0, +)
    guard count >= limit.faces, 10 * count >= all else { return nil }
    return Finding(
      names[5], .note,
      "\(count) of \(all) labelled boxes are on another one of their frame, as those of two annotators, or of head and "
        + "face, are: a tracker that finds each face once misses them.",
      statistic: "share of labelled boxes with an IoU of .60 with another one",
      before: Double(count) / Double(all), n: all,
      remedy:
        "If they are of the same faces, import one box of each: the labels of one annotator, or of one category "
        + "(--category NAME).",
      frames: zip(sample.frames, twice).filter { $1 > 0 }.map(\.0.named))
  }

  /// Boxes of two people overlap less than this, face to face and one behind the other.
  private static let ofOneFace = 0.6

  private static func extent(in sample: JoinedSample) -> Finding? {
    typealias Pair = (label: BoundingBox, face: BoundingBox, frame: Int)
    var pairs: [Pair] = []
    let scenes = Agreement(sample).scenes
    for scene in scenes {
      for label in scene.labels.map(\.box) {
        let given = scene.faces.map(\.box).filter { $0.isWellFormed }
        guard let face = given.max(by: { label.iou(with: $0) < label.iou(with: $1) }),
          label.area > 0, face.area > 0, label.holdsCenter(of: face), face.holdsCenter(of: label)
        else { continue }
        pairs.append((label, face, scene.frame))
      }
    }
    guard pairs.count >= limit.faces,
      2 * pairs.count >= scenes.reduce(0, { $0 + $1.count })
    else { return nil }
    let sides = pairs.map { ($0.face.area / $0.label.area).squareRoot() }.sorted()
    let quarters = (low: sides[sides.count / 4], high: sides[sides.count * 3 / 4])
    func median(_ value: (Pair) -> Double) -> Double { pairs.map(value).median ?? 0 }
    let middle = sides[sides.count / 2]
    guard middle < limit.ratio && quarters.high < 1 || middle > 1 / limit.ratio && quarters.low > 1
    else { return nil }
    let width = median { $0.face.width / $0.label.width }
    let height = median { $0.face.height / $0.label.height }
    let x = median { ($0.face.center.x - $0.label.center.x) / $0.label.width }
    let y = median { ($0.face.center.y - $0.label.center.y) / $0.label.height }
    let fitted = pairs.map { pair in
      let (wide, high) = (pair.face.width / width, pair.face.height / height)
      return pair.label.iou(
        with: BoundingBox(
          x: pair.face.center.x - x * pair.label.width - wide / 2,
          y: pair.face.center.y - y * pair.label.height - high / 2, width: wide, height: high))
    }
    let before = median { $0.label.iou(with: $0.face) }
    let side = before < 0.5 ? sideOfInnerPoints(in: sample) : nil
    return Finding(
      "boxes.extent", side == nil ? .note : .suspect,
      String(
        format:
          "Predicted boxes are %.2f times as wide and %.2f times as high as the labelled ones (medians).",
        width, height)
        + (side.map {
          " Those of the \($0) hold eyes, nose and mouth alone, so most faces count as missed."
        } ?? ""),
      statistic: "median IoU of pairs, with boxes as they are and with the median extent",
      before: before, after: fitted.median, n: pairs.count,
      remedy: side.map {
        "Import the \($0) with the boxes of whole faces and their points; --pairing nearest pairs "
          + "points without these boxes."
      }, frames: sample.named(pairs.lazy.map(\.frame)))
  }

  /// The side most of whose faces have the tight box of a few points as their only one; nil for both and none.
  private static func sideOfInnerPoints(in sample: JoinedSample) -> String? {
    let labels = sample.frames.flatMap(\.labels)
    let faces = sample.frames.flatMap(\.prediction.faces)
    let isLabels = 2 * labels.count(where: isOfInnerPoints) > labels.count
    let isPredictions = 2 * faces.count(where: \.hasBoxOfInnerPoints) > faces.count
    return isLabels == isPredictions ? nil : isLabels ? "labels" : "predictions"
  }

  private static func isOfInnerPoints(_ label: FaceLabel) -> Bool {
    label.landmarks.contains { set in
      guard !set.scheme.spansFace, let tight = BoundingBox(around: set.labelled) else {
        return false
      }
      return tight.iou(with: label.box) > 0.99
    }
  }
}
