package import Records

/// A mergeable accumulator: pictures go in by frame, in any order and any split, and figures come out.
///
/// `accumulate(A ∪ B) == merge(accumulate(A), accumulate(B))` bit for bit.
package protocol Metric: Sendable, Equatable {
  /// What the figures mean; `MetricCatalog.all` lists them.
  static var definitions: [MetricDefinition] { get }

  /// Takes in the frames of another accumulator; throws where a frame is in both or settings differ.
  mutating func merge(_ other: Self) throws(MetricError)

  /// The figures over all frames so far; an undefined one is there without a value, with a reason.
  func summarize() -> [Measurement]
}
