import CommandSyntax
import Datasets
import FaceCore
import Foundation
import Platform
import Running
import Scoring

extension Command {
  private static let format = Argument(
    optional: "format", .choice(of: DatasetFormats.all.map(\.name)),
    otherwise: "recognised from the source",
    help: "Format of the sources, see above.")
  private static let sources = Argument(
    repeating: "source", .path, help: "Label files or folders, read in this order.")
  private static let output = Option(
    "output", short: "o", valueName: "file.h5", .path(extensions: ["h5"]),
    help:
      "The dataset to write, with --of the predictions file, with --draft the mapping (required without it)."
  )
  private static let source = Option(
    "source", valueName: "text", .string, otherwise: "left out",
    help: "Source of the data; stored in the dataset.")
  private static let licence = Option(
    "licence", valueName: "text", .string, otherwise: "left out",
    help: "Licence of the data; stored in the dataset.")
  private static let images = Option(
    "images", valueName: "folder", .directory, otherwise: "the label file's folder",
    help: "Folder of relative image names.")
  private static let indexBase = Option(
    "index-base", valueName: "base", .integer(in: 0...1), default: 1,
    help:
      "Index of the first pixel, for formats that do not define it; 1 subtracts 1 from coordinates."
  )
  private static let category = Option(
    repeating: "category", valueName: "name", .string,
    otherwise: "the only one, or the one named face",
    help:
      "Categories that are faces: names or numbers, 'all', or several with commas; names are kept."
  )
  private static let scheme = Option(
    "scheme", valueName: "name", .choice(of: PointOrder.all.map(\.name)),
    otherwise: "the names of the points, or their number and place",
    help: "Scheme of the points, for sources that do not name them.")
  private static let points = Option(
    "points", valueName: "mapping.json", .path(extensions: ["json"]), otherwise: "left out",
    help: "Table from points of one of our schemes to those of the source, see the guides.")
  private static let columns = Option(
    "columns", valueName: "mapping", .string, otherwise: "those of the format",
    help:
      "For csv: KEY=COLUMN,… such as image=file,x=left,y=top,w=width,h=height, or a .json of these."
  )
  private static let draft = Flag(
    "draft",
    help:
      "Guess the mapping of HDF5, or --columns of csv; printed, or written to a .json given too.")
  private static let dataset = Option(
    "of", valueName: "dataset.h5", .path(extensions: ["h5"]), otherwise: "a dataset is written",
    help: "Dataset that a tracker processed: its output becomes predictions of this dataset.")
  private static let join = Option(
    "join", valueName: "key", .choice(FrameKey.self), otherwise: "the key of the format",
    help: "Key that joins frames to those of --of or --video, or orders those of --sequence.")
  private static let offset = Option(
    "offset", valueName: "3f", .frameOffset, otherwise: "0",
    help:
      "Add this to the frames' numbers (3f) or times (-0.12s) before they are joined.")
  private static let framesPerSecond = Option(
    "fps", valueName: "rate", .number(in: 0.001...100_000), otherwise: "30",
    help: "Frames per second of sources that number their frames but have no times.")
  private static let repairs = Option(
    repeating: "repair", valueName: "name=value", .repair, otherwise: "none",
    help: "Changes that a finding names, in order.")
  private static let exif = Option(
    "apply-exif", valueName: "what", .choice(ExifUse.self),
    otherwise: "images and faces stay as they are stored",
    help: "Faces are of the upright images that Exif describes: turn the labels, or the images.")
  private static let noFaces = Flag(
    "no-faces",
    help: "The images are known to show no face; labels without any face are refused otherwise.")
  private static let labelsOnly = Flag(
    "labels-only",
    help: "Omit the images, which then need not exist; frames without images are not evaluated.")
  private static let maxBadImages = Option(
    "max-bad-images", valueName: "n", .integer(in: 0...1_000_000_000), default: 0,
    help:
      "Maximum number of unreadable images to leave out with their labels; more are an error."
  )
  private static let strict = Flag(
    "strict", help: "Fail, instead of warning, if anything would be left out.")

