package import FaceCore

/// The metrics of one coefficient over all faces.
package struct BlendshapeChannel: Sendable, Hashable {
  /// Which coefficient.
  package let blendshape: Blendshape
  /// Errors and agreement.
  package let agreement: PairedAgreement
  /// Mean of p − g over faces labelled neutral; nil without such faces.
  package let neutralBias: Double?
  /// (max − min) of the predicted over that of the labelled values; nil where the label is constant.
  package let dynamicRange: Double?
  /// Least and largest label.
  package let labelledRange: ClosedRange<Double>
  /// Least and largest prediction.
  package let predictedRange: ClosedRange<Double>

  /// Whether the label hardly varies.
  package var isLabelDead: Bool { agreement.labelledVariance < Self.deadVariance }
  /// Whether the prediction hardly varies.
  package var isPredictionDead: Bool { agreement.predictedVariance < Self.deadVariance }
  /// Whether either hardly varies; a dead label keeps the coefficient out of all means.
  package var isDead: Bool { isLabelDead || isPredictionDead }

  static let deadVariance = 1e-6
  /// Largest label of a face that counts as neutral.
  static let neutralLimit = 0.1

  /// From columns of a row a found face, NaN where a coefficient is not given; nil where no face has both.
  fileprivate init?(
    _ blendshape: Blendshape, predicted: [Double], labelled: [Double], isNeutral: [Bool]
  ) {
    let rows = predicted.indices.filter { !predicted[$0].isNaN && !labelled[$0].isNaN }
    let isWhole = rows.count == predicted.count
    let labels = isWhole ? labelled : rows.map { labelled[$0] }
    let values = isWhole ? predicted : rows.map { predicted[$0] }
    let atRest = rows.filter { isNeutral[$0] }
    guard let agreement = PairedAgreement(predicted: values, labelled: labels),
      let low = labels.min(), let high = labels.max(), let minPredicted = values.min(),
      let maxPredicted = values.max()
    else { return nil }
    self.blendshape = blendshape
    self.agreement = agreement
    let bias = atRest.reduce(0.0) { $0 + (predicted[$1] - labelled[$1]) }
    neutralBias = atRest.isEmpty ? nil : bias / Double(atRest.count)
    labelledRange = low...high
    predictedRange = minPredicted...maxPredicted
    dynamicRange = high > low ? (maxPredicted - minPredicted) / (high - low) : nil
  }
}

/// The coefficients of found faces by column, in the order of `Blendshape`.
struct BlendshapeColumns {
  /// A row a found face; NaN where a coefficient is not finite.
  private var predicted, labelled: [[Double]]
  private var isNeutral: [Bool] = []

  init(_ faces: [BlendshapeAccuracy.Face]) {
    let count = Blendshape.allCases.count
    let found = faces.count { $0.predicted != nil }
    let column = [Double](repeating: .nan, count: found)
    predicted = Array(repeating: column, count: count)
    labelled = predicted
    isNeutral.reserveCapacity(found)
    for face in faces {
      guard let values = face.predicted else { continue }
      let row = isNeutral.count
      for index in 0..<count {
        if values[index].isFinite { predicted[index][row] = Double(values[index]) }
        if face.labelled[index].isFinite { labelled[index][row] = Double(face.labelled[index]) }
      }
      isNeutral.append(face.isNeutral)
    }
  }

  /// The coefficients that found faces have labelled and given, in the order of `Blendshape`.
  var channels: [BlendshapeChannel] {
    Blendshape.allCases.enumerated().compactMap { index, blendshape in
      blendshape == .neutral
        ? nil
        : BlendshapeChannel(
          blendshape, predicted: predicted[index], labelled: labelled[index], isNeutral: isNeutral)
    }
  }

  /// Crosstalk of each pair of sides that has it, the mean of both directions.
  var crosstalk: [(left: Blendshape, share: Double)] {
    SideCrosstalk.pairs.compactMap { shape, other in
      let (left, right) = (shape.index, other.index)
      var columns = [predicted[left], predicted[right], labelled[left], labelled[right]]
      let rows = isNeutral.indices.filter { row in columns.allSatisfy { !$0[row].isNaN } }
      if rows.count < isNeutral.count {
        columns = columns.map { column in rows.map { column[$0] } }
      }
      guard
        let onLeft = SideCrosstalk.share(
          predicted: columns[0], own: columns[2], other: columns[3]),
        let onRight = SideCrosstalk.share(
          predicted: columns[1], own: columns[3], other: columns[2])
      else { return nil }
      return (shape, (onLeft + onRight) / 2)
    }
  }
}
