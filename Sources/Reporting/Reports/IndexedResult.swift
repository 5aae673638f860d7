package import Records

/// A result, other than a run or a comparison of two, that has a line in an index of folders.
package protocol IndexedResult: ResultDocument {
  /// What kind of result it is, in a word.
  static var kind: String { get }
  /// What was measured.
  var subject: String { get }
  /// When, in ISO 8601.
  var created: String { get }
  /// What was found.
  var sentence: String { get }
}

/// The kinds of such results.
package enum IndexedResults {
  /// Every kind.
  package static let types: [any IndexedResult.Type] = [
    Ranking.self, Leakage.self, Response.self, Equivariance.self,
  ]
}

extension [Finding] {
  /// What keeps gates from deciding, as `suspect: time.shift`; nil without any.
  var openText: String? {
    let open = Set(filter(\.isOpen).map(\.name)).sorted()
    return open.isEmpty ? nil : "suspect: \(open.joined(separator: ", "))"
  }
}

extension Ranking: IndexedResult {
  package static let kind = "ranking"
  package var subject: String { runs.map(\.name).joined(separator: ", ") }
  package var sentence: String {
    [findings?.openText, RankingReport(ranking: self).sentences.joined(separator: " ")]
      .compactMap(\.self).joined(separator: "; ")
  }
}

extension Leakage: IndexedResult {
  package static let kind = "leakage"
  package var subject: String { source }
  package var sentence: String { LeakageReport(self).sentence }
}

extension Response: IndexedResult {
  package static let kind = "response"
  package var subject: String { source }
  package var sentence: String { ResponseReport(self).sentence }
}

extension Equivariance: IndexedResult {
  package static let kind = "equivariance"
  package var subject: String { source }
  package var sentence: String { EquivarianceReport(self).sentence }
}
