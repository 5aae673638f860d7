internal import FaceCore
package import Records

/// How well predicted numbers of faces agree with labelled ones: action units, gaze, valence, age.
///
/// Over labelled faces whose label has the number. A face that was missed, or found without the number, leaves
/// errors and agreement undefined; those of the others are reported as `…conditional`. A yes-or-no number
/// that was missed is missed for what it is labelled as and no success for the rest.
package struct AttributeAccuracy: FrameMetric {
  /// A pair of one rule.
  package struct Compared: Sendable, Hashable {
    let rule: Int
    let pair: AttributeRule.Pair
  }

  /// What is compared with what.
  package let rules: AttributeRules
  package var frames = FrameTable<[Compared]>()

  /// Starts without frames.
  package init(rules: AttributeRules) {
    self.rules = rules
  }

  package static var table: String { "attributes" }

  package func check(_ other: AttributeAccuracy) throws(MetricError) {
    guard rules == other.rules else { throw .rulesDiffer(rules.names, other.rules.names) }
  }

  /// The pairs of each rule in the order of the frames' keys and their labels.
  func columns() -> AttributeColumns {
    var columns = AttributeColumns(rules: rules.rules.count)
    for entry in frames.entries.joined() { columns.add(entry.pair, rule: entry.rule) }
    return columns
  }

  /// The metrics of each rule in their order, then the means over rules.
  package func summarize() -> [Measurement] { measurements(of: columns()) }
}

extension AttributeAccuracy {
  /// The share found, then what each kind of number has, then means over numbers and over decisions.
  package static let definitions: [MetricDefinition] = {
    var all = [foundShare]
    for number in numbers { all += [number.definition, number.definition.conditional] }
    all.append(prevalence)
    for decision in decisions { all.append(decision.definition) }
    all += [angle, angle.conditional, angleBias, angleBias.conditional]
    for mean in means { all += [mean.definition, mean.definition.conditional] }
    for mean in decisionMeans { all.append(mean.definition) }
    return all
  }()

  private static let foundShare = definition(
    "found_share", "Share of faces with <attribute>", .higher, in: .proportion,
    "labelled faces with the number whose prediction (option pairing) has it, over all of them; "
      + "in [0, 1]")
  private static let shorterWay = ", angles such as headYaw in rad the shorter way round"
  private static let numbers:
    [(definition: MetricDefinition, value: @Sendable (PairedAgreement) -> Double?)] = [
      (
        definition("mae", "Mean error of <attribute>", .lower, "mean of |p − g|" + shorterWay),
        { $0.meanAbsoluteError }
      ),
      (
        definition(
          "rmse", "RMS error of <attribute>", .lower, "√ of the mean of (p − g)²" + shorterWay),
        { $0.rootMeanSquareError }
      ),
      (
        definition(
          "bias", "Bias of <attribute>", .closest, in: .any, target: 0,
          "mean of p − g" + shorterWay),
        { $0.bias }
      ),
      (
        definition(
          "pcc", "Correlation of <attribute>", .higher, in: .signedUnit,
          "Pearson's correlation; undefined for a constant label or prediction"), { $0.correlation }
      ),
      (
        definition(
          "ccc", "Concordance of <attribute>", .higher, in: .signedUnit,
          "2·cov / (σₚ² + σ_g² + (μₚ − μ_g)²); undefined for a constant label"), { $0.concordance }
      ),
      (
        definition(
          "icc31", "ICC(3,1) of <attribute>", .higher, in: .signedUnit,
          "(MSR − MSE) / (MSR + MSE), consistency of single measurements; undefined for a constant "
            + "label"), { $0.intraclassCorrelation }
      ),
    ]
  private static let prevalence = definition(
    "prevalence", "Share of faces labelled <attribute>", .neither, in: .proportion,
    "labelled faces with yes over all with a label; in [0, 1]")
  private static let decisions = BinaryOutcomes.metrics(
    of: MetricDefinition.anyAttribute, definition,
    formulas: [
      "2·TP / (2·TP + FP + FN), read with .auroc", "TP / (TP + FP)", "TP / (TP + FN)",
      "(TP / (TP + FN) + TN / (TN + FP)) / 2",
      "(TP·TN − FP·FN) / √((TP + FP)(TP + FN)(TN + FP)(TN + FN))",
      "chance that a face labelled yes has a larger value than one labelled no, ties by half",
    ])
  private static let angle = definition(
    "angle", "Mean angle of <attribute>", .lower, unit: "°",
    "mean of the difference of an angle the shorter way round, or of the angle between directions; "
      + "in [0, 180]")
  private static let angleBias = definition(
    "angle_bias", "Bias of the angle <attribute>", .closest, in: .any, target: 0, unit: "°",
    "circular mean of p − g; in (-180, 180], undefined where the differences have no mean direction"
  )
  private static let means: [(definition: MetricDefinition, suffix: String)] = [
    (mean("pcc", "Correlation of attributes", in: .signedUnit, of: "numbers"), "pcc"),
    (mean("ccc", "Concordance of attributes", in: .signedUnit, of: "numbers"), "ccc"),
    (mean("icc31", "ICC(3,1) of attributes", in: .signedUnit, of: "numbers"), "icc31"),
  ]
  private static let decisionMeans: [(definition: MetricDefinition, suffix: String)] = [
    (mean("f1", "F1 of attributes", in: .unit, of: "yes-or-no attributes"), "f1"),
    (mean("auroc", "AUROC of attributes", in: .unit, of: "yes-or-no attributes"), "auroc"),
  ]

