import CommandSyntax
import Datasets
import Foundation

extension Command {
  private static let format = Argument(
    optional: "format", .choice(of: DatasetFormats.all.map(\.name)),
    otherwise: "recognised from the source",
    help: "Format of the sources, see above.")
  private static let sources = Argument(
    repeating: "source", .path, help: "Label files or folders, read in this order.")
  private static let output = Option(
    required: "output", short: "o", valueName: "dataset.h5", .path(extensions: ["h5"]),
    help: "The dataset to write.")
  private static let name = Option(
    "name", .string, otherwise: "the output's file name",
    help: "Name of the dataset in reports.")
  private static let source = Option(
    "source", valueName: "text", .string, otherwise: "left out",
    help: "Where the data comes from; kept in the dataset.")
  private static let licence = Option(
    "licence", valueName: "text", .string, otherwise: "left out",
    help: "Licence of the data; kept in the dataset.")
  private static let pictures = Option(
    "pictures", valueName: "folder", .directory, otherwise: "the label file's folder",
    help: "Folder that relative picture names start from.")
  private static let indexBase = Option(
    "index-base", valueName: "base", .integer(in: 0...1), default: 1,
    help:
      "Number of the first pixel in pts and hrnet files; with 1, every coordinate is reduced by 1.")
  private static let labelsOnly = Flag(
    "labels-only",
    help: "Leave the pictures out, which then need not be there; such frames are not evaluated.")
  private static let strict = Flag(
    "strict", help: "Fail where anything would be left out, instead of warning.")
  private static let force = Flag("force", help: "Replace the output if it exists.")

  /// `facegauge import`.
  static let `import` = Command(
    CommandDeclaration(
      "import", abstract: "Read labelled pictures into a dataset",
      discussion: "Formats:\n\n"
        + DatasetFormats.all.map { "  \($0.name)\n      \($0.summary)" }.joined(separator: "\n"),
      arguments: [format, sources],
      options: [output, name, source, licence, pictures, indexBase, labelsOnly, strict, force])
  ) { arguments in
    let urls = arguments[sources].map { URL(fileURLWithPath: $0) }
    let target = URL(fileURLWithPath: arguments[output])
    let chosen: any DatasetFormat
    if let word = arguments[format], let known = DatasetFormats.named(word) {
      chosen = known
    } else {
      let detected = try DatasetImport.detectFormat(of: urls)
      chosen = detected.format
      Diagnostics.standardError.note("reading as \(chosen.name): \(detected.reason)")
    }
    let plan = DatasetImport(
      format: chosen, sources: urls,
      options: ImportOptions(
        indexBase: arguments[indexBase],
        pictureFolder: arguments[pictures].map {
          URL(fileURLWithPath: $0, isDirectory: true)
        }, isLabelsOnly: arguments[labelsOnly], isInterrupted: { Interruption.isRequested }),
      isStrict: arguments[strict])
    let writer = try DatasetWriter(
      target, name: arguments[name] ?? target.deletingPathExtension().lastPathComponent,
      source: arguments[source], licence: arguments[licence], isLabelled: chosen.isLabelled,
      replacing: arguments[force])
    let bar = ProgressBar("Importing", total: nil, unit: "pictures")
    let remarks = try stopping {
      try plan.run(
        into: writer, advance: { bar.advance(by: $0) },
        isInterrupted: { Interruption.isRequested })
    }
    bar.finish()
    for remark in remarks {
      if remark.isLoss {
        Diagnostics.standardError.warning(remark.text)
      } else {
        Diagnostics.standardError.note(remark.text)
      }
    }
    Diagnostics.standardError.print(
      "\(arguments[output]): \(writer.frameCount) pictures, \(writer.faceCount) faces")
    return .success
  }
}
