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
  /// Whether a person has looked, and `--accept` named it.
  package var isAccepted = false

  /// Makes a finding that nobody has accepted.
  package init(
    _ name: String, _ severity: Severity, _ summary: String, statistic: String,
    before: Double? = nil, after: Double? = nil, n: Int, remedy: String? = nil,
    frames: [Frame] = []
  ) {
    self.name = name
    self.severity = severity
    self.summary = summary
    self.statistic = statistic
    self.before = before
    self.after = after
    self.n = n
    self.remedy = remedy
    self.frames = Array(frames.prefix(5))
  }
}

extension Record {
  /// The suspect findings that nobody accepted, which keep gates from deciding.
  package var openFindings: [Finding] {
    (findings ?? []).filter { $0.severity == .suspect && !$0.isAccepted }
  }
}
