import CommandSyntax
import Foundation
import Platform
import Records
import Reporting
import Timing

extension Command {
  private static let files = Argument(
    repeating: "run", .path, minimum: 0,
    help:
      "Folders of runs or their record.json, or files of 'profile --baseline-out'; without any, "
      + "Reports/Baselines/*.json.")
  private static let drawn = Option(
    repeating: "metric", valueName: "name", .string,
    otherwise: "the headlines of the newest run and the ten before it, without latencies",
    help: "Metric of runs to draw; repeatable.")
  private static let gate = Flag(
    "gate",
    help:
      "End with status 2 if the newest run is worse than the ten before it, 3 if there are fewer, if it "
      + "lacks a metric, or if its input is suspect.")
  private static let output = Option(
    "output", short: "o", valueName: "folder", .directory, otherwise: "nothing is written",
    help: "Folder for history.json, report.html and report.md; existing files are replaced.")

  /// `facegauge history`.
  static let history = Command(
    CommandDeclaration(
      "history", abstract: "Plot metrics or timings over commits, and mark shifts",
      discussion: """
          facegauge history nightly/* -o history --metric faces.recall --gate

        Runs are compared with the newest one if they have its dataset, options and kernels; others \
        are left out, with a note. A baseline has the median of each stage in one timing run, \
        divided by the median of a fixed reference kernel. The order is that of measurement.

        A shift is marked where the values before and after differ by rank sums, with at least five \
        on each side, if the smallest p, times the number of positions and the number of lines, is \
        at most 0.05; this takes about eight runs on each side. Its place is where the values are \
        nearest to the medians of both sides, which are then searched again.

        The newest run is worse if a value is beyond where the next one lies if nothing changes: \
        the mean of the ten before it and 2.8 times their spread, more for several lines, so that \
        1 of 100 histories without a change has a worse newest run.
        """,
      arguments: [files], options: [drawn, gate, output, json])
  ) { arguments in
    var urls = arguments[files].map { URL(fileURLWithPath: $0) }
    if urls.isEmpty {
      let folder = URL(fileURLWithPath: "Reports/Baselines", isDirectory: true)
      let names = (try? folder.names()) ?? []
      urls = names.filter { $0.hasSuffix(".json") }.sorted().map {
        folder.appendingPathComponent($0)
      }
    }
    let records = urls.filter { $0.isFolder || $0.lastPathComponent == RecordHistory.recordFile }
    guard records.isEmpty || records.count == urls.count else {
      throw arguments.usageError("'history' takes runs or baselines, not both")
    }
    guard !records.isEmpty || arguments[drawn].isEmpty else {
      throw arguments.usageError("'--metric' requires runs")
    }
    let history =
      records.isEmpty
      ? try BaselineHistory.read(urls)
      : try RecordHistory.read(
        records.map {
          $0.isFolder ? $0.appendingPathComponent(RecordHistory.recordFile) : $0
        }, metrics: arguments[drawn])
    let document = HistoryReport(history).document
    if let folder = arguments[output].map({ URL(fileURLWithPath: $0, isDirectory: true) }) {
      try folder.makeFolder()
      try OutputFolder.write(
        Data(try history.json()), to: folder.appendingPathComponent("history.json"))
      try OutputFolder.write(document.html(), to: folder.appendingPathComponent("report.html"))
      try OutputFolder.write(document.markdown(), to: folder.appendingPathComponent("report.md"))
    }
    try arguments.print(history, text: HistoryText(history: history).text)
    guard arguments[gate] else { return .success }
    switch history.verdict {
    case .pass: return .success
    case .fail: return .gateFailed
    case .inconclusive: return .gateInconclusive
    }
  }
}
