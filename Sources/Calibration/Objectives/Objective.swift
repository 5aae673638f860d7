package import Records

/// What a setting should reach: one figure as high or as low as can be, others within limits.
///
/// Written `max f1`, `max recall where fp_per_minute <= 2` or
/// `min nme where tracked_share >= 0.98 with 95 % and detector_rate <= 0.1`.
package struct Objective: Sendable, Hashable, CustomStringConvertible {
  /// How a figure and its bound are compared.
  package enum Relation: String, Sendable, CaseIterable {
    case atMost = "<="
    case atLeast = ">="
    case below = "<"
    case above = ">"

    /// Whether a value is on the right side.
    func holds(_ value: Double, _ bound: Double) -> Bool {
      switch self {
      case .atMost: value <= bound
      case .atLeast: value >= bound
      case .below: value < bound
      case .above: value > bound
      }
    }

    /// The side on which the bound is met.
    var side: Direction { self == .atLeast || self == .above ? .higher : .lower }
  }

  /// A figure that must stay on one side of a number.
  package struct Limit: Sendable, Hashable, CustomStringConvertible {
    /// The figure's name.
    package var figure: String
    /// The side.
    package var relation: Relation
    /// The number, in the figure's unit.
    package var bound: Double
    /// How sure it must be that the figure keeps to that side, in (0.5, 1); nil asks this data alone.
    package var confidence: Double?

    /// As it is written.
    package var description: String {
      "\(figure) \(relation.rawValue) \(Objective.text(bound))"
        + (confidence.map { " with \(($0 * 100).shortText(significantDigits: 6)) %" } ?? "")
    }
  }

  /// Whether the figure is to be high or low.
  package var better: Direction
  /// The name of the figure to optimise.
  package var figure: String
  /// What must hold too; a figure that is undefined meets no limit.
  package var limits: [Limit]

  /// As it is written.
  package var description: String {
    let goal = "\(better == .higher ? "max" : "min") \(figure)"
    return limits.isEmpty
      ? goal : goal + " where " + limits.map(\.description).joined(separator: " and ")
  }

  /// Whether a limit asks for a confidence.
  package var isGuarded: Bool { limits.contains { $0.confidence != nil } }

  /// The same without confidences: what is best on this data alone.
  package var unguarded: Objective {
    var plain = self
    for index in plain.limits.indices { plain.limits[index].confidence = nil }
    return plain
  }

  /// The names in the order of their places: the goal's, then each limit's.
  var names: [String] { [figure] + limits.map(\.figure) }

  /// A whole number without a fraction.
  static func text(_ number: Double) -> String {
    number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
  }
}
