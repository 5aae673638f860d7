package import Foundation
package import Platform

/// The input of an import: the format, its sources, and the folder of their images.
///
/// A folder with a single label file is replaced by that file; otherwise its labels would be lost.
package struct ImportSources: Sendable {
  /// The format.
  package private(set) var format: any DatasetFormat
  /// The files or folders to read, in order.
  package private(set) var sources: [URL]
  /// The folder of relative image names; nil means that of the label file.
  package private(set) var imageFolder: URL?
  /// The folders that the user gave.
  package let folders: [URL]
  /// The files of labels that are splits of a folder; empty if the sources are read together.
  package private(set) var splits: [SplitSource] = []
  /// Notes for the user: why it is that format, and which files were chosen.
  package private(set) var notes: [String] = []

  /// Detects the format of the sources, or finds files of the named format in folders: of labels, or with
  /// `isPredictions` of a tracker's output.
  ///
  /// Throws `.wrongData` if no format matches or a folder holds several label files.
  package init(
    _ sources: [URL], as named: (any DatasetFormat)? = nil, imageFolder: URL? = nil,
    isPredictions: Bool = false
  ) throws(FileError) {
    let sources = sources.map {
      YOLODescription.describesImages($0) ? $0.deletingLastPathComponent() : $0
    }
    self.sources = sources
    folders = sources.filter(\.isFolder)
    self.imageFolder = imageFolder
    format = named ?? ImageFolder()
    var failure: FileError?
    if named == nil {
      do {
        let found = try DatasetImport.detectFormat(of: sources)
        format = found.format
        notes = ["reading as \(format.name): \(found.reason)"]
      } catch {
        failure = error
      }
    }
    if let failure, failure.kind != .wrongData || !sources.allSatisfy(\.isFolder) {
      throw failure
    }
    // A folder of images may also hold labels; a named format may lie inside a folder.
    if (named == nil) == (format.name == ImageFolder().name) {
      let isTaken = try takeLabelFiles(of: named, isPredictions: isPredictions)
      if let failure, !isTaken { throw failure }
    }
    if named == nil, format.name == ImageFolder().name {
      for source in sources { try UnreadLabels(of: source).requireNone() }
    }
  }

  /// Replaces each folder that the format does not read by the label files inside; returns whether there are any.
  private mutating func takeLabelFiles(
    of named: (any DatasetFormat)?, isPredictions: Bool
  ) throws(FileError) -> Bool {
    var chosen: (any DatasetFormat)?
    var files: [URL] = []
    var otherNotes: [String] = []
    for source in sources {
      let isWhole = !source.isFolder || named?.recognises(source) != nil
      let inside =
        isWhole ? nil : try LabelFiles(in: source, of: named, isPredictions: isPredictions)
      guard let inside, let first = inside.found.first else {
        files.append(source)
        continue
      }
      if sources.count == 1, imageFolder == nil {
        splits = inside.splits
        files = splits.map(\.file)
      }
      if splits.isEmpty { files += try inside.whole(isNamed: named != nil, besides: chosen) }
      chosen = first.format
      if let note = inside.note { otherNotes.append(note) }
    }
    guard let chosen else { return false }
    format = chosen
    let count = files.count == 1 ? files[0].relativePath : "\(files.count) files"
    notes = ["reading \(count) as \(format.name)"] + otherNotes
    if imageFolder == nil, files.count == 1 {
      imageFolder = Self.images(of: files[0], in: sources[0], as: format)
      if let imageFolder {
        notes.append("images are taken from \(imageFolder.relativePath) (--images)")
      }
    }
    sources = files
    return true
  }

  /// The folder in which the first image that a label file names is found, under another spelling too unless `isExact`; nil
  /// if none is found.
  static func images(
    of file: URL, in folder: URL, as format: any DatasetFormat, isExact: Bool = false
  ) -> URL? {
    var first: String?
    // Labels of which none is known to be a face name images too.
    for categories in [[], [FaceCategories.all]] where first == nil {
      let options = ImportOptions(categories: categories, isLabelsOnly: true)
      _ = try? format.read([file], options: options) { (frame) throws(FileError) in
        first = frame.name
        throw FileError(.interrupted, "the first name is enough")
      }
    }
    guard let first, !first.isEmpty else { return nil }
    let own = file.deletingLastPathComponent()
    var positions = [own, folder]
    for position in [own, folder, own.deletingLastPathComponent()] {
      positions += SourceFiles.folders(in: position)
    }
    for position in SourceFiles.folders(in: folder) {
      positions += SourceFiles.folders(in: position)
    }
    var nearby = NearbyImages()
    return positions.first { $0.appendingPathComponent(first).isThere }
      ?? positions.first { !isExact && nearby.path(of: first, in: $0) != nil }
  }
}

