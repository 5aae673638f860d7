package import Platform

/// What gates say of a result, and by how much it differs from that of a base run.
package struct ResultVerdicts: Sendable, Hashable, Codable {
  /// A metric that the base has too.
  package struct Change: Sendable, Hashable, Codable {
    /// The metric, and its slice; nil for all.
    package var metric: String
    @Nullable package var slice: String?
    /// Its unit; nil in files of earlier versions.
    package var unit: String?
    /// Its value and that of the base.
    package var value: Double, base: Double
    /// By how much it differs; of one that is best near a target the distance to it.
    package var difference: Response.Estimate

    /// Joins the numbers of a change.
    package init(
      metric: String, slice: String?, unit: String, value: Double, base: Double,
      difference: Response.Estimate
    ) {
      (self.metric, self.slice, self.unit) = (metric, slice, unit)
      (self.value, self.base) = (value, base)
      self.difference = difference
    }
  }

  /// What the base is; nil without one.
  @Nullable package var base: String?
  /// The metrics that both have.
  package var changes: [Change]
  /// The gates with their verdicts.
  package var gates: [GateResult]
  /// Units of the metrics of gates; nil in files of earlier versions.
  package var units: [String: String]?

  /// Joins changes and verdicts.
  package init(
    base: String?, changes: [Change], gates: [GateResult], units: [String: String]? = nil
  ) {
    (self.base, self.changes, self.gates, self.units) = (base, changes, gates, units)
  }
}

extension ResultVerdicts {
  /// The changes whose interval excludes 0, the surest first: by how many of its widths the interval is from 0.
  package var sureChanges: [Change] {
    changes.filter { $0.difference.atLeast > 0 }.enumerated()
      .sorted { (-$0.element.sureness, $0.offset) < (-$1.element.sureness, $1.offset) }
      .map(\.element)
  }
}

extension ResultVerdicts.Change {
  fileprivate var sureness: Double {
    difference.ends.map { difference.atLeast / ($0.high - $0.low) } ?? 0
  }
}
