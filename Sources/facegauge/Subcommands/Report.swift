import CommandSyntax
import Datasets
import Foundation
import Platform
import Records
import Reporting
import Running
import Scoring

extension Command {
  private static let runs = Argument(
    repeating: "run", .directory,
    help: "The folder of a finished run; several, and of comparisons, with --index.")
  private static let output = Option(
    "output", short: "o", valueName: "folder", .directory, otherwise: "the run itself",
    help: "Folder for report.html, report.md and junit.xml; with --index for index.html.")
  private static let budget = Option(
    "data-budget", valueName: "MB", .number(in: 0...1000), default: 2,
    help: "Size of the frames in report.html; images are dropped first, then points.")
  private static let index = Flag(
    "index", help: "Write one page over all runs, with links to their reports.")
  private static let open = Flag("open", help: "Open the page in the desktop's browser.")
  /// Pages above this size are slow to load and to upload.
  private static let largePage = 10_000_000

  /// `facegauge report`.
  static let report = Command(
    CommandDeclaration(
      "report", abstract: "Render a run's reports again, or one page over many runs",
      discussion: """
          facegauge report run --open
          facegauge report --index runs/* -o overview

        report.html is one file without links to others: it opens from disk and from a CI \
        artifact. Its frames need the run's predictions and dataset; without them the rest is \
        rendered. report.md fits into a comment on a pull request.
        """,
      arguments: [runs],
      options: [output, datasetOfRun, budget, index, open, withoutImages])
  ) { arguments in
    let folders = arguments[runs].map { URL(fileURLWithPath: $0, isDirectory: true) }
    let target = arguments[output].map { URL(fileURLWithPath: $0, isDirectory: true) }
    let page: URL
    if arguments[index] {
      try arguments.refuse(datasetOfRun, budget, withoutImages, with: index)
      guard let target else { throw arguments.usageError("'--index' requires '--output'") }
      page = try OutputFolder.prepare(target, for: ["index.html"]) {
        try writeIndex(of: folders, into: target)
      }
    } else {
      guard folders.count == 1 else {
        throw arguments.usageError("several runs require '--index'")
      }
      let record = try record(of: folders[0])
      let dataset = arguments[datasetOfRun].map { URL(fileURLWithPath: $0) }
      if let dataset {
        try PhaseProgress.run {
          try StoredRun(folders[0]).check(DatasetReader(dataset), to: "report", $0)
        }
      }
      let target = target ?? folders[0]
      page = try OutputFolder.prepare(target, for: ["report.html", "report.md", "junit.xml"]) {
        try render(
          record, of: folders[0], into: target, dataset: dataset,
          budget: Int(arguments[budget] * Double(1 << 20)),
          withImages: !arguments[withoutImages])
      }
    }
    try StandardOutput.write("\(page.relativePath)\n")
    if arguments[open] { try show(page) }
    return .success
  }

  private static func record(of folder: URL) throws -> Record {
    try StoredRun(folder).record
  }

  private static func render(
    _ record: Record, of folder: URL, into target: URL, dataset: URL?, budget: Int,
    withImages: Bool
  ) throws -> URL {
    var record = record
    var images: [String: Data] = [:]
    for image in withImages ? record.images : [] {
      let source = folder.appendingPathComponent("images").appendingPathComponent(image.file)
      do {
        images[image.file] = Data(try InputFile.bytes(of: source))
      } catch {
        Diagnostics.standardError.warning("\(error), left out")
      }
    }
    record.keepImages { images[$0.file] != nil }
    let report = Report(record: record)
    let html = report.html(
      images: { name in images[name].map { [UInt8]($0) } },
      frames: try frames(of: folder, dataset: dataset, budget: budget, withImages: withImages),
      thumbnails: record.sweep == nil || !withImages
        ? []
        : try FrameReading.thumbnails(
          ofSweep: folder, dataset: dataset, bytes: FrameArchive.imageBytes(in: budget)),
      code: RunReports.code(of: record))
    if target.standardizedFileURL != folder.standardizedFileURL, !images.isEmpty {
      let copies = target.appendingPathComponent("images", isDirectory: true)
      try copies.makeFolder()
      for (name, data) in images {
        try OutputFolder.write(data, to: copies.appendingPathComponent(name))
      }
    }
    let page = target.appendingPathComponent("report.html")
    try OutputFolder.write(html, to: page)
    try OutputFolder.write(report.markdown(), to: target.appendingPathComponent("report.md"))
    try OutputFolder.write(report.junit(), to: target.appendingPathComponent("junit.xml"))
    if html.utf8.count > largePage {
      Diagnostics.standardError.warning(
        "\(page.relativePath) has \((Double(html.utf8.count) / 1e6).text(decimals: 1)) MB "
          + "(--data-budget and --no-images make it smaller)")
    }
    return page
  }

