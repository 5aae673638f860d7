internal import FaceCore
internal import Running

/// Why a labelled face was not found, or why what was found is no labelled face.
enum MissReason {
  /// It was found with this score, but `num-faces` others had a higher one.
  case cutOff(score: Double, limit: Int)
  /// Something that matches nothing else overlaps it, by too little; its score is known of detections.
  case overlap(iou: Double, score: Double?)
  /// It was found with a score or presence below the threshold.
  case belowThreshold(score: Double?)
  /// What overlaps it most is a candidate, or belongs to another.
  case nearest(iou: Double)
  /// A labelled face that is found already lies there.
  case duplicate(iou: Double)
  /// Nothing overlaps it by more than .10.
  case nothing

  /// The reason as tables group by it.
  var word: String {
    switch self {
    case .cutOff: "cut off by num-faces"
    case .overlap, .nearest: "overlap too small"
    case .belowThreshold: "below threshold"
    case .duplicate: "duplicate"
    case .nothing: "nothing near"
    }
  }

  /// The reason why a labelled face was missed, with its numbers.
  var text: String {
    switch self {
    case .cutOff(let score, let limit):
      "found at \(NumberText.text(score)), cut off by num-faces \(limit)"
    case .overlap(let iou, let score):
      "a detection at \(NumberText.text(score ?? .nan)) overlaps by \(NumberText.text(iou)) only"
    case .belowThreshold(let score):
      "score \(NumberText.text(score ?? .nan)) is below the threshold"
    case .nearest(let iou), .duplicate(let iou):
      "nearest detection overlaps by \(NumberText.text(iou))"
    case .nothing: "no detection near it"
    }
  }

  /// Boxes that overlap by no more are not near each other.
  static let near = 0.1

  /// The largest overlap with a box, and whose it is.
  static func best(_ boxes: [BoundingBox?], on box: BoundingBox) -> (index: Int, iou: Double)? {
    boxes.enumerated().compactMap { index, other in
      other.flatMap { $0.isWellFormed ? (index, $0.iou(with: box)) : nil }
    }.max { $0.1 < $1.1 }
  }

  /// Why a box that was given out is on no label.
  static func ofFalse(_ box: BoundingBox?, labels: [BoundingBox?]) -> MissReason {
    guard let box, let (_, iou) = best(labels, on: box), iou > near else { return .nothing }
    return iou >= 0.5 ? .duplicate(iou: iou) : .overlap(iou: iou, score: nil)
  }

  /// Why no face was given out for a labelled one: `free` match no label, `others` match another, `rejected` were not
  /// given out.
  static func ofMissed(
    _ box: BoundingBox, free: [FacePrediction], others: [FacePrediction], rejected: [FacePrediction]
  ) -> MissReason {
    if let (index, iou) = best(rejected.map(\.box), on: box), iou >= 0.5 {
      let face = rejected[index]
      return .belowThreshold(score: (face.presence ?? face.detectionScore).map(Double.init))
    }
    if let (_, iou) = best(free.map(\.box), on: box), iou > near {
      return .overlap(iou: iou, score: nil)
    }
    if let (_, iou) = best(others.map(\.box), on: box), iou > near { return .nearest(iou: iou) }
    return .nothing
  }
}
