import FaceCore
import FacePipeline
import Foundation
import Records
import Running
import Scoring
import Synchronization
import TestSupport
import Testing

/// More frames than one segment holds, so that an interrupted run has something to go on with.
@Suite(.enabled(if: PulledModels.areAvailable, "needs the models of 'models pull'"))
struct ResumeTests {
  private let folder: TemporaryFolder
  private let dataset: URL

  init() throws {
    folder = try TemporaryFolder()
    var images = DrawnDataset.faces(300)
    images[17].isBroken = true
    dataset = try DrawnDataset.write(images, in: folder)
  }

  private func plan(_ run: String = "run") -> EvaluationPlan {
    var plan = EvaluationPlan.test(dataset, run: run)
    plan.maxBadFrames = 1
    return plan
  }

  @Test func `a resumed run equals one in a single piece`() throws {
    let whole = try plan("whole").finish()
    let error = plan().failure(monitor: .interrupting(after: 280))
    #expect(error?.kind == .interrupted)
    #expect(error?.description == "interrupted after 280 of 300 frames; --resume goes on")
    #expect(try folder.names == ["dataset.h5", "run.partial", "whole"])
    var resumed = plan()
    resumed.resumes = true
    let phase = Mutex<RunPhase?>(nil)
    let analysed = Mutex(0)
    let counting = RunMonitor(
      begin: { begun, _ in phase.withLock { $0 = begun } }, advanceBy: { _ in },
      isInterrupted: {
        if phase.withLock({ $0 }) == .evaluating { analysed.withLock { $0 += 1 } }
        return false
      })
    let again = try resumed.finish(monitor: counting)
    #expect(analysed.withLock { $0 } == 300 - 256)
    #expect(again.predictions.count == 300)
    #expect(again.predictions.untimed == whole.predictions.untimed)
    #expect(again.record.accuracy == whole.record.accuracy)
    #expect(
      again.record.series(named: "detection.misses")
        == whole.record.series(named: "detection.misses"))
    #expect(again.record.notes.first?.hasPrefix("This run was interrupted and resumed") == true)
    #expect(Array(again.record.quietNotes.dropFirst()) == whole.record.quietNotes)
    #expect(again.record.dataset == whole.record.dataset)
    #expect(try folder.names == ["dataset.h5", "run", "whole"])
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.file("run").path)
    #expect(Set(files) == ["predictions.h5", "record.json"])
  }

  @Test func `an interrupted run is neither lost nor overwritten by mistake`() throws {
    _ = plan().failure(monitor: .interrupting(after: 260))
    let kept = folder.file("run.partial/segments/0.h5")
    let bytes = try Data(contentsOf: kept)

    let unasked = plan().failure()
    #expect(unasked?.kind == .cannotWrite)
    #expect(unasked?.description.contains("--resume continues it") == true)

    var other = plan()
    other.resumes = true
    other.settings.minFaceDetectionConfidence = 0.25
    let refused = other.failure()
    #expect(refused?.kind == .wrongData)
    #expect(
      refused?.description.contains(
        "expected min-face-detection-confidence 0.5 as before, found 0.25") == true)

    var smaller = plan()
    smaller.resumes = true
    smaller.minDecodedSide = 128
    #expect(
      smaller.failure()?.description.contains(
        "expected min-decoded-side none as before, found 128") == true)

    var strict = plan()
    strict.resumes = true
    strict.maxBadFrames = 0
    #expect(strict.failure()?.kind == .wrongData)
    #expect(try Data(contentsOf: kept) == bytes)

    var again = plan()
    again.replaces = true
    #expect(try again.finish().predictions.count == 300)
  }

  @Test func `a run on smaller images does not go on with whole ones`() throws {
    var smaller = plan()
    smaller.minDecodedSide = 128
    _ = smaller.failure(monitor: .interrupting(after: 1))
    var whole = plan()
    whole.resumes = true
    #expect(
      whole.failure()?.description.contains(
        "expected min-decoded-side 128 as before, found none") == true)
  }
}

@Suite(.enabled(if: PulledModels.areAvailable, "needs the models of 'models pull'"))
struct RunFolderTests {
  private let folder: TemporaryFolder
  private let plan: EvaluationPlan

  init() throws {
    folder = try TemporaryFolder()
    plan = .test(try DrawnDataset.write([.init()], in: folder))
  }

  @Test func `nothing to resume is not found`() {
    var plan = plan
    plan.resumes = true
    #expect(plan.failure()?.kind == .notFound)
  }

  @Test func `an earlier run is replaced only when asked`() throws {
    _ = try plan.finish()
    let record = folder.file("run/record.json")
    let before = try Data(contentsOf: record)
    let error = plan.failure()
    #expect(error?.kind == .cannotWrite)
    #expect(error?.description.hasSuffix("it exists already (--force replaces it)") == true)
    #expect(try Data(contentsOf: record) == before)
    var again = plan
    again.replaces = true
    again.settings.numFaces = 3
    #expect(try again.finish().record.options["num-faces"] == "3")
    #expect(try folder.names == ["dataset.h5", "run"])
  }

  @Test func `a folder that is no run is never replaced`() throws {
    var plan = plan
    plan.replaces = true
    try FileManager.default.createDirectory(at: plan.run, withIntermediateDirectories: false)
    let own = try folder.write([1], to: "run/thesis.txt")
    let error = plan.failure()
    #expect(error?.kind == .cannotWrite)
    #expect(
      error?.description.hasSuffix("expected a run or an empty folder, found something else")
        == true)
    #expect(try Data(contentsOf: own) == Data([1]))
    try FileManager.default.removeItem(at: own)
    _ = try plan.finish()
    #expect(try folder.names == ["dataset.h5", "run"])
  }

  @Test func `a file in the way is never replaced`() throws {
    var plan = plan
    plan.replaces = true
    _ = try folder.write([7], to: "run")
    #expect(plan.failure()?.kind == .cannotWrite)
    #expect(try Data(contentsOf: folder.file("run")) == Data([7]))
  }

  @Test func `a run below a file cannot be written`() throws {
    var plan = plan
    plan.run = try folder.write([7], to: "file").appending(path: "run")
    #expect(plan.failure()?.kind == .cannotWrite)
  }
}
