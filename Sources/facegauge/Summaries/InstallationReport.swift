package import CommandSyntax
import Platform
package import Running

/// The table that `doctor` prints, and its last line.
package struct InstallationReport: Encodable {
  package let findings: [InstallationFinding]
  /// Whether all stages run and a run can be written.
  package let canEvaluate: Bool

  /// Joins findings.
  package init(_ findings: [InstallationFinding]) {
    self.findings = findings
    canEvaluate = Self.obstacles(findings).isEmpty
  }

  private static func obstacles(_ findings: [InstallationFinding]) -> [InstallationFinding] {
    findings.filter { $0.state == .missing && ($0.isStage || $0.thing == "output folder") }
  }

  /// A line for each finding, with what to do below it.
  package var lines: [String] {
    let rows = findings.flatMap { finding in
      [[finding.thing, finding.state.rawValue, finding.found]]
        + (finding.advice.map { [["", "", "→ \($0)"]] } ?? [])
    }
    let obstacles = Self.obstacles(findings).map(\.thing)
    return TextTable(rows: [["thing", "state", "found"]] + rows).lines + [
      obstacles.isEmpty
        ? "'facegauge evaluate' can run all stages"
        : "'facegauge evaluate' cannot run in full: missing \(obstacles.joined(separator: ", "))"
    ]
  }

  /// What a stream can show: whether it is a terminal, its width, colours and characters.
  package static func terminal(
    _ terminal: Terminal, environment: (String) -> String?
  ) -> InstallationFinding {
    let locale =
      ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty } ?? "C"
    let plain = locale.lowercased().filter { $0 != "-" }
    let isUnicode = plain.hasSuffix("utf8") || plain.contains("utf8@")
    let kind =
      terminal.isInteractive
      ? "\(terminal.columns) columns, \(terminal.usesColor ? "colours" : "no colours")"
      : "no terminal, \(terminal.columns) columns, no colours"
    let found = "\(kind), locale \(locale)"
    return isUnicode
      ? InstallationFinding("terminal", .ok, found)
      : InstallationFinding(
        "terminal", .warning, found,
        advice: "characters such as '→' may look wrong: set LC_ALL=C.UTF-8")
  }
}