  /// `facegauge import`.
  static let `import` = Command(
    CommandDeclaration(
      "import",
      abstract: "Read labels into a dataset, or another tracker's output into predictions",
      discussion: """
          facegauge import imglab faces.xml -o faces.h5
          facegauge import coco labels.json --video clip.mp4 -o clip.h5

        Labels become a dataset. With --of, a tracker's output becomes predictions of a dataset, \
        which 'facegauge evaluate DATASET.h5 --predictions FILE.h5' evaluates.

        --video puts labels on the frames of a video, by names, numbers or times (--join). \
        --sequence makes labelled images the frames of videos.

        A folder with one label file can be given instead of that file; its images are searched in \
        the folder. If a folder contains several label files, name one of them.

        Formats:


        """
          + DatasetFormats.all.map { "  \($0.name)\n      \($0.summary)" }.joined(separator: "\n"),
      arguments: [format, sources],
      options: [
        output, dataset, importVideo, importSequence, join, offset, importFirstNumber, datasetName,
        source, licence, images, indexBase, category, scheme, points, columns, draft,
        framesPerSecond, repairs, exif, labelsOnly, noFaces, maxBadImages, strict, resume, force,
      ],
      essentials: [
        "output", "of", "video", "sequence", "images", "columns", "draft", "repair", "resume",
        "force",
      ])
  ) { arguments in
    if let status = try listArrays(
      of: arguments[sources], as: arguments[format], output: arguments[output],
      drafts: arguments[draft], replacing: arguments[force])
    {
      return status
    }
    if arguments[draft] { return try draftColumns(arguments) }
    guard let path = arguments[output] else {
      throw arguments.usageError("missing option '--output <file.h5>'")
    }
    let target = URL(fileURLWithPath: path)
    let found = try ImportSources(
      arguments[sources].map { URL(fileURLWithPath: $0) },
      as: arguments[format].flatMap(DatasetFormats.named),
      imageFolder: arguments[images].map { URL(fileURLWithPath: $0, isDirectory: true) },
      isPredictions: arguments[dataset] != nil)
    var inputs =
      found.sources + found.sources.flatMap { found.format.files(namedIn: $0) }
    for path in arguments[sources] + arguments[importVideo]
      + [arguments[dataset], arguments[points], arguments[columns]].compactMap({ $0 })
    { inputs.append(URL(fileURLWithPath: path)) }
    for input in inputs { try target.requireOther(than: input) }
    if target.isThere, !HDF5Contents.isHDF5(target),
      inputs.contains(where: { $0.isFolder && target.isInside($0) })
    {
      // Whatever else lies in a folder of labels may be one of them.
      try target.requireOther(than: target)
    }
    let clips = try clips(
      arguments, of: found.format, into: target, join: arguments[join], offset: arguments[offset])
    let (chosen, urls) = (clips ?? found.format, found.sources)
    for note in found.notes { Diagnostics.standardError.note(note) }
    let settings: [(any Parameter, ImportSetting)] = [
      (indexBase, .indexBase), (framesPerSecond, .framesPerSecond), (category, .category),
      (scheme, .scheme), (points, .points), (columns, .columns),
    ]
    for (option, setting) in settings
    where arguments.isGiven(option) && !chosen.settings.contains(setting) {
      // Of images that a clip's output names by number.
      if setting == .framesPerSecond, arguments[dataset] != nil, arguments[join] == .time {
        continue
      }
      let formats = DatasetFormats.all.filter { $0.settings.contains(setting) }.map(\.name)
      throw arguments.usageError(
        "'--\(setting.rawValue)' has no effect on \(chosen.name), only on "
          + formats.joined(separator: ", "))
    }
    if arguments.isGiven(images), !chosen.usesImageFolder {
      throw arguments.usageError("'--images' has no effect on \(chosen.name)")
    }
    guard arguments[exif] == nil || !arguments[labelsOnly] else {
      throw arguments.usageError(
        "'--apply-exif' reads the images' Exif and cannot be combined with '--labels-only'")
    }
    let isOfFractions = arguments[repairs].contains(.fractions) && !arguments.isGiven(indexBase)
    var options = ImportOptions(
      indexBase: isOfFractions ? 0 : arguments[indexBase], categories: arguments[category],
      imageFolder: found.imageFolder,
      framesPerSecond: arguments[framesPerSecond], isLabelsOnly: arguments[labelsOnly],
      isInterrupted: { Interruption.isRequested })
    options.maxBadImages = arguments[maxBadImages]
    options.repairs = arguments[repairs]
    options.isUpright = arguments[exif] != nil
    options.turnsImages = arguments[exif] == .images
    options.statesNoFaces = arguments[noFaces]
    if arguments.isGiven(scheme), arguments.isGiven(points) {
      throw arguments.usageError("'--scheme' cannot be combined with '--points', which names one")
    }
    options.pointOrder = arguments[scheme].flatMap(PointOrder.named)
    if let path = arguments[points] {
      let bytes = try InputFile.bytes(of: URL(fileURLWithPath: path), mebibytes: 1)
      options.points = try PointMapping(json: bytes, source: path)
    }
    options.columns = try arguments[columns].map { try ColumnMapping(argument: $0) }
    if let seen = arguments[dataset] {
      guard clips == nil else {
        throw arguments.usageError("'--of' cannot be combined with '--video' or '--sequence'")
      }
      try arguments.refuse(
        datasetName, source, licence, resume, maxBadImages, noFaces, with: dataset)
      guard arguments[exif] != .images else {
        throw arguments.usageError("'--apply-exif images' cannot be combined with '--of'")
      }
      var plan = PredictionsImport(
        format: chosen, sources: urls, options: options, isStrict: arguments[strict],
        key: arguments[join])
      if let shift = arguments[offset] {
        if case .seconds = shift, arguments[join] ?? chosen.joins != .time {
          throw arguments.usageError(
            "'--offset' in seconds requires a join by time, and frames are joined by "
              + "\((arguments[join] ?? chosen.joins).rawValue): expected frames, such as 3f, or --join time"
          )
        }
        plan.offset = shift
      }
      plan.firstNumber = arguments[importFirstNumber]
      return try run(
        plan, of: DatasetReader(URL(fileURLWithPath: seen)), into: target,
        replacing: arguments[force])
    }
    guard clips is LabelledVideo || !arguments.isGiven(importFirstNumber) else {
      throw arguments.usageError("'--first-number' requires '--of' or '--video'")
    }
    if clips == nil { try arguments.refuse([join, offset], "requires '--of' or '--video'") }
    try arguments.refuse(importVideo, with: labelsOnly)
    var plan = DatasetImport(
      format: chosen, sources: urls, options: options, isStrict: arguments[strict])
    (plan.folders, plan.splits) = (found.folders, found.splits)
    var facts = [
      "format": chosen.name, "index-base": "\(arguments[indexBase])",
      "labels-only": "\(arguments[labelsOnly])",
      "max-bad-images": "\(arguments[maxBadImages])",
      "fps": arguments[framesPerSecond].map { "\($0)" } ?? "default",
      "images": arguments[images] ?? "default", "source": arguments[source] ?? "none",
      "licence": arguments[licence] ?? "none",
    ]
    let categories = arguments[category]
    facts["category"] = categories.isEmpty ? "default" : categories.joined(separator: ", ")
    facts["repair"] =
      options.repairs.isEmpty ? "none" : options.repairs.map(\.text).joined(separator: ", ")
    if clips != nil {
      facts["clips"] = try clipFacts(arguments, join: arguments[join], offset: arguments[offset])
    }
    facts["no-faces"] = "\(options.statesNoFaces)"
    facts["apply-exif"] = arguments[exif]?.rawValue ?? "nothing"
    facts["scheme"] = arguments[scheme] ?? "default"
    facts["points"] = arguments[points].map { SourceMark.of(URL(fileURLWithPath: $0)) } ?? "none"
    let isFile = arguments[columns]?.hasSuffix(".json") ?? false
    facts["columns"] =
      arguments[columns].map { isFile ? SourceMark.of(URL(fileURLWithPath: $0)) : $0 } ?? "none"
    for (index, url) in urls.enumerated() { facts["source \(index + 1)"] = SourceMark.of(url) }
    let title = ImportParts.Title(
      name: arguments[datasetName] ?? target.deletingPathExtension().lastPathComponent,
      source: arguments[source], licence: arguments[licence],
      isLabelled: chosen.isLabelled || arguments[noFaces])
    facts["name"] = title.name
    let parts = try ImportParts(
      target, title: title, facts: facts, replaces: arguments[force],
      resumes: arguments[resume])
    if let notice = parts.notice { Diagnostics.standardError.note(notice) }
    let remarks = try countingFrames("Importing", of: nil) {
      try plan.run(into: parts, advance: $0, isInterrupted: $1)
    }
    ShapedDataset.tell(remarks)
    Diagnostics.standardError.print(
      "\(path.withoutControlCharacters): \(parts.frameCount) frames, "
        + "\(parts.faceCount) faces")
    return .success
  }

