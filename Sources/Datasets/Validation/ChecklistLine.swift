/// One line of a checklist: what was asked of a file, and what was found.
package struct ChecklistLine: Sendable, Encodable {
  /// How bad it is where something is found.
  package enum Severity: String, Sendable, Encodable {
    /// The file contradicts itself, or cannot be used as it is.
    case error
    /// The labels are doubtful.
    case warning
    /// Worth knowing.
    case note
  }

  /// What came out.
  package enum Outcome: String, Sendable, Encodable {
    case ok, error, warning, note
    /// The file has nothing of that kind.
    case notChecked = "not checked"
  }

  /// Name for programs, unique in the checklist.
  package let name: String
  /// What holds where nothing is found.
  package let holds: String
  /// What one finding is.
  package let what: String
  /// How bad a finding is.
  package let severity: Severity
  /// What the check looks at, in the plural.
  private let objects: String
  /// How many of them it has looked at.
  private(set) var lookedAt = 0
  /// How many findings there are.
  package private(set) var count = 0
  /// A few places.
  package private(set) var examples: [String] = []

  private static let exampleLimit = 3

  init(_ name: String, _ severity: Severity, holds: String, what: String, of objects: String) {
    self.name = name
    self.severity = severity
    self.holds = holds
    self.what = what
    self.objects = objects
  }

  /// What the file would need for the check to look at anything; nil where it looked at something.
  package var lacks: String? { lookedAt == 0 && count == 0 ? objects : nil }

  /// What came out.
  package var outcome: Outcome {
    if count > 0 { return Outcome(rawValue: severity.rawValue) ?? .error }
    return lacks == nil ? .ok : .notChecked
  }

  /// Whether something was found that is an error.
  package var isError: Bool { outcome == .error }

  /// Counts objects that the check looked at, with or without a finding.
  mutating func look(at more: Int = 1) { lookedAt += more }

  mutating func note(_ place: @autoclosure () -> String, count more: Int = 1) {
    count += more
    if examples.count < Self.exampleLimit { examples.append(place()) }
  }

  /// A name, what came out, and what was found where.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(name, forKey: .name)
    try container.encode(outcome, forKey: .outcome)
    try container.encode(count, forKey: .count)
    try container.encode(count > 0 ? what : holds, forKey: .what)
    try container.encode(examples, forKey: .examples)
    try container.encodeIfPresent(count > 0 ? nil : lacks, forKey: .lacks)
  }

  private enum Key: String, CodingKey {
    case name, outcome, count, what, examples, lacks
  }
}
