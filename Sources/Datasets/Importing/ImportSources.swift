package import Foundation

/// What an import reads: the format, its sources, and the folder of their images.
///
/// A folder that holds one label file stands for that file, so that its labels are not dropped.
package struct ImportSources: Sendable {
  /// The format.
  package private(set) var format: any DatasetFormat
  /// The files or folders to read, in order.
  package private(set) var sources: [URL]
  /// The folder that relative image names start from; nil means the label file's own.
  package private(set) var pictureFolder: URL?
  /// Why it is that format, and which files were taken; for people.
  package private(set) var notes: [String] = []

  /// Settles the format of the sources, or looks in folders for what the named format reads.
  ///
  /// Throws `.wrongData` where no format fits, or where a folder holds several label files.
  package init(
    _ sources: [URL], as named: (any DatasetFormat)? = nil, pictureFolder: URL? = nil
  ) throws(DatasetError) {
    self.sources = sources
    self.pictureFolder = pictureFolder
    format = named ?? PictureFolder()
    var failure: DatasetError?
    if named == nil {
      do {
        let found = try DatasetImport.detectFormat(of: sources)
        format = found.format
        notes = ["reading as \(format.name): \(found.reason)"]
      } catch {
        failure = error
      }
    }
    if let failure, failure.kind != .wrongData || !sources.allSatisfy(SourceFiles.isFolder) {
      throw failure
    }
    // Images alone may have labels beside them; a named format may lie inside a folder.
    if (named == nil) == (format.name == PictureFolder().name) {
      let isTaken = try takeLabelFiles(of: named)
      if let failure, !isTaken { throw failure }
    }
  }

  /// Replaces each folder that the format does not read by the label files inside; returns whether there are any.
  private mutating func takeLabelFiles(
    of named: (any DatasetFormat)?
  ) throws(DatasetError) -> Bool {
    var chosen: (any DatasetFormat)?
    var files: [URL] = []
    for source in sources {
      let isWhole = !SourceFiles.isFolder(source) || named?.recognises(source) != nil
      let inside = isWhole ? nil : try LabelFiles(in: source, of: named)
      guard let inside, let first = inside.found.first else {
        files.append(source)
        continue
      }
      files += try inside.whole(isNamed: named != nil, besides: chosen)
      chosen = first.format
    }
    guard let chosen else { return false }
    format = chosen
    let count = files.count == 1 ? files[0].relativePath : "\(files.count) files"
    notes = ["reading \(count) as \(format.name)"]
    if pictureFolder == nil, files.count == 1 {
      pictureFolder = Self.pictures(of: files[0], in: sources[0], as: format)
      if let pictureFolder {
        notes.append("images are taken from \(pictureFolder.relativePath) (--pictures)")
      }
    }
    sources = files
    return true
  }

  /// The folder in which the first image that a label file names is found; nil for none.
  private static func pictures(
    of file: URL, in folder: URL, as format: any DatasetFormat
  ) -> URL? {
    var first: String?
    _ = try? format.read([file], options: ImportOptions(isLabelsOnly: true)) {
      (frame) throws(DatasetError) in
      first = frame.name
      throw DatasetError(.interrupted, "the first name is enough")
    }
    guard let first, !first.isEmpty else { return nil }
    let own = file.deletingLastPathComponent()
    var places = [own, folder]
    for place in [own, folder, own.deletingLastPathComponent()] {
      places += SourceFiles.folders(in: place)
    }
    for place in SourceFiles.folders(in: folder) { places += SourceFiles.folders(in: place) }
    return places.first {
      FileManager.default.fileExists(atPath: $0.appendingPathComponent(first).path)
    }
  }
}

/// The label files, recordings and videos below a folder.
struct LabelFiles {
  /// The files with their formats, in order of their names.
  private(set) var found: [(file: URL, format: any DatasetFormat)] = []
  private let folder: URL
  private var hasPictures = false

  /// Files that are looked at, and folders that are gone down, at most.
  private static let (fileLimit, depthLimit) = (1000, 3)

  /// Looks for files of one format, or of any.
  init(in folder: URL, of named: (any DatasetFormat)?) throws(DatasetError) {
    self.folder = folder
    let formats = named.map { [$0] } ?? DatasetFormats.all
    let types: Set<String> = [
      "json", "jsonl", "xml", "txt", "csv", "mat", "gesichter", "data",
    ]
    let names = try SourceFiles.names(below: folder, depth: Self.depthLimit)
    hasPictures = names.contains { SourceFiles.isPicture($0) }
    let candidates = names.filter {
      let type = ($0 as NSString).pathExtension.lowercased()
      return types.contains(type) || VideoContainer.allExtensions.contains(type)
    }
    guard candidates.count <= Self.fileLimit else {
      throw DatasetError(
        .wrongData,
        "cannot import \(folder.relativePath): expected at most \(Self.fileLimit) files that may hold "
          + "labels, found \(candidates.count) (name the format or the files)")
    }
    for name in candidates {
      let file = folder.appendingPathComponent(name)
      if let format = formats.first(where: { $0.recognises(file) != nil }) {
        found.append((file, format))
      }
    }
  }

  /// The files, where it is clear that all of them are meant: one, or recordings of one format.
  ///
  /// Throws `.wrongData` with the names of those between which it is not.
  func whole(
    isNamed: Bool, besides earlier: (any DatasetFormat)?
  ) throws(DatasetError) -> [URL] {
    let format = found[0].format
    let isOne = found.allSatisfy { $0.format.name == (earlier ?? format).name }
    let isVideo = format.name == Video().name
    let areRecordings = isVideo || format.joins != .name
    let dropsPictures = hasPictures && isVideo && !isNamed
    if isOne, found.count == 1 || areRecordings, !dropsPictures { return found.map(\.file) }
    let list = found.prefix(5).map {
      "\($0.file.path.dropFirst(folder.path.count + 1)) (\($0.format.name))"
    }
    let rest = found.count > 5 ? " and \(found.count - 5) more" : ""
    throw DatasetError(
      .wrongData,
      "cannot import \(folder.relativePath): expected one label file, found "
        + "\(dropsPictures ? "images and " : "")\(list.joined(separator: ", "))\(rest) "
        + "(name the file, and with --pictures the folder of its images)")
  }
}
