import Foundation
import Platform
import Records
import TestSupport
import Testing

/// A method's published results on COFW-68, as they are printed.
struct PublishedRow: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let file: String
  /// Mean error and success rate at 0.1 over all points, then over the visible ones.
  let metrics: [String]
  /// Precision and recall of the hidden points, where the method tells them.
  var hidden: [String] = []
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

  /// The five methods of the benchmark, HPM and CFSS among the shared data; the others where their files are there too.
  static let rows = [
    PublishedRow(
      testDescription: "HPM", file: "HPM_HelenLfpw_COFW68test.txt",
      metrics: ["0.0940", "72.39", "0.0793", "87.57"], hidden: ["80.65", "34.06"]),
    PublishedRow(
      testDescription: "SAPM", file: "SAPM_COFW68.txt",
      metrics: ["0.0929", "71.20", "0.0800", "86.79"], hidden: ["76.50", "51.95"]),
    PublishedRow(
      testDescription: "CFSS", file: "CFSS_CFOW68.txt",
      metrics: ["0.0880", "78.11", "0.0730", "89.94"]),
    PublishedRow(
      testDescription: "TCDCN", file: "TCDCN_CFOW68.txt",
      metrics: ["0.1072", "58.97", "0.0983", "69.03"]),
    PublishedRow(
      testDescription: "RCPR", file: "RCPR-occ_300w.txt",
      metrics: ["0.1227", "57.59", "0.1144", "67.85"]),
  ].filter {
    ["HPM", "CFSS"].contains($0.testDescription)
      || FileManager.default.fileExists(atPath: Shared.data("cofw68/Results/\($0.file)").path)
  }

  @Test(.enabled(if: Shared.isAvailable, "needs the shared data"), arguments: rows)
  func `COFW-68: mean errors, success rates and hidden points of the methods to the printed digit`(
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
      try [
        number(value("nme.interpupil"), "%.4f"),
        number(100 * (1 - (value("fr.interpupil@0.10"))), "%.2f"),
        number(value("nme.interpupil.visible"), "%.4f"),
        number(100 * (1 - (value("fr.interpupil.visible@0.10"))), "%.2f"),
      ] == row.metrics)
    if !row.hidden.isEmpty {
      #expect(
        try ["precision", "recall"].map {
          number(100 * (try value("visibility.\($0)")), "%.2f")
        } == row.hidden)
    }
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
