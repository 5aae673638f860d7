import CommandSyntax
import Evaluation
import Foundation
import Records
import Reporting

extension Command {
  private static let files = Argument(
    repeating: "baseline.json", .path(extensions: ["json"]), minimum: 0,
    help: "Baselines of 'profile --baseline-out'; none means Reports/Baselines/*.json.")
  private static let output = Option(
    "output", short: "o", valueName: "folder", .directory, otherwise: "nothing is written",
    help: "Folder for history.json, report.html and report.md; files of these names are replaced.")
  private static let json = Flag("json", help: "Print the history as JSON.")

  /// `facegauge history`.
  static let history = Command(
    CommandDeclaration(
      "history", abstract: "Draw how timings went over commits, and mark where they shifted",
      discussion: """
        Each baseline is a small file with the median of each stage in one timing run and of a \
        frozen reference kernel, which the medians are divided by. Baselines on the newest one's \
        dataset are taken, in the order of measuring.

        A shift is the place where the values before and after differ most by their ranks, five or \
        more on either side; it is marked where p, times the numbers of places and of stages, is at \
        most 0.05, for which eight runs or so on either side are needed. \
        Both sides are searched again.
        """,
      arguments: [files], options: [output, json])
  ) { arguments in
    var urls = arguments[files].map { URL(fileURLWithPath: $0) }
    if urls.isEmpty {
      let folder = URL(fileURLWithPath: "Reports/Baselines", isDirectory: true)
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
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
