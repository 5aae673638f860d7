import CommandSyntax
import Evaluation
import Foundation
import Records
import Reporting

extension Command {
  private static let run = Argument("run", .directory, help: "The folder of a finished run.")
  private static let withoutPictures = Flag(
    "no-pictures", help: "Leave the gallery out, so that the report shows no photographs.")
  private static let output = Option(
    "output", short: "o", valueName: "folder", .directory, otherwise: "the run itself",
    help: "Folder for report.html, report.md and junit.xml.")

  /// `facegauge report`.
  static let report = Command(
    CommandDeclaration(
      "report", abstract: "Render a run's reports again from its record", arguments: [run],
      options: [output, withoutPictures])
  ) { arguments in
    let folder = URL(fileURLWithPath: arguments[run], isDirectory: true)
    let file = folder.appendingPathComponent("record.json")
    var record = try Record(json: try InputFile.bytes(of: file), source: file.relativePath)
    if arguments[withoutPictures] { record.gallery = [] }
    let target = arguments[output].map { URL(fileURLWithPath: $0, isDirectory: true) } ?? folder
    var pictures: [String: Data] = [:]
    for picture in record.gallery {
      let source = folder.appendingPathComponent("pictures").appendingPathComponent(picture.file)
      pictures[picture.file] = try? Data(contentsOf: source)
    }
    record.gallery.removeAll { pictures[$0.file] == nil }
    let report = Report(record: record)
    let html = report.html { name in pictures[name].map { [UInt8]($0) } }
    try OutputFolder.make(target)
    if target.standardizedFileURL != folder.standardizedFileURL, !pictures.isEmpty {
      let copies = target.appendingPathComponent("pictures", isDirectory: true)
      try OutputFolder.make(copies)
      for (name, data) in pictures {
        try OutputFolder.write(data, to: copies.appendingPathComponent(name))
      }
    }
    try OutputFolder.write(html, to: target.appendingPathComponent("report.html"))
    try OutputFolder.write(report.markdown(), to: target.appendingPathComponent("report.md"))
    try OutputFolder.write(report.junit(), to: target.appendingPathComponent("junit.xml"))
    try StandardOutput.write("\(target.relativePath)/report.html\n")
    return .success
  }
}
