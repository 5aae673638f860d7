/// Metrics of many settings, one column a name.
package struct SettingTable: Sendable, Hashable {
  /// The thresholds of each setting, in an order that all share.
  package let settings: [[Double]]
  /// One value per setting under each name; nil where it is undefined.
  package let columns: [String: [Double?]]

  /// Joins settings and columns; throws for a column of another length.
  package init(
    settings: [[Double]], columns: [String: [Double?]]
  ) throws(CalibrationError) {
    for (name, column) in columns.sorted(by: { $0.key < $1.key })
    where column.count != settings.count {
      throw .columnLength(name, column.count, settings: settings.count)
    }
    self.settings = settings
    self.columns = columns
  }

  /// The setting that an objective prefers; of equal ones that with the higher thresholds, the first deciding.
  ///
  /// Throws where the objective names a metric that has no column.
  package func best(for objective: Objective) throws(CalibrationError) -> Objective.Choice {
    try best(for: objective, among: ranking)
  }

  /// The settings from the higher thresholds to the lower, the first deciding.
  var ranking: [Int] {
    settings.indices.sorted { first, second in
      for (one, other) in zip(settings[first], settings[second]) where one != other {
        return one > other
      }
      return first < second
    }
  }

  /// The setting that an objective prefers; of equal ones the first that is named.
  func best(
    for objective: Objective, among ranked: [Int], bounds: [LimitBounds?] = []
  ) throws(CalibrationError) -> Objective.Choice {
    var needed: [[Double?]] = []
    for name in objective.names { needed.append(try column(name)) }
    return objective.choice(among: ranked, bounds: bounds) { position, setting in
      needed[position][setting]
    }
  }

  /// The values of a metric; throws where there are none, with the nearest name.
  func column(_ name: String) throws(CalibrationError) -> [Double?] {
    guard let column = columns[name] else {
      throw .unknownMetric(name, among: columns.keys.sorted())
    }
    return column
  }
}
