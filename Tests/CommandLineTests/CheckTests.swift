import Foundation
import Platform
import Records
import TestSupport
import Testing

/// What every command says of predictions and labels that do not speak of the same thing.
@Suite("Findings on the command line")
struct CheckTests {
  let bench: Workbench

  /// Twelve images of two faces, detected with small errors, and the same with the far corner for width and height.
  init() throws {
    bench = try Workbench()
    try bench.write(try Material.image(), to: "a.png")
    var (labels, right, wrong): ([String], [String], [String]) = ([], [], [])
    for image in 0..<12 {
      for face in 0..<2 {
        let (x, y) = (8 + 3 * image + 52 * face, 5 + 2 * image + 7 * face)
        let side = 24 + image % 5
        labels.append(
          #"{"image_id": \#(image), "category_id": 1, "bbox": [\#(x), \#(y), \#(side), \#(side)]}"#)
        // Errors like a tracker's: not the same for all.
        let left = x + (image + face) % 3 - 1
        let score = 0.6 + Double(2 * image + face) / 100
        func result(_ width: Int, _ height: Int) -> String {
          #"{"image_id": \#(image), "category_id": 1, "bbox": [\#(left), \#(y), \#(width), \#(height)], "score": \#(score)}"#
        }
        right.append(result(side, side))
        wrong.append(result(left + side, y + side))
      }
    }
    let images = (0..<12).map {
      #"{"id": \#($0), "file_name": "\#($0).png", "width": 200, "height": 100}"#
    }
    for image in 0..<12 { try bench.write(try bench.bytes("a.png"), to: "\(image).png") }
    try bench.write(
      #"{"images": [\#(images.joined(separator: ","))], "categories": [{"id": 1, "name": "face"}], "#
        + #""annotations": [\#(labels.joined(separator: ","))]}"#, to: "labels.json")
    try bench.write("[\(right.joined(separator: ","))]", to: "right.json")
    try bench.write("[\(wrong.joined(separator: ","))]", to: "wrong.json")
    try bench.write(
      #"{"schema": "facegauge.gates", "version": 2, "gates": [{"metric": "detection.ap50", "#
        + #""direction": "at_least", "limit": 0.5}]}"#, to: "gates.json")
    let made = try bench.facegauge(["import", "coco", "labels.json", "-o", "d.h5"])
    try #require(made.status == 0, "\(made.errors)")
  }

  @discardableResult
  private func imported(_ file: String, _ words: [String] = []) throws -> ProcessResult {
    let result = try bench.facegauge(
      ["import", "coco", file, "labels.json", "--of", "d.h5", "-o", "p.h5", "--force"] + words)
    try #require(result.status == 0, "\(result.errors)")
    return result
  }

  private func evaluated(_ words: [String] = []) throws -> ProcessResult {
    try bench.facegauge(
      ["evaluate", "d.h5", "--predictions", "p.h5", "-o", "run", "--force", "--resamples", "0"]
        + words)
  }

  @Test func `honest predictions have no suspect finding`() throws {
    #expect(try !imported("right.json").errors.contains("suspect"))
    let checked = try bench.facegauge(["check", "d.h5", "p.h5"])
    #expect(checked.status == 0 && !checked.output.contains("suspect"))
    #expect(try evaluated(["--gates", "gates.json"]).status == 0)
  }

  @Test func `a mistake is found at import, check and evaluation, and its remedy repairs it`()
    throws
  {
    let remedy = "Import the predictions again with --repair corners."
    let result = try imported("wrong.json")
    #expect(result.errors.contains("suspect: ") && result.errors.contains(remedy))
    let checked = try bench.facegauge(["check", "d.h5", "p.h5"])
    #expect(checked.status == 3 && checked.output.contains(remedy))
    let findings = try bench.facegauge(["check", "d.h5", "p.h5", "--json"])
    let all = try JSONDecoder().decode([Finding].self, from: Data(findings.output.utf8))
    #expect(all.first?.name == "boxes.corners" && all.first?.severity == .suspect)
    let run = try evaluated()
    #expect(run.status == 0 && run.output.contains(remedy))
    let record = try Record(json: bench.bytes("run/record.json"), source: "run")
    #expect(record.findings?.first?.images?.isEmpty == false)
    #expect(try bench.text("run/report.html").contains(remedy))
    try imported("wrong.json", ["--repair", "corners"])
    #expect(try bench.facegauge(["check", "d.h5", "p.h5"]).status == 0)
    #expect(try evaluated(["--gates", "gates.json"]).status == 0)
  }

  @Test func `a report that is rendered again has the images of findings, or none`() throws {
    try imported("wrong.json")
    #expect(try evaluated().status == 0)
    #expect(try bench.facegauge(["report", "run", "-o", "again"]).status == 0)
    let file = "images/finding-1-1.jpg"
    #expect(try bench.bytes("again/\(file)") == bench.bytes("run/\(file)"))
    #expect(try !(bench.text("again/report.html").contains("is not in the run")))
    #expect(try bench.text("again/report.md").contains(file))
    #expect(try bench.facegauge(["report", "run", "--no-images", "-o", "plain"]).status == 0)
    #expect(try !(bench.text("plain/report.html").contains("is not in the run")))
    #expect(try !(bench.text("plain/report.md").contains(file)))
  }

  @Test func `gates are inconclusive until the finding is accepted`() throws {
    try imported("wrong.json")
    for words in [[], ["--inconclusive", "pass"]] {
      let run = try evaluated(["--gates", "gates.json"] + words)
      #expect(run.status == 3 && run.output.contains("--accept boxes.corners"))
    }
    let accepted = ["--accept", "boxes.corners"]
    #expect(try evaluated(["--gates", "gates.json"] + accepted).status == 2)
    let record = try Record(json: bench.bytes("run/record.json"), source: "run")
    #expect(record.findings?.first?.isAccepted == true)
    #expect(try bench.facegauge(["check", "d.h5", "p.h5"] + accepted).status == 0)
  }

  @Test func `a change against a suspect base never passes`() throws {
    try imported("wrong.json")
    #expect(try evaluated().status == 0)
    try FileManager.default.moveItem(at: bench.url("run"), to: bench.url("base"))
    try imported("right.json")
    try bench.write(
      """
      {"schema": "facegauge.gates", "version": 2, "gates": [
        {"metric": "detection.ap50", "max_worsening": 0.5}]}
      """, to: "change.json")
    let words = ["--base", "base", "--gates", "change.json", "--inconclusive", "pass"]
    let run = try evaluated(words)
    #expect(run.status == 3, "\(run.output)\(run.errors)")
    #expect(run.output.contains("Of the base: The input is suspect"), "\(run.output)")
  }

  @Test func `what is no finding or of another dataset is refused`() throws {
    try imported("right.json")
    #expect(try bench.facegauge(["check", "d.h5", "p.h5", "--accept", "boxes"]).status == 64)
    _ = try bench.facegauge(["import", "coco", "labels.json", "-o", "e.h5", "--name", "other"])
    let other = try bench.facegauge(["check", "e.h5", "p.h5"])
    #expect(other.status == 65 && other.errors.contains("expected predictions of 'other'"))
  }

  /// 100 images of a face each, whose tracker stopped half-way, or has no rows for some that it does not find.
  @Test func `frames that a tracker did not get to are suspect in every command`() throws {
    func rows(_ error: (Int) -> Int) -> [String] {
      (0..<100).map { image in
        "\(image).png,\(8 + image % 7 + error(image)),\(5 + image % 5),\(24 + image % 3),"
          + "\(26 - image % 3)"
      }
    }
    let header = "image,x,y,w,h\n"
    try bench.write(header + rows { _ in 0 }.joined(separator: "\n") + "\n", to: "l.csv")
    let columns = ["--columns", "image=image,x=x,y=y,w=w,h=h"]
    let made = try bench.facegauge(
      ["import", "csv", "l.csv"] + columns + ["--labels-only", "-o", "l.h5"])
    try #require(made.status == 0, "\(made.errors)")
    func evaluated(_ name: String, _ rows: [String]) throws -> String {
      try bench.write(header + rows.joined(separator: "\n") + "\n", to: "\(name).csv")
      let made = try bench.facegauge(
        ["import", "csv", "\(name).csv"] + columns + ["--of", "l.h5", "-o", "\(name).h5"])
      try #require(made.status == 0, "\(made.errors)")
      let run = try bench.facegauge(
        ["evaluate", "l.h5", "--predictions", "\(name).h5", "-o", "run-\(name)"])
      #expect(run.status == 0, "\(run.errors)")
      return run.output + run.errors
    }
    let rows = rows { $0 % 4 - 2 }
    let message = "no row for 50 frames from frame 50 to 99"
    #expect(try !evaluated("all", rows).contains("frames.missing"))
    #expect(try evaluated("half", Array(rows.prefix(50))).contains(message))
    let scattered = rows.enumerated().filter { $0.offset % 4 > 0 }.map(\.element)
    #expect(try !evaluated("scattered", scattered).contains("frames.missing"))
    let compared = try bench.facegauge(["compare", "run-all", "run-half"])
    #expect(compared.output.contains(message))
    let subset = try bench.facegauge(["subset", "l.h5", "--frames", ":50", "-o", "s.h5"])
    #expect(subset.status == 0)
    let part = try bench.facegauge(
      ["import", "csv", "half.csv"] + columns + ["--of", "s.h5", "-o", "s-half.h5"])
    #expect(part.status == 0 && !part.errors.contains("frames.missing"))
  }
}