  /// What the page shows of frames; nil, with a note, where the dataset is not found.
  private static func frames(
    of folder: URL, dataset: URL?, budget: Int, withImages: Bool
  ) throws -> [UInt8]? {
    do {
      return try FrameReading(of: folder, dataset: dataset).map {
        try RunReports.archive(of: $0, budget: budget, withImages: withImages)
      }
    } catch  where EvaluationError(error).kind == .notFound && dataset == nil {
      Diagnostics.standardError.note("the report shows no frames: \(error)")
      return nil
    }
  }

  /// The result of a kind that a folder has; nil where it has none.
  private static func result<Kind: ResultDocument>(
    _ kind: Kind.Type, in folder: URL
  ) throws -> Kind? {
    let file = folder.appendingPathComponent(Kind.fileName)
    guard file.isThere else { return nil }
    return try Kind(file: file)
  }

  /// The result of another kind that a folder has; nil where it has none.
  private static func finding(
    in folder: URL, _ name: String, _ path: String?
  ) throws -> IndexReport.Finding? {
    for kind in IndexedResults.types {
      if let found = try result(kind, in: folder) {
        return IndexReport.Finding(name: name, path: path, found)
      }
    }
    return nil
  }

  private static func writeIndex(of folders: [URL], into target: URL) throws -> URL {
    var entries: [IndexReport.Entry] = []
    var pairs: [IndexReport.Pair] = []
    var findings: [IndexReport.Finding] = []
    for folder in folders where folder.withoutLinks != target.withoutLinks {
      guard !folder.isUnfinished else {
        Diagnostics.standardError.note("\(folder.relativePath) is unfinished, left out")
        continue
      }
      let report = folder.appendingPathComponent("report.html")
      let name = folder.standardizedFileURL.lastPathComponent
      let path =
        report.isThere ? report.path(from: target) : nil
      if let comparison = try result(Comparison.self, in: folder) {
        pairs.append(IndexReport.Pair(name: name, path: path, comparison))
      } else if let finding = try finding(in: folder, name, path) {
        findings.append(finding)
      } else {
        entries.append(IndexReport.Entry(name: name, path: path, try record(of: folder)))
      }
    }
    let page = target.appendingPathComponent("index.html")
    try OutputFolder.write(
      IndexReport(entries, pairs: pairs, findings: findings).document.html(), to: page)
    return page
  }

  private static func show(_ page: URL) throws {
    var opener = try ChildProgram.start(
      "xdg-open", [page.absoluteURL.path], in: .opener, package: "xdg-utils",
      isInterrupted: { false })
    let ending = try opener.finish()
    guard ending.isSuccess else {
      throw CommandFailure(
        .failure,
        "cannot open \(page.relativePath): expected status 0 from xdg-open, found "
          + "\(ending.firstErrorLine ?? "status \(ending.status ?? -1)")")
    }
  }
}

extension Record {
  /// The images of the gallery and of the findings.
  fileprivate var images: [Image] { gallery + (findings ?? []).flatMap { $0.images ?? [] } }

  /// Leaves out the images that are not kept.
  fileprivate mutating func keepImages(where isKept: (Image) -> Bool) {
    gallery = gallery.filter(isKept)
    for index in (findings ?? []).indices {
      let kept = findings?[index].images?.filter(isKept) ?? []
      findings?[index].images = kept.isEmpty ? nil : kept
    }
  }
}