  /// Prints or writes the columns that are guessed for a table.
  private static func draftColumns(_ arguments: ParsedArguments) throws -> ExitStatus {
    let name = CSVColumns().name
    let places = arguments[sources].filter { $0.lowercased().hasSuffix(".json") }
    let files = arguments[sources].filter { !places.contains($0) }
    let urls = files.map { URL(fileURLWithPath: $0) }
    let others = arguments.given {
      !["draft", "output", "force", "format", "source"].contains($0.name)
    }
    guard arguments[format] ?? name == name, urls.count == 1 else {
      throw arguments.usageError("'--draft' reads one HDF5 file or one of format \(name)")
    }
    if let other = others.first {
      throw arguments.usageError("'--draft' cannot be combined with '--\(other.name)'")
    }
    let drafted = try ColumnDraft(urls[0])
    let mapping = String(decoding: try drafted.mapping.json(), as: UTF8.self)
    guard let path = places.first ?? arguments[output] else {
      for note in drafted.notes { Diagnostics.standardError.note(note) }
      try StandardOutput.write(mapping)
      return .success
    }
    try OutputFolder.writeDraft(
      mapping, of: urls[0], notes: drafted.notes, to: URL(fileURLWithPath: path),
      replacing: arguments[force])
    Diagnostics.standardError.print(
      "\(path.withoutControlCharacters): the columns of "
        + "\(files[0].withoutControlCharacters) (import csv … --columns)")
    return .success
  }

