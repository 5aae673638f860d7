import CommandSyntax
import Evaluation
import Foundation
import Platform
import Records
import Reporting

extension Command {
  private static let run = Argument("run", .directory, help: "The folder of a finished run.")
  private static let withoutImages = Flag(
    "no-images", help: "Omit the gallery; the report then shows no photographs.")
  private static let output = Option(
    "output", short: "o", valueName: "folder", .directory, otherwise: "the run itself",
    help: "Folder for report.html, report.md and junit.xml.")

  /// `facegauge report`.
  static let report = Command(
    CommandDeclaration(
      "report", abstract: "Render a run's reports again from its record", arguments: [run],
      options: [output, withoutImages])
  ) { arguments in
    let folder = URL(fileURLWithPath: arguments[run], isDirectory: true)
    let file = folder.appendingPathComponent("record.json")
    var record = try Record(json: try InputFile.bytes(of: file), source: file.relativePath)
    if arguments[withoutImages] { record.gallery = [] }
    let target = arguments[output].map { URL(fileURLWithPath: $0, isDirectory: true) } ?? folder
    var images: [String: Data] = [:]
    for image in record.gallery {
      let source = folder.appendingPathComponent("images").appendingPathComponent(image.file)
      images[image.file] = try? Data(contentsOf: source)
    }
    record.gallery.removeAll { images[$0.file] == nil }
    let report = Report(record: record)
    let html = report.html { name in images[name].map { [UInt8]($0) } }
    try OutputFolder.make(target)
    if target.standardizedFileURL != folder.standardizedFileURL, !images.isEmpty {
      let copies = target.appendingPathComponent("images", isDirectory: true)
      try OutputFolder.make(copies)
      for (name, data) in images {
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