  private static func mean(_ name: String, _ title: String, in range: MetricRange, of what: String)
    -> MetricDefinition
  {
    MetricDefinition(
      "attributes.\(name)", title, .higher, in: range,
      "mean of attributes.<attribute>.\(name) over \(what); undefined where one of them is",
      source: source)
  }

  private static let definition = DefinitionGroup(
    prefix: "attributes.<attribute>.", ending: "; undefined without such faces", source: source)
  private static let source =
    "Lin 1989 (CCC); Shrout and Fleiss 1979 (ICC); p predicted, g labelled"
}

extension AttributeAccuracy {
  func measurements(of columns: AttributeColumns) -> [Measurement] {
    var metrics: [Measurement] = []
    for (rule, column) in zip(rules.rules, columns.columns) {
      metrics += Self.measurements(of: rule, column)
    }
    return metrics + means(over: metrics)
  }

  private static func measurements(
    of rule: AttributeRule, _ column: AttributeColumns.Column
  ) -> [Measurement] {
    let n = column.labelled.count
    let missed = column.missed
    let nothing =
      n == 0
      ? "no face is labelled with \(rule.name)" : "no labelled face has a predicted \(rule.name)"
    let head = foundShare.at(attribute: rule.name).ratio(n - missed, of: n, else: nothing)
    let values =
      switch rule.kind {
      case .number: numbers(of: rule, column, missed: missed, else: nothing)
      case .binary: decisions(of: rule, column, missed: missed, else: nothing)
      case .angle, .direction: angles(of: rule, column, missed: missed, else: nothing)
      }
    return [head] + values
  }

  private static func numbers(
    of rule: AttributeRule, _ column: AttributeColumns.Column, missed: Int, else nothing: String
  ) -> [Measurement] {
    let angles = column.angles(of: rule)
    let found = (angles ?? column).found
    let agreement = PairedAgreement(predicted: found.predicted, labelled: found.labelled)
    let isConstant = agreement.map { $0.labelledVariance == 0 } ?? false
    return numbers.flatMap { definition, value in
      let isOfAgreement = definition.range == .signedUnit
      let constant =
        found.labelled.count == 1
        ? "one face alone has no agreement"
        : isConstant ? "every label is the same" : "every prediction is the same"
      let own = definition.at(attribute: rule.name)
      return (angles == nil || isOfAgreement ? own : own.inRadians).metrics(
        isOfAgreement && isConstant ? nil : agreement.flatMap(value), n: found.labelled.count,
        missed: missed, else: agreement == nil ? nothing : constant)
    }
  }

