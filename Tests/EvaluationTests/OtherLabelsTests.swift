import Datasets
import FaceCore
import Foundation
import Metrics
import Platform
import Records
import Running
import Scoring
import TestSupport
import Testing

/// Gates on a base run of a tracker with other points, which is compared with other labels.
@Suite struct OtherLabelsTests {
  private let folder: TemporaryFolder
  private let dataset: URL

  init() throws {
    folder = try TemporaryFolder()
    dataset = folder.file("d.h5")
  }

  /// A face with the points of a scheme, all of them moved by `shift` from their labels.
  private func face(_ scheme: LandmarkScheme, shift: Double = 0) throws -> FaceLabel {
    let outline = (0..<68).map {
      Point(x: 10 + Double($0 % 9) * 10, y: 10 + Double($0 / 9) * 11)
    }
    let points = scheme == .five ? [37, 44, 30, 48, 54].map { outline[$0] } : outline
    let moved = points.map { Point(x: $0.x + shift, y: $0.y) }
    return FaceLabel(
      box: BoundingBox(x: 10, y: 10, width: 80, height: 77),
      landmarks: [try #require(Landmarks(scheme: scheme, points: moved))])
  }

  private func evaluation(of name: String) -> EvaluationPlan {
    var plan = EvaluationPlan(dataset: dataset, run: folder.file(name))
    plan.predictions = folder.file("\(name).h5")
    (plan.bootstrap.resamples, plan.replaces) = (0, true)
    return plan
  }

  @Test func `the jitter of other labelled points than the base's is not decided`() throws {
    let writer = try DatasetWriter(dataset, name: "d", replacing: true)
    writer.beginSequence(SequenceDescription(name: "clip", kind: .video, framesPerSecond: 30))
    for index in 0..<20 {
      var label = try face(.ibug68)
      label.landmarks += try face(.five).landmarks
      try writer.add(
        name: "\(index)", image: [], size: ImageSize(width: 0, height: 0),
        timestampMicroseconds: Int64(index) * 33_333, faces: [label])
    }
    try writer.finish()
    for (name, scheme) in [("many", LandmarkScheme.ibug68), ("few", .five), ("more", .five)] {
      let faces = try (0..<20).map { [try face(scheme, shift: 1 + Double($0 % 3))] }
      try GivenFaces.write(faces, on: dataset, to: folder.file("\(name).h5"))
    }
    try folder.write(
      """
      {"schema": "facegauge.gates", "version": 2, "gates": [
        {"metric": "jitter.nmj", "direction": "at_most", "max_worsening": 900}]}
      """, to: "gates.json")
    for (base, hasOthers) in [("many", true), ("more", false)] {
      _ = try evaluation(of: base).finish()
      var gated = evaluation(of: "few")
      (gated.base, gated.gates) = (folder.file(base), folder.file("gates.json"))
      let gate = try #require(try gated.finish().record.gates.first)
      let isOfOthers = gate.message.contains("its landmarks are compared with labels")
      #expect(gate.base != nil && isOfOthers == hasOthers, "\(gate)")
      #expect(!hasOthers || gate.verdict == .inconclusive)
    }
  }
}
