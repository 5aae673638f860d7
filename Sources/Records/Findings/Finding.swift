package import Platform

/// What suggests that labels and predictions do not speak of the same thing, or a fact that changes what metrics mean.
package struct Finding: Sendable, Hashable, Codable {
  /// How much a finding weighs.
  package enum Severity: String, Sendable, Codable {
    /// The metrics are probably wrong: gates decide nothing until it is repaired or accepted.
    case suspect
    /// A reader must know it; nothing is wrong.
    case note
  }

  /// A frame of the dataset to look at.
  package struct Frame: Sendable, Hashable, Codable {
    /// Its position in the dataset, from 0.
    package var index: Int
    /// Its name.
    package var name: String

    /// Names a frame.
    package init(index: Int, name: String) {
      self.index = index
      self.name = name
    }
  }

  /// Name in the catalogue of findings, such as `boxes.corners`; `--accept` takes it.
  package var name: String
  /// How much it weighs.
  package var severity: Severity
  /// What was found, one sentence.
  package var summary: String
  /// What the two values are, such as `share of labelled faces found at IoU .50`.
  package var statistic: String
  /// The statistic as things are; nil where it is undefined.
  @Nullable package var before: Double?
  /// The statistic with the remedy; nil where none was tried.
  @Nullable package var after: Double?
  /// How many faces, frames or pairs the statistic rests on.
  package var n: Int
  /// What to do, one sentence that names the option or command; nil where nothing is to be repaired.
  @Nullable package var remedy: String?
  /// Up to five frames to look at.
  package var frames: [Frame]
  /// Images of frames in the run's folder, with labels and predictions drawn; nil where none were made.
  package var images: [Record.Image]?
  /// The run that it was found in, where a result is of several.
  package var run: String?
  /// Whether a person has looked, and `--accept` named it.
  package var isAccepted = false

  /// Makes a finding that nobody has accepted; a value that is not finite is undefined.
  package init(
    _ name: String, _ severity: Severity, _ summary: String, statistic: String,
    before: Double? = nil, after: Double? = nil, n: Int, remedy: String? = nil,
    frames: [Frame] = []
  ) {
    self.name = name
    self.severity = severity
    self.summary = summary
    self.statistic = statistic
    self.before = before.flatMap { $0.isFinite ? $0 : nil }
    self.after = after.flatMap { $0.isFinite ? $0 : nil }
    self.n = n
    self.remedy = remedy
    self.frames = Array(frames.prefix(5))
  }
}

extension Finding {
  /// Whether it keeps gates from deciding: suspect, and nobody has accepted it.
  package var isOpen: Bool { severity == .suspect && !isAccepted }

  /// The statistic before and after the remedy, and what it rests on, such as `AP: .00, then .98, n = 120`.
  package var evidence: String {
    func text(_ value: Double) -> String {
      let isLarge = abs(value) >= 1000 || value == value.rounded() && abs(value) > 1
      return isLarge && abs(value) < 1e15
        ? "\(Int(value))" : Measurement.text(of: value, unit: "1")
    }
    let values = [before.map(text), after.map { "\(text($0)) with the remedy" }].compactMap(\.self)
    let found = values.isEmpty ? statistic : "\(statistic): \(values.joined(separator: ", "))"
    return "\(found), n = \(n.groupedText)"
  }
}

extension [Finding] {
  /// Marks those as accepted that a person has looked at.
  package func accepting(_ names: [String]) -> [Finding] {
    map {
      var finding = $0
      finding.isAccepted = names.contains(finding.name)
      return finding
    }
  }

  /// Why gates decide nothing; nil where nothing is open.
  package var objection: String? { objection(accepting: "accept it with") }

  /// The same, with how a finding is accepted.
  package func objection(accepting how: String) -> String? {
    let open = filter(\.isOpen)
    guard let first = open.first else { return nil }
    let names = Array<String>(Set(open.map(\.name))).sorted()
    return
      "The input is suspect (\(names.joined(separator: ", "))): \(first.summary) Repair it, or \(how) "
      + "\(names.map { "--accept \($0)" }.joined(separator: " "))."
  }
}

extension [GateResult] {
  /// The same gates, none of which decides where a finding is open.
  package func withheld(by findings: [Finding]?) -> [GateResult] {
    withheld(for: findings?.objection)
  }

  /// The same gates, where those on changes do not decide for a reason in the base; a broken limit still fails.
  package func withheld(
    forBase objection: String?, where isMeant: (GateResult) -> Bool = { _ in true }
  ) -> [GateResult] {
    withheld(for: objection.map { "Of the base: \($0)" }) {
      $0.gate.limitsChange && !$0.failsWithoutBase && isMeant($0)
    }
  }

  /// The same by what was found in two runs: what is suspect in the base alone withholds gates on changes.
  package func withheld(by findings: [Finding], base: String) -> [GateResult] {
    withheld(by: findings.filter { $0.run != base })
      .withheld(forBase: findings.filter { $0.run == base }.objection)
  }

  /// The same for a reason, nil for none, of all or of some.
  package func withheld(
    for objection: String?, where isMeant: (GateResult) -> Bool = { _ in true }
  ) -> [GateResult] {
    guard let objection else { return self }
    return map {
      var result = $0
      if isMeant(result) { result.withhold(for: objection) }
      return result
    }
  }
}
