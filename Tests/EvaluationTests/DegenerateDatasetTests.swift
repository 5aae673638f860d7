import Datasets
import FaceCore
import FacePipeline
import Foundation
import Records
import Running
import Scoring
import TestSupport
import Testing

@Suite(.enabled(if: PulledModels.areAvailable, "needs the models of 'models pull'"))
struct DegenerateDatasetTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `without labels recall and average precision are undefined with their reason`() throws
  {
    let dataset = try DrawnDataset.write(
      Array(repeating: DrawnDataset.Image(), count: 3), in: folder)
    let record = try EvaluationPlan.test(dataset).finish().record
    for name in ["ap", "ap50", "ar100", "recall@score", "f1@score"] {
      let measurement = try #require(record.measurement("detection.\(name)"))
      #expect(measurement.value == nil, "\(name)")
      #expect(measurement.reason?.hasPrefix("no labelled face counts") == true, "\(name)")
      #expect(measurement.n == 0)
    }
    #expect(record.value("detection.true_positives@score") == 0)
    #expect(record.value("detection.fp_per_image@score") != nil)
    #expect(record.dataset.faces == 0 && record.dataset.frames == 3)
    #expect(record.series(named: "detection.misses") == nil)
  }

  @Test func `without frames every metric is undefined with a reason`() throws {
    let dataset = try DrawnDataset.write([], in: folder)
    let (record, predictions) = try EvaluationPlan.test(dataset).finish()
    #expect(predictions.isEmpty)
    #expect(record.dataset.frames == 0)
    #expect(!record.measurements.isEmpty)
    for measurement in record.measurements {
      #expect(measurement.value == nil, "\(measurement.name)")
      #expect(measurement.reason?.isEmpty == false, "\(measurement.name)")
    }
    #expect(record.gallery.isEmpty)
  }

  @Test func `every metric has an interval with bounds or with a reason`() throws {
    let dataset = try DrawnDataset.write(DrawnDataset.faces(2), in: folder)
    let record = try EvaluationPlan.test(dataset).finish().record
    for measurement in record.measurements {
      #expect((measurement.interval.low == nil) == (measurement.interval.reason != nil))
    }
  }

  @Test(arguments: RunningMode.allCases)
  func `a frame that is not among those of its sequence is refused`(mode: RunningMode) throws {
    let images = DrawnDataset.faces(4)
    var plan = EvaluationPlan.test(
      try DrawnDataset.write(images, asOne: .video, count: 3, in: folder))
    plan.settings.runningMode = mode
    #expect(
      plan.failure()?.description == "cannot read 'frames/sequence'[3] in "
        + "\(plan.dataset.relativePath): expected a sequence that has the frame, found sequence 0 "
        + "with 3 frames from 0 on")
    for wrong in [Int32(1), -1] {
      try FileManager.default.removeItem(at: plan.dataset)
      _ = try DrawnDataset.write(
        images, asOne: .video, sequence: { $0 == 2 ? wrong : 0 }, in: folder)
      let error = plan.failure()
      #expect(error?.kind == .wrongData)
      #expect(
        error?.description.hasSuffix(
          "'frames/sequence'[2] in \(plan.dataset.relativePath): "
            + "expected 0 to 0, found \(wrong)") == true, "\(error?.description ?? "")")
    }
    #expect(try folder.names == ["video.h5"])
  }

  @Test func `a broken image fails the run by name and leaves nothing`() throws {
    var images = DrawnDataset.faces(5)
    images[3].isBroken = true
    let dataset = try DrawnDataset.write(images, in: folder)
    let error = EvaluationPlan.test(dataset).failure()
    #expect(error?.kind == .wrongData)
    #expect(
      error?.description.contains(
        "expected at most 0 broken images (--max-bad-frames), found 1, the last in frame 3 "
          + "'image 3': ") == true, "\(error?.description ?? "")")
    #expect(error?.description.contains("\n") == false)
    #expect(try folder.names == ["dataset.h5"])
  }

  @Test func `a tolerated broken image is counted and named and no metric has it`() throws {
    var images = DrawnDataset.faces(5)
    images[3].isBroken = true
    let dataset = try DrawnDataset.write(images, in: folder)
    var plan = EvaluationPlan.test(dataset)
    plan.maxBadFrames = 1
    let (record, predictions) = try plan.finish()
    #expect(record.dataset.badFrames == 1 && record.dataset.frames == 5)
    #expect(record.notes.contains { $0.hasPrefix("Skipped frame 3 'image 3': ") })
    #expect(record.notes.contains { $0.hasPrefix("1 broken image was skipped") })
    #expect(predictions.map { $0.size == nil } == [false, false, false, true, false])
    #expect(record.measurement("latency.total.mean")?.n == 4)
    #expect(record.measurement("detection.recall@score")?.n == 4)
    #expect(record.measurement("detection.fp_per_image@score")?.n == 4)
  }

  @Test func `two broken images are one too many for a limit of one`() throws {
    var images = DrawnDataset.faces(4)
    images[0].isBroken = true
    images[2].isBroken = true
    var plan = EvaluationPlan.test(try DrawnDataset.write(images, in: folder))
    plan.maxBadFrames = 1
    plan.jobs = 2
    #expect(plan.failure()?.description.contains("found 2, the last in frame 2") == true)
    #expect(try folder.names == ["dataset.h5"])
  }

  @Test func `a dataset that is not there is not found and one of other bytes is wrong`() throws {
    #expect(EvaluationPlan.test(folder.file("none.h5")).failure()?.kind == .notFound)
    let text = try folder.write(Array("no HDF5 at all".utf8), to: "text.h5")
    #expect(EvaluationPlan.test(text).failure()?.kind == .wrongData)
    #expect(try folder.names == ["text.h5"])
  }

  @Test func `a truncated dataset is wrong data and leaves nothing`() throws {
    let dataset = try DrawnDataset.write(DrawnDataset.faces(5), in: folder)
    let bytes = try Data(contentsOf: dataset)
    _ = try folder.write(bytes.prefix(bytes.count * 2 / 3), to: "dataset.h5")
    #expect(EvaluationPlan.test(dataset).failure()?.kind == .wrongData)
    #expect(try folder.names == ["dataset.h5"])
  }

  @Test func `a missing model is told apart from a wrong one`() throws {
    var plan = EvaluationPlan.test(try DrawnDataset.write(DrawnDataset.faces(1), in: folder))
    plan.models = folder.url
    #expect(plan.failure()?.kind == .modelMissing)
    plan.models = folder.file("none.tflite")
    #expect(plan.failure()?.kind == .notFound)
    plan.models = try folder.write([1, 2, 3], to: "model.tflite")
    #expect(plan.failure()?.kind == .wrongData)
    #expect(try folder.names == ["dataset.h5", "model.tflite"])
  }
}
