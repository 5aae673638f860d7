import Foundation
import Platform
import Records
import TestSupport
import Testing

@Suite(
  "Reports of a run", .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"))
struct ReportTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try Material.dataset(bench.url("good.h5"), frames: 3)
    let result = try bench.facegauge(["evaluate", "good.h5", "-o", "run", "--num-faces", "2"])
    try #require(result.status == 0, "\(result.errors)")
  }

  @Test func `report makes the same bytes again, in position and elsewhere`() throws {
    let before = try bench.contents()
    let inPlace = try bench.facegauge(["report", "run"])
    #expect(inPlace.status == 0 && inPlace.output == "run/report.html\n" && inPlace.errors == "")
    #expect(try bench.contents() == before)
    #expect(try bench.facegauge(["report", "run", "-o", "elsewhere"]).status == 0)
    for name in ["report.html", "report.md", "junit.xml"] {
      #expect(try bench.bytes("elsewhere/\(name)") == bench.bytes("run/\(name)"), "\(name)")
    }
  }

  @Test func `where a report cannot be written is said before anything is rendered`() throws {
    // Rendering would fail too, and later: its frames are damaged.
    try bench.write("no HDF5", to: "run/predictions.h5")
    for target in ["good.h5/out", "/proc/out"] {
      try expectFailure(
        bench, ["report", "run", "-o", target], status: 73, "cannot make \(target): ")
    }
    try bench.write("taken", to: "out/report.html/taken")
    try expectFailure(
      bench, ["report", "run", "-o", "out"], status: 73,
      "cannot write out/report.html: expected a file, found a folder")
    try expectFailure(
      bench, ["report", "run", "-o", "new"], status: 65, "run/predictions.h5")
  }

  @Test func `a report is rendered without models, dataset and predictions`() throws {
    for name in ["good.h5", "run/predictions.h5", "run/report.html"] {
      try FileManager.default.removeItem(at: bench.url(name))
    }
    let result = try bench.facegauge(
      ["report", "run"], environment: ["FACEGAUGE_MODELS": bench.folder.path])
    #expect(result.status == 0)
    #expect(bench.exists("run/report.html"))
  }

  @Test func `the frames of a run are in its report, and a page over runs links to it`() throws {
    #expect(try bench.text("run/report.html").contains("id=\"frame-data\""))
    let result = try bench.facegauge(["report", "--index", "run", "-o", "overview"])
    #expect(result.status == 0 && result.output == "overview/index.html\n", "\(result.errors)")
    #expect(try bench.text("overview/index.html").contains("href=\"../run/report.html\""))
    #expect(try bench.facegauge(["report", "run", "run"]).status == 64)
    #expect(try bench.facegauge(["report", "--index", "run"]).status == 64)
  }

  @Test func `an image of a run that cannot be read is named`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: bench.url("run/images").path)
    let name = try #require(names.sorted().first { $0.hasPrefix("worst") })
    try FileManager.default.removeItem(at: bench.url("run/images/\(name)"))
    let result = try bench.facegauge(["report", "run"])
    #expect(result.status == 0)
    #expect(result.errors.contains("cannot read run/images/\(name): no such file, left out"))
  }

  @Test func `a report whose dataset is gone says that it shows no frames`() throws {
    try FileManager.default.removeItem(at: bench.url("good.h5"))
    let result = try bench.facegauge(["report", "run"])
    #expect(result.status == 0)
    #expect(result.errors.contains("note: the report shows no frames: "), "\(result.errors)")
    #expect(try !(bench.text("run/report.html").contains("id=\"frame-data\"")))
  }

  @Test func `--no-images leaves every photograph out`() throws {
    #expect(try bench.text("run/report.html").contains("data:image/jpeg"))
    #expect(try bench.facegauge(["report", "run", "--no-images", "-o", "plain"]).status == 0)
    let html = try bench.text("plain/report.html")
    #expect(!html.contains("<img") && !html.contains("data:image"))
    #expect(try !(bench.text("plain/report.md").contains("worst-1.jpg")))
    #expect(try FileManager.default.contentsOfDirectory(atPath: bench.url("plain").path).count == 3)
  }

  @Test func `a dataset other than the run's is refused`() throws {
    try Material.dataset(bench.url("other.h5"), frames: 3, differ: true)
    try expectFailure(
      bench, ["report", "run", "--dataset", "other.h5"], status: 65,
      "expected the dataset of the run, SHA-256")
    #expect(try bench.facegauge(["report", "run", "--dataset", "good.h5"]).status == 0)
  }

  @Test func `a page above 10 MB is written with a warning that names what makes it smaller`()
    throws
  {
    var record = try Record(json: try bench.bytes("run/record.json"))
    let image = try #require(record.gallery.first)
    try bench.write(
      [0xFF, 0xD8, 0xFF] + [UInt8](repeating: 0, count: 8_000_000), to: "run/images/\(image.file)")
    record.gallery = [image]
    try bench.write(try record.json(), to: "run/record.json")
    let result = try bench.facegauge(["report", "run"])
    #expect(result.status == 0 && result.output == "run/report.html\n")
    #expect(
      result.errors.contains("warning: run/report.html has 1")
        && result.errors.contains(" MB (--data-budget and --no-images make it smaller)"),
      "\(result.errors)")
    let plain = try bench.facegauge(["report", "run", "--no-images"])
    #expect(plain.status == 0 && plain.errors == "", "\(plain.errors)")
  }

  @Test func `the report needs no network and no other file`() throws {
    let html = try bench.text("run/report.html")
    for match in html.matches(of: /(?:src|href|action|srcset|poster|data)="([^"]*)"/) {
      #expect(match.1.hasPrefix("#") || match.1.hasPrefix("data:"), "\(match.1.prefix(80))")
    }
    for word in ["<script src", "@import", "<link", "<iframe", "url("] {
      #expect(!html.contains(word), "\(word)")
    }
    let names = html.matches(of: /https?:\/\/[^"'<\s)]+/).map { String($0.0) }
    #expect(Set(names).subtracting(["http://www.w3.org/2000/svg"]).isEmpty, "\(Set(names))")
  }

  @Test func `the record is read back by the strict reader and written as the same bytes`() throws {
    let bytes = try bench.bytes("run/record.json")
    let record = try Record(json: bytes, source: "record.json")
    #expect(try record.json() == bytes)
    #expect(record.dataset.frames == 3 && record.dataset.faces == 3)
    #expect(record.options["num-faces"] == "2")
    #expect(record.models.first?.name == "blazeface-short-range")
    #expect(record.stages?.first == Record.Stage(name: "detection", state: .ran))
    #expect(
      record.stages?.map(\.name) == [
        "detection", "landmarks", "smoothing", "blendshapes", "geometry",
      ])
    for measurement in record.measurements {
      #expect(
        (measurement.value == nil) == (measurement.reason != nil), "\(measurement.name)")
    }
    #expect(record.measurement("detection.recall@score")?.value == 0)
  }

  @Test func `a record that was damaged ends with status 65`() throws {
    let bytes = try bench.bytes("run/record.json")
    try bench.write(Array(bytes.prefix(bytes.count / 2)), to: "run/record.json")
    try expectFailure(bench, ["report", "run"], status: 65, "run/record.json")
  }

  @Test(
    arguments: ["good.h5", "/proc/no"])
  func `a position that cannot be written ends with status 73`(target: String) throws {
    try expectFailure(bench, ["report", "run", "-o", target], status: 73, "cannot ")
  }
}
