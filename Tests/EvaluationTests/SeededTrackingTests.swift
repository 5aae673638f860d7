import Datasets
import FaceCore
import FacePipeline
import Foundation
import Records
import Running
import Scoring
import TestSupport
import Testing

/// Runs of the correlation tracker, which needs no models.
@Suite struct SeededTrackingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func plan(_ parts: [DrawnClips.Part], run: String = "run", faces: Int = 1) throws
    -> EvaluationPlan
  {
    var plan = EvaluationPlan(
      dataset: try DrawnClips.write(parts, in: folder), run: folder.file(run))
    plan.models = folder.file("no models here")
    plan.tracker = .correlation
    plan.settings.numFaces = faces
    plan.settings.minFacePresenceConfidence = 0
    return plan
  }

  /// A moving face that is labelled in some of the frames only.
  private func moving(_ count: Int, labelled: (Int) -> Bool) -> [DrawnDataset.Image] {
    DrawnClips.moving(count).enumerated().map { index, image in
      var image = image
      if !labelled(index) { image.faces = [] }
      return image
    }
  }

  @Test func `a labelled face is followed from its first label on, also where no label is`() throws
  {
    let clip = moving(8) { (2..<6).contains($0) }
    var plan = try plan([.init("a", clip)])
    let (record, predictions) = try plan.finish()
    #expect(predictions.map(\.faces.count) == [0, 0, 1, 1, 1, 1, 1, 1])
    let seed = try #require(predictions[2].faces.first)
    #expect(seed.presence == 1 && seed.identity == 0)
    // Boxes are stored as Float32.
    #expect((seed.box?.iou(with: clip[2].faces[0].box) ?? 0) > 1 - 1e-6)
    for (index, prediction) in predictions.enumerated().dropFirst(3) {
      let face = try #require(prediction.faces.first)
      let truth = DrawnDataset.box(at: clip[index].drawn[0])
      #expect((face.box?.iou(with: truth) ?? 0) > 0.6, "frame \(index)")
      #expect((0..<1).contains(face.presence ?? 2))
    }
    #expect((record.value("tracking.mean_iou") ?? 0) > 0.7)
    #expect(record.models.isEmpty && record.stages?.map(\.name) == ["tracking"])
    #expect(record.options["tracker"] == "correlation" && record.options["mode"] == "video")
    #expect(record.value("latency.track.max") != nil)
    #expect(
      record.measurement("detection.recall@score")?.reason
        == "the detector did not run in 8 of 8 frames")
    #expect(
      record.notes.contains { $0.hasPrefix("The tracker was initialised with 1 labelled box") })
    plan.replaces = true
    #expect(try plan.finish().predictions.untimed == predictions.untimed)
  }

  @Test func `what follows depends on nothing that comes later`() throws {
    let clip = moving(6) { $0 == 0 }
    let whole = try plan([.init("a", clip)], run: "whole").finish().predictions
    let part = try plan([.init("a", Array(clip.prefix(4)))], run: "part").finish().predictions
    #expect(Array(whole.prefix(4)).untimed == part.untimed)
  }

  @Test func `each identity has a tracker of its own, up to num-faces`() throws {
    let positions = [Point(x: 60, y: 90), Point(x: 190, y: 100)]
    let images = (0..<4).map { index in
      var image = DrawnDataset.Image()
      image.drawn = positions
      for (identity, position) in positions.enumerated() where identity == 0 || index > 0 {
        image.faces.append(
          FaceLabel(box: DrawnDataset.box(at: position), identity: 70 + identity))
      }
      return image
    }
    let parts = [DrawnClips.Part("a", images), DrawnClips.Part("b", DrawnClips.empty(2))]
    let both = try plan(parts, run: "two", faces: 2).finish()
    #expect(
      both.predictions.map { $0.faces.map(\.identity) } == [[0], [0, 1], [0, 1], [0, 1], [], []])
    #expect(both.record.notes.contains { $0.hasPrefix("1 of 2 sequences have no labelled face") })
    let one = try plan(parts, run: "one").finish()
    #expect(one.predictions.map(\.faces.count) == [1, 1, 1, 1, 0, 0])
  }

  @Test func `faces under the least presence are rejected, and a broken image is passed over`()
    throws
  {
    var clip = moving(5) { $0 == 0 }
    clip[2].isBroken = true
    var plan = try plan([.init("a", clip)])
    plan.settings.minFacePresenceConfidence = 1
    #expect(
      plan.failure()?.description.contains("expected at most 0 broken images") == true)
    plan.maxBadFrames = 1
    let predictions = try plan.finish().predictions
    #expect(predictions.map(\.faces.count) == [1, 0, 0, 0, 0])
    #expect(predictions.map(\.rejected.count) == [0, 1, 0, 1, 1])
    #expect(predictions[2].status == .broken)
  }

  @Test func `stills, clips without labels and frames without images are refused`() throws {
    let mixed = try plan([
      .init("a", DrawnClips.moving(2)), .init(stills: DrawnClips.moving(1)),
    ])
    #expect(
      mixed.failure()?.description.hasSuffix(
        "clips.h5: expected video sequences, found a still in frame 2 'still/0'") == true)
    var bare = mixed
    bare.dataset = try DrawnClips.write(
      [.init("a", DrawnClips.moving(2))], isLabelled: false, as: "bare.h5", in: folder)
    #expect(bare.failure()?.description.contains("expected labels whose first boxes") == true)
    #expect(bare.failure()?.kind == .wrongData)
    #expect(try folder.names == ["bare.h5", "clips.h5"])
  }

  @Test func `an interrupted run leaves nothing`() throws {
    let plan = try plan([.init("a", DrawnClips.moving(6))])
    let error = plan.failure(monitor: .interrupting(after: 3))
    #expect(error?.description == "interrupted after 3 of 6 frames; nothing was written")
    #expect(try folder.names == ["clips.h5"])
  }
}
