internal import FaceCore
internal import Metrics
internal import Records

/// Labelled and predicted coefficients of the same faces.
struct CoefficientPairs {
  /// One face; both lists have the order of `Blendshape`.
  struct Row {
    let frame: Int
    let labelled: [Float]
    let given: [Float]
  }

  let rows: [Row]

  init(_ rows: [Row]) { self.rows = rows }

  /// All pairs of a sample that have coefficients on both sides.
  init(_ sample: JoinedSample) {
    rows = sample.pairs.compactMap { pair in
      let (_, label, face) = sample.faces(of: pair)
      guard let labelled = label.blendshapes, let given = face.blendshapes,
        labelled.count == Blendshape.allCases.count, given.count == labelled.count
      else { return nil }
      return Row(frame: pair.frame, labelled: labelled, given: given)
    }
  }

  /// The first and the second half, in the order of the frames.
  var halves: [CoefficientPairs] {
    [Self(Array(rows.prefix(rows.count / 2))), Self(Array(rows.suffix(rows.count / 2)))]
  }

  /// The value that 1 % of a side's largest coefficients of a face exceed.
  func highest(_ side: (Row) -> [Float]) -> Double {
    let largest = largest(side).sorted()
    return largest.isEmpty ? 0 : largest[largest.count * 99 / 100]
  }

  /// A side's largest coefficient of each face.
  func largest(_ side: (Row) -> [Float]) -> [Double] {
    rows.compactMap { side($0).filter(\.isFinite).max().map { Double($0) } }
  }

  /// The mean difference of coefficients that both sides have, with predictions divided.
  func error(divisor: Float = 1) -> Double? {
    var (sum, count) = (0.0, 0)
    for row in rows {
      for (label, value) in zip(row.labelled, row.given) {
        let difference = Double(abs(label - value / divisor))
        guard difference.isFinite else { continue }
        sum += difference
        count += 1
      }
    }
    return count == 0 ? nil : sum / Double(count)
  }

  /// The finite values of a labelled and of a predicted coefficient.
  func columns(_ label: Int, _ given: Int) -> (labelled: [Double], given: [Double]) {
    var (labelled, predicted): ([Double], [Double]) = ([], [])
    for row in rows where row.labelled[label].isFinite && row.given[given].isFinite {
      labelled.append(Double(row.labelled[label]))
      predicted.append(Double(row.given[given]))
    }
    return (labelled, predicted)
  }

  /// Mean correlations of labels that move with predictions as they are and in another order, over the same labels.
  func correlations(_ order: [Int], variance: Double) -> (
    before: Double, after: Double, count: Int
  )? {
    var (before, after, count) = (0.0, 0.0, 0)
    for (label, place) in order.enumerated()
    where order.indices.contains(place) && label != Blendshape.neutral.index {
      let own = columns(label, label)
      guard own.labelled.variance >= variance else { continue }
      let other = columns(label, place)
      guard 2 * other.labelled.count >= rows.count else { continue }
      before += Self.correlation(own.labelled, own.given)
      after += Self.correlation(other.labelled, other.given)
      count += 1
    }
    return count == 0 ? nil : (before / Double(count), after / Double(count), count)
  }

  /// The order of the predictions in which labels that move correlate most; -1 for those that do not move.
  func assignment(variance: Double) -> [Int]? {
    let count = Blendshape.allCases.count
    let moving = (0..<count).map {
      $0 != Blendshape.neutral.index && columns($0, $0).labelled.variance >= variance
    }
    guard
      let weights = try? PairWeights(
        rows: count, columns: count, frame: 0,
        weight: { label, place in
          guard moving[label] else { return 0 }
          let (labelled, given) = columns(label, place)
          return max(0, Self.correlation(labelled, given))
        })
    else { return nil }
    return MaximumAssignment.columns(weights).enumerated().map { moving[$0] ? $1 ?? -1 : -1 }
  }

  /// Correlations of the difference between left and right, of pairs of sides whose labels move apart; of names that begin
  /// with a word, also without those of gaze, which an exchange of in and out turns around too.
  func sideCorrelations(
    variance: Double, of word: String = "", withGaze: Bool = true
  ) -> [Double] {
    SideCrosstalk.pairs.compactMap { left, right in
      guard left.rawValue.hasPrefix(word), withGaze || !left.rawValue.hasPrefix("eyeLook") else {
        return nil
      }
      var (labelled, given): ([Double], [Double]) = ([], [])
      for row in rows {
        let label = row.labelled[left.index] - row.labelled[right.index]
        let value = row.given[left.index] - row.given[right.index]
        guard label.isFinite, value.isFinite else { continue }
        labelled.append(Double(label))
        given.append(Double(value))
      }
      guard 2 * labelled.count >= rows.count, labelled.variance >= variance else { return nil }
      return Self.correlation(labelled, given)
    }
  }

  /// Up to five faces, evenly over the sample.
  func shown(of sample: JoinedSample) -> [Finding.Frame] {
    let shown = stride(from: 0, to: rows.count, by: max(1, rows.count / 5))
    return sample.named(shown.map { rows[$0].frame })
  }

  /// What was found of all these faces.
  func finding(
    _ name: String, _ summary: String, statistic: String = "mean correlation of coefficients",
    before: Double, after: Double, remedy: String, in sample: JoinedSample
  ) -> Finding {
    Finding(
      name, .suspect, summary, statistic: statistic, before: before, after: after, n: rows.count,
      remedy: remedy, frames: shown(of: sample))
  }

  /// Pearson's correlation; 0 where either does not vary.
  static func correlation(_ one: [Double], _ other: [Double]) -> Double {
    PairedAgreement(predicted: one, labelled: other)?.correlation ?? 0
  }
}
