/// Weighted non-maximum suppression as MediaPipe does it.
///
/// Each round takes the best remaining detection as leader and replaces its box and points by the
/// score-weighted means of all remaining detections that overlap it by more than the threshold
/// (itself among them). The score stays the leader's. Equal scores keep the order of the anchors.
package enum WeightedSuppression {
  /// Detections that stand for their group, in descending order of score.
  package static func apply(
    to detections: [NormalizedDetection], overlap threshold: Float
  ) -> [NormalizedDetection] {
    var remaining = detections.enumerated()
      .sorted { ($1.element.score, $0.offset) < ($0.element.score, $1.offset) }
      .map(\.element)
    var kept: [NormalizedDetection] = []
    while let leader = remaining.first {
      var group: [NormalizedDetection] = []
      var rest: [NormalizedDetection] = []
      for detection in remaining {
        if detection.box.iou(with: leader.box) > threshold {
          group.append(detection)
        } else {
          rest.append(detection)
        }
      }
      kept.append(group.isEmpty ? leader : mean(of: group, leader: leader))
      if rest.count == remaining.count { break }
      remaining = rest
    }
    return kept
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
