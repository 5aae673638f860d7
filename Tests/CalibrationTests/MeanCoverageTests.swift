import Calibration
import Foundation
import Metrics
import Records
import Statistics
import TestSupport
import Testing

/// Videos of unequal length whose mean error of landmarks, jitter or lag differs from one to the next.
private struct Clips: Sendable, CustomTestStringConvertible {
  var count: Int
  /// Standard deviation of the logarithm of a video's mean.
  var spread: Double
  /// The same of its length about 90 frames.
  var lengths: Double

  var testDescription: String { "\(count) videos, spread \(spread), lengths \(lengths)" }
}

private enum Means: String, Sendable, CaseIterable {
  case nme, jitter, lag

  /// The mean over infinitely many videos at the cutoff frequency of smoothing.
  func truth(at cutoff: Double) -> Double {
    switch self {
    case .nme: 0.05 + 0.01 * (log(cutoff) * log(cutoff))
    case .jitter: 2 * cutoff.squareRoot()
    case .lag: 20 / cutoff
    }
  }
}

/// What a cluster's videos come to at each setting: a sum and the number of frames in it.
private struct MeanSums {
  var frames: Double
  var sums: [Means: [Double]] = [:]
}

@Suite("Coverage of advice on means")
struct MeanCoverageTests {
  static let cutoffs = stride(from: -4, through: 4, by: 1).map { pow(1.25, Double($0)) }

  /// Lengths, means of videos that are log-normal, and noise of frames that settings share in part.
  private func sample(_ clips: Clips, using generator: inout SplitMix64) -> [MeanSums] {
    func normal() -> Double {
      (-2 * log(generator.share())).squareRoot() * cos(2 * .pi * generator.share())
    }
    return (0..<clips.count).map { _ in
      let frames = max(10, (90 * exp(clips.lengths * normal())).rounded())
      var sums = MeanSums(frames: frames)
      for mean in Means.allCases {
        let own = exp(clips.spread * normal() - clips.spread * clips.spread / 2)
        let shared = normal()
        sums.sums[mean] = Self.cutoffs.map { cutoff in
          let noise = (0.9 * shared + 0.19.squareRoot() * normal()) / frames.squareRoot()
          return frames * mean.truth(at: cutoff) * own * max(0, 1 + noise)
        }
      }
      return sums
    }
  }

  private func table(_ sums: [MeanSums], _ copies: [Int]) throws -> SettingTable {
    let frames = zip(sums, copies).reduce(0) { $0 + $1.0.frames * Double($1.1) }
    return try SettingTable(
      settings: Self.cutoffs.map { [$0] },
      columns: Dictionary(
        uniqueKeysWithValues: Means.allCases.map { mean in
          (
            mean.rawValue,
            Self.cutoffs.indices.map { index in
              zip(sums, copies).reduce(0) {
                $0 + ($1.0.sums[mean]?[index] ?? 0) * Double($1.1)
              } / frames
            }
          )
        }))
  }

  /// The stated 95 % less what chance takes of it (three standard errors) and 4 % for the choice and few clusters,
  /// which the caution of reports states.
  @Test(
    arguments: [
      Clips(count: 12, spread: 0.3, lengths: 0.3), Clips(count: 20, spread: 0.5, lengths: 0.5),
      Clips(count: 50, spread: 0.5, lengths: 0.5),
    ], ["min nme", "min jitter where lag <= 20", "min jitter where lag <= 20 with 95 %"])
  private func
    `intervals of landmark error, jitter and lag at the recommended setting hold the truth`(
      clips: Clips, text: String
    ) throws
  {
    let repetitions =
      ProcessInfo.processInfo.environment["FACEGAUGE_REPETITIONS"].flatMap(Int.init)
      ?? Self.usualRepetitions
    let objective = try Objective(parsing: text)
    let bootstrap = ClusterBootstrap(resamples: 300)
    var generator = SplitMix64(seed: 23)
    var (covered, known, broken, advised) = ([Means: Int](), [Means: Int](), 0, 0)
    for _ in 0..<repetitions {
      let sums = sample(clips, using: &generator)
      let sizes = ClusterSizes(sums.map(\.frames))
      let grid = try SweepGrid(
        parameters: [
          Sweep.Parameter(
            name: "smoothing-min-cutoff", values: Self.cutoffs, lowest: nil, highest: nil)
        ],
        metrics: [
          Sweep.Metric(name: "nme", title: "", unit: "1", better: .lower),
          Sweep.Metric(name: "jitter", title: "", unit: "px", better: .lower),
          Sweep.Metric(name: "lag", title: "", unit: "ms", better: .lower),
        ],
        all: table(sums, Array(repeating: 1, count: clips.count)),
        draws: (0..<bootstrap.resamples).map {
          try table(sums, bootstrap.copies(ofDraw: $0, clusters: clips.count))
        },
        clusters: ClusterSizes(count: clips.count, effective: sizes.effective), bootstrap: bootstrap
      )
      let advice = try grid.advice(for: objective, default: 4)
      guard let cutoff = advice.parameters.first?.value else { continue }
      advised += 1
      if Means.lag.truth(at: cutoff) > 20 { broken += 1 }
      for metric in advice.metrics {
        let mean = try #require(Means(rawValue: metric.name))
        guard let low = metric.interval.low, let high = metric.interval.high else { continue }
        known[mean, default: 0] += 1
        if low <= mean.truth(at: cutoff), mean.truth(at: cutoff) <= high {
          covered[mean, default: 0] += 1
        }
      }
    }
    func share(_ mean: Means) -> Double {
      Double(covered[mean, default: 0]) / Double(max(1, known[mean, default: 0]))
    }
    print(
      "\(text), \(clips.testDescription): "
        + Means.allCases.map { "\($0) \(share($0)) of \(known[$0, default: 0])" }.joined(
          separator: ", ")
        + "; lag over its limit \(Double(broken) / Double(max(1, advised))) of \(advised)")
    let chance = 3 * (0.95 * 0.05 / Double(repetitions)).squareRoot()
    for mean in Means.allCases where known[mean, default: 0] > repetitions / 2 {
      #expect(share(mean) >= 0.91 - chance, "\(mean)")
    }
    #expect(known[.nme, default: 0] > repetitions / 2)
    if text.contains("with 95") {
      #expect(Double(broken) <= (0.05 + chance) * Double(max(1, advised)))
    }
  }

  #if DEBUG
    private static let usualRepetitions = 10
  #else
    private static let usualRepetitions = 200
  #endif
}
