import Datasets
import FaceCore
import FacePipeline
import Foundation
import Metrics
import Records
import Running
import Scoring
import Statistics
import TestSupport
import Testing
import Tuning

/// Whether a sweep of stored faces finds a threshold that is known to be best.
@Suite struct StoredSweepCoverageTests {
  /// Each frame has a labelled face and a false positive, whose scores are normal of width 1 about `distance` and
  /// 0; all scores of a subject have an offset in common, normal of width `offset`.
  private enum Simulation {
    static let (subjects, frames, distance, offset) = (60, 6, 2.0, 0.3)
    static let thresholds = (0...200).map { -1 + Double($0) / 50 }

    /// F1 at a threshold on infinitely many frames.
    static func f1(at threshold: Double) -> Double {
      let width = (1 + offset * offset).squareRoot()
      func above(_ mean: Double) -> Double {
        erfc((threshold - mean) / width / 2.0.squareRoot()) / 2
      }
      return 2 * above(distance) / (1 + above(distance) + above(0))
    }

    static func run(using generator: inout SplitMix64) -> [StoredFrame] {
      func normal() -> Double {
        (-2 * log(Double.random(in: 1e-12..<1, using: &generator))).squareRoot()
          * cos(2 * .pi * Double.random(in: 0..<1, using: &generator))
      }
      return (0..<subjects).flatMap { subject in
        let shift = offset * normal()
        return (0..<frames).map { _ in
          var frame = StoredFrame(labels: [0])
          frame.subject = "\(subject)"
          frame.faces = [
            .square(x: 0, y: 0, score: Float(normal() + shift + distance), presence: nil),
            .square(x: 80, y: 0, score: Float(normal() + shift), presence: nil),
          ]
          return frame
        }
      }
    }
  }

  /// 0.93 to 0.97 and what chance adds to it: three standard errors of the share.
  @Test func `the interval of the threshold covers the known best one in 93 to 97 of 100 runs`()
    throws
  {
    let repetitions =
      ProcessInfo.processInfo.environment["FACEGAUGE_REPETITIONS"].flatMap(Int.init)
      ?? Self.usualRepetitions
    let thresholds = Simulation.thresholds
    let truth = try #require(
      thresholds.max { Simulation.f1(at: $0) < Simulation.f1(at: $1) })
    let folder = try TemporaryFolder()
    var generator = SplitMix64(seed: 23)
    var (covered, valueCovered, better) = (0, 0, 0)
    var (width, error) = (0.0, 0.0)
    for _ in 0..<repetitions {
      let (dataset, predictions) = (folder.file("d.h5"), folder.file("p.h5"))
      try StoredFrame.write(
        Simulation.run(using: &generator), dataset: dataset, predictions: predictions)
      var evaluation = EvaluationPlan(dataset: dataset, run: folder.file("sweep"))
      evaluation.replaces = true
      evaluation.settings.minFaceDetectionConfidence = truth
      var plan = try SweepPlan(
        evaluation, predictions: predictions,
        values: [SweptValues("min-face-detection-confidence", thresholds)])
      plan.bootstrap.resamples = 300
      let sweep = try #require(try SweepRun.run(plan).record.sweep)
      let advice = try #require(sweep.advice.first)
      let parameter = try #require(advice.parameters.first)
      let (low, high) = (
        try #require(parameter.interval.low), try #require(parameter.interval.high)
      )
      if low <= truth, truth <= high { covered += 1 }
      width += high - low
      error += abs(parameter.value - truth)
      let value = Simulation.f1(at: parameter.value)
      let interval = try #require(advice.metrics.first { $0.name == "f1" }?.interval)
      if let low = interval.low, let high = interval.high, low <= value, value <= high {
        valueCovered += 1
      }
      if advice.gain?.conclusion == .better { better += 1 }
    }
    func share(_ count: Int) -> Double { Double(count) / Double(repetitions) }
    print(
      "stored sweep: covers \(share(covered)) of \(repetitions), mean width "
        + "\(width / Double(repetitions)), mean error \(error / Double(repetitions)); the metric's "
        + "interval covers \(share(valueCovered)); better than the best \(share(better))")
    let chance = 3 * (0.95 * 0.05 / Double(repetitions)).squareRoot()
    #expect(share(covered) >= 0.93 - chance && share(covered) <= 0.97 + chance)
    #expect(share(valueCovered) >= 0.93 - chance)
    #expect(share(better) <= 0.025 + chance)
    #expect(error / Double(repetitions) < 0.25)
  }

  #if DEBUG
    private static let usualRepetitions = 4
  #else
    private static let usualRepetitions = 20
  #endif
}
