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
struct BoundsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func corner(_ count: Int) -> [FaceLabel] {
    (0..<count).map { FaceLabel(box: BoundingBox(x: Double($0), y: 0, width: 4, height: 4)) }
  }

  private func misses(_ record: Record) throws -> (title: String, rows: [[String]]) {
    let series = try #require(record.series(named: "detection.misses"))
    guard case .table(let table) = series.content else { return (series.title, []) }
    #expect(table.columns.count == 4)
    return (series.title, table.rows)
  }

  @Test func `the list of misses ends at 1000 and contains the full count`() throws {
    let dataset = try DrawnDataset.write([.init(faces: corner(1003))], in: folder)
    let record = try EvaluationPlan.test(dataset).finish().record
    #expect(record.value("detection.false_negatives@score") == 1003)
    let (title, rows) = try misses(record)
    #expect(title == "Missed faces (1000 of 1003)")
    #expect(rows.count == 1000)
    #expect(rows[999] == ["image 0", "999", "999, 0, 4, 4", rows[999][3]])
    #expect(!rows[999][3].isEmpty)
  }

  @Test func `the gallery holds the worst images up to its limit and draws them`() throws {
    let images = [0, 2, 5, 1, 5, 0].map { DrawnDataset.Image(faces: corner($0)) }
    var plan = EvaluationPlan.test(try DrawnDataset.write(images, in: folder))
    plan.galleryCount = 3
    let record = try plan.finish().record
    #expect(record.gallery.map(\.frame) == ["image 2", "image 4", "image 1"])
    #expect(record.gallery.first?.caption.hasPrefix("5 missed") == true)
    let written = try FileManager.default.contentsOfDirectory(
      atPath: plan.run.appending(path: "images").path)
    #expect(written.sorted() == record.gallery.map(\.file).sorted())
  }

  @Test(arguments: [(SequenceKind.still, [2, 4, 1, 3]), (.video, [2, 4])])
  func `a sequence of stills fills the gallery and a video gives it two`(
    kind: SequenceKind, frames: [Int]
  ) throws {
    let images = [0, 2, 5, 1, 5].map { DrawnDataset.Image(faces: corner($0)) }
    let dataset = try DrawnDataset.write(images, asOne: kind, in: folder)
    let record = try EvaluationPlan.test(dataset).finish().record
    #expect(record.gallery.map(\.frame) == frames.map { "frame \($0)" })
  }

  @Test func `a gallery of none writes no image`() throws {
    var plan = EvaluationPlan.test(
      try DrawnDataset.write([.init(faces: corner(2))], in: folder))
    plan.galleryCount = 0
    #expect(try plan.finish().record.gallery.isEmpty)
  }

  @Test func `faces beyond the limit are counted and told`() throws {
    let centres = [Point(x: 64, y: 90), Point(x: 190, y: 90)]
    let dataset = try DrawnDataset.write(
      [
        .init(
          faces: centres.map { FaceLabel(box: DrawnDataset.box(at: $0)) }, drawn: centres),
        .init(
          faces: [FaceLabel(box: DrawnDataset.box(at: centres[0]))], drawn: [centres[0]]),
      ], in: folder)
    var plan = EvaluationPlan.test(dataset)
    let one = try plan.finish().record
    #expect(one.value("detection.faces_beyond_limit") == 1)
    #expect(one.value("detection.images_beyond_limit") == 1)
    #expect(one.value("detection.misses_by_limit") == 1)
    #expect(one.notes.contains { $0.hasPrefix("num-faces 1 cuts off labelled faces: 1 of 3") })
    #expect(try misses(one).rows.contains { $0[3].contains("cut off by num-faces 1") })
    plan.run = folder.file("two")
    plan.settings.numFaces = 2
    let two = try plan.finish().record
    #expect(two.value("detection.faces_beyond_limit") == 0)
    #expect(!two.notes.contains { $0.contains("cuts off") })
    #expect(two.value("detection.recall@score") == 1)
  }

  @Test func `a model that is not pinned is told in a note`() throws {
    var plan = EvaluationPlan.test(try DrawnDataset.write([.init()], in: folder))
    #expect(try !plan.finish().record.notes.contains { $0.contains("pinned") })
    let model = PulledModels.folder.appending(path: "face_detection_short_range.tflite")
    plan.models = try folder.write(try Data(contentsOf: model) + [0], to: "mine.tflite")
    plan.run = folder.file("other")
    #expect(
      try plan.finish().record.notes.contains(
        "blazeface-short-range has other bytes than the pinned ones."))
  }
}
