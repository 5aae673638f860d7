/// One line of a checklist: a check of a file and its findings.
package struct ChecklistLine: Sendable, Encodable {
  /// Severity of a finding.
  package enum Severity: String, Sendable, Encodable {
    /// The file contradicts itself or cannot be used.
    case error
    /// The labels are doubtful.
    case warning
    /// Worth knowing.
    case note
  }

  /// The outcome.
  package enum Outcome: String, Sendable, Encodable {
    case ok, error, warning, note
    /// The file has no data for the check.
    case notChecked = "not checked"
  }

  /// Name for programs, unique in the checklist.
  package let name: String
  /// Statement that holds if nothing is found.
  package let holds: String
  /// Description of one finding.
  package let what: String
  /// Severity of a finding.
  package let severity: Severity
  /// The checked objects, in the plural.
  private let objects: String
  /// Number of objects checked.
  private(set) var lookedAt = 0
  /// Number of findings.
  package private(set) var count = 0
  /// Locations of the first findings.
  package private(set) var examples: [String] = []

  private static let exampleLimit = 3

  init(_ name: String, _ severity: Severity, holds: String, what: String, of objects: String) {
    self.name = name
    self.severity = severity
    self.holds = holds
    self.what = what
    self.objects = objects
  }

  /// The data that the file lacks for the check; nil if the check had data.
  package var lacks: String? { lookedAt == 0 && count == 0 ? objects : nil }

  /// The outcome.
  package var outcome: Outcome {
    if count > 0 { return Outcome(rawValue: severity.rawValue) ?? .error }
    return lacks == nil ? .ok : .notChecked
  }

  /// Whether an error was found.
  package var isError: Bool { outcome == .error }

  /// Counts checked objects, with or without a finding.
  mutating func look(at more: Int = 1) { lookedAt += more }

  mutating func note(_ position: @autoclosure () -> String, count more: Int = 1) {
    count += more
    if examples.count < Self.exampleLimit { examples.append(position()) }
  }

  /// Name, outcome, and findings with their locations.
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
