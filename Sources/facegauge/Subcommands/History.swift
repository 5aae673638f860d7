import CommandSyntax
import Foundation
import Platform
import Records
import Reporting
import Timing

extension Command {
  private static let files = Argument(
    repeating: "baseline.json", .path(extensions: ["json"]), minimum: 0,
    help: "Files of 'profile --baseline-out'; without any, Reports/Baselines/*.json.")
  private static let output = Option(
    "output", short: "o", valueName: "folder", .directory, otherwise: "nothing is written",
    help: "Folder for history.json, report.html and report.md; existing files are replaced.")

  /// `facegauge history`.
  static let history = Command(
    CommandDeclaration(
      "history", abstract: "Plot timings over commits, and mark shifts",
      discussion: """
        Each baseline contains the median of each stage in one timing run, divided by the median \
        of a fixed reference kernel. Only baselines on the newest one's dataset are used, in the \
        order of measurement.

        A shift is the position with the largest difference in ranks between the values before and \
        after it, with at least five on each side. It is marked if p, times the number of \
        positions and the number of stages, is at most 0.05; this takes about eight runs on each \
        side. Both sides are then searched again.
        """,
      arguments: [files], options: [output, json])
  ) { arguments in
    var urls = arguments[files].map { URL(fileURLWithPath: $0) }
    if urls.isEmpty {
      let folder = URL(fileURLWithPath: "Reports/Baselines", isDirectory: true)
      let names = (try? folder.names()) ?? []
      urls = names.filter { $0.hasSuffix(".json") }.sorted().map {
        folder.appendingPathComponent($0)
      }
    }
    let history = try BaselineHistory.read(urls)
    let document = HistoryReport(history).document
    let bytes = Data(try history.json())
    if let folder = arguments[output].map({ URL(fileURLWithPath: $0, isDirectory: true) }) {
      try OutputFolder.make(folder)
      try OutputFolder.write(bytes, to: folder.appendingPathComponent("history.json"))
      try OutputFolder.write(document.html(), to: folder.appendingPathComponent("report.html"))
      try OutputFolder.write(document.markdown(), to: folder.appendingPathComponent("report.md"))
    }
    if arguments[json] {
      try StandardOutput.writeJSON(String(decoding: bytes, as: UTF8.self))
    } else {
      try StandardOutput.write(HistoryText(history).text)
    }
    return .success
  }
}
