import Datasets
import FaceCore
import Foundation
import Metrics
import Records
import Running
import Scoring
import Statistics
import TestSupport
import Testing

/// Three trackers that are equally good and err independently of each other: A/A/A.
@Suite struct RankingFalseAlarmTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var dataset: URL { folder.file("d.h5") }

  private func face(_ x: Int, score: Double? = nil) -> FaceLabel {
    var face = FaceLabel(box: BoundingBox(x: Double(x), y: 0, width: 16, height: 16))
    face.score = score
    return face
  }

  /// Two faces in each of 40 stills; each is missed with probability .2, found with a box that is off by up to 2 of 16
  /// pixels, and in a tenth of the stills something else is found too.
  private func run(_ name: String, using generator: inout SplitMix64) throws -> URL {
    let frames = (0..<40).map { _ in
      var faces: [FaceLabel] = []
      for x in [0, 50] where Double.random(in: 0..<1, using: &generator) >= 0.2 {
        faces.append(
          face(
            x + Int.random(in: -2...2, using: &generator),
            score: Double.random(in: 0.5..<1, using: &generator)))
      }
      if Double.random(in: 0..<1, using: &generator) < 0.1 {
        faces.append(face(100, score: Double.random(in: 0.5..<0.8, using: &generator)))
      }
      return faces
    }
    let predictions = folder.file("\(name).h5")
    try GivenFaces.write(frames, on: dataset, to: predictions)
    var plan = EvaluationPlan(dataset: dataset, run: folder.file(name))
    plan.predictions = predictions
    plan.bootstrap.resamples = 0
    plan.replaces = true
    _ = try plan.finish()
    return plan.run
  }

  /// A rank is claimed where a run cannot be first, second and third.
  @Test func `of rankings of equal trackers at most 5 % claim a rank`() throws {
    let repetitions =
      ProcessInfo.processInfo.environment["FACEGAUGE_REPETITIONS"].flatMap(Int.init) ?? 6
    let writer = try DatasetWriter(dataset, name: "d", replacing: false)
    for index in 0..<40 {
      try writer.add(
        name: "\(index)", image: [], size: ImageSize(width: 0, height: 0),
        faces: [face(0), face(50)])
    }
    try writer.finish()
    var generator = SplitMix64(seed: 31)
    var claims = 0
    for _ in 0..<repetitions {
      let runs = try ["a", "b", "c"].map { try run($0, using: &generator) }
      var plan = ComparisonPlan(runs: runs)
      plan.bootstrap.resamples = 200
      let ranking = try RunRanking.run(plan).result
      #expect(ranking.tests >= 9, "three pairs of three metrics or more")
      let ranks = ranking.tested.flatMap(\.entries).compactMap(\.ranks)
      if ranks.contains(where: { $0 != [1, 3] }) { claims += 1 }
    }
    let share = Double(claims) / Double(repetitions)
    print("A/A/A: \(claims) of \(repetitions) rankings claim a rank")
    #expect(share <= 0.05 + 3 * (0.05 * 0.95 / Double(repetitions)).squareRoot())
  }
}
