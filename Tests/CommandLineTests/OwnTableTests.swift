import Foundation
import Platform
import Records
import TestSupport
import Testing

@Suite("A folder of images and a table with columns of its own")
struct OwnTableTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    for number in 1...25 { try bench.write(try Material.image(), to: "photos/\(number).png") }
  }

  private func run(_ words: String) throws -> ProcessResult {
    let result = try bench.facegauge(words.split(separator: " ").map(String.init))
    try #require(result.status == 0, "\(words): \(result.errors)")
    return result
  }

  private func table(_ move: Int, name: String) throws {
    let rows = (1...25).map { "\($0).png,\(20 + move),30,40,50,0.\(50 + $0)\n" }
    try bench.write("file,left,top,width,height,conf\n" + rows.joined(), to: name)
  }

  @Test func `three commands lead from files to a report`() throws {
    try table(0, name: "photos/faces.csv")
    _ = try run("import csv photos/faces.csv --draft -o columns.json")
    let imported = try run("import csv photos/faces.csv --columns columns.json -o faces.h5")
    #expect(imported.errors.hasSuffix("faces.h5: 25 frames, 25 faces\n"))
    try table(0, name: "ours.csv")
    _ = try run("import ours.csv --columns columns.json --of faces.h5 -o ours.h5")
    _ = try run("evaluate faces.h5 --predictions ours.h5 -o run")
    let record = try Record(json: bench.bytes("run/record.json"), source: "run")
    #expect(record.dataset.frames == 25 && record.dataset.faces == 25)
    #expect(record.measurement("detection.ap50")?.value == 1)
    #expect(bench.exists("run/report.html"))
  }

  @Test(.enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"))
  func `the guide's commands for a table and for HDF5 lead to reports`() throws {
    try table(0, name: "photos/faces.csv")
    try Material.arrays(bench.url("mine.h5"), images: 4)
    let guide = try String(
      contentsOf: Checkout.root.appending(
        path: "Sources/facegauge/Guides.docc/FromOwnTable.md"), encoding: .utf8)
    for (file, report, faces) in [("faces.csv --draft", "run", 25), ("mine.h5", "run-own", 4)] {
      let block = try #require(
        guide.components(separatedBy: "```").first {
          $0.contains("/\(file)") || $0.contains(" \(file)")
        })
      let commands = block.split(separator: "\n")
      #expect(commands.count == 3)
      for command in commands {
        _ = try run(String(command.trimmingPrefix("facegauge ")))
      }
      let record = try Record(json: bench.bytes("\(report)/record.json"), source: report)
      #expect(record.dataset.frames == faces && record.dataset.faces == faces)
      #expect(bench.exists("\(report)/report.html"))
    }
  }

  @Test func `the draft is printed without a place to write, and no option goes with it`() throws {
    try table(0, name: "photos/faces.csv")
    let drafted = try run("import csv photos/faces.csv --draft")
    #expect(drafted.output.contains("\"image\" : \"file\""))
    for words in ["--images photos", "--columns x=x", "--labels-only"] {
      let refused = try bench.facegauge(
        "import csv photos/faces.csv --draft \(words)".split(separator: " ").map(String.init))
      #expect(refused.status == 64 && refused.errors.contains("'--draft' cannot be combined with"))
    }
  }

  @Test func `without columns, a table and its folder are refused, and nothing is written`() throws
  {
    try table(0, name: "photos/faces.csv")
    for words in ["import photos/faces.csv -o a.h5", "import photos -o a.h5"] {
      let refused = try bench.facegauge(words.split(separator: " ").map(String.init))
      #expect(refused.status == 65)
      #expect(refused.errors.contains("found 6 columns: file, left, top, width, height, conf"))
      #expect(refused.errors.contains("--draft"))
      #expect(!bench.exists("a.h5"))
    }
  }
}
