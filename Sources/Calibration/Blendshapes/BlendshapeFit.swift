package import FaceCore
package import Metrics
internal import Statistics

/// Corrections fitted to labelled coefficients, and their results on held-out folds.
package struct BlendshapeFit: Sendable, Hashable {
  /// One coefficient on held-out folds.
  package struct Channel: Sendable, Hashable {
    /// Which.
    package let blendshape: Blendshape
    /// The coefficient as it came.
    package let before: PairedAgreement
    /// The held-out corrected coefficient.
    package let after: PairedAgreement
  }

  /// What is kept.
  package let calibration: BlendshapeCalibration
  /// The coefficients whose label and prediction vary, in the order of `Blendshape`.
  package let channels: [Channel]
  /// The held-out corrected coefficients of each pair, in the order of the pairs.
  package let heldOut: [[Float]]

  /// What is held out together in a fold.
  package enum HeldOut: String, Sendable {
    /// Clusters of the dataset.
    case clusters = "subjects, else videos, else stills"
    /// Stretches of each subject's time.
    case stretches = "stretches of time"
    /// Repetitions of prompts, which the pairs have as clusters.
    case repetitions = "repetitions of prompts"
  }

  /// The ridge, as a share of the coefficients' mean variance, that goes with noisy predictions.
  package static let usualRidge = 1e-3

  /// Fits each correction to all its pairs, and cross-fits it.
  ///
  /// A shared one is held out by clusters, those of subjects by stretches of each subject's time, because
  /// one person's correction is applied to that person; `heldOut` overrides that, and `seed` deals out clusters.
  /// `rest` is subtracted instead of the mean of faces labelled at rest, and those of `restOfSubjects` from the faces
  /// of subjects that have their own. Throws for fewer clusters than folds, and if no coefficient varies.
  package init(
    _ pairs: [BlendshapePair], scope: BlendshapeCalibration.Scope = .shared, folds count: Int = 5,
    heldOut unit: HeldOut? = nil, rest: [String: Double]? = nil,
    restOfSubjects: [String: [String: Double]] = [:], ridge: Double = usualRidge,
    seed: UInt64 = 1
  ) throws(CalibrationError) {
    let unit = unit ?? (scope == .shared ? .clusters : .stretches)
    guard (0..<Double.infinity).contains(ridge) else {
      throw .uncorrected("expected a ridge of 0 or more, found \(ridge)")
    }
    let groups: [String: [Int]]
    switch scope {
    case .shared: groups = ["": Array(pairs.indices)]
    case .subject: groups = Dictionary(grouping: pairs.indices) { pairs[$0].subject }
    }
    var heldOut = pairs.map(\.predicted)
    var fitted: [String: BlendshapeCorrection] = [:]
    for (name, positions) in groups.sorted(by: { $0.key < $1.key }) {
      let own = positions.map { pairs[$0] }
      let rest = restOfSubjects[name] ?? rest
      let folds = try Self.folds(of: own, unit, count, seed: seed, name: name)
      fitted[name] = try Self.correction(of: own, rest: rest, ridge: ridge)
      for fold in 0..<count {
        let seen = zip(own, folds).filter { $0.1 != fold }.map(\.0)
        let correction = try Self.correction(of: seen, rest: rest, ridge: ridge)
        for (position, held) in zip(positions, folds) where held == fold {
          let pair = pairs[position]
          let applied = BlendshapeCorrection(
            channels: correction.channels, rest: restOfSubjects[pair.subject] ?? correction.rest)
          heldOut[position] = applied.corrected(pair.predicted)
        }
      }
    }
    self.heldOut = heldOut
    channels = Self.channels(pairs, heldOut)
    calibration = BlendshapeCalibration(
      scope: scope, shared: fitted[""], subjects: fitted.filter { !$0.key.isEmpty },
      faces: pairs.count, folds: count, heldOut: unit.rawValue,
      before: Self.mean(channels.map(\.before)), after: Self.mean(channels.map(\.after)))
  }

  private static func folds(
    of pairs: [BlendshapePair], _ unit: HeldOut, _ count: Int, seed: UInt64, name: String
  ) throws(CalibrationError) -> [Int] {
    let clusters = Set(pairs.map(\.cluster)).count
    switch unit {
    case .repetitions:
      guard clusters >= count else {
        throw .uncorrected(
          "expected at least \(count) repetitions of prompts"
            + (name.isEmpty ? "" : " of '\(name)'") + ", found \(clusters)")
      }
    case .clusters:
      guard clusters >= count else {
        throw .uncorrected(
          "expected as many clusters (subjects, videos or stills) as folds (\(count)), found "
            + "\(clusters)\(ClusterFolds.fewer(clusters)); for one person stretches of time can be "
            + "held out (--blendshapes-for subject)")
      }
    case .stretches:
      guard count >= 2, pairs.count >= count * minFaces else {
        throw .uncorrected(
          "expected 2 folds or more of \(minFaces) faces of '\(name)', found \(count) of "
            + "\(pairs.count) in all")
      }
      return pairs.indices.map { $0 * count / pairs.count }
    }
    let folds = try ClusterFolds(of: pairs.map(\.cluster), folds: count, seed: seed)
    return pairs.map { folds.fold(of: $0.cluster) ?? 0 }
  }

  /// Faces that the fit of a coefficient needs.
  static let minFaces = 20
  /// A coefficient that varies less has no fit, as in `BlendshapeAccuracy`.
  static let deadVariance = 1e-6

  /// The correction that fits some pairs best.
  package static func correction(
    of pairs: [BlendshapePair], rest: [String: Double]? = nil, ridge: Double = usualRidge
  ) throws(CalibrationError) -> BlendshapeCorrection {
    let rest = rest ?? pairs.rest
    var channels: [String: BlendshapeCorrection.Channel] = [:]
    var paired: Set<Blendshape> = []
    for (left, right) in SideCrosstalk.pairs where pairs.movesApart(left, right) {
      guard let sides = fit([left, right], pairs, rest, ridge), sides.weights[0][0] > 0,
        sides.weights[1][1] > 0
      else { continue }
      let constant = sides.constant
      channels[left.rawValue] = .init(
        offset: constant[0], gain: sides.weights[0][0], crosstalk: sides.weights[1][0])
      channels[right.rawValue] = .init(
        offset: constant[1], gain: sides.weights[1][1], crosstalk: sides.weights[0][1])
      paired.formUnion([left, right])
    }
    for shape in Blendshape.allCases where shape != .neutral && !paired.contains(shape) {
      guard let line = fit([shape], pairs, rest, ridge), line.weights[0][0] > 0 else { continue }
      channels[shape.rawValue] = .init(offset: line.constant[0], gain: line.weights[0][0])
    }
    guard !channels.isEmpty else {
      throw .uncorrected(
        "no coefficient of \(pairs.count) faces is labelled and predicted \(minFaces) times, varies "
          + "on both sides, and rises with its label")
    }
    return BlendshapeCorrection(channels: channels, rest: rest)
  }

  /// From predictions to labels; nil where one of them hardly varies, or there are too few faces.
  private static func fit(
    _ shapes: [Blendshape], _ pairs: [BlendshapePair], _ rest: [String: Double], _ ridge: Double
  ) -> LinearFit? {
    var regression = RidgeRegression(inputs: shapes.count, outputs: shapes.count)
    var columns = shapes.map { _ in (labelled: [Double](), predicted: [Double]()) }
    for pair in pairs {
      let values = shapes.compactMap { pair.values($0) }
      guard values.count == shapes.count else { continue }
      regression.add(
        zip(shapes, values).map { $1.predicted - (rest[$0.rawValue] ?? 0) },
        values.map(\.labelled))
      for (column, value) in values.enumerated() {
        columns[column].labelled.append(value.labelled)
        columns[column].predicted.append(value.predicted)
      }
    }
    let isAlive = columns.allSatisfy { column in
      PairedAgreement(predicted: column.predicted, labelled: column.labelled).map {
        $0.labelledVariance >= deadVariance && $0.predictedVariance >= deadVariance
      } ?? false
    }
    guard regression.count >= minFaces, isAlive else { return nil }
    return regression.solved(ridge: ridge * regression.meanVariance * Double(regression.count))
  }

  private static func channels(_ pairs: [BlendshapePair], _ heldOut: [[Float]]) -> [Channel] {
    Blendshape.allCases.filter { $0 != .neutral }.compactMap { shape in
      var (labelled, before, after): ([Double], [Double], [Double]) = ([], [], [])
      for (pair, corrected) in zip(pairs, heldOut) {
        guard let value = pair.values(shape) else { continue }
        labelled.append(value.labelled)
        before.append(value.predicted)
        after.append(Double(corrected[shape.index]))
      }
      guard let first = PairedAgreement(predicted: before, labelled: labelled),
        let second = PairedAgreement(predicted: after, labelled: labelled),
        first.labelledVariance >= deadVariance, first.predictedVariance >= deadVariance
      else { return nil }
      return Channel(blendshape: shape, before: first, after: second)
    }
  }

  private static func mean(_ agreements: [PairedAgreement]) -> BlendshapeCalibration.Agreement? {
    guard !agreements.isEmpty else { return nil }
    let n = Double(agreements.count)
    return BlendshapeCalibration.Agreement(
      meanAbsoluteError: agreements.reduce(0) { $0 + $1.meanAbsoluteError } / n,
      concordance: agreements.reduce(0) { $0 + ($1.concordance ?? 0) } / n)
  }
}
