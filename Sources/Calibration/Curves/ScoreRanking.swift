internal import Records

/// Cases by descending score, sorted once for all resamples.
struct ScoreRanking: Sendable {
  /// A case with the position of its cluster among the distinct ones.
  struct Entry: Sendable {
    var positive, negative: Double
    var cluster: Int
  }

  /// Equal scores.
  struct Step: Sendable {
    var score: Double
    var entries: Range<Int>
  }

  let entries: [Entry]
  let steps: [Step]
  /// The distinct clusters, ascending.
  let clusters: [Int]

  /// Ranks cases that were checked; `clusters` are more that exist without a case.
  init(_ cases: [ScoredCase], clusters more: some Sequence<Int> = []) {
    let clusters = Set(cases.map(\.cluster)).union(more).sorted()
    let positions = Dictionary(uniqueKeysWithValues: zip(clusters, 0...))
    let ranked = cases.indices.sorted {
      (cases[$0].score, $1) > (cases[$1].score, $0)
    }
    entries = ranked.map { index in
      Entry(
        positive: cases[index].positive, negative: cases[index].negative,
        cluster: positions[cases[index].cluster] ?? 0)
    }
    var steps: [Step] = []
    for (position, index) in ranked.enumerated() {
      let score = cases[index].score
      if let last = steps.last, last.score == score {
        steps[steps.count - 1].entries = last.entries.lowerBound..<position + 1
      } else {
        steps.append(Step(score: score, entries: position..<position + 1))
      }
    }
    self.steps = steps
    self.clusters = clusters
  }
}
