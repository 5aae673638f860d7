internal import FaceCore
internal import Foundation
package import Metrics
package import Records

extension CalibrationFile {
  /// The name that `schema` must hold.
  package static let schemaName = "facegauge.calibration"
  /// The version that is written and read.
  package static let schemaVersion = 1

  /// The JSON Schema (draft 2020-12) that every file of this version keeps, as UTF-8.
  package static var jsonSchema: [UInt8] { PackageResources.calibration_schema_json }

  /// The bytes of the file: sorted keys, the same bytes for equal calibrations.
  ///
  /// Throws where a number is not finite or a rule is broken.
  package func json(source: String = "calibration.json") throws(RecordError) -> [UInt8] {
    if let problem = firstProblem {
      throw RecordError(
        operation: .write, source: source, place: problem.place, expected: problem.expected,
        found: problem.found)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      return try Array(encoder.encode(self)) + [UInt8(ascii: "\n")]
    } catch {
      throw RecordError(
        operation: .write, source: source, place: "", expected: "finite numbers", found: "\(error)")
    }
  }

  /// Reads the bytes of a file of this schema and version; `source` names it in messages.
  package init(json: [UInt8], source: String) throws(RecordError) {
    func wrong(_ place: String, _ expected: String, _ found: String) -> RecordError {
      RecordError(
        operation: .read, source: source, place: place, expected: expected, found: found)
    }
    let file = try JSONValue(bytes: json, source: source)
    guard case .object(let members) = file else {
      throw wrong("", "an object with the schema \"\(Self.schemaName)\"", file.summary)
    }
    guard case .string(Self.schemaName)? = members["schema"] else {
      throw wrong("schema", "\"\(Self.schemaName)\"", members["schema"]?.summary ?? "nothing")
    }
    guard case .number(Double(Self.schemaVersion))? = members["version"] else {
      throw wrong(
        "version", "\(Self.schemaVersion)", members["version"]?.summary ?? "nothing")
    }
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(json))
    } catch {
      throw try RecordError(decoding: "a calibration", error, json: json, source: source)
    }
    if let problem = firstProblem { throw wrong(problem.place, problem.expected, problem.found) }
  }

  private struct Problem {
    var place, expected, found: String
  }

  /// The first rule that the types cannot express and this file breaks, or nil.
  private var firstProblem: Problem? {
    var kinds: Set<String> = []
    for (index, score) in scores.enumerated() {
      let known =
        ["detection", "presence"].contains(score.of)
        || score.of.hasPrefix(ScoreCalibration.expressionPrefix)
      guard known, kinds.insert(score.of).inserted else {
        return Problem(
          place: "scores[\(index)].of",
          expected: known ? "each kind once" : "detection, presence or expression:NAME",
          found: known ? "\"\(score.of)\" again" : "\"\(score.of.prefix(60))\"")
      }
    }
    var names: Set<String> = []
    for (index, one) in thresholds.enumerated() {
      let place = "thresholds[\(index)]"
      guard names.insert(one.name).inserted else {
        return Problem(
          place: "\(place).name", expected: "each name once",
          found: "\"\(one.name.prefix(60))\" again")
      }
      guard let rule = one.rule else {
        return Problem(
          place: place,
          expected: "a name of letters, digits, '_' or '-', a formula, and above or at_most",
          found:
            "\"\(one.name.prefix(40))\", \"\(one.value.prefix(40))\", \"\(one.side.prefix(40))\"")
      }
      guard rule.threshold.isFinite else {
        return Problem(
          place: "\(place).threshold", expected: "a finite number", found: "\(rule.threshold)")
      }
    }
    if let blendshapes {
      let all =
        [("shared", blendshapes.shared)]
        + blendshapes.subjects.sorted { $0.key < $1.key }.map { ("subjects.\($0.key)", $0.value) }
      for case (let place, let correction?) in all {
        if let found = correction.unsound {
          return Problem(
            place: "blendshapes.\(place.prefix(60))",
            expected: "blendshapes with offsets and rests within 10 and gains within 1000",
            found: found)
        }
      }
    }
    let decided = settings?.values.sorted { $0.key < $1.key } ?? []
    if let (name, value) = decided.first(where: { !(0...1e6).contains($0.value) }) {
      return Problem(
        place: "settings.values.\(name.prefix(60))", expected: "0 to 1000000", found: "\(value)")
    }
    return nil
  }
}

extension ExpressionThreshold {
  /// The rule with the recommended threshold; nil where the words are none.
  package var rule: ExpressionRule? {
    guard name.wholeMatch(of: /[A-Za-z0-9_\-]{1,40}/) != nil,
      let side = ExpressionRule.Side(rawValue: side),
      let formula = try? ExpressionFormula(parsing: value)
    else { return nil }
    return ExpressionRule(name, formula, threshold: threshold, side: side)
  }
}

extension BlendshapeCorrection {
  /// What cannot be a correction's; nil where all can.
  fileprivate var unsound: String? {
    let names = Set(Blendshape.names).subtracting([Blendshape.neutral.rawValue])
    for name in Set(channels.keys).union(rest.keys).sorted() where !names.contains(name) {
      return "\"\(name.prefix(60))\""
    }
    for (name, value) in rest.sorted(by: { $0.key < $1.key }) where !(abs(value) <= 10) {
      return "\(value) for \(name) at rest"
    }
    for (name, channel) in channels.sorted(by: { $0.key < $1.key }) {
      let isSound =
        abs(channel.offset) <= 10 && abs(channel.gain) <= 1000 && abs(channel.crosstalk) <= 1000
      if !isSound {
        return "\(channel.offset), \(channel.gain) and \(channel.crosstalk) for \(name)"
      }
      guard let shape = Blendshape(rawValue: name),
        channel.crosstalk == 0 || Self.otherSide[shape] != nil
      else { return "crosstalk for \(name), which has no other side" }
    }
    return nil
  }
}
