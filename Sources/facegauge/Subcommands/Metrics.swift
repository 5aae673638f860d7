import CommandSyntax
import Foundation
import Metrics
import Platform
import Records

extension Command {
  private static let markdown = Flag("markdown", help: "Print a page in Markdown instead of text.")

  /// `facegauge metrics`.
  static let metrics = Command(
    CommandDeclaration(
      "metrics", abstract: "List every metric with its unit, direction, formula and source",
      options: [json, markdown])
  ) { arguments in
    let rows = MetricCatalog.all.map {
      [
        "name": $0.name, "title": $0.title, "unit": $0.unit, "better": $0.direction.rawValue,
        "formula": $0.formula, "source": $0.source,
      ]
    }
    let lines = MetricCatalog.all.map { definition in
      """
      \(definition.name)  [\(definition.unit), \(definition.direction.phrase(target: definition.target))]
          \(definition.title): \(definition.formula)
          \(definition.source)

      """
    }
    try arguments.print(rows, text: arguments[markdown] ? MetricCatalog.guide() : lines.joined())
    return .success
  }
}
