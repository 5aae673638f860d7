package import Records

extension SettingTable {
  /// The settings that no other beats or equals in all of some metrics, from the best in the first metric on.
  ///
  /// Only settings where all of them are defined take part. Of settings that are equal in all of them
  /// the one with the higher thresholds stands for all, the first threshold deciding. Throws for a metric
  /// without a column, and for none. Takes n·log n steps for one or two metrics, n² at most for more.
  package func paretoFront(
    over goals: [(metric: String, better: Direction)]
  ) throws(CalibrationError) -> [Int] {
    guard !goals.isEmpty else {
      throw .malformedGrid("a Pareto front", expected: "a metric or more", found: "none")
    }
    // Losses: lower is better in each.
    var losses: [[Double?]] = []
    for goal in goals {
      losses.append(try column(goal.metric).map { goal.better == .lower ? $0 : $0.map { -$0 } })
    }
    let rows = ranking.compactMap { setting -> (setting: Int, losses: [Double])? in
      let row = losses.compactMap { $0[setting] }.filter { !$0.isNaN }
      return row.count == goals.count ? (setting, row) : nil
    }
    let sorted = rows.indices.sorted { first, second in
      for (one, other) in zip(rows[first].losses, rows[second].losses) where one != other {
        return one < other
      }
      return first < second
    }
    // Whatever beats or equals a row comes before it; with two metrics the last of the front is the best in the
    // second, so that it alone decides.
    var front: [Int] = []
    for index in sorted {
      let isBeaten = front.suffix(goals.count > 2 ? front.count : 1).contains { other in
        zip(rows[other].losses, rows[index].losses).allSatisfy { $0 <= $1 }
      }
      if !isBeaten { front.append(index) }
    }
    return front.map { rows[$0].setting }
  }
}
