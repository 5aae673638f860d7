package import Platform

/// A result that has a JSON file of its own in a folder.
package protocol ResultDocument: JSONDocument {}

/// The kinds of result that have a file of their own in a folder.
package enum ResultDocuments {
  /// Every kind.
  package static let types: [any ResultDocument.Type] = [
    Comparison.self, Ranking.self, Leakage.self, Response.self, Equivariance.self,
  ]
}