  private static func run(
    _ plan: PredictionsImport, of dataset: DatasetReader, into target: URL, replacing: Bool
  ) throws -> ExitStatus {
    let sha256 = try PhaseProgress.run { try $0.hash(dataset) }
    let summary = try countingFrames("Importing", of: nil) {
      try plan.run(
        for: dataset, sha256: sha256, into: target, replacing: replacing, advance: $0,
        isInterrupted: $1)
    }
    ShapedDataset.tell(summary.remarks)
    for line in RunSummary.findings(try .of(target, dataset)) {
      Diagnostics.standardError.print(line.withoutControlCharacters)
    }
    Diagnostics.standardError.print(
      "\(target.relativePath): \(summary.joined) of \(summary.frames) frames, \(summary.faces) faces"
    )
    return .success
  }
}

/// What is turned where labels are of upright images.
private enum ExifUse: String, CaseIterable, Sendable {
  case labels, images
}

extension ValueSyntax where Value == FrameOffset {
  /// A number of frames or of seconds.
  fileprivate static var frameOffset: Self {
    Self(summary: "frames or seconds") { word throws(ValueMismatch) in
      guard let offset = FrameOffset(word) else {
        throw ValueMismatch(expected: "frames such as 3f or -3f, or seconds such as -0.12s")
      }
      return offset
    } write: {
      $0.text
    }
  }
}
