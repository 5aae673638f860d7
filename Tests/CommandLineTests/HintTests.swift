import Foundation
import TestSupport
import Testing

@Suite("What to do with a path that is not a dataset")
struct HintTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.write(try Material.image(), to: "labelled/a.png")
    try bench.write(
      #"""
      {"schema": "facegauge.labels", "version": 1, "licence": "none", "source": "none", "images": [
        {"name": "a", "file": "a.png", "faces": [{"box": [1, 2, 30, 40]}]}]}
      """#, to: "labelled/labels.json")
    try bench.write(try Material.image(), to: "plain/a.png")
    try bench.write(
      Array("\u{0}\u{0}\u{0}\u{18}ftypmp42\u{0}\u{0}\u{0}\u{0}".utf8), to: "clips/a.mp4")
    try bench.write(
      Array("\u{0}\u{0}\u{0}\u{18}ftypmp42\u{0}\u{0}\u{0}\u{0}".utf8), to: "clips/b.mp4")
    try bench.write("{}", to: "run/record.json")
    try bench.write(try Material.image(), to: "run/images/a.png")
    for name in ["one", "two"] {
      try bench.write("a.jpg\n1\n1 2 3 4 0 0 0 0 0 0\n", to: "lists/\(name).txt")
    }
  }

  @Test(
    arguments: [
      ("labelled", "'facegauge import labels' makes a dataset of it"),
      ("plain", "'facegauge import images' makes a dataset of it"),
      ("clips", "'facegauge import video' makes a dataset of it"),
      ("clips/a.mp4", "'facegauge import video' makes a dataset of it"),
      ("run", "it is a run's folder, which 'facegauge report' and 'facegauge compare' read"),
      ("lists", "'facegauge import' makes a dataset of one of its label files"),
    ])
  func `a path that another command reads is answered with that command`(
    path: String, hint: String
  ) throws {
    for words in [["evaluate", path, "-o", "o"], ["inspect", path], ["validate", path]] {
      try expectFailure(bench, words, status: 65, "(\(hint))")
    }
  }

  @Test(
    arguments: [
      ("labelled/labels.json", "'facegauge import labels … --of DATASET' makes predictions of it"),
      ("run", "a run keeps them in run/predictions.h5"),
    ])
  func `what holds no predictions is answered with what makes them`(path: String, hint: String)
    throws
  {
    try bench.write("{}", to: "run/predictions.h5")
    let made = try bench.facegauge(["import", "labelled", "-o", "a.h5"])
    #expect(made.status == 0, "\(made.errors)")
    try expectFailure(
      bench, ["evaluate", "a.h5", "--predictions", path, "-o", "o"], status: 65, "(\(hint))")
  }

  @Test(arguments: ["fddb", "yolo", "images"])
  func `a folder that has a format's name is a source`(name: String) throws {
    try bench.write(try Material.image(), to: "\(name)/a.png")
    let result = try bench.facegauge(["import", name, "-o", "a.h5"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("a.h5: 1 frames, 0 faces"))
    let named = try bench.facegauge(["import", "images", name, "-o", "b.h5"])
    #expect(named.status == 0, "\(named.errors)")
  }

  @Test func `a format's name without such a folder lacks its source`() throws {
    try expectFailure(
      bench, ["import", "fddb", "-o", "a.h5"], status: 64, "missing argument '<source>'")
  }

  @Test func `too many faces are reported with the output that was asked for`() throws {
    let faces = (0..<10_001).map { _ in "1 2 3 4" }.joined(separator: "\n")
    try bench.write("# a.jpg\n\(faces)\n", to: "list.txt")
    let result = try bench.facegauge(["import", "list.txt", "-o", "a.h5", "--labels-only"])
    #expect(result.status == 65)
    #expect(
      result.errorLines == [
        "error: cannot write a.h5: expected at most 10000 faces in 'a.jpg', found 10001"
      ])
    #expect(!bench.exists("a.h5") && !bench.exists("a.h5.partial"))
  }
}
