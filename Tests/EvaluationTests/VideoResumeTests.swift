import FaceCore
import FacePipeline
import Foundation
import Records
import Running
import Scoring
import TestSupport
import Testing

/// A clip that goes on over the end of a segment, so that an interrupted run needs its tracking state.
@Suite(.enabled(if: PulledModels.giveLandmarks, "needs the models of 'models pull'"))
struct VideoResumeTests {
  private let folder: TemporaryFolder
  private let dataset: URL

  init() throws {
    folder = try TemporaryFolder()
    var long = DrawnClips.Part("long", DrawnClips.moving(280, from: 1))
    long.images[250].isBroken = true
    long.images[256 - 40].isBroken = true
    dataset = try DrawnClips.write(
      [.init("short", DrawnClips.moving(40)), long, .init("last", DrawnClips.moving(10))],
      in: folder)
  }

  private func plan(_ run: String = "run") -> EvaluationPlan {
    var plan = EvaluationPlan.test(dataset, run: run)
    plan.settings.runningMode = .video
    plan.maxBadFrames = 2
    return plan
  }

  @Test(.timeLimit(.minutes(60)))
  func `a resumed track equals one in a single piece, and needs its state unharmed`() throws {
    let whole = try plan("whole").finish()
    #expect(whole.predictions[256].status == .broken)
    #expect(whole.predictions[257].faces.map(\.isTracked) == [true])

    #expect(
      plan().failure(monitor: .interrupting(after: 300))?.description
        == "interrupted after 300 of 330 frames; --resume goes on")
    var resumed = plan()
    resumed.resumes = true
    let state = folder.file("run.partial/segments/0.state.json")
    let segment = folder.file("run.partial/segments/0.h5")
    let bytes = try Data(contentsOf: state)
    let predictions = try Data(contentsOf: segment)
    func refuse(_ found: String) throws {
      let error = resumed.failure()
      #expect(error?.kind == .wrongData)
      #expect(
        error?.description.hasSuffix(
          "expected a tracking state in \(state.relativePath), found \(found) (--force starts "
            + "again)") == true, "\(error?.description ?? "")")
      #expect(error?.description.contains("\n") == false)
      #expect(try Data(contentsOf: segment) == predictions)
    }
    for damaged in [Data(), bytes.prefix(bytes.count / 2), Data("{}".utf8), Data([0, 255])] {
      try damaged.write(to: state)
      try refuse("something else")
    }
    try FileManager.default.removeItem(at: state)
    try refuse("no file")
    try bytes.write(to: state)

    try predictions.prefix(predictions.count / 2).write(to: segment)
    #expect(resumed.failure()?.kind == .wrongData)
    try predictions.write(to: segment)

    let again = try resumed.finish()
    #expect(again.predictions.untimed == whole.predictions.untimed)
    #expect(again.record.accuracy == whole.record.accuracy)
    #expect(again.record.gallery == whole.record.gallery)
    #expect(Array(again.record.quietNotes.dropFirst()) == whole.record.quietNotes)
    #expect(try folder.names == ["clips.h5", "run", "whole"])
  }

  @Test func `a run that stops at the end of a clip goes on with the next one`() throws {
    let parts = [
      DrawnClips.Part("a", DrawnClips.moving(256)), DrawnClips.Part("b", DrawnClips.moving(20)),
    ]
    var plan = EvaluationPlan.test(try DrawnClips.write(parts, in: folder))
    plan.settings.runningMode = .video
    #expect(plan.failure(monitor: .interrupting(after: 256))?.kind == .interrupted)
    plan.resumes = true
    let predictions = try plan.finish().predictions
    #expect(predictions[256].detectorRan)
    #expect(predictions[256...].map(\.content) == predictions[..<20].map(\.content))
  }
}
