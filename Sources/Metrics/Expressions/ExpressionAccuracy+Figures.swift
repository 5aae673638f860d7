package import Records

extension ExpressionAccuracy {
  /// The share found, faces whose votes decide nothing, and six figures for each expression.
  package static let definitions = [foundShare, undecided] + figures.map(\.definition)

  private static let foundShare = definition(
    "found_share", "Share of faces with an expression", .higher,
    "faces with a labelled expression whose prediction (option pairing) has blendshapes, over all "
      + "of them; in [0, 1]"
  ).within(.proportion)
  private static let undecided = definition(
    "undecided_votes", "Faces with undecided votes", .neither, unit: "faces",
    "faces whose votes FER+'s rules leave out: without single votes, the words up to three quarters of "
      + "the votes are more than three, have half of the votes or less, or begin with unknown or no "
      + "face")
  private static let figures:
    [(definition: MetricDefinition, value: @Sendable (BinaryOutcomes) -> Double?)] = [
      (
        expression(
          "f1", "F1", "2·TP / (2·TP + FP + FN), read with .auroc, which no skew moves"
        ).within(.unit), { $0.f1 }
      ),
      (
        expression("precision", "Precision", "TP / (TP + FP)").within(.proportion), { $0.precision }
      ),
      (expression("recall", "Recall", "TP / (TP + FN)").within(.proportion), { $0.recall }),
      (
        expression(
          "balanced_accuracy", "Balanced accuracy", "(TP / (TP + FN) + TN / (TN + FP)) / 2"
        ).within(.unit),
        { $0.balancedAccuracy }
      ),
      (
        expression(
          "mcc", "Matthews' correlation",
          "(TP·TN − FP·FN) / √((TP + FP)(TP + FN)(TN + FP)(TN + FN)), in [-1, 1]"
        ).within(.signedUnit),
        { $0.matthewsCorrelation }
      ),
      (
        expression(
          "auroc", "AUROC",
          "chance that a face with it has a larger value than one without, ties "
            + "by half"
        ).within(.unit), { $0.areaUnderROC }
      ),
    ]

  /// The figures of every expression, in the order of the rules.
  package func summarize() -> [Measurement] {
    let faces = self.faces
    let decided = faces.filter { $0.target != .undecided }
    let found = decided.count { $0.reading != nil }
    let nothing =
      faces.isEmpty
      ? "no labelled face has an expression"
      : "the votes of all \(faces.count) faces are undecided"
    var measurements = [
      decided.isEmpty
        ? Self.foundShare.undefined(nothing, n: 0)
        : Self.foundShare.measurement(Double(found) / Double(decided.count), n: decided.count),
      faces.isEmpty
        ? Self.undecided.undefined(nothing, n: 0)
        : Self.undecided.measurement(Double(faces.count - decided.count), n: faces.count),
    ]
    for (position, name) in rules.names.enumerated() {
      let outcomes = outcomes(of: position)
      for (definition, value) in Self.figures {
        let definition = definition.at(expression: name)
        let reason =
          decided.isEmpty
          ? nothing
          : found == 0
            ? "no labelled face was found with blendshapes"
            : "a kind of face that it needs is absent: labelled \(name) or not, judged so or not"
        let figure = found == 0 ? nil : value(outcomes)
        measurements.append(
          figure.map { definition.measurement($0, n: decided.count) }
            ?? definition.undefined(reason, n: decided.count))
      }
    }
    return measurements
  }

  private static func expression(
    _ name: String, _ title: String, _ formula: String
  ) -> MetricDefinition {
    definition(
      "\(MetricDefinition.anyExpression).\(name)",
      "\(title) of \(MetricDefinition.anyExpression)", .higher,
      formula + "; missed faces are missed for what they are and left out for the rest")
  }

  private static func definition(
    _ name: String, _ title: String, _ direction: Direction, unit: String = "1", _ formula: String
  ) -> MetricDefinition {
    MetricDefinition(
      name: "expressions.\(name)", title: title, stage: "expressions", unit: unit,
      direction: direction, formula: formula + "; undefined without such faces",
      source: "rules over blendshapes; votes weigh as soft labels (FER+, Barsoum et al. 2016)")
  }
}
