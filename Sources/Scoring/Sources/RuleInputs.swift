internal import Datasets
package import Foundation
package import Metrics
package import Platform
internal import Running

extension ExpressionRules {
  /// The rules of a file; nil without one.
  package static func read(_ file: URL?) throws(FileError) -> ExpressionRules? {
    guard let file else { return nil }
    return try ExpressionRules(json: try InputFile.bytes(of: file), source: file.relativePath)
  }
}

extension AttributeRules {
  /// Reads the rules of a file, or compares what labels and predictions share; throws for attributes that nobody has.
  ///
  /// Of several predictions it is enough that one has an attribute.
  static func of(
    _ file: URL?, dataset: DatasetReader, predictions: [PredictionsReader]
  ) throws -> AttributeRules {
    let predicted = predictions.flatMap(\.attributeNames)
    guard let file else {
      return AttributeRules(labels: dataset.attributeNames, predictions: predicted)
    }
    let rules = try AttributeRules(
      json: try InputFile.bytes(of: file, mebibytes: 1), source: file.relativePath)
    try rules.require(\.label, among: dataset.attributeNames, of: dataset.url, in: file)
    try rules.require(
      \.prediction, among: predicted, of: predictions.first?.url ?? dataset.url, in: file)
    return rules
  }

  private func require(
    _ side: KeyPath<AttributeRule, AttributeRule.Side>, among names: [String], of table: URL,
    in file: URL
  ) throws(EvaluationError) {
    for (index, rule) in rules.enumerated() {
      for column in rule[keyPath: side].columns where !names.contains(column.name) {
        let key = side == \.label ? "label" : "prediction"
        let known = Set(names).sorted()
        let list = known.prefix(12).joined(separator: ", ") + (known.count > 12 ? " …" : "")
        throw EvaluationError.wrongData(
          "cannot compare 'attributes[\(index)].\(key)' in \(file.relativePath): expected an "
            + "attribute of the faces in \(table.relativePath) "
            + "(\(known.isEmpty ? "it has none" : list)), found '\(column.name)'"
            + Suggestion.perhaps(column.name, among: known))
      }
    }
  }
}
