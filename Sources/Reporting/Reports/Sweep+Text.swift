internal import Platform
import Records

extension Sweep {
  /// The metric of that name, or nil.
  func metric(_ name: String) -> Metric? { metrics.first { $0.name == name } }

  /// A metric's value at a setting; nil where it is undefined or there is none.
  func value(_ metric: String, at setting: Int) -> Double? {
    guard let column = columns[metric], column.indices.contains(setting) else { return nil }
    return column[setting]
  }

  /// The parameters that have more than one value, by position.
  var movedParameters: [Int] {
    parameters.indices.filter { parameter in
      settings.contains {
        $0.indices.contains(parameter) && $0[parameter] != settings[0][parameter]
      }
    }
  }

  /// The setting that curves go through: the first that is recommended, else the default, else the first.
  var center: Int? {
    let known = [advice.lazy.compactMap(\.setting).first, defaultSetting, 0].compactMap { $0 }
    return known.first { settings.indices.contains($0) }
  }

  /// What a setting is among those that objectives prefer, such as `best and default`; nil for an ordinary one.
  func role(of setting: Int) -> String? {
    let objectives = advice.indices.filter { advice[$0].setting == setting }
    var words: [String] = []
    if !objectives.isEmpty {
      words.append(
        advice.count > 1
          ? "best \(objectives.map { "\($0 + 1)" }.joined(separator: ", "))"
          : "best")
    }
    if setting == defaultSetting { words.append("default") }
    return words.isEmpty ? nil : words.joined(separator: " and ")
  }

  /// The settings that have a role, the default last.
  var roles: [(setting: Int, label: String)] {
    var positions: [Int] = []
    for position in advice.map(\.setting) + [defaultSetting] {
      guard let position, settings.indices.contains(position), !positions.contains(position) else {
        continue
      }
      positions.append(position)
    }
    return positions.compactMap { position in role(of: position).map { (position, $0) } }
  }

  /// A setting's values with the names of their parameters, of those parameters only that are named.
  func text(ofSetting setting: Int, parameters positions: [Int]) -> String {
    guard settings.indices.contains(setting) else { return "" }
    return positions.filter { settings[setting].indices.contains($0) }.map { parameter in
      "\(parameters[parameter].name) \(parameters[parameter].text(settings[setting][parameter]))"
    }
    .joined(separator: ", ")
  }

  /// The axis of a chart along a parameter, on which points select settings.
  func axis(along parameter: Int, over line: [Int]) -> SelectionAxis {
    .settings(line, values: line.map { settings[$0][parameter] }, parameter: parameter)
  }

  /// The settings that differ from one at most in one parameter, by that parameter's value.
  func line(along parameter: Int, through setting: Int) -> [Int] {
    settings.indices.filter { other in
      settings[other].indices.allSatisfy {
        $0 == parameter || settings[other][$0] == settings[setting][$0]
      }
    }
    .sorted { settings[$0][parameter] < settings[$1][parameter] }
  }
}

extension Sweep.Parameter {
  /// A value with its unit.
  func text(_ value: Double) -> String {
    value.shortText(significantDigits: 4) + Measurement.unitSuffix(unit)
  }

  var label: String { unit == "1" ? name : "\(name) (\(unit))" }
}

extension Sweep.Metric {
  /// A value with its unit; small ratios, as errors are, with three significant digits.
  func text(_ value: Double?) -> String {
    guard let value else { return "–" }
    return unit == "1" && value != 0 && value.magnitude < 0.1
      ? value.text(significantDigits: 3) : Measurement.text(of: value, unit: unit)
  }

  /// The title with its unit, and which way is better.
  var axisLabel: String {
    let unit = unit == "1" ? "" : "\(unit), "
    return "\(title) (\(unit)\(better.phrase(target: target)))"
  }

  /// Both ends of an interval; nil without one.
  func text(_ interval: Interval) -> String? {
    interval.text { text($0) }
  }
}
