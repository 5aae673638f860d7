import FaceCore

/// COCO's assignment of detections to labels in one image, for up to 64 settings at once.
///
/// A setting is an IoU threshold and a choice of labels that are ignored; it has a bit of a mask. By falling score, each
/// detection takes the free label of the largest IoU at or over the threshold; labels that count go before ignored ones,
/// and crowds are never used up. Of equal overlaps the later label wins, as in COCO's own code.
struct GreedyMatcher {
  private struct Label {
    var left, top, right, bottom, area: Double
    var isCrowd: Bool
    /// Settings in which it is ignored.
    var isIgnored: UInt64
    /// Settings in which a detection has it.
    var isTaken: UInt64 = 0
  }

  private struct Candidate {
    var label: Int
    var overlap: Double
    /// Settings that are open to it and whose threshold it reaches.
    var settings: UInt64
  }

  private let thresholds: [Double]
  /// The settings that an overlap reaches, by how many thresholds it reaches.
  private let reached: [UInt64]
  private var labels: [Label] = []
  private var candidates: [Candidate] = []

  /// Settings are `thresholds`, ascending, times `choices`; the thresholds of a choice are bits in a row.
  init(thresholds: [Double], choices: Int = 1) {
    // A threshold of 1 must be reachable by equal boxes in spite of rounding.
    self.thresholds = thresholds.map { min($0, 1 - 1e-10) }
    reached = (0...thresholds.count).map { count -> UInt64 in
      let lowest: UInt64 = 1 << UInt64(count) - 1
      return (0..<choices).reduce(UInt64(0)) { $0 | lowest << UInt64($1 * thresholds.count) }
    }
  }

  /// Adds a label, which is ignored in some settings.
  mutating func add(_ box: BoundingBox, isCrowd: Bool, isIgnored: UInt64) {
    labels.append(
      Label(
        left: box.x, top: box.y, right: box.maxX, bottom: box.maxY, area: box.area,
        isCrowd: isCrowd, isIgnored: isIgnored))
  }

  /// Gives the next detection labels of a range; reports label, IoU, and the settings where it counts or is ignored.
  mutating func match(
    _ box: BoundingBox, among range: Range<Int>,
    found: (_ label: Int, _ overlap: Double, _ counted: UInt64, _ ignored: UInt64) -> Void
  ) {
    candidates.removeAll(keepingCapacity: true)
    let (left, top, right, bottom, area) = (box.x, box.y, box.maxX, box.maxY, box.area)
    let floor = thresholds[0]
    for index in range {
      let label = labels[index]
      let width = min(right, label.right) - max(left, label.left)
      let height = min(bottom, label.bottom) - max(top, label.top)
      guard width > 0, height > 0 else { continue }
      // A crowd is measured by the share of the detection that lies inside it.
      let shared = width * height
      let overlap = shared / (label.isCrowd ? area : area + label.area - shared)
      guard overlap >= floor else { continue }
      let settings = reached[thresholds.prefix { overlap >= $0 }.count]
      candidates.append(
        Candidate(
          label: index, overlap: overlap,
          settings: label.isCrowd ? settings : settings & ~label.isTaken))
    }
    guard !candidates.isEmpty else { return }
    if candidates.count > 1 {
      candidates.sort { ($0.overlap, $0.label) > ($1.overlap, $1.label) }
    }
    var free = UInt64.max
    for candidate in candidates {
      let isIgnored = labels[candidate.label].isIgnored
      let counted = candidate.settings & ~isIgnored & free
      guard counted != 0 else { continue }
      free &= ~counted
      labels[candidate.label].isTaken |= counted
      found(candidate.label, candidate.overlap, counted, 0)
    }
    for candidate in candidates {
      let ignored = candidate.settings & labels[candidate.label].isIgnored & free
      guard ignored != 0 else { continue }
      free &= ~ignored
      labels[candidate.label].isTaken |= ignored
      found(candidate.label, candidate.overlap, 0, ignored)
    }
  }
}

extension [FaceDetection] {
  /// Positions by falling score; equal scores keep their order.
  func rankedByScore() -> [Int] { ScoreOrder.descending(map(\.score)) }

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
