internal import FaceCore
internal import Metrics

/// Which labelled boxes are found at each shift in time, whoever they are.
struct OverlapShift {
  /// Fewest labels that are found with a shift and not without.
  private static let fewest = 30
  /// Least share of labels missed without a shift, of those found with or without.
  private static let missed = 0.1
  /// Largest share of that with a shift.
  private static let share = 0.2

  private let range: Int
  /// Labels found at 0 and not at each shift, and the other way round.
  private var lost, gained: [Int]
  /// Labels found at both.
  private var kept: [Int]
  /// Means of the best overlaps.
  private var overlaps: [Double]
  /// Positions in the sample of frames with a label that is not found.
  private var frames: [Int] = []

  init(_ sample: JoinedSample, runs: [Range<Int>], range: Int) {
    self.range = range
    lost = [Int](repeating: 0, count: 2 * range + 1)
    (gained, kept) = (lost, lost)
    overlaps = [Double](repeating: 0, count: 2 * range + 1)
    var counts = lost
    for run in runs {
      let boxes = run.map { sample.frames[$0].prediction.faces.compactMap(\.box) }
      for frame in run {
        for label in sample.frames[frame].labels where label.box.area > 0 {
          let best = (-range...range).map { shift -> Double in
            let other = frame + shift - run.lowerBound
            guard boxes.indices.contains(other) else { return -1 }
            return boxes[other].reduce(0.0) { max($0, label.box.iou(with: $1)) }
          }
          if best[range] < 0.5 { frames.append(frame) }
          for index in best.indices where best[index] >= 0 {
            switch (best[range] >= 0.5, best[index] >= 0.5) {
            case (true, true): kept[index] += 1
            case (true, false): lost[index] += 1
            case (false, true): gained[index] += 1
            case (false, false): break
            }
            overlaps[index] += best[index]
            counts[index] += 1
          }
        }
      }
    }
    for index in overlaps.indices where counts[index] > 0 {
      overlaps[index] /= Double(counts[index])
    }
  }

  /// Whether some label is found at one shift and not at another.
  var isMoving: Bool {
    gained.contains { $0 >= Self.fewest } || lost.contains { $0 >= Self.fewest }
  }

  /// The shift that finds the labels; nil if none does much better than 0.
  func verdict() -> TimeEvidence.Verdict? {
    let peaks = overlaps.indices.dropFirst().dropLast().filter {
      overlaps[$0] >= overlaps[$0 - 1] && overlaps[$0] >= overlaps[$0 + 1]
    }
    guard let most = peaks.map({ gained[$0] }).max(), most >= Self.fewest else { return nil }
    let good = peaks.filter { 10 * gained[$0] >= 9 * most }
    guard let peak = good.min(by: { abs($0 - range) < abs($1 - range) }),
      !good.contains(where: { $0 + peak == 2 * range && $0 != peak })
    else { return nil }
    let estimate =
      Double(peak - range)
      + CrossCorrelation.vertex(overlaps[peak - 1], overlaps[peak], overlaps[peak + 1])
    let shift = TimeLimits.whole(estimate)
    guard TimeLimits.isShift(shift, estimate: estimate), case let best = shift + range,
      gained[best] >= Self.fewest
    else { return nil }
    let count = Double(kept[best] + lost[best] + gained[best])
    let (before, after) = (Double(gained[best]) / count, Double(lost[best]) / count)
    guard before >= Self.missed, after <= Self.share * before else { return nil }
    return TimeEvidence.Verdict(
      explanation: .shift(shift), before: before, after: after, frames: Int(count),
      isShare: true)
  }

  /// The first frames with a label that is not found, spread over the video.
  func worst(_ count: Int) -> [Int] {
    let some = Array(Set(frames)).sorted()
    guard some.count > count else { return some }
    return (0..<count).map { some[$0 * some.count / count] }
  }
}
