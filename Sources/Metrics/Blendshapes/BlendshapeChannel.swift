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

  /// Nil where no found face has the coefficient both labelled and given.
  init?(_ blendshape: Blendshape, of faces: [BlendshapeAccuracy.Face]) {
    var (predicted, labelled, atRest): ([Double], [Double], [Double]) = ([], [], [])
    let index = blendshape.index
    for face in faces {
      guard let label = face.labelled.given(index), let value = face.predicted?.given(index)
      else { continue }
      predicted.append(value)
      labelled.append(label)
      if face.isNeutral { atRest.append(value - label) }
    }
    guard let agreement = PairedAgreement(predicted: predicted, labelled: labelled),
      let low = labelled.min(), let high = labelled.max(), let minPredicted = predicted.min(),
      let maxPredicted = predicted.max()
    else { return nil }
    self.blendshape = blendshape
    self.agreement = agreement
    neutralBias = atRest.isEmpty ? nil : atRest.reduce(0, +) / Double(atRest.count)
    labelledRange = low...high
    predictedRange = minPredicted...maxPredicted
    dynamicRange = high > low ? (maxPredicted - minPredicted) / (high - low) : nil
  }
}

extension BlendshapeAccuracy {
  /// The coefficients that found faces have labelled and given, in the order of `Blendshape`.
  static func channels(of faces: [Face]) -> [BlendshapeChannel] {
    Blendshape.allCases.filter { $0 != .neutral }
      .compactMap { BlendshapeChannel($0, of: faces) }
  }

  /// Crosstalk of each pair of sides that has it, the mean of both directions.
  static func crosstalk(of faces: [Face]) -> [(left: Blendshape, share: Double)] {
    SideCrosstalk.pairs.compactMap { left, right in
      let (left, right, shape) = (left.index, right.index, left)
      var columns = [[Double]](repeating: [], count: 4)
      for face in faces {
        guard let predicted = face.predicted, let first = predicted.given(left),
          let second = predicted.given(right), let own = face.labelled.given(left),
          let other = face.labelled.given(right)
        else { continue }
        columns[0].append(first)
        columns[1].append(second)
        columns[2].append(own)
        columns[3].append(other)
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
