package import FaceCore
package import Records

/// How well rules over predicted blendshapes tell the labelled expressions, each expression for itself.
///
/// Over labelled faces with an expression or with votes. Votes are soft labels by FER+'s rules: a face that
/// 7 of 10 saw as happy and 3 as neutral counts as .7 happy and .3 not. Votes that the rule does not
/// decide are left out and counted. A face that was missed, or lacks coefficients that a rule needs, is
/// missed for what it is labelled as and no success for the rest.
package struct ExpressionAccuracy: FrameMetric {
  /// One labelled face.
  package struct Face: Sendable, Hashable {
    var target: ExpressionTarget
    var reading: ExpressionRules.Reading?
  }

  /// What is evaluated.
  package let rules: ExpressionRules
  package var frames = FrameTable<[Face]>()

  /// Starts without frames.
  package init(rules: ExpressionRules = .builtIn) {
    self.rules = rules
  }

  /// Takes in the labelled faces of one frame with their predictions; throws for a frame added before.
  package mutating func add(
    frame: Int, labels: [FaceLabel], faces: [FacePrediction], matching: FaceMatching
  ) throws(MetricError) {
    let words = rules.words
    let entry = matching.labelledFaces.compactMap { label, face in
      ExpressionTarget(labels[label], words: words).map { target in
        Face(
          target: target,
          reading: face.flatMap { faces[$0].blendshapes }.map { rules.reading(of: $0) })
      }
    }
    try addCounted(entry, for: frame)
  }

  package static var table: String { "expressions" }

  package func check(_ other: ExpressionAccuracy) throws(MetricError) {
    guard rules == other.rules else {
      throw .rulesDiffer(rules.names, other.rules.names)
    }
  }

  /// Whether a labelled face has an expression or votes.
  package var hasLabels: Bool { frames.entries.contains { !$0.isEmpty } }

  /// The decisions on one of `rules.names` by its position, without undecided faces.
  func outcomes(of expression: Int) -> BinaryOutcomes {
    BinaryOutcomes(
      faces.compactMap { face in
        guard case .shares(let shares) = face.target else { return nil }
        guard let reading = face.reading, let score = reading.scores[expression],
          let isActive = reading.isActive[expression]
        else { return BinaryOutcomes.Case(missedShare: shares[expression]) }
        return BinaryOutcomes.Case(
          share: shares[expression], score: score, isPositive: isActive)
      })
  }

  /// How often decisions on an expression were right and wrong; nothing for an unknown name.
  package func decisions(on name: String) -> DecisionWeights {
    rules.names.firstIndex(of: name).map { outcomes(of: $0).weights } ?? DecisionWeights()
  }
}

extension ExpressionAccuracy {
  /// The share found, faces whose votes decide nothing, and six metrics for each expression.
  package static let definitions = [foundShare, undecided] + metrics.map(\.definition)

  private static let foundShare = definition(
    "found_share", "Share of faces with an expression", .higher, in: .proportion,
    "faces with a labelled expression whose prediction (option pairing) has blendshapes, over all "
      + "of them; in [0, 1]")
  private static let undecided = definition(
    "undecided_votes", "Faces with undecided votes", .neither, unit: "faces",
    "faces whose votes FER+'s rules leave out: without single votes, the words up to three quarters of "
      + "the votes are more than three, have half of the votes or less, or begin with unknown or no "
      + "face")
  private static let metrics = BinaryOutcomes.metrics(
    of: MetricDefinition.anyExpression, ofExpression,
    formulas: [
      "2·TP / (2·TP + FP + FN), read with .auroc, which no skew moves", "TP / (TP + FP)",
      "TP / (TP + FN)", "(TP / (TP + FN) + TN / (TN + FP)) / 2",
      "(TP·TN − FP·FN) / √((TP + FP)(TP + FN)(TN + FP)(TN + FN)), in [-1, 1]",
      "chance that a face with it has a larger value than one without, ties by half",
    ])

  /// The metrics of every expression, in the order of the rules.
  package func summarize() -> [Measurement] {
    let faces = self.faces
    let decided = faces.filter { $0.target != .undecided }
    let found = decided.count { $0.reading != nil }
    let nothing =
      faces.isEmpty
      ? "no labelled face has an expression"
      : "the votes of all \(faces.count) faces are undecided"
    var measurements = [
      Self.foundShare.ratio(found, of: decided.count, else: nothing),
      Self.undecided.measurement(
        faces.isEmpty ? nil : Double(faces.count - decided.count), n: faces.count, else: nothing),
    ]
    for (position, name) in rules.names.enumerated() {
      let outcomes = outcomes(of: position)
      for (definition, value) in Self.metrics {
        let definition = definition.at(expression: name)
        let reason =
          decided.isEmpty
          ? nothing
          : found == 0
            ? "no labelled face was found with blendshapes"
            : "a kind of face that it needs is absent: labelled \(name) or not, evaluated so or not"
        measurements.append(
          definition.measurement(
            found == 0 ? nil : value(outcomes), n: decided.count, else: reason))
      }
    }
    return measurements
  }

  private static let definition = DefinitionGroup(
    prefix: "expressions.", ending: "; undefined without such faces",
    source: "rules over blendshapes; votes weigh as soft labels (FER+, Barsoum et al. 2016)")
  private static let ofExpression = DefinitionGroup(
    prefix: definition.prefix + "<expression>.", ending: definition.ending,
    source: definition.source)
}

extension ExpressionAccuracy: MetricFamily {
  package static let requirements: MetricRequirements = [
    .labels, .attributes, .analysedFrames, .facesOfSlices,
  ]

  package init(_ context: MetricContext) { self.init(rules: context.rules) }

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    try add(
      frame: frame.frame.index, labels: frame.labels, faces: frame.faces, matching: frame.pairs)
  }

  package var isPresent: Bool { hasLabels }

  package static let presentation = MetricPresentation(
    sliced: ["expressions.<expression>.f1", "expressions.<expression>.auroc"],
    headlines: [.init(.expressions, ["expressions.<expression>.f1"])])
}

extension ExpressionAccuracy.Face: Packable {
  package func pack(into row: inout RowWriter) {
    let shares: [Double]? = if case .shares(let shares) = target { shares } else { nil }
    row.write(shares, reading?.scores, reading?.isActive)
  }

  package init(from row: inout RowReader) {
    let shares: [Double]? = row.read()
    let (scores, isActive): ([Double?]?, [Bool?]?) = (row.read(), row.read())
    target = shares.map { .shares($0) } ?? .undecided
    if let scores, let isActive {
      reading = ExpressionRules.Reading(scores: scores, isActive: isActive)
    }
  }
}
