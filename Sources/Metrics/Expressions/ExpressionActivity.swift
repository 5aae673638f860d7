package import FaceCore
internal import Platform
package import Records

/// When expressions are active in the video sequences of a dataset, and how late; only delays need labels.
///
/// An expression is active in a frame where any face has it. A frame stands for the time to the next
/// one of its sequence, the last for none; frames that were not analysed or have no face with
/// blendshapes are no time and end a spell. Delays are those of the only face with labelled coefficients.
package struct ExpressionActivity: FrameMetric {
  /// One frame of a video.
  package struct Entry: Sendable, Hashable, SequenceEntry {
    package var sequence: Int
    var time: Int64
    /// Nil where no face has coefficients for the rules.
    var isActive: [Bool]?
    /// By the coefficients of the only labelled face that has some, and by those predicted for it.
    var labelled: [Bool?]? = nil, predicted: [Bool?]? = nil
  }

  /// What one expression does in one sequence.
  package struct Summary: Sendable, Hashable {
    /// The sequence's index.
    package let sequence: Int
    /// The expression.
    package let expression: String
    /// Active over known time, in [0, 1]; nil where no time is known.
    package let share: Double?
    /// Stretches of active frames.
    package let spells: Int
    /// The longest stretch from its first frame to the end of its last, in milliseconds.
    package let longestMilliseconds: Double
  }

  /// What is looked for.
  package let rules: ExpressionRules
  package var frames = FrameTable<Entry>()
  private var isAsked = true

  /// Starts without frames.
  package init(rules: ExpressionRules = .builtIn) {
    self.rules = rules
  }

  /// Takes in one frame; frames of stills are left out. Throws for a frame added before.
  package mutating func add(
    _ frame: Frame, isVideo: Bool, prediction: FramePrediction, labels: [FaceLabel] = [],
    matching: FaceMatching? = nil
  ) throws(MetricError) {
    guard isVideo else { return }
    let people = matching?.labelledFaces.filter { labels[$0.label].blendshapes != nil } ?? []
    let person = people.count == 1 ? people[0] : nil
    let labelled = person.flatMap { labels[$0.label].blendshapes }
    let predicted = person?.face.flatMap { prediction.faces[$0].blendshapes }
    let readings = prediction.faces.compactMap(\.blendshapes)
      .map { rules.reading(of: $0).isActive }
      .filter { $0.contains { $0 != nil } }
    let active = rules.names.indices.map { name in readings.contains { $0[name] == true } }
    try frames.add(
      Entry(
        sequence: frame.sequence, time: frame.timestampMicroseconds,
        isActive: prediction.status == .analysed && !readings.isEmpty ? active : nil,
        labelled: labelled.map { rules.reading(of: $0).isActive },
        predicted: predicted.map { rules.reading(of: $0).isActive }),
      for: frame.index, in: Self.table)
  }

  /// The table that errors name.
  package static var table: String { "expressions.activity" }

  package func check(_ other: ExpressionActivity) throws(MetricError) {
    guard rules == other.rules else { throw .rulesDiffer(rules.names, other.rules.names) }
  }

  /// A summary for each sequence with a face that rules can read, and each expression, in their
  /// order.
  package func summaries() -> [Summary] {
    frames.sequences
      .filter { $0.entries.contains { $0.isActive != nil } }
      .flatMap { sequence, _, entries in
        rules.names.indices.map { summary(sequence, entries, $0) }
      }
  }

  /// The first hundred summaries as a table (`expressions.activity`); nil without any.
  package func table(names: [Int: String]) -> Series? {
    let summaries = self.summaries()
    guard !summaries.isEmpty else { return nil }
    let rows = summaries.prefix(100).map { summary in
      [
        names[summary.sequence] ?? "\(summary.sequence)", summary.expression,
        summary.share.map { $0.text(decimals: 3) } ?? "–", "\(summary.spells)",
        summary.longestMilliseconds.shortText(significantDigits: 6),
      ]
    }
    let kept = rows.count < summaries.count ? ", the first \(rows.count) of \(summaries.count)" : ""
    return Series(
      name: "expressions.activity", title: "Expressions over time" + kept,
      columns: ["sequence", "expression", "share of time", "spells", "longest (ms)"], rows: rows)
  }

  private func summary(_ sequence: Int, _ entries: [Entry], _ expression: Int) -> Summary {
    var (known, active, spells): (Int64, Int64, Int) = (0, 0, 0)
    var (spell, longest): (Int64, Int64) = (0, 0)
    var wasActive = false
    for (index, entry) in entries.enumerated() {
      let next = index + 1 < entries.count ? entries[index + 1].time : entry.time
      let time = max(0, next - entry.time)
      let isActive = entry.isActive?[expression] ?? false
      if entry.isActive != nil { known += time }
      if isActive {
        active += time
        if !wasActive {
          spells += 1
          spell = 0
        }
        spell += time
        longest = max(longest, spell)
      }
      wasActive = isActive
    }
    return Summary(
      sequence: sequence, expression: rules.names[expression],
      share: known > 0 ? Double(active) / Double(known) : nil, spells: spells,
      longestMilliseconds: Double(longest) / 1000)
  }
}

extension ExpressionActivity: MetricFamily {
  package static let requirements: MetricRequirements = [.attributes]

  package init(_ context: MetricContext) {
    self.init(rules: context.rules)
    isAsked = context.hasOwnRules
  }

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    guard isAsked else { return }
    try add(
      frame.frame, isVideo: frame.isVideo, prediction: frame.prediction, labels: frame.labels,
      matching: frame.pairs)
  }

  package var isPresent: Bool { !frames.isEmpty }

  package func series(_ context: SeriesContext) -> [Series] {
    [table(names: context.videoNames)].compactMap { $0 }
  }
}

extension ExpressionActivity.Entry: Packable {
  package func pack(into row: inout RowWriter) {
    row.write(sequence, time, isActive, labelled, predicted)
  }

  package init(from row: inout RowReader) {
    self.init(
      sequence: row.read(), time: row.read(), isActive: row.read(), labelled: row.read(),
      predicted: row.read())
  }
}
