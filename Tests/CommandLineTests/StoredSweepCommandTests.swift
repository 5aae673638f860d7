import Foundation
import Platform
import Records
import TestSupport
import Testing

@Suite("Trackers without models on the command line")
struct StoredSweepCommandTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    let images = (1...24).map { #"{"id": \#($0), "file_name": "\#($0).png"}"# }
    let faces = (1...24).map {
      #"{"image_id": \#($0), "category_id": 1, "bbox": [10, 10, 40, 40]}"#
    }
    try bench.write(
      """
      {"images": [\(images.joined(separator: ", "))], "categories": [{"id": 1, "name": "face"}],
       "annotations": [\(faces.joined(separator: ", "))]}
      """, to: "labels.json")
    _ = try run(["import", "labels.json", "--labels-only", "-o", "d.h5"])
    // Faces have scores from 0.7, false positives up to 0.6; a tracker may lose some faces.
    for (name, lost) in [("a", 0), ("b", 3), ("c", 12)] {
      let rows = (1...24).flatMap { image -> [String] in
        let score = 0.7 + Double(image % 5) / 20
        let face = #""category_id": 1, "bbox": [10, 10, 40, 40], "score": \#(score)}"#
        let other = #""category_id": 1, "bbox": [90, 60, 40, 40], "score": \#(score - 0.3)}"#
        return (image > lost ? [#"{"image_id": \#(image), \#(face)"#] : [])
          + [#"{"image_id": \#(image), \#(other)"#]
      }
      try bench.write("[\(rows.joined(separator: ", "))]", to: "\(name).json")
      _ = try run([
        "import", "coco", "\(name).json", "labels.json", "--of", "d.h5", "-o", "\(name).h5",
      ])
      _ = try run([
        "evaluate", "d.h5", "--predictions", "\(name).h5", "-o", "run-\(name)", "--resamples", "0",
      ])
    }
  }

  @discardableResult
  private func run(_ words: [String]) throws -> ProcessResult {
    let result = try bench.facegauge(words)
    try #require(result.status == 0, "\(result.errors)")
    return result
  }

  private static let threshold = "min-face-detection-confidence=0.3:0.9:0.05"

  @Test func `a run and its predictions are swept alike, and the settings go out as JSON`() throws {
    let result = try run(["sweep", "run-a", "-o", "sweep", "--threshold", Self.threshold])
    #expect(result.output.contains("settings on stored faces; no model ran"))
    #expect(result.output.contains("verdict: use min-face-detection-confidence 0.7"))
    #expect(result.output.contains("the output of coco"))
    _ = try run([
      "sweep", "d.h5", "--predictions", "a.h5", "-o", "again", "--threshold", Self.threshold,
    ])
    let records = try ["sweep", "again"].map {
      try Record(json: bench.bytes("\($0)/record.json"), source: $0)
    }
    #expect(records[0].sweep == records[1].sweep)
    #expect(try bench.text("sweep/report.md").contains("No model ran"))
    let settings = try run(["settings", "sweep", "--emit", "json"]).output
    #expect(try Schema.problems(ofFile: settings.utf8) == [])
    let json = try #require(
      JSONSerialization.jsonObject(with: Data(settings.utf8)) as? [String: Any])
    #expect((json["settings"] as? [String: Double])?["min-face-detection-confidence"] == 0.7)
    #expect(json["tracker"] as? String == "coco")
    let swift = try bench.facegauge(["settings", "sweep", "--emit", "swift"])
    #expect(swift.status == 65 && swift.errors.contains("expected a run of the pipeline"))
  }

  @Test(arguments: [
    (["--threshold", "min-tracking-confidence=0.5"], 65, "because no model runs"),
    (["--threshold", "expression:wild=0.5"], 65, "expected a rule of happy, sad, angry, neutral"),
    (["--threshold", Self.threshold, "--num-faces", "2"], 64, "'--num-faces' does not apply here"),
    (
      ["--threshold", Self.threshold, "--max-bad-frames", "2"], 64,
      "'--max-bad-frames' does not apply here: no model runs over stored predictions"
    ),
    (["--threshold", Self.threshold, "--objective", "max nothing"], 64, "nothing"),
    (
      ["--threshold", Self.threshold, "--shard", "0/2"], 65,
      "in shards: expected settings of models, found only those of stored faces"
    ),
  ])
  func `what cannot be swept is refused in one line, and nothing is written`(
    words: [String], status: Int, message: String
  ) throws {
    let result = try bench.facegauge(["sweep", "run-a", "-o", "sweep"] + words)
    #expect(Int(result.status) == status && result.errors.contains(message), "\(result.errors)")
    for name in ["sweep", "sweep.shards"] {
      #expect(!FileManager.default.fileExists(atPath: bench.url(name).path))
    }
  }

  @Test func `three runs are ranked, and what is for two runs is refused`() throws {
    let result = try run([
      "compare", "run-a", "run-b", "run-c", "-o", "out", "--resamples", "300",
    ])
    #expect(result.output.contains("faces.recall, faces.precision, "))
    #expect(result.output.contains("agreement without labels, in 24 frames:"))
    #expect(result.output.contains("run-c 37.5 %"), "frames 4 to 12: \(result.output)")
    let ranking = try Ranking(json: bench.bytes("out/ranking.json"), source: "ranking.json")
    #expect(ranking.runs.map(\.name) == ["run-a", "run-b", "run-c"])
    #expect(try Schema.problems(ofFile: bench.text("out/ranking.json").utf8) == [])
    #expect(try bench.text("out/report.html").contains("Ranks possible"))
    #expect(try bench.text("out/report.md").contains("Who differs from all others"))
    let again = try bench.facegauge([
      "compare", "run-a", "run-b", "run-c", "-o", "out", "--resamples", "100", "--force",
    ])
    #expect(again.status == 0, "\(again.errors)")
    let index = try bench.facegauge(["report", "--index", "run-a", "out", "-o", "index"])
    #expect(index.status == 0, "\(index.errors)")
    #expect(try bench.text("index/index.html").contains("run-a, run-b, run-c"))
    for option in [["--gates", "labels.json"], ["--min-slice", "3"], ["--no-images"]] {
      let refused = try bench.facegauge(["compare", "run-a", "run-b", "run-c"] + option)
      #expect(refused.status == 64 && refused.errors.contains("applies to two runs"))
    }
    let missing = try bench.facegauge(["compare", "run-a", "run-b", "nothing"])
    #expect(missing.status != 0 && missing.errors.split(separator: "\n").count == 1)
  }
}
