/// Precision and recall of following one target, over thresholds of the tracker's confidence.
struct LongTermCurve: Sendable, Hashable {
  /// A threshold and what it gives, averaged over the sequences.
  struct Position: Sendable, Hashable {
    var threshold: Double
    var precision: Double
    var recall: Double
    /// Harmonic mean; 0 where both are 0.
    var f: Double { precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0 }
  }

  /// From the highest threshold to the lowest.
  let positions: [Position]

  /// The position with the largest F; of equal ones that of the highest threshold.
  var best: Position { positions.reduce(positions[0]) { $1.f > $0.f ? $1 : $0 } }

  /// Each sequence needs a frame with the target; a face without a confidence is below all thresholds.
  init(_ sequences: [[SingleObjectTracking.Entry]]) {
    let given = sequences.map { frames in
      frames.compactMap { frame in
        frame.anyOverlap.flatMap { overlap in frame.confidence.map { (overlap, $0) } }
      }
    }
    let labelled = sequences.map { Double($0.count(where: \.hasTarget)) }
    let thresholds = Self.thresholds(of: given.joined().map(\.1))
    positions = thresholds.map { threshold in
      var position = Position(threshold: threshold, precision: 0, recall: 0)
      for (faces, frames) in zip(given, labelled) {
        var (sum, count) = (0.0, 0)
        for (overlap, confidence) in faces where confidence >= threshold {
          sum += overlap
          count += 1
        }
        position.precision += count == 0 ? 1 : sum / Double(count)
        position.recall += sum / frames
      }
      position.precision /= Double(sequences.count)
      position.recall /= Double(sequences.count)
      return position
    }
  }

  /// ∞, at most 98 quantiles, −∞: as VOT's toolkit places them.
  private static func thresholds(of confidences: [Double]) -> [Double] {
    let sorted = confidences.sorted(by: >)
    let inner = 98
    guard sorted.count > inner else { return [.infinity] + sorted + [-.infinity] }
    let delta = Double(sorted.count / inner)
    let step = (Double(sorted.count) - 2 * delta) / Double(inner - 1)
    let quantiles = (0..<inner).map { index in
      let position =
        index == inner - 1 ? Double(sorted.count) - delta : Double(index) * step + delta
      return sorted[Int(position.rounded(.toNearestOrEven))]
    }
    return [.infinity] + quantiles + [-.infinity]
  }
}
