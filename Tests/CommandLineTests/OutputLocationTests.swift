import Foundation
import TestSupport
import Testing

@Suite("Positions that cannot be written")
struct OutputLocationTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try Material.dataset(bench.url("good.h5"), frames: 2)
    try bench.write(try Material.image(), to: "images/a.jpg")
  }

  @Test(
    arguments: [
      ["import", "images", "images", "-o", "taken.h5"],
      ["animate", "good.h5", "-o", "taken.h5"],
      ["degrade", "good.h5", "-o", "taken.h5"],
      ["annotate", "good.h5", "-o", "taken.h5", "--by", "luminance"],
      ["import", "images", "images", "-o", "images", "--force"],
    ])
  func `what exists is not replaced without being asked to`(words: [String]) throws {
    try bench.write("precious", to: "taken.h5")
    try expectFailure(bench, words, status: 73, "cannot write ")
  }

  @Test(arguments: ["good.h5", "link.h5", "hard.h5"])
  func `an input is not replaced under any name`(target: String) throws {
    let files = FileManager.default
    try files.createSymbolicLink(
      atPath: bench.url("link.h5").path, withDestinationPath: "good.h5")
    try files.linkItem(at: bench.url("good.h5"), to: bench.url("hard.h5"))
    try bench.write(
      #"{"schema": "facegauge.hdf5", "version": 1, "images": {}, "faces": {}, "files": ["good.h5"]}"#,
      to: "mapping.json")
    try bench.write("{}", to: "labels.json")
    let before = try bench.bytes("good.h5")
    for words in [
      ["import", "hdf5", "mapping.json", "-o", target],
      ["import", "coco", "labels.json", "--video", "good.h5", "-o", target],
      ["import", "coco", "labels.json", "--of", "good.h5", "-o", target],
      ["subset", "good.h5", "-o", target], ["merge", "good.h5", "good.h5", "-o", target],
      ["degrade", "good.h5", "-o", target], ["animate", "good.h5", "-o", target],
      ["annotate", "good.h5", "-o", target, "--by", "luminance"],
    ] {
      try expectFailure(bench, words + ["--force"], status: 73, "cannot write \(target)")
    }
    #expect(try bench.bytes("good.h5") == before)
  }

  @Test func `labels in a folder are not replaced by what is made of it`() throws {
    try bench.write("precious", to: "images/a.txt")
    try expectFailure(
      bench, ["import", "images", "images", "-o", "images/a.txt", "--force"], status: 73,
      "cannot write images/a.txt: expected a file other than the input")
    #expect(try bench.text("images/a.txt") == "precious")
  }

  @Test func `what an import is writing into its own folder is none of its files`() throws {
    let result = try bench.facegauge(["import", "images", "images", "-o", "images/a.h5"])
    #expect(result.status == 0)
    #expect(!result.errors.contains("left out"), "\(result.errors)")
  }

  @Test func `a file in place of a run is named, with what makes a run of it`() throws {
    try expectFailure(
      bench, ["compare", "good.h5", "good.h5"], status: 65,
      "cannot read good.h5: expected the folder of a run, found a dataset ('facegauge evaluate "
        + "good.h5 -o RUN' makes a run on it)")
  }

  @Test func `a base of a profile is another option`() throws {
    try expectFailure(
      bench, ["profile", "good.h5", "-o", "p", "--base", "run"], status: 64,
      "unknown option '--base': '--against' names")
  }

  @Test func `stills have neither smoothing nor minutes to sweep`() throws {
    let words = ["sweep", "good.h5", "-o", "s", "--threshold"]
    try expectFailure(
      bench, words + ["smoothing-beta=1,9"], status: 65,
      "cannot sweep smoothing-beta: expected clips in video mode, because smoothing acts between "
        + "frames, found stills alone in good.h5")
    try expectFailure(
      bench,
      words + [
        "min-face-detection-confidence=0.3,0.9", "--objective",
        "max recall where fp_per_minute <= 2",
      ], status: 65, "stills alone in good.h5, which have no minutes (use fp_per_frame;")
    #expect(!bench.exists("s"))
  }

  @Test(arguments: ["good.h5", "images", "pipe"])
  func `a checklist or baseline replaces neither its input nor what is no file`(target: String)
    throws
  {
    #expect(mkfifo(bench.url("pipe").path, 0o600) == 0)
    let before = try Data(contentsOf: bench.url("good.h5"))
    for words in [
      ["validate", "good.h5", "--html", target], ["validate", "good.h5", "--markdown", target],
      ["profile", "good.h5", "-o", "p", "--baseline-out", target],
    ] {
      try expectFailure(bench, words, status: 73, "cannot write \(target): expected ")
    }
    #expect(try Data(contentsOf: bench.url("good.h5")) == before)
  }

  @Test(
    arguments: ["no/a.h5", "good.h5/a.h5", "/proc/a.h5"])
  func
    `a missing folder, a file instead of one and a position without room for files end with status 73`(
      target: String
    ) throws
  {
    try expectFailure(
      bench, ["import", "images", "images", "-o", target], status: 73, "cannot write \(target)")
    try expectFailure(
      bench, ["animate", "good.h5", "-o", target], status: 73, "cannot write \(target)")
  }

  @Test(
    .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"))
  func `a run replaces neither a run without --force nor anything else with it`() throws {
    let words = ["evaluate", "good.h5", "-o"]
    try expectFailure(bench, words + ["images"], status: 73, "it exists already")
    try expectFailure(bench, words + ["images", "--force"], status: 73, "cannot replace")
    try expectFailure(bench, words + [".", "--force"], status: 73, "cannot replace")
    try expectFailure(bench, words + ["good.h5", "--force"], status: 73, "cannot replace")
    try expectFailure(bench, words + ["/proc/run"], status: 73, "/proc/run")
    #expect(try bench.facegauge(words + ["run"]).status == 0)
    try expectFailure(bench, words + ["run"], status: 73, "it exists already (--force")
    #expect(try bench.facegauge(words + ["run", "--force"]).status == 0)
    #expect(try bench.contents().keys.filter { $0.hasPrefix("run.") } == [])
  }

  @Test(
    arguments: [
      "import images big -o a.h5", "animate good.h5 -o a.h5 --frames-per-clip 600",
    ])
  func `a disk that fills up ends with status 73 and leaves nothing`(words: String) throws {
    let image = try Material.image(width: 1600, height: 1200)
    for index in 0..<12 { try bench.write(image, to: "big/\(index).jpg") }
    let before = try bench.contents()
    let result = try bench.shell("trap '' XFSZ; ulimit -f 300; exec $facegauge \(words)")
    #expect(result.status == 73 && !result.isSignal)
    #expect(result.errorLines.count == 1 && result.output == "", "\(result.errors)")
    #expect(try bench.contents() == before)
  }

  @Test(
    .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"))
  func `a disk that fills up during evaluate ends with status 73 and leaves nothing`() throws {
    let before = try bench.contents()
    let result = try bench.shell(
      "trap '' XFSZ; ulimit -f 2; exec $facegauge evaluate good.h5 -o run")
    #expect(result.status == 73 && !result.isSignal)
    #expect(result.errorLines.count == 1 && result.output == "", "\(result.errors)")
    #expect(try bench.contents() == before)
  }

  @Test(
    arguments: ["metrics", "inspect good.h5"])
  func `standard output that takes nothing ends with status 74`(words: String) throws {
    let result = try bench.shell("$facegauge \(words) > /dev/full")
    #expect(result.status == 74)
    #expect(result.errors == "error: cannot write to standard output: No space left on device\n")
  }

  @Test func `a reader that leaves early causes no message`() throws {
    let result = try bench.shell("$facegauge metrics | head -n 1; echo ${PIPESTATUS[0]}")
    #expect(result.errors == "")
  }
}
