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

/// Leakage of recordings' labels and of runs' predictions, from files to JSON.
@Suite struct LeakageRunTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A face whose brow rises by 0.1 per 10° of yaw, with the head's angles as a recording has them.
  private static func face(_ frame: Int, clip: Int) -> FaceLabel {
    var face = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 0, height: 0))
    let yaw = 25 * sin(Double(frame) / 11 + Double(clip))
    var values = [Float](repeating: 0, count: Blendshape.allCases.count)
    let error = 0.02 * sin(Double(frame * (7 + clip)))
    values[Blendshape.browInnerUp.index] = Float(0.4 + yaw / 100 + error)
    // Faster than any head, so that it moves with none of the angles.
    values[Blendshape.jawOpen.index] = Float(0.5 + 0.2 * cos(1.7 * Double(frame * (5 + clip))))
    face.blendshapes = values
    face.attributes = [
      "headYaw": yaw * .pi / 180, "headPitch": 0.1 * cos(Double(frame) / 5), "headRoll": 0,
    ]
    return face
  }

  private func dataset(clips: Int, frames: Int = 90, with faces: Int = 1) throws -> URL {
    let url = folder.file("d.h5")
    let writer = try DatasetWriter(url, name: "turns", replacing: true)
    for clip in 0..<clips {
      writer.beginSequence(
        SequenceDescription(name: "clip \(clip)", kind: .video, framesPerSecond: 30))
      for frame in 0..<frames {
        try writer.add(
          name: "\(clip)/\(frame)", image: [], size: ImageSize(width: 0, height: 0),
          timestampMicroseconds: Int64(frame) * 33_333,
          faces: Array(repeating: Self.face(frame, clip: clip), count: faces))
      }
    }
    try writer.finish()
    return url
  }

  @Test func `a recording's labels give the planted slope, with an interval from ten clips on`()
    throws
  {
    for clips in [12, 3] {
      var plan = MeasurementPlan(source: try dataset(clips: clips, frames: clips == 12 ? 60 : 300))
      plan.bootstrap.resamples = 200
      let leakage = try LeakageRun.run(plan).result
      #expect(leakage.resampled == "subjects, else clips")
      let first = try #require(leakage.rankedTurns.first)
      #expect(first.coefficient == "browInnerUp" && first.with == "yaw")
      #expect(abs(first.slope.value - 0.1) < 0.01)
      #expect((first.slope.low != nil) == (clips == 12))
      if let low = first.slope.low, let high = first.slope.high {
        #expect(low < 0.1 && high > 0.1, "\(low) to \(high)")
      }
      #expect(leakage.turning[2].deviation == 0 && !leakage.angles.contains("roll"))
      #expect(leakage.notes.contains { $0.contains("too little to give slopes on roll") })
      #expect(leakage.leftOut.count == 49)
    }
  }

  @Test func `the same seed writes the same bytes, but for the time`() throws {
    var plan = MeasurementPlan(source: try dataset(clips: 3))
    plan.bootstrap.resamples = 100
    var runs = try (0..<2).map { _ in try LeakageRun.run(plan).result }
    for index in runs.indices { runs[index].created = "" }
    #expect(try runs[0].json() == runs[1].json())
  }

  @Test func `frames without a face, a pose or coefficients, and of several faces, are counted`()
    throws
  {
    let error = #expect(throws: EvaluationError.self) {
      try LeakageRun.run(MeasurementPlan(source: try dataset(clips: 2, frames: 5, with: 2)))
    }
    #expect(error?.kind == .wrongData)
    #expect(error?.description.contains("found 10 with several") == true)
  }

  @Test func `a run's predictions are measured in place of labels`() throws {
    let dataset = try dataset(clips: 12, frames: 60)
    let predicted = (0..<12).flatMap { clip in
      (0..<60).map { frame -> [FaceLabel] in
        var face = Self.face(frame, clip: clip)
        face.blendshapes?[Blendshape.browInnerUp.index] = 0.3
        face.box = BoundingBox(x: 0, y: 0, width: 4, height: 4)
        return frame == 9 ? [] : [face]
      }
    }
    try GivenFaces.write(predicted, on: dataset, to: folder.file("p.h5"))
    var evaluation = EvaluationPlan(dataset: dataset, run: folder.file("run"))
    evaluation.predictions = folder.file("p.h5")
    evaluation.bootstrap.resamples = 0
    _ = try evaluation.finish()
    var plan = MeasurementPlan(source: folder.file("run"))
    plan.bootstrap.resamples = 100
    let leakage = try LeakageRun.run(plan).result
    #expect(leakage.source == "predictions of run on turns")
    #expect(leakage.faces == 12 * 59)
    #expect(leakage.leftOut.contains { $0.coefficient == "browInnerUp" })
    #expect(leakage.turns.map(\.coefficient) == ["jawOpen"])
    #expect(leakage.notes.contains("Frames that take no part: 12 without a face."))
  }
}
