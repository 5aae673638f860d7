/// Confidences in bins, with what was claimed and what came of it in each.
///
/// A bin is `(a, b]`, and the first holds 0 too: 0.3 in ten bins of equal width is in the third, and
/// 1 in the last. Edges are i / n as floating-point numbers. Empty bins are left out.
///
/// Source: Naeini et al. 2015; Guo et al. 2017.
package struct ReliabilityBins: Sendable, Hashable {
  /// One bin.
  package struct Bin: Sendable, Hashable {
    /// The range `(low, high]`.
    package let low: Double
    /// The largest confidence that belongs to it.
    package let high: Double
    /// The confidences in it.
    package fileprivate(set) var members: [ConfidenceOutcome] = []

    /// Mean of the confidences, in [0, 1].
    package var meanConfidence: Double {
      members.reduce(0) { $0 + $1.confidence } / Double(members.count)
    }
    /// Mean of the outcomes, which for true and false is the share of true ones.
    package var meanOutcome: Double {
      members.reduce(0) { $0 + $1.outcome } / Double(members.count)
    }
    /// How far claim and outcome are apart, in [0, 1].
    package var gap: Double { abs(meanConfidence - meanOutcome) }
  }

  /// The bins that hold anything, in rising order.
  package let bins: [Bin]
  /// How many confidences there are.
  package let count: Int

  /// Bins of width 1 / `bins`.
  package init(_ evaluated: [ConfidenceOutcome], equalWidth bins: Int) {
    self.init(evaluated, edges: (1...max(bins, 1)).map { Double($0) / Double(max(bins, 1)) })
  }

  /// Bins of as nearly equal numbers as ties allow: equal confidences always share a bin.
  ///
  /// The upper edge of bin k is the smallest confidence with k / n of all at or under it.
  package init(_ evaluated: [ConfidenceOutcome], equalMass bins: Int) {
    let ranked = evaluated.map(\.confidence).sorted()
    let bins = max(bins, 1)
    let edges = (1..<bins).compactMap { bin -> Double? in
      let position = (bin * ranked.count + bins - 1) / bins - 1
      return ranked.indices.contains(position) ? ranked[position] : nil
    }
    self.init(evaluated, edges: edges + [1])
  }

  private init(_ evaluated: [ConfidenceOutcome], edges: [Double]) {
    var bins = edges.indices.map { Bin(low: $0 == 0 ? 0 : edges[$0 - 1], high: edges[$0]) }
    func bin(of confidence: Double) -> Int {
      (0..<edges.count - 1).partitioningIndex { confidence <= edges[$0] }
    }
    var counts = [Int](repeating: 0, count: edges.count)
    for one in evaluated { counts[bin(of: one.confidence)] += 1 }
    for index in bins.indices { bins[index].members.reserveCapacity(counts[index]) }
    for one in evaluated { bins[bin(of: one.confidence)].members.append(one) }
    self.bins = bins.filter { !$0.members.isEmpty }
    count = evaluated.count
  }

  /// MCE: the largest gap; in [0, 1], nil without confidences.
  package var maximumError: Double? { bins.map(\.gap).max() }
}
