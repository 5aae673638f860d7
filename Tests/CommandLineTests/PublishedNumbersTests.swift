import Foundation
import Records
import TestSupport
import Testing

/// A method's published results on COFW-68, as they are printed.
struct PublishedRow: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let file: String
  /// Mean error and success rate at 0.1 over all points, then over the visible ones.
  let metrics: [String]
}

@Suite("Published metrics through the command line")
struct PublishedNumbersTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  private func run(_ words: [String]) throws -> ProcessResult {
    let result = try bench.facegauge(words)
    try #require(result.status == 0, "\(result.errors)")
    return result
  }

  private func number(_ value: Double, _ format: String) -> String {
    String(format: format, locale: Locale(identifier: "en_US_POSIX"), value)
  }

  @Test(
    .enabled(if: Shared.isAvailable, "needs the shared data"),
    arguments: [
      PublishedRow(
        testDescription: "HPM", file: "HPM_HelenLfpw_COFW68test.txt",
        metrics: ["0.0940", "72.39", "0.0793", "87.57"]),
      PublishedRow(
        testDescription: "CFSS", file: "CFSS_CFOW68.txt",
        metrics: ["0.0880", "78.11", "0.0730", "89.94"]),
    ])
  func `COFW-68: mean errors and success rates of two methods to the printed digit`(
    row: PublishedRow
  ) throws {
    let data = Shared.data("cofw68")
    _ = try run(["import", "cofw68", data.appending(path: "COFW68_Data").path, "-o", "cofw.h5"])
    _ = try run([
      "import", data.appending(path: "Results/\(row.file)").path, "--of", "cofw.h5", "-o", "m.h5",
    ])
    let evaluate = ["evaluate", "cofw.h5", "--predictions", "m.h5", "--resamples", "0", "--json"]
    let result = try run(evaluate + ["--pairing", "nearest", "-o", "run"])
    let record = try Record(json: Array(result.output.utf8), source: "output")
    func value(_ name: String) throws -> Double {
      try #require(record.measurement("landmarks.\(name)")?.value, "\(name)")
    }
    #expect(
      [
        number(try value("nme.interpupil"), "%.4f"),
        number(100 * (1 - (try value("fr.interpupil@0.10"))), "%.2f"),
        number(try value("nme.interpupil.visible"), "%.4f"),
        number(100 * (1 - (try value("fr.interpupil.visible@0.10"))), "%.2f"),
      ] == row.metrics)
    #expect(record.options["pairing"] == "nearest")
    #expect(record.notes.contains { $0.contains("compare 507 pairs (pairing nearest)") })
  }

  /// RetinaFace-mobilenet0.25 on the validation set, of which four images have no face but a row of zeros.
  @Test(.enabled(if: Shared.isAvailable, "needs the shared data"))
  func `WIDER FACE: easy, medium and hard AP to the last digit that was written down`() throws {
    let levels = ["face", "easy", "medium", "hard"].map {
      Shared.data("wider-eval-gt/wider_\($0)_val.mat").path
    }
    let imported = try run(["import", "wider-mat"] + levels + ["--labels-only", "-o", "w.h5"])
    #expect(imported.errors.contains("4 images without faces"))
    let archive = Shared.data("wider-pred-retina-mnet-b/widerface_txt.tar.gz").path
    try #require(try bench.shell("tar xzf '\(archive)'").status == 0)
    _ = try run(["import", "wider-detections", "widerface_txt", "--of", "w.h5", "-o", "p.h5"])
    _ = try run([
      "evaluate", "w.h5", "--predictions", "p.h5", "-o", "run", "--resamples", "0",
    ])
    let record = try Record(json: bench.bytes("run/record.json"), source: "run")
    for (level, recomputed) in [("easy", 90.696), ("medium", 88.158), ("hard", 73.829)] {
      let value = try #require(record.measurement("detection.wider.\(level)")?.value)
      #expect(abs(value * 100 - recomputed) <= 0.000_5, "\(level): \(value)")
    }
  }
}
