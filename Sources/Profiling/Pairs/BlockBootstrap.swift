/// Resamples what was measured one after the other in blocks, so that bursts of noise stay together.
///
/// Blocks are circular: they begin at any pair, and the first follows the last. As many pairs are drawn as
/// there are. Source: Politis and Romano 1992; Künsch 1989 for blocks that overlap.
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
    of values: [Double], using generator: inout some RandomNumberGenerator
  ) -> [Double] {
    let ranked = RankedSample(values)
    return draws(from: [ranked], count: values.count, using: &generator) { copies in
      ranked.median(of: copies[0])
    }
  }

  /// The percentile interval of the median; nil of no values.
  package func interval(
    of values: [Double], level: Double, using generator: inout some RandomNumberGenerator
  ) -> (low: Double, high: Double)? {
    let medians = medians(of: values, using: &generator)
    guard !medians.isEmpty else { return nil }
    return (
      medians.quantileOfSorted((1 - level) / 2), medians.quantileOfSorted((1 + level) / 2)
    )
  }

  /// The differences of a percentile (nearest rank), second minus first, of two samples in pairs; ascending.
  ///
  /// Both are drawn with the same blocks.
  package func percentileDifferences(
    _ percent: Int, of first: [Double], _ second: [Double],
    using generator: inout some RandomNumberGenerator
  ) -> [Double] {
    let ranked = [RankedSample(first), RankedSample(second)]
    return draws(from: ranked, count: min(first.count, second.count), using: &generator) { copies in
      ranked[1].percentile(percent, of: copies[1]) - ranked[0].percentile(percent, of: copies[0])
    }
  }

  private func draws(
    from samples: [RankedSample], count: Int, using generator: inout some RandomNumberGenerator,
    _ figure: (_ copies: [[Int32]]) -> Double
  ) -> [Double] {
    guard count > 0 else { return [] }
    let none = samples.map { [Int32](repeating: 0, count: $0.places.count) }
    return (0..<resamples).map { _ in
      var copies = none
      var left = count
      while left > 0 {
        let start = Int.random(in: 0..<count, using: &generator)
        let length = min(blockLength, left)
        for index in samples.indices {
          for offset in 0..<length {
            let pair = start + offset
            copies[index][samples[index].places[pair < count ? pair : (pair % count)]] += 1
          }
        }
        left -= length
      }
      return figure(copies)
    }.sorted()
  }
}

extension [Double] {
  /// A quantile of ascending numbers, straight between neighbours (type 7); NaN of none.
  func quantileOfSorted(_ share: Double) -> Double {
    guard let last else { return .nan }
    let place = share * Double(count - 1)
    let below = Int(place.rounded(.down))
    guard below + 1 < count else { return last }
    return self[below] + (place - Double(below)) * (self[below + 1] - self[below])
  }
}
