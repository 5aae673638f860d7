internal import Statistics

/// Assigns groups to parts in proportion to their shares of every stratum; deterministic for a seed.
struct SplitPlan {
  /// The share of each part, adding up to 1.
  let fractions: [Double]
  let strata: Int
  /// Observations of each stratum in each group, group by group.
  let counts: [Int32]

  /// The part of each group.
  ///
  /// Groups are assigned by falling size, equal ones in an order given by the seed. Each goes to the part that lacks
  /// most of its strata, rare strata weighing more; with enough groups no part stays empty.
  func parts(seed: UInt64) -> [Int] {
    let groupCount = counts.count / max(strata, 1)
    var generator = SplitMix64(seed: seed)
    var order = Array(0..<groupCount)
    for index in order.indices.dropLast() {
      let span = UInt64(order.count - index)
      order.swapAt(index, index + Int(generator.next() % span))
    }
    let sizes = (0..<groupCount).map { group in
      counts[(group * strata)..<((group + 1) * strata)].reduce(0) { $0 + Int($1) }
    }
    let rank = order.enumerated().sorted {
      (sizes[$0.element], $1.offset) > (sizes[$1.element], $0.offset)
    }
    var totals = [Double](repeating: 0, count: strata)
    for (index, count) in counts.enumerated() { totals[index % strata] += Double(count) }
    var lacking = fractions.map { fraction in totals.map { $0 * fraction } }
    var members = [Int](repeating: 0, count: fractions.count)
    var parts = [Int](repeating: 0, count: groupCount)
    for (position, (_, group)) in rank.enumerated() {
      let empty = members.indices.filter { members[$0] == 0 }
      let open = groupCount - position <= empty.count ? empty : Array(members.indices)
      let own = counts[(group * strata)..<((group + 1) * strata)]
      func need(_ part: Int) -> Double {
        zip(own, lacking[part].indices).reduce(0) { sum, pair in
          let (count, stratum) = pair
          return count == 0
            ? sum : sum + Double(count) * lacking[part][stratum] / totals[stratum]
        }
      }
      let chosen = open.max { (need($0), -$0) < (need($1), -$1) } ?? 0
      parts[group] = chosen
      members[chosen] += 1
      for (stratum, count) in own.enumerated() { lacking[chosen][stratum] -= Double(count) }
    }
    return parts
  }
}
