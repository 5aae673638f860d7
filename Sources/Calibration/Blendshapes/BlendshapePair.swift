internal import FaceCore

/// Labelled and predicted coefficients of one face at one moment.
package struct BlendshapePair: Sendable, Hashable {
  /// The 52 labelled coefficients, NaN where one is not labelled.
  package var labelled: [Float]
  /// The 52 predicted coefficients, NaN where one is not given.
  package var predicted: [Float]
  /// Subject, else video, else still.
  package var cluster: Int
  /// Who it is; empty where unknown.
  package var subject: String

  /// Pairs two lists; nil unless both have 52 numbers.
  package init?(labelled: [Float], predicted: [Float], cluster: Int = 0, subject: String = "") {
    guard labelled.count == Blendshape.allCases.count, predicted.count == labelled.count else {
      return nil
    }
    self.labelled = labelled
    self.predicted = predicted
    self.cluster = cluster
    self.subject = subject
  }

  /// Whether no labelled coefficient is above 0.1, as `blendshapes.neutral_bias` has it.
  var isAtRest: Bool {
    labelled.contains { $0.isFinite }
      && Blendshape.allCases.allSatisfy { $0 == .neutral || !(labelled[$0.index] > 0.1) }
  }

  /// A coefficient's label and prediction; nil if either is missing.
  func values(_ shape: Blendshape) -> (labelled: Double, predicted: Double)? {
    let (label, value) = (labelled[shape.index], predicted[shape.index])
    return label.isFinite && value.isFinite ? (Double(label), Double(value)) : nil
  }
}

extension [BlendshapePair] {
  /// Whether any face has different labels on two sides; without one the parts of the sides cannot be told apart.
  func movesApart(_ left: Blendshape, _ right: Blendshape) -> Bool {
    contains { pair in
      guard let one = pair.values(left), let other = pair.values(right) else { return false }
      return one.labelled != other.labelled
    }
  }

  /// Mean of each predicted coefficient over faces that are labelled at rest; empty for under ten of them.
  var rest: [String: Double] {
    RestingFace.rest(of: filter(\.isAtRest).map(\.predicted))
  }
}

/// A face that does nothing, from a few seconds of a tracker's output.
package enum RestingFace {
  /// Faces that are needed.
  package static let minFaces = 10

  /// The mean of each coefficient but `_neutral`, by name; empty for fewer than ten faces.
  package static func rest(of faces: [[Float]]) -> [String: Double] {
    let faces = faces.filter { $0.count == Blendshape.allCases.count }
    guard faces.count >= minFaces else { return [:] }
    var rest: [String: Double] = [:]
    for shape in Blendshape.allCases where shape != .neutral {
      let values = faces.map { $0[shape.index] }.filter(\.isFinite)
      guard values.count >= minFaces else { continue }
      rest[shape.rawValue] = values.reduce(0) { $0 + Double($1) } / Double(values.count)
    }
    return rest
  }
}
