/// Weighted non-maximum suppression as MediaPipe does it.
///
/// Each round takes the best remaining detection as leader and replaces its box and points by the
/// score-weighted means of all remaining detections that overlap it by more than the threshold
/// (itself among them). The score stays the leader's. Equal scores keep the order of the anchors.
package enum WeightedSuppression {
  /// A detection that stands for those that overlap it.
  package struct Group: Sendable {
    /// Position of the best one among the detections.
    package let leader: Int
    /// Positions of the averaged ones by descending score, with their IoU with the leader; none for a degenerate box.
    package let members: [(position: Int, overlap: Float)]
  }

  /// Detections that stand for their group, in descending order of score.
  package static func apply(
    to detections: [NormalizedDetection], overlap threshold: Float
  ) -> [NormalizedDetection] {
    groups(of: detections, overlap: threshold).map { mean(of: $0, among: detections) }
  }

  /// The groups that `apply` averages, in descending order of their leaders' scores.
  ///
  /// Where a leader does not overlap itself by more than the threshold, its group is the last one.
  static func groups(of detections: [NormalizedDetection], overlap threshold: Float) -> [Group] {
    var remaining = detections.indices
      .sorted { (detections[$1].score, $0) < (detections[$0].score, $1) }
    var groups: [Group] = []
    while let leader = remaining.first {
      let box = detections[leader].box
      var members: [(position: Int, overlap: Float)] = []
      var rest: [Int] = []
      for position in remaining {
        let overlap = detections[position].box.iou(with: box)
        if overlap > threshold {
          members.append((position, overlap))
        } else {
          rest.append(position)
        }
      }
      groups.append(Group(leader: leader, members: members))
      if members.isEmpty { break }
      remaining = rest
    }
    return groups
  }

  /// The score-weighted mean of a group, with its leader's score.
  static func mean(
    of group: Group, among detections: [NormalizedDetection]
  ) -> NormalizedDetection {
    let leader = detections[group.leader]
    return group.members.isEmpty
      ? leader : mean(of: group.members.map { detections[$0.position] }, leader: leader)
  }

  private static func mean(
    of group: [NormalizedDetection], leader: NormalizedDetection
  ) -> NormalizedDetection {
    var total: Float = 0
    var corners = SIMD4<Float>()
    var points = [SIMD2<Float>](repeating: SIMD2(), count: leader.keypoints.count)
    for detection in group {
      let s = detection.score
      total += s
      corners.x += detection.xmin * s
      corners.y += detection.ymin * s
      corners.z += (detection.xmin + detection.width) * s
      corners.w += (detection.ymin + detection.height) * s
      for (index, point) in detection.keypoints.enumerated() {
        points[index].x += point.x * s
        points[index].y += point.y * s
      }
    }
    guard total > 0 else { return leader }
    var result = leader
    result.xmin = corners.x / total
    result.ymin = corners.y / total
    result.width = corners.z / total - result.xmin
    result.height = corners.w / total - result.ymin
    result.keypoints = points.map { SIMD2($0.x / total, $0.y / total) }
    return result
  }
}
