import FaceCore

/// COCO's assignment of detections to labels in one image.
///
/// By falling score, each detection takes the free label of the largest IoU; labels that count go
/// before ignored ones, and crowds are never used up.
struct GreedyMatcher {
  private struct Row {
    var detection: Int
    var candidates: Range<Int>
  }

  private let isCrowd: [Bool]
  private var rows: [Row] = []
  private var labels: [Int] = []
  private var overlaps: [Double] = []
  private var isTaken: [Bool]

  /// Computes every overlap once; `boxes` come best score first, and `floor` is the lowest IoU asked.
  init(labels faces: [FaceLabel], boxes: [BoundingBox], floor: Double) {
    isCrowd = faces.map(\.isCrowd)
    isTaken = Array(repeating: false, count: faces.count)
    let faceBoxes = faces.map(\.box)
    let floor = Self.attainable(floor)
    for (detection, box) in boxes.enumerated() {
      let start = labels.count
      for (label, face) in faceBoxes.enumerated() {
        let overlap = Self.overlap(of: box, with: face, isCrowd: isCrowd[label])
        if overlap >= floor {
          labels.append(label)
          overlaps.append(overlap)
        }
      }
      if labels.count > start {
        rows.append(Row(detection: detection, candidates: start..<labels.count))
      }
    }
  }

  /// Reports each match as detection (rank), label and IoU; `threshold` must not be under the floor.
  mutating func match(
    threshold: Double, isIgnored: [Bool],
    found: (_ detection: Int, _ label: Int, _ overlap: Double) -> Void
  ) {
    if rows.isEmpty { return }
    for label in isTaken.indices { isTaken[label] = false }
    for row in rows {
      let best =
        best(in: row, threshold: threshold, isIgnored: isIgnored, ignored: false)
        ?? best(in: row, threshold: threshold, isIgnored: isIgnored, ignored: true)
      guard let best else { continue }
      isTaken[labels[best]] = true
      found(row.detection, labels[best], overlaps[best])
    }
  }

  /// Of equal overlaps the later label wins, as in COCO's own code.
  private func best(in row: Row, threshold: Double, isIgnored: [Bool], ignored: Bool) -> Int? {
    var highest = Self.attainable(threshold)
    var best: Int?
    for candidate in row.candidates {
      let label = labels[candidate]
      guard isIgnored[label] == ignored, !isTaken[label] || isCrowd[label],
        overlaps[candidate] >= highest
      else { continue }
      highest = overlaps[candidate]
      best = candidate
    }
    return best
  }

  /// A threshold of 1 must be reachable by equal boxes in spite of rounding.
  private static func attainable(_ threshold: Double) -> Double { min(threshold, 1 - 1e-10) }

  /// IoU, or for a crowd the share of the detection that lies inside it.
  private static func overlap(of box: BoundingBox, with label: BoundingBox, isCrowd: Bool) -> Double
  {
    let shared = box.intersection(with: label)
    return shared > 0 ? shared / (isCrowd ? box.area : box.area + label.area - shared) : 0
  }
}

extension [FaceDetection] {
  /// Positions by falling score; equal scores keep their order.
  func rankedByScore() -> [Int] {
    let scores = map(\.score)
    return indices.sorted {
      scores[$0] > scores[$1] || (scores[$0] == scores[$1] && $0 < $1)
    }
  }

  /// Throws at the first box or score that cannot be compared.
  func validate(frame: Int) throws(MetricError) {
    for (index, detection) in enumerated() {
      guard detection.box.isWellFormed else {
        throw .malformedBox(detection.box, of: "detection \(index)", frame: frame)
      }
      guard detection.score.isFinite else {
        throw .malformedScore(detection.score, detection: index, frame: frame)
      }
    }
  }
}

extension [FaceLabel] {
  /// Throws at the first box or area that cannot be compared.
  func validate(frame: Int) throws(MetricError) {
    for (index, label) in enumerated() {
      guard label.box.isWellFormed else {
        throw .malformedBox(label.box, of: "label \(index)", frame: frame)
      }
      guard label.area >= 0 else {
        throw .malformedArea(label.area, label: index, frame: frame)
      }
    }
  }
}