  private static func decisions(
    of rule: AttributeRule, _ column: AttributeColumns.Column, missed: Int, else nothing: String
  ) -> [Measurement] {
    let n = column.labelled.count
    let outcomes = BinaryOutcomes(
      zip(column.labelled, column.predicted).map { label, prediction in
        guard let prediction else { return BinaryOutcomes.Case(missedShare: label) }
        return BinaryOutcomes.Case(
          share: label, score: rule.prediction.score(prediction),
          isPositive: rule.prediction.isYes(prediction))
      })
    let isMissed = missed == n
    let reason =
      isMissed
      ? nothing
      : "a kind of face that it needs is absent: labelled yes or no, predicted yes or no"
    let yes = column.labelled.reduce(0, +)
    var metrics = [prevalence.at(attribute: rule.name).ratio(yes, of: n, else: nothing)]
    for (definition, value) in decisions {
      metrics.append(
        definition.at(attribute: rule.name).measurement(
          isMissed ? nil : value(outcomes), n: n, else: reason))
    }
    return metrics
  }

  private static func angles(
    of rule: AttributeRule, _ column: AttributeColumns.Column, missed: Int, else nothing: String
  ) -> [Measurement] {
    let turns = column.found.predicted
    let count = Double(turns.count)
    let metrics = angle.at(attribute: rule.name).metrics(
      turns.isEmpty ? nil : turns.reduce(0) { $0 + $1.magnitude } / count, n: turns.count,
      missed: missed, else: nothing)
    guard rule.kind == .angle else { return metrics }
    return metrics
      + angleBias.at(attribute: rule.name).metrics(
        AttributeRule.circularMean(ofDegrees: turns), n: turns.count, missed: missed,
        else: turns.isEmpty ? nothing : "the differences have no mean direction")
  }

  /// The means of what has no unit, where there are rules of the kind.
  private func means(over metrics: [Measurement]) -> [Measurement] {
    let values = Dictionary(metrics.map { ($0.name, $0) }) { first, _ in first }
    func mean(
      _ definition: MetricDefinition, _ suffix: String, of kind: AttributeRule.Kind
    ) -> Measurement {
      let own = rules.rules.filter { $0.kind == kind }.compactMap {
        values["attributes.\($0.name).\(suffix)"]
      }
      let n = own.map(\.n).min() ?? 0
      if let lacking = own.first(where: { $0.value == nil }) {
        return definition.undefined("\(lacking.name) is undefined: \(lacking.reason ?? "")", n: n)
      }
      return definition.measurement(
        own.reduce(0) { $0 + ($1.value ?? 0) } / Double(own.count), n: n)
    }
    let kinds = Set(rules.rules.map(\.kind))
    var measurements: [Measurement] = []
    if kinds.contains(.number) {
      for (definition, suffix) in Self.means {
        measurements.append(mean(definition, suffix, of: .number))
        measurements.append(mean(definition.conditional, "\(suffix).conditional", of: .number))
      }
    }
    if kinds.contains(.binary) {
      for (definition, suffix) in Self.decisionMeans {
        measurements.append(mean(definition, suffix, of: .binary))
      }
    }
    return measurements
  }
}

extension AttributeAccuracy: MetricFamily {
  package static let requirements: MetricRequirements = [
    .labels, .attributes, .analysedFrames, .facesOfSlices,
  ]

