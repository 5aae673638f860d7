internal import Platform
package import Records

/// Every metric that FaceGauge measures.
package enum MetricCatalog {
  /// Every family that scoring measures, one line each, in the order of records.
  package static let families: [any MetricFamily.Type] = [
    COCODetection.self,
    DetectionOperatingPoint.self,
    RankedDetections.self,
    VOCDetection.self,
    WIDERDetection.self,
    FDDBDetection.self,
    FaceAcquisition.self,
    FaceOperatingPoint.self,
    LandmarkAccuracy.self,
    LandmarkVisibility.self,
    PresenceReliability.self,
    LandmarkRegression.self,
    FaceTracking.self,
    FaceErrorTime.self,
    IdentityTracking.self,
    SingleObjectTracking.self,
    LandmarkJitter.self,
    LabelledJitter.self,
    LabelledLag.self,
    BlendshapeAccuracy.self,
    ExpressionAccuracy.self,
    ExpressionClassification.self,
    ExpressionActivity.self,
    PoseAccuracy.self,
    HeadPosition.self,
    HeadOutput.self,
    AttributeAccuracy.self,
    StageLatency.self,
  ]

  /// Metrics of other commands than `evaluate`.
  package static let others: [any DefinedMetrics.Type] = [
    PairedLandmarkError.self,
    LiveDelay.self,
    FaceVerification.self,
    DrawnPath.self,
    FrameBudget.self,
    ProfileMetrics.self,
    ResponseFit.self,
    EquivarianceFit.self,
  ]

  private static let types: [any DefinedMetrics.Type] = families + others

  /// All definitions.
  package static let all: [MetricDefinition] = types.flatMap { $0.definitions }

  private static let presentations = types.map { $0.presentation }

  /// The metrics that slices of faces report, and those that slices of frames report.
  private static let slicedByFaces = Set(presentations.flatMap(\.sliced))
  private static let slicedByFrames = slicedByFaces.union(
    presentations.flatMap(\.slicedByFrames))
  private static let extremes = Set(presentations.flatMap(\.extremes))

  /// Whether a slice reports a metric.
  package static func isSliced(_ measurement: String, ofFaces: Bool) -> Bool {
    let names = ofFaces ? slicedByFaces : slicedByFrames
    return names.contains(measurement)
      || definition(of: measurement).map { names.contains($0.name) } ?? false
  }

  /// Whether a metric is the extreme value of a sample, which resampling cannot bound.
  package static func isExtreme(_ measurement: String) -> Bool {
    definition(of: measurement).map { extremes.contains($0.name) } ?? false
  }

  /// Metrics by the short names that objectives of sweeps may use.
  package static let aliases = presentations.reduce(into: [String: String]()) {
    $0.merge($1.aliases) { first, _ in first }
  }
  private static let aliasOfMetric = Dictionary(
    uniqueKeysWithValues: aliases.map { ($0.value, $0.key) })

  /// The short name of a metric in objectives of sweeps, if it has one.
  package static func alias(of metric: String) -> String? { aliasOfMetric[metric] }

  /// Why metrics are undefined without some facts of a tracker, by name; of several reasons the first fact's.
  package static func undefined(without facts: Set<TrackerFact>) -> [String: String] {
    var reasons: [String: String] = [:]
    for presentation in presentations {
      for fact in TrackerFact.allCases where !facts.contains(fact) {
        for name in presentation.needs[fact] ?? [] where reasons[name] == nil {
          reasons[name] = fact.absence
        }
      }
    }
    return reasons
  }

  /// The metrics that stand for a run, in reading order: of each group those of the first choice with a value.
  package static func headlines(
    among measurements: [Measurement], comparedOnly: Bool = false
  ) -> [String] {
    let whole = measurements.filter { $0.slice == nil }
    let defined = Set(whole.filter { $0.value != nil }.map(\.name))
    let headlines = presentations.flatMap(\.headlines)
    return MetricPresentation.HeadlineGroup.allCases.flatMap { group -> [String] in
      let own = headlines.filter { $0.group == group && ($0.isCompared || !comparedOnly) }
      for choice in Set(own.map(\.choice)).sorted() {
        let names = own.filter { $0.choice == choice }.flatMap(\.names).flatMap { name in
          expanded(name, among: whole)
        }
        if names.contains(where: defined.contains) { return names }
      }
      return []
    }
  }

  /// A name, or the defined metrics that a name with a pattern covers.
  private static func expanded(_ name: String, among measurements: [Measurement]) -> [String] {
    guard let pattern = patterns.first(where: { $0.name == name }) else { return [name] }
    return measurements.filter { $0.value != nil && pattern.covers($0.name) }.map(\.name).uniqued
  }

  /// The definition that a measurement's name follows, or nil for a name that nothing measures.
  package static func definition(of measurement: String) -> MetricDefinition? {
    named[measurement] ?? patterns.first { $0.covers(measurement) }
  }

  private static let named = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
  private static let patterns = all.filter(\.isPattern)
}

extension MetricCatalog {
  /// A page in Markdown with a table of metrics for each stage, in the order of the catalogue.
  package static func guide() -> String {
    let sections = all.map(\.stage).uniqued.map { stage in
      let rows = all.filter { $0.stage == stage }.map { row($0) }
      return """
        ### \(stage == MetricDefinition.anyStage ? "Any stage" : stage)

        | name | what | unit | better | formula | source |
        |---|---|---|---|---|---|
        \(rows.joined(separator: "\n"))
        """
    }
    return """
      # Every metric

      What is measured: \(all.count) metrics by name, with unit, direction, formula and source.

      ## Overview

      This page is `facegauge metrics --markdown`. `\(MetricDefinition.anyStage)` stands for a stage of the pipeline,
      `\(MetricDefinition.anyExpression)` and `\(MetricDefinition.anyAttribute)` for the name of a rule.

      \(sections.joined(separator: "\n\n"))

      """
  }

  private static func row(_ definition: MetricDefinition) -> String {
    let cells = [
      "`\(definition.name)`" + (alias(of: definition.name).map { ", `\($0)` in objectives" } ?? ""),
      definition.title, definition.unit,
      definition.direction.words(target: definition.target), definition.formula,
      definition.source,
    ]
    return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
  }
}

extension Direction {
  /// The direction in words: `higher`, `lower`, `closest to 1` or `none`.
  package func words(target: Double?) -> String {
    guard self == .closest, let target else { return rawValue }
    return "closest to \(target.plainText)"
  }
}