/// The label files, recordings and videos below a folder.
struct LabelFiles {
  /// The files with their formats, in order of their names.
  private(set) var found: [(file: URL, format: any DatasetFormat)] = []
  /// Which files are left out as they are of the other side; nil for none.
  private(set) var note: String?
  private let folder: URL
  private var hasImages = false

  /// Maximum number of files to examine, and of folder levels to descend.
  private static let (fileLimit, depthLimit) = (1000, 3)

  /// Finds files of one format, or of any; of MOT Challenge the labels, or with `isPredictions` the detections.
  init(
    in folder: URL, of named: (any DatasetFormat)?, isPredictions: Bool = false
  ) throws(FileError) {
    self.folder = folder
    let formats = named.map { [$0] } ?? DatasetFormats.all
    let types: Set<String> = [
      "json", "jsonl", "xml", "txt", "csv", "tsv", "mat", "gesichter", "data",
    ]
    let names = try SourceFiles.names(below: folder, depth: Self.depthLimit)
    hasImages = names.contains { SourceFiles.isImage($0) }
    let candidates = names.filter {
      let type = PathText($0).suffix.lowercased()
      return types.contains(type) || VideoContainer.allExtensions.contains(type)
    }
    guard candidates.count <= Self.fileLimit else {
      throw FileError.wrongData(
        "cannot import \(folder.relativePath): expected at most \(Self.fileLimit) files that may hold "
          + "labels, found \(candidates.count) (name the format or the files)")
    }
    for name in candidates {
      let file = folder.appendingPathComponent(name)
      if let format = formats.first(where: { $0.recognises(file) != nil }) {
        found.append((file, format))
      }
    }
    // A table of any columns is not taken for labels where other files are known to be.
    let known = found.filter { $0.format.name != CSVColumns().name }
    if !known.isEmpty { found = known }
    let tracks = found.filter { $0.format.name == MOTChallenge().name }.map(\.file)
    if !isPredictions, let first = tracks.first, tracks.count == found.count,
      MOTChallenge.areDetections(tracks, below: folder)
    {
      throw FileError.wrongData(
        "cannot import \(folder.relativePath): expected labels, as in a folder gt, found detections alone, "
          + "the first is \(first.relativePath) (--of reads them as a tracker's output; name the file if it "
          + "holds labels)")
    }
    let others = MOTChallenge.filesOfOtherSide(tracks, isPredictions: isPredictions)
    guard let first = others.first else { return }
    found.removeAll { others.contains($0.file) }
    note =
      "\(others.count) files of "
      + (isPredictions ? "labels are no tracker's output" : "detections are no labels")
      + " and left out" + (isPredictions ? "" : " (--of reads them)")
      + ", the first is \(first.relativePath)"
  }

  /// Whether a folder holds at least one such file.
  static func areThere(in folder: URL) -> Bool {
    (try? LabelFiles(in: folder, of: nil)).map { !$0.found.isEmpty } ?? true
  }

  /// The files as splits, if each is one of its own and they are of one format; none otherwise.
  var splits: [SplitSource] {
    let format = found[0].format
    guard format.joins == .name, found.allSatisfy({ $0.format.name == format.name }) else {
      return []
    }
    return SplitSource.all(of: found.map(\.file), in: folder, as: format) ?? []
  }

  /// The files, if they are unambiguous: a single file, or recordings of one format.
  ///
  /// Otherwise throws `.wrongData` with the candidates' names.
  func whole(
    isNamed: Bool, besides earlier: (any DatasetFormat)?
  ) throws(FileError) -> [URL] {
    let format = found[0].format
    let isOne = found.allSatisfy { $0.format.name == (earlier ?? format).name }
    let isVideo = format.name == Video().name
    let areRecordings = isVideo || format.joins != .name
    let dropsImages = hasImages && isVideo && !isNamed
    if isOne, found.count == 1 || areRecordings, !dropsImages { return found.map(\.file) }
    let list = found.map {
      "\($0.file.path.dropFirst(folder.path.count + 1)) (\($0.format.name))"
    }
    let hint =
      dropsImages
      ? "'facegauge import images' reads the images without labels; or "
      : isOne && [LabelMeJSON().name, PascalVOC().name].contains(format.name)
        ? "'facegauge import \(format.name)' reads all of them; or " : ""
    throw FileError.wrongData(
      "cannot import \(folder.relativePath): expected one label file, found "
        + "\(dropsImages ? "images and " : "")\(list.listed(atMost: 5)) "
        + "(\(hint)name the file, and with --images the folder of its images)")
  }
}
