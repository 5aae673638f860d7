package import FacePipeline
internal import Foundation
internal import Platform
internal import Records

/// The values that a sweep gives one number, ascending.
package struct SweptValues: Sendable, Hashable {
  /// Which number.
  package let knob: PipelineSetting
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
  package init(_ knob: PipelineSetting, _ values: [Double]) {
    self.knob = knob
    self.values = Set(values).sorted()
  }

  /// Reads `NAME=LOW:HIGH:STEP` or `NAME=VALUE,VALUE,…`; throws what was expected instead.
  package init(parsing text: String) throws(Mismatch) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let names = PipelineSetting.swept.map(\.name)
    let name = String(parts.first ?? "")
    guard let knob = PipelineSetting.swept.first(where: { $0.name == name }) else {
      throw Mismatch(
        expected: "NAME=LOW:HIGH:STEP with a name of \(names.joined(separator: ", "))"
          + Suggestion.perhaps(name, among: names))
    }
    guard parts.count == 2, !parts[1].isEmpty else {
      throw Mismatch(expected: "\(name)=LOW:HIGH:STEP, or values with commas between them")
    }
    func number(_ word: Substring) throws(Mismatch) -> Double {
      guard let value = Double(word), knob.range.contains(value) else {
        throw Mismatch(
          expected: "numbers from \(knob.range.lowerBound.plainText) to "
            + "\(knob.range.upperBound.plainText) for \(name) instead of '\(word)'")
      }
      return value
    }
    let ends = parts[1].split(separator: ":", omittingEmptySubsequences: false)
    if ends.count == 1 {
      var values: [Double] = []
      for word in parts[1].split(separator: ",", omittingEmptySubsequences: false) {
        values.append(try number(word))
      }
      self.init(knob, values)
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
      knob,
      (0..<Int(count)).map { index in
        let value = low + Double(index) * step
        return min(Double(String(format: "%.12g", value)) ?? value, high)
      })
  }
}
