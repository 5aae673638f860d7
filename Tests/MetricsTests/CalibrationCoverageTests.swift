import FaceCore
import Foundation
import Metrics
import Records
import Statistics
import TestSupport
import Testing

/// Videos whose scores share an offset of N(0, .7²) logits.
private enum Scores: String, Sendable, CaseIterable {
  /// Found faces at 1.5 and false ones at −.5 logits, whose numbers differ from video to video too.
  case offset
  /// Every score is the chance of its detection.
  case calibrated

  private static func share(_ logit: Double) -> Double { 1 / (1 + exp(-logit)) }

  /// Scores of one video's frames, each with whether it is of a face.
  func video(_ generator: inout SplitMix64) -> [[(score: Double, isFace: Bool)]] {
    func normal() -> Double { generator.normalPair().0 }
    let length = Int(min(40, max(4, exp(log(10) + 0.6 * normal()))).rounded())
    let own = 0.7 * normal()
    // The shares of frames with a found face, .7 to 1, and with a false one, 0 to .6.
    let found = 1 - 0.3 * generator.uniform()
    let wrong = 0.6 * generator.uniform()
    return (0..<length).map { _ in
      switch self {
      case .calibrated:
        let score = Self.share(1 + 1.5 * normal() + own)
        return [(score, generator.uniform() < score)]
      case .offset:
        let face = generator.uniform() < found ? [(Self.share(1.5 + normal() + own), true)] : []
        let other = generator.uniform() < wrong ? [(Self.share(-0.5 + normal() + own), false)] : []
        return face + other
      }
    }
  }
}

private let repetitions =
  ProcessInfo.processInfo.environment["FACEGAUGE_REPETITIONS"].flatMap(Int.init)
private let label = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 40, height: 40))
private let elsewhere = BoundingBox(x: 200, y: 0, width: 40, height: 40)
private let names = ["detection.ece", "detection.d_ece", "detection.la_ece"]

private struct Videos: Sendable {
  var ranked = RankedDetections()
  var clusters = FrameClusters()

  init(_ count: Int, _ scores: Scores, _ generator: inout SplitMix64) throws {
    var frame = 0
    for video in 0..<count {
      for detections in scores.video(&generator) {
        let own = detections.map {
          FaceDetection(box: $0.isFace ? label.box : elsewhere, score: $0.score)
        }
        try ranked.add(frame: frame, labels: [label], detections: own, kept: own)
        clusters.add(frame, sequence: video, subject: "", isVideo: true)
        frame += 1
      }
    }
  }

  /// The interval that `evaluate` gives each calibration error.
  func intervals(_ bootstrap: ClusterBootstrap) throws -> [Interval] {
    let draws = bootstrap.draws(0..<bootstrap.resamples, of: clusters)
    let drawn = ranked.resampler(of: clusters, isSlice: false).measurements(of: draws)
    let errors = ranked.calibrationErrors
    return try names.map { name in
      bootstrap.interval(
        of: drawn.map { metrics in metrics.first { $0.name == name }?.value ?? nil },
        about: try #require(errors[name]), sizes: clusters.sizes)
    }
  }
}

@Suite("Coverage of calibration errors")
struct CalibrationCoverageTests {
  @Test(arguments: Scores.allCases, [12, 30, 100])
  private func `intervals of 10, 20 and 25 bins hold the error of the population`(
    scores: Scores, clusters: Int
  ) throws {
    let samples = repetitions ?? (clusters == 100 ? 20 : 60)
    var generator = SplitMix64(seed: 11)
    let population = try Videos(repetitions == nil ? 4000 : 20_000, scores, &generator)
    let truths = names.map {
      scores == .calibrated ? 0 : population.ranked.calibrationErrors[$0]?.value ?? .nan
    }
    let held = ClusterBootstrap().results(ofDraws: 0..<samples) { sample in
      Result { () throws -> (isHeld: [Bool], values: [Double]) in
        var generator = SplitMix64(seed: UInt64(1000 * sample + clusters))
        let videos = try Videos(clusters, scores, &generator)
        let intervals = try videos.intervals(
          ClusterBootstrap(resamples: 300, seed: UInt64(sample)))
        return (
          try zip(intervals, truths).map { interval, truth in
            try #require(interval.low) <= truth && truth <= #require(interval.high)
          }, names.map { videos.ranked.calibrationErrors[$0]?.binned ?? .nan }
        )
      }
    }
    let results = try held.map { try $0.get() }
    for (index, name) in names.enumerated() {
      let share = Double(results.count { $0.isHeld[index] }) / Double(samples)
      let binned = results.reduce(0) { $0 + $1.values[index] } / Double(samples)
      print(
        "\(name), \(scores), \(clusters) clusters: \(share) of \(samples), "
          + "truth \(truths[index]), mean of the bins as they are \(binned)")
      let chance = 3 * (0.95 * 0.05 / Double(samples)).squareRoot()
      #expect(share >= 0.92 - chance, "\(name)")
      if scores == .offset { #expect(share <= 0.985 + chance, "\(name)") }
      // The test sees the bias: the bins as they are have more than the truth.
      #expect(binned > truths[index])
    }
  }
}
