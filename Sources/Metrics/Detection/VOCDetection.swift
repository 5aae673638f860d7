package import FaceCore
package import Records

/// PASCAL VOC's average precision, over all points and at eleven recalls.
///
/// By falling score, each detection is compared with the label of its picture that it overlaps most,
/// the last pixel belonging to a box. At or over the IoU it is true, a false positive where that label
/// is taken, and counts neither way where the label is ignored or a crowd. Equal scores keep the order
/// of frames and, in a frame, of detections. In [0, 1], higher is better; undefined where no label counts.
///
/// Source: Everingham et al. 2010; Padilla et al. 2020.
package struct VOCDetection: Metric {
  private struct Picture: Sendable, Hashable {
    var labelled = 0
    /// Best first; detections that count neither way are left out.
    var scores: [Double] = []
    var isTrue: [Bool] = []
  }

  /// The least IoU of a match.
  package let minOverlap: Double
  private var frames: [Int: Picture] = [:]

  /// Starts without frames; a match needs the IoU `minOverlap`.
  package init(minOverlap: Double = 0.5) {
    self.minOverlap = minOverlap
  }

  /// Matches one picture; labels of another category than faces (1) take no part.
  ///
  /// Throws for a frame added before and for boxes or scores that are not well-formed.
  package mutating func add(frame: Int, labels: [FaceLabel], detections: [FaceDetection])
    throws(MetricError)
  {
    guard frames[frame] == nil else { throw .repeatedFrame(frame, in: Self.allPoints.name) }
    try labels.validate(frame: frame)
    try detections.validate(frame: frame)
    let faces = labels.filter { $0.category == 1 }
    let isIgnored = faces.map { $0.isCrowd || $0.isIgnored }
    var isTaken = isIgnored.map { _ in false }
    var picture = Picture(labelled: isIgnored.count { !$0 })
    let nearest = NearestLabel(faces.map(\.box))
    for rank in detections.rankedByScore() {
      let face = nearest.label(of: detections[rank].box, minOverlap: minOverlap)
      if let face, isIgnored[face] { continue }
      picture.scores.append(detections[rank].score)
      picture.isTrue.append(face.map { !isTaken[$0] } ?? false)
      if let face { isTaken[face] = true }
    }
    frames[frame] = picture
  }

  /// Takes in other frames; throws where a frame is in both or the IoU differs.
  package mutating func merge(_ other: VOCDetection) throws(MetricError) {
    guard minOverlap == other.minOverlap else {
      throw .overlapsDiffer(minOverlap, other.minOverlap)
    }
    if let frame = other.frames.keys.filter({ frames[$0] != nil }).min() {
      throw .repeatedFrame(frame, in: Self.allPoints.name)
    }
    frames.merge(other.frames) { own, _ in own }
  }

  /// Both averages; n is how many labels count.
  package func summarize() -> [Measurement] {
    let pictures = frames.sorted { $0.key < $1.key }.map(\.value)
    let labelled = pictures.reduce(0) { $0 + $1.labelled }
    guard labelled > 0 else {
      return Self.definitions.map {
        $0.undefined(
          "no labelled face counts: there is none, or all are ignored or crowds", n: 0)
      }
    }
    let scores = pictures.flatMap(\.scores)
    let isTrue = pictures.flatMap(\.isTrue)
    let ranking = scores.indices.sorted {
      scores[$0] > scores[$1] || (scores[$0] == scores[$1] && $0 < $1)
    }
    var (found, recalls, precisions) = (0, [Double](), [Double]())
    for (rank, detection) in ranking.enumerated() {
      if isTrue[detection] { found += 1 }
      recalls.append(Double(found) / Double(labelled))
      precisions.append(Double(found) / Double(rank + 1))
    }
    return [
      Self.allPoints.measurement(
        InterpolatedPrecision.area(recalls: recalls, precisions: precisions), n: labelled),
      Self.elevenPoints.measurement(
        InterpolatedPrecision.atElevenRecalls(recalls: recalls, precisions: precisions),
        n: labelled),
    ]
  }
}

extension VOCDetection {
  /// Both averages.
  package static let definitions = [allPoints, elevenPoints]

  private static let allPoints = definition(
    "ap", "VOC AP over all points", "area under the falling envelope of precision over recall",
    "Everingham et al. 2010, PASCAL VOC 2010")
  private static let elevenPoints = definition(
    "ap11", "VOC AP at eleven recalls",
    "mean over the recalls 0:.1:1 of the best precision at that recall or more",
    "Everingham et al. 2010, PASCAL VOC 2007")

  private static func definition(
    _ name: String, _ title: String, _ formula: String, _ source: String
  ) -> MetricDefinition {
    MetricDefinition(
      name: "detection.voc.\(name)", title: title, stage: "detection", unit: "1",
      direction: .higher,
      formula: formula
        + "; IoU .50 of boxes whose last pixel belongs to them, duplicates are false; in [0, 1], "
        + "undefined where no label counts", source: source + "; Padilla et al. 2020")
  }
}
