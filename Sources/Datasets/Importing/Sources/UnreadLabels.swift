internal import Foundation
internal import Platform

/// Files that seem to label a folder of images which is about to be read without labels.
struct UnreadLabels {
  /// Paths of those in the folder, which no format recognises.
  private(set) var inside: [String] = []
  /// Paths of those next to the folder, which name its images.
  private(set) var nearby: [String] = []

  private let folder: URL

  /// Extensions of files that may hold labels, in lower case.
  private static let types: Set<String> = [
    "json", "jsonl", "ndjson", "xml", "csv", "tsv", "txt", "pts", "mat", "npy", "npz", "pkl",
    "parquet",
  ]
  /// Parts of names of folders that hold labels.
  private static let words = [
    "label", "annot", "ground", "split", "bbox", "landmark", "points", "json", "xml", "txt", "csv",
  ]
  /// Maximum images to know by name, files of a folder to look into, bytes of each, and folders to go up.
  private static let (imageLimit, fileLimit, headLimit, levels) = (10_000, 100, 1 << 16, 3)

  /// Looks into the folder, and next to it into files and folders of labels.
  init(of folder: URL) {
    self.folder = folder
    let found = (try? SourceFiles.names(below: folder, depth: 64)) ?? []
    inside = found.filter { Self.mayLabel($0) }
    let images = found.filter { SourceFiles.isImage($0) }.prefix(Self.imageLimit)
    guard inside.isEmpty, !images.isEmpty else { return }
    let all = Set(images.map { PathText($0).name })
    nearby = Self.places(around: folder.standardizedFileURL).lazy.compactMap { place in
      // What lies next to images of the same names is about those.
      let entries = ((try? place.url.entries()) ?? []).filter { !$0.isFolder }.map(\.name)
      let names = all.subtracting(entries)
      let stems = Set(names.map { PathText($0).stem })
      return Self.labels(among: entries).first { file in
        place.isOfLabels && stems.contains(PathText(file).stem)
          || Self.names(of: names, in: place.url.appendingPathComponent(file))
            >= max(1, min(3, names.count))
      }.map { place.url.appendingPathComponent($0).path }
    }.prefix(1).map { $0 }
  }

  /// Throws `.wrongData` if there are any.
  func requireNone() throws(FileError) {
    let path = folder.relativePath
    let way = "'facegauge import images \(path)' reads the images without labels"
    if let first = inside.first {
      let more = inside.count > 1 ? " and \(inside.count - 1) more files" : ""
      throw FileError.wrongData(
        "cannot import \(path): expected labels of a known format or none, found \(first)\(more) among "
          + "the images, which no format recognises (most tools also export COCO; name the format, and the file, to see "
          + "why; \(way))"
      )
    }
    if let first = nearby.first {
      throw FileError.wrongData(
        "cannot import \(path): expected its labels in it or none, found labels of its images in "
          + "\(first) (import the folder that holds both, or the labels with --images \(path); \(way))"
      )
    }
  }

  private static func mayLabel(_ path: String) -> Bool {
    let file = PathText(path)
    return types.contains(file.suffix.lowercased())
      && !OtherFiles.plain.contains(file.stem.lowercased())
  }

  /// The folders above, those of labels in them, and the one that mirrors the path of the images.
  private static func places(around folder: URL) -> [(url: URL, isOfLabels: Bool)] {
    var places: [(url: URL, isOfLabels: Bool)] = []
    var parts = PathText(folder.path).components
    if let index = parts.lastIndex(where: { $0.lowercased() == "images" }) {
      parts[index] = "labels"
      places.append((URL(fileURLWithPath: "/" + parts.joined(separator: "/")), true))
    }
    var position = folder
    for _ in 0..<levels where position.path != "/" {
      let own = position.path
      position.deleteLastPathComponent()
      places.append((position, false))
      places += SourceFiles.folders(in: position).filter { inner in
        let name = inner.lastPathComponent.lowercased()
        return inner.path != own && words.contains { name.contains($0) }
      }.map { ($0, true) }
    }
    return places
  }

  private static func labels(among names: [String]) -> [String] {
    Array(names.filter { mayLabel($0) }.sorted().prefix(fileLimit))
  }

  /// How many of the names the beginning of a file has.
  private static func names(of images: Set<String>, in file: URL) -> Int {
    guard let bytes = InputFile.head(of: file, headLimit) else { return 0 }
    var found: Set<String> = []
    func look(_ text: some StringProtocol) {
      let text = String(text)
      if images.contains(text) { found.insert(text) }
    }
    let marks = Set("\"',;<>=|/\\\t\r\n".utf8)
    for part in ByteOrderMark.text(bytes).utf8.split(whereSeparator: marks.contains) {
      let words = Substring(part)
      look(words.trimmingCharacters(in: .whitespaces))
      if words.contains(" ") { words.split(separator: " ").forEach { look($0) } }
    }
    return found.count
  }
}
