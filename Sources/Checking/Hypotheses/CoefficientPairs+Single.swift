internal import FaceCore
internal import Metrics

/// What is wrong with some coefficients alone, as where a list was made from the channels of another rig.
extension CoefficientPairs {
  /// Coefficients that move a part of the face in opposite directions.
  static let directions: [(Blendshape, Blendshape)] = [
    (.jawLeft, .jawRight), (.mouthLeft, .mouthRight), (.eyeLookInLeft, .eyeLookOutLeft),
    (.eyeLookInRight, .eyeLookOutRight), (.eyeLookUpLeft, .eyeLookDownLeft),
    (.eyeLookUpRight, .eyeLookDownRight),
  ]

  /// What decides. Trackers of real and rendered faces have an own correlation of 0.26 or more, one with the opposite
  /// direction of 0.08 at most, and none of less than -0.4.
  private enum Limit {
    static let own = 0.2
    static let opposite = 0.6
    static let inverted = -0.6
    /// The prediction at rest, where the label is as low as that of a neutral face.
    static let rest = (label: 0.1, prediction: 0.5)
    /// Slopes of fractions and of percent, and how many of the former show that not all are percent.
    static let slopes = (fractions: 0.2...2.5, percent: 20.0, correlation: 0.5, count: 3)
  }

  /// Directions whose labels the prediction of the opposite one follows, and their own does not.
  func exchangedDirections(variance: Double) -> [(Blendshape, Blendshape)] {
    Self.directions.filter { one, other in
      let known = [(one, other), (other, one)].compactMap { label, opposite -> Bool? in
        let own = columns(label.index, label.index)
        guard own.labelled.variance >= variance, 2 * own.labelled.count >= rows.count else {
          return nil
        }
        let crossed = columns(label.index, opposite.index)
        return Self.correlation(own.labelled, own.given) <= Limit.own
          && Self.correlation(crossed.labelled, crossed.given) >= Limit.opposite
      }
      return !known.isEmpty && known.allSatisfy { $0 }
    }
  }

  /// The median correlation of directions to the sides with their own predictions; nil where none moves.
  func ownDirection(variance: Double) -> Double? {
    [.jawLeft, .jawRight, .mouthLeft, .mouthRight].compactMap { (shape: Blendshape) -> Double? in
      let own = columns(shape.index, shape.index)
      return own.labelled.variance >= variance
        ? Self.correlation(own.labelled, own.given) : nil
    }.median
  }

  /// Coefficients that fall where their labels rise, and are high at rest, as openness of an eye is for a blink.
  func invertedAlone(variance: Double) -> [Blendshape] {
    Blendshape.allCases.filter { shape in
      let (labelled, given) = columns(shape.index, shape.index)
      guard shape != .neutral, 2 * labelled.count >= rows.count, labelled.variance >= variance,
        Self.correlation(labelled, given) <= Limit.inverted
      else { return false }
      let resting = zip(labelled, given).filter { $0.0 <= Limit.rest.label }.map(\.1)
      return resting.median ?? 0 >= Limit.rest.prediction
    }
  }

  /// Predicted coefficients that are percent where others are fractions of the same faces.
  func percentAlone(variance: Double) -> [Blendshape] {
    let slopes = Blendshape.allCases.compactMap { shape -> (shape: Blendshape, slope: Double)? in
      let (labelled, given) = columns(shape.index, shape.index)
      guard shape != .neutral, 2 * labelled.count >= rows.count, labelled.variance >= variance
      else { return nil }
      let correlation = Self.correlation(labelled, given)
      guard correlation >= Limit.slopes.correlation else { return nil }
      return (shape, correlation * (given.variance / labelled.variance).squareRoot())
    }
    let fractions = slopes.filter { Limit.slopes.fractions.contains($0.slope) }
    let percent = slopes.filter { $0.slope >= Limit.slopes.percent }
    return fractions.count >= max(Limit.slopes.count, percent.count) ? percent.map(\.shape) : []
  }
}
