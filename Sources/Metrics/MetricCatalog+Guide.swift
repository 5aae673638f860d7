internal import Records

extension MetricCatalog {
  /// A page in Markdown with a table of figures for each stage, in the order of the catalogue.
  package static func guide() -> String {
    var stages: [String] = []
    for definition in all where !stages.contains(definition.stage) {
      stages.append(definition.stage)
    }
    let sections = stages.map { stage in
      let rows = all.filter { $0.stage == stage }.map { row($0) }
      return """
        ### \(stage == MetricDefinition.anyStage ? "Any stage" : stage)

        | name | what | unit | better | formula | source |
        |---|---|---|---|---|---|
        \(rows.joined(separator: "\n"))
        """
    }
    return """
      # Every figure

      What is measured: \(all.count) figures by name, with unit, direction, formula and source.

      ## Overview

      This page is `facegauge metrics --markdown`. `\(MetricDefinition.anyStage)` stands for a stage of the pipeline,
      `\(MetricDefinition.anyExpression)` for the name of a rule.

      \(sections.joined(separator: "\n\n"))

      """
  }

  private static func row(_ definition: MetricDefinition) -> String {
    let cells = [
      "`\(definition.name)`", definition.title, definition.unit,
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
