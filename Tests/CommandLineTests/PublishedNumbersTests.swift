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
}
