internal import FaceCore
internal import Foundation

/// How one labelled number of a face is compared with a predicted one.
package struct AttributeRule: Sendable, Hashable {
  /// What the number is.
  package enum Kind: String, Sendable, CaseIterable {
    /// A quantity on a scale, such as an intensity or an age.
    case number
    /// Yes or no, each side by a threshold.
    case binary
    /// One angle, which returns to itself after a whole turn.
    case angle
    /// A direction in space, as yaw and pitch or as a vector.
    case direction
  }

  /// The label's or the prediction's numbers.
  package struct Side: Sendable, Hashable {
    /// One attribute.
    package struct Column: Sendable, Hashable {
      /// The attribute's name in the file.
      package var name: String
      /// Whether its sign is changed.
      package var isNegated: Bool
      /// Another name of the same number, for faces that do not have the first; nil for none.
      var otherName: String?

      /// Takes an attribute, or its negative.
      package init(name: String, isNegated: Bool = false) {
        self.name = name
        self.isNegated = isNegated
      }
    }

    /// One number; for a direction two (yaw, pitch) or three (x, y, z).
    package var columns: [Column]
    /// Whether angles are in degrees; otherwise in radians.
    package var isInDegrees = false
    /// What a yes-or-no number is compared with.
    package var threshold = 0.0
    /// Whether yes is above the threshold; otherwise it is the threshold or less.
    package var isAbove = true

    /// Takes attributes as they are.
    package init(_ names: [String]) {
      columns = names.map { Column(name: $0) }
    }
  }

  /// What the comparison is called; part of the names of its metrics.
  package let name: String
  /// What is compared.
  package let kind: Kind
  /// The label's numbers.
  package var label: Side
  /// The prediction's numbers.
  package var prediction: Side
  /// A predicted number is multiplied by this first, then `offset` is added; for kind `number`.
  package var scale = 1.0
  /// What is added to a predicted number; for kind `number`.
  package var offset = 0.0
  /// Values that mean that a label is not known.
  package var unknown: [Double] = []

  /// Compares the attribute of that name on both sides.
  package init(_ name: String, kind: Kind = .number) {
    self.name = name
    self.kind = kind
    label = Side([name])
    prediction = Side([name])
  }
}

extension AttributeRule {
  /// Whether the label is an attribute that is an angle by its name, which is in radians.
  var isOfAngle: Bool {
    label.columns.count == 1 && FaceLabel.isAngle(attribute: label.columns[0].name)
  }

  /// A labelled number and what was predicted of it.
  struct Pair: Sendable, Hashable {
    /// The number; 1 or 0 for yes and no; 0 for an angle or a direction.
    var labelled: Double
    /// The number; the turn from the label in degrees, in (-180, 180], for an angle; the angle between the two in
    /// degrees for a direction; nil where nothing is predicted.
    var predicted: Double?
  }

  /// The pair of a labelled face; nil where it is not labelled.
  func pair(label: [String: Double], prediction: [String: Double]?) -> Pair? {
    guard let labelled = numbers(of: self.label, in: label) else { return nil }
    if !unknown.isEmpty {
      for column in self.label.columns {
        if let value = label[column.name], unknown.contains(value) { return nil }
      }
    }
    let predicted = prediction.flatMap { numbers(of: self.prediction, in: $0) }
    switch kind {
    case .number:
      return Pair(labelled: labelled[0], predicted: predicted.map { scale * $0[0] + offset })
    case .binary:
      return Pair(labelled: self.label.isYes(labelled[0]) ? 1 : 0, predicted: predicted?[0])
    case .angle:
      let from = self.label.degrees(labelled[0])
      return Pair(
        labelled: 0,
        predicted: predicted.map {
          let turn = (self.prediction.degrees($0[0]) - from).remainder(dividingBy: 360)
          return turn == -180 ? 180 : turn
        })
    case .direction:
      guard let from = self.label.unitVector(labelled) else { return nil }
      return Pair(
        labelled: 0,
        predicted: predicted.flatMap { self.prediction.unitVector($0) }.map {
          Self.degrees(between: from, and: $0)
        })
    }
  }

  /// The angle between two unit vectors, in [0, 180]; exact also where they are nearly parallel.
  private static func degrees(
    between first: SIMD3<Double>, and second: SIMD3<Double>
  ) -> Double {
    func length(_ vector: SIMD3<Double>) -> Double { (vector * vector).sum().squareRoot() }
    let half: Double = atan2(length(first - second), length(first + second))
    return 2 * half * 180 / .pi
  }

  /// The direction of the mean of turns, in (-180, 180]; nil where they have none, as of none or of opposite ones.
  static func circularMean(ofDegrees turns: [Double]) -> Double? {
    var (x, y) = (0.0, 0.0)
    for turn in turns {
      x += cos(turn * .pi / 180)
      y += sin(turn * .pi / 180)
    }
    guard (x * x + y * y).squareRoot() > 1e-9 * Double(turns.count) else { return nil }
    return atan2(y, x) * 180 / .pi
  }

  /// The finite numbers of a side; nil where one is missing.
  private func numbers(of side: Side, in attributes: [String: Double]) -> [Double]? {
    var numbers: [Double] = []
    for column in side.columns {
      let given = attributes[column.name] ?? column.otherName.flatMap { attributes[$0] }
      guard let value = given, value.isFinite else { return nil }
      numbers.append(column.isNegated ? -value : value)
    }
    return numbers
  }
}

extension AttributeRule.Side {
  /// Whether a number is on the side of yes.
  func isYes(_ number: Double) -> Bool { isAbove ? number > threshold : number <= threshold }

  /// A number that is larger the more it speaks for yes.
  func score(_ number: Double) -> Double { isAbove ? number : -number }

  fileprivate func degrees(_ angle: Double) -> Double {
    isInDegrees ? angle : angle * 180 / .pi
  }

  /// The direction that yaw and pitch, or x, y and z, give; nil for a vector without length.
  ///
  /// Yaw and pitch give x = cos pitch · sin yaw, y = sin pitch, z = cos pitch · cos yaw.
  fileprivate func unitVector(_ numbers: [Double]) -> SIMD3<Double>? {
    guard numbers.count == 3 else {
      let (yaw, pitch) = (degrees(numbers[0]) * .pi / 180, degrees(numbers[1]) * .pi / 180)
      return SIMD3(cos(pitch) * sin(yaw), sin(pitch), cos(pitch) * cos(yaw))
    }
    let vector = SIMD3(numbers[0], numbers[1], numbers[2])
    let largest = numbers.map(\.magnitude).max() ?? 0
    guard largest > 0 else { return nil }
    let scaled = vector / largest
    return scaled / (scaled * scaled).sum().squareRoot()
  }
}
