/// Resamples consecutive measurements in blocks, which keeps bursts of noise together.
///
/// Blocks are circular: they begin at any pair, and the first follows the last. As many pairs are drawn as
/// there are. Source: Politis and Romano 1992; Künsch 1989 for blocks that overlap.
///
/// Where blocks are given, because something else lasts for each of them, whole ones are drawn, one fewer than
/// there are: with as many as there are the variance is short by that share. Source: McCarthy and Snowden 1985.
package struct BlockBootstrap: Sendable, Hashable {
  /// Pairs of a block, 1 or more.
  package var blockLength: Int
  /// How many resamples are drawn, 1 or more.
  package var resamples: Int

  /// Plans resampling.
  package init(blockLength: Int = 16, resamples: Int = 2000) {
    self.blockLength = blockLength
    self.resamples = resamples
  }

  /// The medians of the resamples, ascending; none of no values.
  package func medians(
    of values: [Double], blocks: [Range<Int>]? = nil,
    using generator: inout some RandomNumberGenerator
  ) -> [Double] {
    let ranked = RankedSample(values)
    return draws(from: [ranked], count: values.count, blocks, using: &generator) { copies in
      ranked.median(of: copies[0])
    }
  }

  /// The percentile interval of the median; nil of no values.
  package func interval(
    of values: [Double], blocks: [Range<Int>]? = nil, level: Double,
    using generator: inout some RandomNumberGenerator
  ) -> (low: Double, high: Double)? {
    let medians = medians(of: values, blocks: blocks, using: &generator)
    guard !medians.isEmpty else { return nil }
    let tail = Self.tail((1 - level) / 2, blocks: blocks?.count)
    return (medians.quantileOfSorted(tail), medians.quantileOfSorted(1 - tail))
  }

  /// The share of the resamples that lie beyond a bound which leaves `share` of the truths out, in (0, 0.5].
  ///
  /// The same; with few blocks less, by as much as Student's t lies farther out than the normal law. Source:
  /// Hesterberg 2015, section 4.3 (expanded percentile intervals).
  package static func tail(_ share: Double, blocks: Int?) -> Double {
    guard let blocks, blocks > 2 else { return share }
    return StudentT.normalTail(student(StudentT.normalDistance(beyond: share), Double(blocks - 1)))
  }

  /// One-sided chance of Student's t of so many blocks or more, `t` being a distance in standard errors.
  package static func chance(of t: Double, blocks: Int) -> Double {
    guard blocks > 2 else { return 1 }
    var (low, high) = (0.0, 40.0)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if student(middle, Double(blocks - 1)) < abs(t) { low = middle } else { high = middle }
    }
    let beyond = StudentT.normalTail(low)
    return t < 0 ? 1 - beyond : beyond
  }

  /// Student's t as far out as the normal law is at z, by Fisher's expansion; z is 0 or more.
  ///
  /// Off by less than .002 at 95 % from 9 degrees of freedom on. Source: Abramowitz and Stegun 26.7.5.
  private static func student(_ z: Double, _ freedom: Double) -> Double {
    let cube = z * z * z
    let first = (cube + z) / 4
    let second = (5 * cube * z * z + 16 * cube + 3 * z) / 96
    let third = (3 * cube * cube * z + 19 * cube * z * z + 17 * cube - 15 * z) / 384
    return z + ((third / freedom + second) / freedom + first) / freedom
  }

  /// The differences of a percentile (nearest rank), second minus first, of two samples in pairs; ascending.
  ///
  /// Both are drawn with the same blocks.
  package func percentileDifferences(
    _ percent: Int, of first: [Double], _ second: [Double], blocks: [Range<Int>]? = nil,
    using generator: inout some RandomNumberGenerator
  ) -> [Double] {
    let ranked = [RankedSample(first), RankedSample(second)]
    let count = min(first.count, second.count)
    return draws(from: ranked, count: count, blocks, using: &generator) { copies in
      ranked[1].percentile(percent, of: copies[1]) - ranked[0].percentile(percent, of: copies[0])
    }
  }

  private func draws(
    from samples: [RankedSample], count: Int, _ blocks: [Range<Int>]?,
    using generator: inout some RandomNumberGenerator, _ metric: (_ copies: [[Int32]]) -> Double
  ) -> [Double] {
    guard count > 0 else { return [] }
    let none = samples.map { [Int32](repeating: 0, count: $0.positions.count) }
    return (0..<resamples).map { _ in
      var copies = none
      func draw(_ pairs: Range<Int>) {
        for index in samples.indices {
          for pair in pairs {
            copies[index][samples[index].positions[pair < count ? pair : (pair % count)]] += 1
          }
        }
      }
      if let blocks {
        for _ in 0..<max(blocks.count - 1, 1) {
          draw(blocks[Int.random(in: blocks.indices, using: &generator)])
        }
      } else {
        var left = count
        while left > 0 {
          let start = Int.random(in: 0..<count, using: &generator)
          let length = min(blockLength, left)
          draw(start..<start + length)
          left -= length
        }
      }
      return metric(copies)
    }.sorted()
  }
}
