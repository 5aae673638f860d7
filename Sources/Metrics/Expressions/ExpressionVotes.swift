internal import FaceCore

/// How many people saw which expression in a face, as FER+ counts them.
package struct ExpressionVotes: Sendable, Hashable {
  /// Votes by word in lower case, at least one of them above 0.
  package let counts: [String: Double]

  /// The attributes `votes_<word>`; nil without any vote, and where a count is negative or not finite.
  package init?(_ attributes: [String: Double]) {
    var counts: [String: Double] = [:]
    for (name, count) in attributes where name.hasPrefix("votes_") {
      guard count.isFinite, count >= 0 else { return nil }
      counts[name.dropFirst(6).lowercased(), default: 0] += count
    }
    guard counts.values.contains(where: { $0 > 0 }) else { return nil }
    self.counts = counts
  }

  /// All votes.
  package var total: Double { counts.sorted { $0.key < $1.key }.reduce(0) { $0 + $1.value } }

  /// Words for no expression that can be told, and for no face, as FER+ has them.
  static let nothing: Set<String> = ["unknown", "nf"]

  /// The votes without outliers: counts of 1 or less are 0; shares, which add up to 1 or less, stay.
  private var withoutSingles: [String: Double] {
    total > 1 + 1e-9 ? counts.mapValues { $0 <= 1 ? 0 : $0 } : counts
  }

  /// The expressions of a face with the weight of each, which add up to 1, as FER+ makes its soft labels.
  ///
  /// Nil where the votes are for no expression or too scattered. Words tie into the count together; votes
  /// for unknown and no face end it, and lead to nil where they come first.
  package var softLabels: [String: Double]? {
    let counts = withoutSingles
    let whole = counts.values.reduce(0, +)
    var rest = counts.filter { $0.value > 0 }
    var taken: [String: Double] = [:]
    var sum = 0.0
    while sum < 0.75 * whole, taken.count < 3, let maxVotes = rest.values.max() {
      let leaders = rest.filter { $0.value == maxVotes }
      for word in leaders.keys where !Self.nothing.contains(word) {
        taken[word] = maxVotes
        sum += maxVotes
        rest[word] = nil
      }
      if leaders.keys.contains(where: Self.nothing.contains) { break }
    }
    guard sum > 0.5 * whole, taken.count <= 3 else { return nil }
    return taken.mapValues { $0 / sum }
  }

  /// The word with more than half of the votes that are left without outliers, by which FER+ tests; nil for none.
  package var winner: String? {
    let counts = withoutSingles
    let whole = counts.values.reduce(0, +)
    return counts.first { 2 * $0.value > whole }?.key
  }
}

/// The expression in a face's label.
enum ExpressionTarget: Sendable, Hashable {
  /// For each name the weight with which the face has that expression, in [0, 1].
  case shares([Double])
  /// Votes that the rule does not decide, or that are for no expression.
  case undecided

  /// Votes take precedence over the label's word; nil where the label has neither.
  init?(_ label: FaceLabel, words: [Set<String>]) {
    if let votes = ExpressionVotes(label.attributes) {
      guard let weights = votes.softLabels else {
        self = .undecided
        return
      }
      let words = words.map { own in
        weights.sorted { $0.key < $1.key }.reduce(0) { $0 + (own.contains($1.key) ? $1.value : 0) }
      }
      self = .shares(words)
    } else if let word = label.expression?.lowercased() {
      self = .shares(words.map { $0.contains(word) ? 1 : 0 })
    } else {
      return nil
    }
  }
}
