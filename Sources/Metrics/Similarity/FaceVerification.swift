package import Records

/// How well a similarity tells pairs of faces that belong together from pairs that do not.
package struct FaceVerification: Metric {
  struct Pair: Sendable, Hashable {
    var score: Double
    var belongs: Bool
  }

  private var pairs: [Int: Pair] = [:]

  /// Starts without pairs.
  package init() {}

  /// Takes in one pair by its number; a higher score means more alike, so a distance goes in negated.
  ///
  /// Throws for a pair added before and for a score that is NaN; an infinite one is refused too.
  package mutating func add(pair: Int, score: Double, belongs: Bool) throws(MetricError) {
    guard pairs[pair] == nil else { throw .repeatedPair(pair) }
    guard score.isFinite else { throw .malformedSimilarity(score, pair: pair) }
    pairs[pair] = Pair(score: score, belongs: belongs)
  }

  /// Takes in other pairs; throws where a pair is in both.
  package mutating func merge(_ other: FaceVerification) throws(MetricError) {
    if let pair = other.pairs.keys.filter({ pairs[$0] != nil }).min() { throw .repeatedPair(pair) }
    pairs.merge(other.pairs) { own, _ in own }
  }

  /// Equal error rate, AUROC, and the share of true accepts at three rates of false ones.
  package static let definitions = [equalErrorRate, areaUnderROC] + rates.map(\.definition)

  private static let equalErrorRate = definition(
    "eer", "Equal error rate of similarity", .lower,
    "rate at which false accepts equal false rejects, straight between neighbouring scores")
  private static let areaUnderROC = definition(
    "auroc", "AUROC of similarity", .higher,
    "chance that a pair that belongs together scores higher than one that does not, ties by half")
  private static let rates = [(text: "0.1", limit: 0.1), ("0.01", 0.01), ("0.001", 0.001)]
    .map { text, limit in
      (
        definition: definition(
          "tar@far\(text)", "True accepts at \(text) false accepts", .higher,
          "largest share of pairs that belong together at a score that at most \(text) of the "
            + "others reach; needs \(Int((1 / limit).rounded())) of those"), limit: limit
      )
    }

  /// The metrics in the order of `definitions`; n is the number of pairs.
  package func summarize() -> [Measurement] {
    let sorted = pairs.sorted { $0.key < $1.key }.map(\.value)
    let curve = ROCCurve(sorted.map { ($0.score, $0.belongs ? 1 : 0, $0.belongs ? 0 : 1) })
    let others = sorted.count { !$0.belongs }
    let reason =
      sorted.isEmpty
      ? "no pair of faces"
      : others == 0
        ? "every pair belongs together" : "no pair belongs together"
    func metric(_ definition: MetricDefinition, _ value: Double?) -> Measurement {
      definition.measurement(value, n: sorted.count, else: reason)
    }
    return [
      metric(Self.equalErrorRate, curve.equalErrorRate),
      metric(Self.areaUnderROC, curve.areaUnder),
    ]
      + Self.rates.map { definition, limit in
        let needed = Int((1 / limit).rounded())
        guard !curve.hasBothClasses || others >= needed else {
          return definition.undefined(
            "needs \(needed) pairs that do not belong together, there are \(others)",
            needs: needed, n: others)
        }
        return metric(definition, curve.trueAcceptRate(atFalseAcceptRate: limit))
      }
  }

  private static let definition = DefinitionGroup(
    prefix: "similarity.", direction: .higher, range: .unit,
    ending: "; in [0, 1], undefined where either kind of pair is absent",
    source: "ISO/IEC 19795-1 for verification; pairs of faces")
}

extension FaceVerification {
  package static let presentation = MetricPresentation(
    headlines: [.init(.similarity, [areaUnderROC.name, equalErrorRate.name])])
}
