internal import FaceCore

/// How many people saw which expression in a face, as FER+ counts them.
package struct ExpressionVotes: Sendable, Hashable {
  /// When votes are clear enough to count.
  package enum Rule: String, Sendable, CaseIterable {
    /// One word has more votes than any other; ties are excluded.
    case plurality
    /// One word has more than half of all votes.
    case majority
  }

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

  /// The word that the rule decides for; nil where votes tie or are too few.
  package func winner(by rule: Rule) -> String? {
    let most = counts.values.max() ?? 0
    let leaders = counts.filter { $0.value == most }
    guard let leader = leaders.first, leaders.count == 1 else { return nil }
    return rule == .plurality || 2 * leader.value > total ? leader.key : nil
  }

  /// The part of all votes that fell on any of the words, in [0, 1].
  package func share(of words: Set<String>) -> Double {
    counts.sorted { $0.key < $1.key }.reduce(0) { $0 + (words.contains($1.key) ? $1.value : 0) }
      / total
  }
}

/// What a label says of a face's expression.
enum ExpressionTarget: Sendable, Hashable {
  /// For each name the weight with which the face has that expression, in [0, 1].
  case shares([Double])
  /// Votes that the rule does not decide, or that are for no expression.
  case undecided

  /// Votes go before the label's word; nil where the label says nothing.
  init?(_ label: FaceLabel, words: [Set<String>], rule: ExpressionVotes.Rule) {
    if let votes = ExpressionVotes(label.attributes) {
      guard let winner = votes.winner(by: rule), !Self.nothing.contains(winner) else {
        self = .undecided
        return
      }
      self = .shares(words.map(votes.share))
    } else if let word = label.expression?.lowercased() {
      self = .shares(words.map { $0.contains(word) ? 1 : 0 })
    } else {
      return nil
    }
  }

  /// FER+'s words for no expression that can be told, and for no face.
  private static let nothing: Set<String> = ["unknown", "nf"]
}
