import Platform
import Records
import TestSupport
import Testing

@Suite("The commit in a record")
struct CommitTests {
  @Test func `a record names the commit that was built, or says why it does not`() throws {
    let bench = try Workbench()
    try bench.write(try Material.image(), to: "a.png")
    try bench.write(
      #"""
      {"images": [{"id": 1, "file_name": "a.png"}],
       "annotations": [{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]}]}
      """#, to: "labels.json")
    try bench.write(
      #"[{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "score": 0.5}]"#,
      to: "results.json")
    for words in [
      ["import", "labels.json", "-o", "a.h5"],
      ["import", "coco", "results.json", "labels.json", "--of", "a.h5", "-o", "p.h5"],
      ["evaluate", "a.h5", "--predictions", "p.h5", "-o", "run"],
    ] {
      let result = try bench.facegauge(words)
      try #require(result.status == 0, "\(result.errors)")
    }
    let record = try Record(json: bench.bytes("run/record.json"), source: "run")
    let reason =
      "The commit of the program is unknown: it was built without make and FACEGAUGE_COMMIT."
    #expect((record.tool.commit == nil) == record.notes.contains(reason))
    if let commit = record.tool.commit { #expect(commit.prefix { $0 != "+" }.count == 40) }
  }
}
