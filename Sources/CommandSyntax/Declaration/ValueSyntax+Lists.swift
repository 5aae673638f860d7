extension ValueSyntax<[String]> {
  /// Some of the names, with commas between them.
  package static func list(of names: [String]) -> Self {
    Self(
      summary: "values, separated by commas: " + names.joined(separator: ", "),
      completion: .words(names)
    ) { word throws(ValueMismatch) in
      let chosen = word.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      for name in chosen where !names.contains(name) {
        let quoted = names.map { "'\($0)'" }.joined(separator: ", ")
        throw ValueMismatch(
          expected: "some of \(quoted), separated by commas"
            + Suggestion.clause(for: name, among: names))
      }
      return chosen
    } write: {
      $0.joined(separator: ",")
    }
  }
}
