import Foundation
import Running
import Scoring
import TestSupport
import Testing

@Suite(.enabled(if: PulledModels.areAvailable, "needs the models of 'models pull'"))
struct RunLocationTests {
  private let folder: TemporaryFolder
  private let plan: EvaluationPlan

  init() throws {
    folder = try TemporaryFolder()
    plan = .test(try DrawnDataset.write([.init()], in: folder))
  }

  @Test func `a dataset inside the run that it would replace is kept`() throws {
    var plan = plan
    _ = try plan.finish()
    let inside = plan.run.appendingPathComponent("predictions.h5")
    try FileManager.default.removeItem(at: inside)
    try FileManager.default.copyItem(at: plan.dataset, to: inside)
    plan.dataset = inside
    plan.replaces = true
    #expect(plan.failure()?.description.hasSuffix("lies inside it") == true)
    #expect(FileManager.default.fileExists(atPath: inside.path))
  }

  @Test func `a run with a file of the user's own is not replaced`() throws {
    var plan = plan
    _ = try plan.finish()
    plan.replaces = true
    for name in ["notes.txt", "mine.partial", ".hidden", "images/me.jpg"] {
      let own = try folder.write([1], to: "run/\(name)")
      #expect(plan.failure()?.description.hasSuffix("found something else") == true, "\(name)")
      #expect(try Data(contentsOf: own) == Data([1]))
      try FileManager.default.removeItem(at: own)
    }
    _ = try plan.finish()
  }

  @Test func `a stranger's folder in the way is neither resumed nor deleted`() throws {
    let own = try folder.write([1], to: "run.partial/thesis.txt")
    for (resumes, replaces) in [(true, false), (false, true), (true, true)] {
      var plan = plan
      plan.resumes = resumes
      plan.replaces = replaces
      #expect(plan.failure()?.description.contains("is not an interrupted run") == true)
    }
    #expect(try Data(contentsOf: own) == Data([1]))
  }

  @Test func `a run that another process writes is left alone`() throws {
    let lock = try folder.write([], to: "run.partial/lock")
    let descriptor = open(lock.path, O_RDWR)
    try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    var plan = plan
    plan.replaces = true
    #expect(plan.failure()?.description.hasSuffix("another process is writing it") == true)
    close(descriptor)
    _ = try plan.finish()
    #expect(try folder.names == ["dataset.h5", "run"])
  }
}
