import Foundation
import Platform
import Records
import TestSupport
import Testing

@Suite("Objects of other categories than faces")
struct CategoryTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.write(try Material.image(), to: "a.png")
  }

  private func run(_ words: [String]) throws -> ProcessResult {
    let result = try bench.facegauge(words)
    try #require(result.status == 0, "\(result.errors)")
    return result
  }

  private func document(categories: String, others: Int) -> String {
    let face = #"{"image_id": 1, "category_id": 2, "bbox": [10, 10, 40, 40]}"#
    let missed = #"{"image_id": 1, "category_id": 2, "bbox": [90, 60, 30, 30]}"#
    let person = #"{"image_id": 1, "category_id": 1, "bbox": [5, 5, 60, 90]}"#
    let rows = [face, missed] + Array(repeating: person, count: others)
    return """
      {"images": [{"id": 1, "file_name": "a.png"}], "categories": \(categories),
       "annotations": [\(rows.joined(separator: ", "))]}
      """
  }

  private let both = #"[{"id": 1, "name": "person"}, {"id": 2, "name": "face"}]"#

  private func record(others: Int) throws -> Record {
    try bench.write(document(categories: both, others: others), to: "labels.json")
    try bench.write(
      #"[{"image_id": 1, "category_id": 2, "bbox": [10, 10, 40, 40], "score": 0.9}]"#,
      to: "results.json")
    _ = try run(["import", "labels.json", "-o", "a.h5", "--force"])
    _ = try run([
      "import", "coco", "results.json", "labels.json", "--of", "a.h5", "-o", "p.h5", "--force",
    ])
    _ = try run(["evaluate", "a.h5", "--predictions", "p.h5", "-o", "run", "--force"])
    return try Record(json: bench.bytes("run/record.json"), source: "run")
  }

  @Test func `an import says how many faces it has read, without other objects`() throws {
    try bench.write(document(categories: both, others: 3), to: "labels.json")
    let result = try run(["import", "labels.json", "-o", "a.h5"])
    #expect(result.errors.hasSuffix("a.h5: 1 frames, 2 faces\n"))
  }

  @Test func `they enter neither the metrics nor the number of faces, and a note counts them`()
    throws
  {
    let (alone, among) = (try record(others: 0), try record(others: 3))
    let metrics = among.measurements.map { "\($0.name) \($0.n) \($0.value.map { "\($0)" } ?? "-")" }
    #expect(
      metrics == alone.measurements.map { "\($0.name) \($0.n) \($0.value.map { "\($0)" } ?? "-")" })
    let precision = try #require(among.measurement("detection.ap50")?.value)
    #expect(abs(precision - 51.0 / 101) < 1e-12)
    #expect(among.dataset.faces == 2 && alone.dataset.faces == 2)
    #expect(
      among.notes.contains("3 labelled objects of other categories than faces take no part."))
    #expect(!alone.notes.contains { $0.contains("other categories") })
    let shown = try run(["inspect", "a.h5"]).output.split(separator: "\n").map {
      $0.split(separator: " ").joined(separator: " ")
    }
    #expect(shown.contains("faces 2") && shown.contains("other_objects 3"))
    let imported = try run(["import", "labels.json", "-o", "b.h5"])
    #expect(
      imported.errors.contains(
        "3 annotations of other categories than faces take no part in metrics of faces"))
  }

  @Test func `several categories of which none is named face are refused with the option to use`()
    throws
  {
    try bench.write(
      document(
        categories: #"[{"id": 1, "name": "person"}, {"id": 2, "name": "head"}]"#, others: 1),
      to: "labels.json")
    try expectFailure(
      bench, ["import", "labels.json", "-o", "a.h5"], status: 65,
      "expected one category named face, or --category with the name or number of the one that is, "
        + "or 'all', found 1 'person', 2 'head'")
    _ = try run(["import", "labels.json", "-o", "a.h5", "--category", "head"])
  }

  @Test func `labels of which none is a face are not evaluated`() throws {
    try bench.write(document(categories: both, others: 1), to: "labels.json")
    _ = try run(["import", "labels.json", "-o", "a.h5"])
    _ = try run(["subset", "a.h5", "-o", "b.h5", "--where", "category=2", "--others", "drop"])
    try expectFailure(
      bench, ["evaluate", "b.h5", "-o", "run"], status: 65,
      "cannot evaluate b.h5: expected labels of category 1, which is faces, found 1 of other "
        + "categories ('facegauge import --category'")
  }
}
