package import FacePipeline
internal import Foundation
internal import Platform
internal import Records

/// The values that a sweep gives one number, ascending.
package struct SweptValues: Sendable, Hashable {
  /// Which number.
  package let parameter: SweepParameter
  /// Its values, ascending and distinct.
  package let values: [Double]

  /// Maximum number of values of one setting.
  package static let limit = 10_000

  /// Why a text is no such thing: completes the sentence "expected …".
  package struct Mismatch: Error {
    /// What was expected.
    package let expected: String
  }

  /// Some values of a number.
  package init(_ parameter: SweepParameter, _ values: [Double]) {
    self.parameter = parameter
    self.values = Set(values).sorted()
  }

  /// Some values of a setting.
  package init(_ setting: PipelineSetting, _ values: [Double]) {
    self.init(.setting(setting), values)
  }

  /// Reads `NAME=LOW:HIGH:STEP` or `NAME=VALUE,VALUE,…`; throws what was expected instead.
  ///
  /// Scores of other trackers have any scale, so `anyScore` allows all numbers as thresholds of scores.
  package init(parsing text: String, anyScore: Bool = false) throws(Mismatch) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let names = PipelineSetting.swept.map(\.name) + [SweepParameter.expressionPrefix + "NAME"]
    let name = String(parts.first ?? "")
    guard let parameter = Self.parameter(name) else {
      throw Mismatch(
        expected: "NAME=LOW:HIGH:STEP with a name of \(names.joined(separator: ", "))"
          + Suggestion.perhaps(name, among: names))
    }
    guard parts.count == 2, !parts[1].isEmpty else {
      throw Mismatch(expected: "\(name)=LOW:HIGH:STEP, or values with commas between them")
    }
    func number(_ word: Substring) throws(Mismatch) -> Double {
      let isOfAnyScale = anyScore && name == PipelineSetting.detectionConfidence
      guard let value = Double(word), value.isFinite,
        isOfAnyScale || parameter.range?.contains(value) != false
      else { throw Self.outside(parameter, String(word)) }
      return value
    }
    let ends = parts[1].split(separator: ":", omittingEmptySubsequences: false)
    if ends.count == 1 {
      var values: [Double] = []
      for word in parts[1].split(separator: ",", omittingEmptySubsequences: false) {
        values.append(try number(word))
      }
      self.init(parameter, values)
      return
    }
    guard ends.count == 3 else {
      throw Mismatch(expected: "LOW:HIGH:STEP instead of '\(parts[1])'")
    }
    let (low, high) = (try number(ends[0]), try number(ends[1]))
    guard let step = Double(ends[2]), step > 0, step.isFinite else {
      throw Mismatch(expected: "a step above 0 instead of '\(ends[2])'")
    }
    guard low <= high else {
      throw Mismatch(expected: "a range that is not empty, LOW not above HIGH, in '\(parts[1])'")
    }
    let count = ((high - low) / step + 1e-9).rounded(.down) + 1
    guard count <= Double(Self.limit) else {
      throw Mismatch(expected: "at most \(Self.limit) values in '\(parts[1])'")
    }
    // Twelve digits: 0.1 + 2 · 0.1 is meant as 0.3.
    self.init(
      parameter,
      (0..<Int(count)).map { index in
        let value = low + Double(index) * step
        return min(Double(String(format: "%.12g", value)) ?? value, high)
      })
  }

  private static func parameter(_ name: String) -> SweepParameter? {
    if let setting = PipelineSetting.swept.first(where: { $0.name == name }) {
      return .setting(setting)
    }
    guard name.hasPrefix(SweepParameter.expressionPrefix) else { return nil }
    let rule = String(name.dropFirst(SweepParameter.expressionPrefix.count))
    return rule.isEmpty ? nil : .expression(rule)
  }

  private static func outside(_ parameter: SweepParameter, _ word: String) -> Mismatch {
    let numbers =
      parameter.range.map {
        "numbers from \($0.lowerBound.plainText) to \($0.upperBound.plainText)"
      } ?? "finite numbers"
    return Mismatch(expected: "\(numbers) for \(parameter.name) instead of '\(word)'")
  }

  /// What the pipeline expects instead of the first value that it cannot have; nil where it can have all.
  package var mismatch: Mismatch? {
    guard let range = parameter.range, let value = values.first(where: { !range.contains($0) })
    else {
      return nil
    }
    return Self.outside(parameter, value.plainText)
  }
}