  package init(_ context: MetricContext) { self.init(rules: context.attributes) }

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    guard !rules.rules.isEmpty else { return }
    var entries: [Compared] = []
    for (label, face) in frame.pairs.labelledFaces where !frame.labels[label].attributes.isEmpty {
      for (index, rule) in rules.rules.enumerated() {
        if let pair = rule.pair(
          label: frame.labels[label].attributes, prediction: face.map { frame.faces[$0].attributes }
        ) {
          entries.append(Compared(rule: index, pair: pair))
        }
      }
    }
    try addCounted(entries, for: frame.frame.index)
  }

  package func resampler(of clusters: FrameClusters, isSlice: Bool) -> any FamilyResampler {
    AttributeResampler(self, of: clusters)
  }

  package var isPresent: Bool { frames.entries.contains { !$0.isEmpty } }

  /// A number rests on the faces that are labelled with it, what is conditional on those that it is predicted of too.
  ///
  /// A mean over numbers, or over yes-or-no attributes, rests on the frames of all of them.
  package var ownFrames: [(metrics: Set<String>, frames: FrameRuns)] {
    var labelled = rules.rules.map { _ in FrameRuns() }
    var found = labelled
    for (frame, entry) in frames.keyed {
      for rule in Set(entry.map(\.rule)) { labelled[rule].append(frame) }
      for rule in Set(entry.filter { $0.pair.predicted != nil }.map(\.rule)) {
        found[rule].append(frame)
      }
    }
    let own = Self.definitions.filter(\.isOfAttribute)
    var all: [(metrics: Set<String>, frames: FrameRuns)] = []
    for (rule, name) in rules.names.enumerated() {
      let metrics = Set(own.map { $0.at(attribute: name).name })
      let conditional = metrics.filter { $0.hasSuffix(".conditional") }
      all.append((conditional, found[rule]))
      all.append((metrics.subtracting(conditional), labelled[rule]))
    }
    func union(of kind: AttributeRule.Kind, _ rules: [FrameRuns]) -> FrameRuns {
      let own = zip(self.rules.rules, rules).filter { $0.0.kind == kind }
      return FrameRuns(unionOf: own.flatMap { $0.1.ranges })
    }
    all.append((Set(Self.means.map { $0.definition.name }), union(of: .number, labelled)))
    all.append((Set(Self.means.map { $0.definition.conditional.name }), union(of: .number, found)))
    all.append((Set(Self.decisionMeans.map { $0.definition.name }), union(of: .binary, labelled)))
    return all
  }

  /// What was compared, and how.
  package func notes(_ context: SeriesContext) -> [String] {
    guard isPresent else { return [] }
    return sharedNotes + scaleNotes
  }

  private var sharedNotes: [String] {
    guard rules.areShared else { return [] }
    let angles = rules.rules.filter(\.isOfAngle).map(\.name)
    return [
      "Attributes that labels and predictions share are compared as numbers: "
        + rules.names.joined(separator: ", ") + ". --attributes sets what is compared, and how."
        + (angles.isEmpty
          ? ""
          : " Angles are in radians (0.1 rad is 5.7°): \(angles.joined(separator: ", ")).")
    ]
  }

  package static let presentation = MetricPresentation(
    sliced: Set(
      ["mae", "mae.conditional", "ccc.conditional", "f1", "auroc", "angle", "angle.conditional"]
        .map { "attributes.\(MetricDefinition.anyAttribute).\($0)" }),
    headlines: [
      .init(.attributeNumbers, ["attributes.ccc.conditional"]),
      .init(.attributeDecisions, ["attributes.f1", "attributes.auroc"]),
      .init(
        .attributeAngles, ["attributes.\(MetricDefinition.anyAttribute).angle.conditional"]),
    ])
}

extension AttributeRule.Pair: Packable {
  package func pack(into row: inout RowWriter) { row.write(labelled, predicted) }
  package init(from row: inout RowReader) { self.init(labelled: row.read(), predicted: row.read()) }
}

extension AttributeAccuracy.Compared: Packable {
  package func pack(into row: inout RowWriter) { row.write(rule, pair) }
  package init(from row: inout RowReader) { self.init(rule: row.read(), pair: row.read()) }
}
