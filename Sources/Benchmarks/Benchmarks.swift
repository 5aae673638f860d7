import Foundation
import Metrics
import Platform
import Profiling
import Statistics
import Tensor

/// Times kernels on the layers of the models, and drawing: all variants alternately, each compared
/// with the first.
///
///     benchmarks [--rounds N] [--match TEXT]
@main
enum Benchmarks {
  static func main() {
    var rounds = 200
    var match = ""
    var words = Array(CommandLine.arguments.dropFirst())[...]
    while let word = words.popFirst() {
      switch (word, words.popFirst()) {
      case ("--rounds", let value?) where (1...1_000_000).contains(Int(value) ?? 0):
        rounds = Int(value) ?? rounds
      case ("--match", let value?): match = value
      default:
        FileHandle.standardError.write(
          Data("usage: benchmarks [--rounds N] [--match TEXT]\n".utf8))
        exit(64)
      }
    }
    BLAS.setThreadCount(1)
    print("OpenBLAS core \(BLAS.coreName), one thread, \(rounds) rounds")
    print("median of each variant; ratio to the first, with its 95 % interval")
    for layer in Layer.all() where match.isEmpty || layer.name.contains(match) {
      print(layer.name)
      for line in Trial(layer.variants, rounds: rounds).lines { print("  " + line) }
    }
  }
}

/// Variants of the same work, measured alternately: in order in one round, in reverse in the next.
struct Trial {
  private let names: [String]
  private var times: [[UInt64]]

  init(_ variants: [Layer.Variant], rounds: Int) {
    names = variants.map(\.name)
    times = variants.map { _ in [] }
    for variant in variants { for _ in 0..<3 { variant.work() } }
    for round in 0..<rounds {
      let order = round % 2 == 0 ? Array(variants.indices) : variants.indices.reversed()
      for index in order {
        let begin = MonotonicClock.nanoseconds()
        variants[index].work()
        times[index].append(MonotonicClock.nanoseconds() &- begin)
      }
    }
  }

  /// A line for each variant.
  var lines: [String] {
    names.indices.map { index in
      let median = NearestRank.percentile(
        50, ofSorted: times[index].map { Int64(clamping: $0) }.sorted())
      let name = names[index].padding(toLength: 20, withPad: " ", startingAt: 0)
      let line = name + String(format: "%9.1f us", Double(median ?? 0) / 1000)
      guard index > 0 else { return line }
      let ratios = PairedRatios(base: times[0], candidate: times[index])
      var generator = SplitMix64(seed: 1)
      guard let middle = ratios.median,
        let bounds = BlockBootstrap().interval(
          of: ratios.values, level: 0.95, using: &generator)
      else { return line }
      return line
        + String(format: "  %.3f  (%.3f to %.3f)", exp(middle), exp(bounds.low), exp(bounds.high))
    }
  }
}
