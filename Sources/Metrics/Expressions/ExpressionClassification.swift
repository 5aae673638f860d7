package import FaceCore
package import Records

/// How often the one predicted expression is the labelled one.
///
/// Over labelled faces with one expression; of votes it is the word with more than half, by FER+'s rules. The
/// tracker's is its own word, else of the rules that are active the one farthest beyond its threshold.
/// Words are compared as rules and FER+ group them: happy is happiness. Where rules alone speak, labels
/// of expressions that no rule is for are left out. A missed face is wrong and has no class.
package struct ExpressionClassification: FrameMetric {
  /// One labelled face; without a prediction where it was missed or has no predicted expression.
  package struct Face: Sendable, Hashable {
    var labelled: String
    var predicted: String?
    /// Whether the tracker gave the word itself.
    var isOwnWord: Bool
  }

  /// What makes expressions of blendshapes.
  package let rules: ExpressionRules
  package var frames = FrameTable<[Face]>()
  private let names: [String: String]

  /// Starts without frames.
  package init(rules: ExpressionRules = .builtIn) {
    self.rules = rules
    var names: [String: String] = [:]
    for group in Self.synonyms {
      let name = rules.rules.first { !$0.words.isDisjoint(with: group) }?.name ?? group[0]
      for word in group { names[word] = name }
    }
    for rule in rules.rules { for word in rule.words { names[word] = rule.name } }
    self.names = names
  }

  private static let synonyms = [
    ["neutral"], ["happiness", "happy"], ["surprise", "surprised"], ["sadness", "sad"],
    ["anger", "angry"], ["disgust", "disgusted"], ["fear", "fearful", "afraid", "scared"],
    ["contempt", "contemptuous"],
  ]

  private func name(of word: String) -> String {
    let word = word.lowercased()
    return names[word] ?? word
  }

  /// The tracker's own word, else the strongest of the rules' names that are active; nil for none.
  package func word(of face: FacePrediction) -> String? {
    face.expression.map { name(of: $0) } ?? face.blendshapes.flatMap(strongest)
  }

  /// The one expression that a face is labelled with; nil for none.
  package func word(of label: FaceLabel) -> String? {
    guard let votes = ExpressionVotes(label.attributes) else {
      return label.expression.map { name(of: $0) }
    }
    guard let winner = votes.winner, !ExpressionVotes.nothing.contains(winner) else {
      return nil
    }
    return name(of: winner)
  }

  /// The active name with the largest margin, else neutral; nil if a rule is undecided.
  private func strongest(in coefficients: [Float]) -> String? {
    let reading = rules.reading(of: coefficients)
    guard !reading.isActive.contains(nil) else { return nil }
    let active = rules.names.indices.filter {
      reading.isActive[$0] == true && rules.names[$0] != ExpressionRules.neutral
    }
    return active.max { (reading.scores[$0] ?? 0) < (reading.scores[$1] ?? 0) }
      .map { rules.names[$0] } ?? ExpressionRules.neutral
  }

  package func check(_ other: ExpressionClassification) throws(MetricError) {
    guard rules == other.rules else { throw .rulesDiffer(rules.names, other.rules.names) }
  }

  /// The faces that count, and how many labels no rule is for.
  private var counted: (faces: [Face], left: Int) {
    let faces = self.faces
    guard !faces.contains(where: \.isOwnWord) else { return (faces, 0) }
    let names = Set(rules.names)
    let kept = faces.filter { names.contains($0.labelled) }
    return (kept, faces.count - kept.count)
  }

  /// Accuracy, then macro F1.
  package static let definitions = [
    MetricDefinition(
      "expressions.accuracy", "Accuracy of expressions", .higher, in: .proportion,
      "labelled faces whose one expression is the one labelled, over all of them; missed "
        + "ones are wrong; in [0, 1], undefined without such faces",
      source: "FER+ (Barsoum et al. 2016): the word with more than half of the votes"),
    MetricDefinition(
      "expressions.macro_f1", "Macro F1 of expressions", .higher, in: .unit,
      "mean of 2·TP / (2·TP + FP + FN) over the expressions that are labelled or "
        + "predicted; a missed face is a FN; in [0, 1], undefined without such faces",
      source: "macro average over classes, as scikit-learn's f1_score"),
  ]

  /// The metrics of `definitions`; n is the labelled faces that count.
  package func summarize() -> [Measurement] {
    let (faces, left) = counted
    guard !faces.isEmpty else {
      let reason =
        left > 0
        ? "no rule is for the expressions that are labelled" : "no labelled face has one expression"
      return Self.definitions.map { $0.undefined(reason, n: 0) }
    }
    guard faces.contains(where: { $0.predicted != nil }) else {
      return Self.definitions.map {
        $0.undefined("no labelled face was found with an expression", n: faces.count)
      }
    }
    let right = faces.count { $0.predicted == $0.labelled }
    let classes = Self.classes(of: faces)
    let scores = classes.map { name -> Double in
      let found = faces.count { $0.labelled == name && $0.predicted == name }
      let all = faces.count { $0.labelled == name } + faces.count { $0.predicted == name }
      return 2 * Double(found) / Double(all)
    }
    let values = [
      Double(right) / Double(faces.count), scores.reduce(0, +) / Double(scores.count),
    ]
    return zip(Self.definitions, values).map { $0.measurement($1, n: faces.count) }
  }

  private static func classes(of faces: [Face]) -> [String] {
    Set(faces.map(\.labelled) + faces.compactMap(\.predicted)).sorted()
  }

  /// Counts of predicted by labelled expressions (`expressions.confusion`), one row per label; nil
  /// without faces.
  package func confusionTable() -> Series? {
    let faces = counted.faces
    guard faces.contains(where: { $0.predicted != nil }) else { return nil }
    let classes = Self.classes(of: faces)
    let rows = classes.filter { name in faces.contains { $0.labelled == name } }.map { label in
      let own = faces.filter { $0.labelled == label }
      let counts = classes.map { name in "\(own.count { $0.predicted == name })" }
      let missed = own.count { $0.predicted == nil }
      return [label] + counts + ["\(missed)"]
    }
    return Series(
      name: "expressions.confusion", title: "Predicted expressions by labelled expression",
      columns: ["labelled"] + classes + ["missed"], rows: rows)
  }

  /// How many labels were left out.
  package func notes(_ context: SeriesContext) -> [String] {
    let left = counted.left
    return left == 0
      ? []
      : [
        "\(left) labelled expressions are of none of the rules (\(rules.names.joined(separator: ", "))): "
          + "expressions.accuracy and its confusion leave them out."
      ]
  }
}

extension ExpressionClassification: MetricFamily {
  package static let requirements: MetricRequirements = [.labels, .attributes, .analysedFrames]

  package init(_ context: MetricContext) { self.init(rules: context.rules) }

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    let entry = frame.pairs.labelledFaces.compactMap { label, face -> Face? in
      guard let word = word(of: frame.labels[label]) else { return nil }
      let prediction = face.map { frame.faces[$0] }
      return Face(
        labelled: word, predicted: prediction.flatMap { self.word(of: $0) },
        isOwnWord: prediction?.expression != nil)
    }
    try addCounted(entry, for: frame.frame.index)
  }

  /// Whether a labelled face has one expression.
  package var isPresent: Bool { frames.entries.contains { !$0.isEmpty } }

  package func series(_ context: SeriesContext) -> [Series] { [confusionTable()].compactMap { $0 } }

  package static let presentation = MetricPresentation(
    headlines: [.init(.expressions, ["expressions.accuracy"])])
}

extension ExpressionClassification.Face: Packable {
  package func pack(into row: inout RowWriter) { row.write(labelled, predicted, isOwnWord) }
  package init(from row: inout RowReader) {
    self.init(labelled: row.read(), predicted: row.read(), isOwnWord: row.read())
  }
}
