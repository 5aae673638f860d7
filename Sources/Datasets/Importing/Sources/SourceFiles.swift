internal import FaceCore
package import Foundation
internal import Imaging
internal import Platform

/// File access for imports.
enum SourceFiles {
  /// Extensions of the images that can be imported, in lower case.
  static let imageExtensions: Set<String> = ["jpg", "jpeg", "jfif", "png"]

  /// Extensions of images that are not read, in lower case.
  static let unreadExtensions: Set<String> = [
    "webp", "gif", "bmp", "tif", "tiff", "heic", "heif", "avif", "jp2", "jxl",
  ]

  /// Throws where sources are, or hold, nothing but images that are not read, or are an image.
  static func requireReadable(_ sources: [URL]) throws(FileError) {
    for source in sources {
      let names =
        source.isFolder
        ? (try? names(below: source, depth: 4)) ?? [] : [source.lastPathComponent]
      if !source.isFolder, isImage(source.lastPathComponent) {
        throw FileError.wrongData(
          "cannot import \(source.relativePath): expected a folder of images or a file of labels, found "
            + "an image (import images FOLDER)")
      }
      guard
        let first = names.first(where: {
          unreadExtensions.contains(PathText($0).suffix.lowercased())
        }
        ), !names.contains(where: { isImage($0) })
      else { continue }
      throw FileError.wrongData(
        "cannot import \(source.relativePath): expected JPEG or PNG images, found \(first) (convert the "
          + "images, for example with 'ffmpeg -i a.webp a.png' or 'heif-convert a.heic a.jpg')")
    }
  }

  /// Whether the name has an image's extension.
  static func isImage(_ name: some StringProtocol) -> Bool {
    let end = PathText(name.trimmingCharacters(in: .whitespaces))
    return imageExtensions.contains(end.suffix.lowercased())
  }

  /// The first 4 KiB of a file as text without a byte-order mark; nil if it cannot be read, or has not the extension.
  static func head(of url: URL, type: String? = nil) -> String? {
    guard type.map({ $0 == url.pathExtension.lowercased() }) ?? true else { return nil }
    return InputFile.head(of: url, 4096).map(ByteOrderMark.text)
  }

  /// The lines of these that are not empty; none where there is no such file.
  static func firstLines(of url: URL, type: String) -> [Substring] {
    head(of: url, type: type)?.split(whereSeparator: \.isNewline) ?? []
  }

  /// The location of a path that is relative to a folder unless it begins with a slash.
  static func url(of path: String, in folder: URL) -> URL {
    path.hasPrefix("/") ? URL(fileURLWithPath: path) : folder.appendingPathComponent(path)
  }

  /// Throws unless the path is an existing file.
  static func requireFile(_ url: URL) throws(FileError) {
    guard url.isThere else {
      throw FileError(.notFound, "cannot read \(url.relativePath): no such file")
    }
    guard !url.isFolder else {
      throw FileError.wrongData("cannot read \(url.relativePath): expected a file, found a folder")
    }
  }

  /// Throws unless the path is an existing folder.
  static func requireFolder(_ url: URL) throws(FileError) {
    guard url.isThere else {
      throw FileError(.notFound, "cannot read \(url.relativePath): no such folder")
    }
    guard url.isFolder else {
      throw FileError.wrongData("cannot read \(url.relativePath): expected a folder, found a file")
    }
  }

  /// The paths of sources for a message: of many the first three.
  static func list(_ sources: [URL]) -> String {
    sources.map(\.relativePath).listed(atMost: 3)
  }

  /// Throws where a source has none of the files that `what` describes.
  static func require(
    _ files: some Collection, _ what: String, in source: URL
  ) throws(FileError) {
    guard !files.isEmpty else {
      throw FileError.wrongData(
        "cannot import \(source.relativePath): expected \(what), found none")
    }
  }

  /// The sequence names of sources: a file name without extension, preceded by as many folders as needed to
  /// distinguish it from the other sources.
  struct Titles {
    private let keepsExtension: Bool
    /// How many sources end in each path.
    private var counts: [String: Int] = [:]

    init(_ sources: [URL], keepsExtension: Bool = false) {
      self.keepsExtension = keepsExtension
      for source in sources {
        for ending in endings(of: source) { counts[ending, default: 0] += 1 }
      }
    }

    /// The name of one of the sources.
    subscript(source: URL) -> String {
      let own = endings(of: source)
      return own.first { counts[$0, default: 0] < 2 } ?? own.first ?? ""
    }

    /// The last name of a path, then more and more of it up to the whole.
    private func endings(of source: URL) -> [String] {
      let names = (keepsExtension ? source : source.deletingPathExtension()).standardizedFileURL
        .pathComponents.filter { $0 != "/" }
      return names.indices.reversed().map { names[$0...].joined(separator: "/") }
    }
  }

  /// Files of those extensions below a folder, as paths relative to it, in order of their names.
  static func files(
    in folder: URL, extensions: Set<String>
  ) throws(FileError) -> [String] {
    try paths(in: folder, depth: .max, withHidden: true).filter {
      extensions.contains(PathText($0).suffix.lowercased())
    }
  }

  /// The same of a source that may be no folder, and then has none.
  static func filesIfFolder(_ source: URL, extensions: Set<String>) -> [String] {
    source.isFolder ? (try? files(in: source, extensions: extensions)) ?? [] : []
  }

  /// Files below a folder down to a depth, as paths relative to it, in order of their names.
  ///
  /// Names that begin with a dot are left out.
  static func names(below folder: URL, depth: Int) throws(FileError) -> [String] {
    try paths(in: folder, depth: depth, withHidden: false)
  }

  /// Paths of what is no folder, relative to a folder, in their order.
  ///
  /// What this program is writing or has left, and folders inside that cannot be listed are left out.
  private static func paths(
    in folder: URL, depth: Int, withHidden: Bool
  ) throws(FileError) -> [String] {
    var found: [String] = []
    func add(_ position: URL, _ path: String, _ level: Int) throws {
      // What macOS puts into archives for "a.jpg" is "._a.jpg", which is no image.
      for entry in try position.entries()
      where !entry.name.hasPrefix("._") && (withHidden || !entry.name.hasPrefix(".")) {
        let inner = position.appendingPathComponent(entry.name)
        guard !inner.isUnfinished else { continue }
        if entry.isFolder {
          if level < depth { try? add(inner, "\(path)\(entry.name)/", level + 1) }
        } else if !inner.isFolder {
          found.append(path + entry.name)
        }
      }
    }
    do {
      try add(folder, "", 1)
    } catch {
      throw FileError(
        .inputOutput, "cannot list \(folder.relativePath): \(error.systemReason)")
    }
    return found.sorted()
  }

  /// The folders directly in a folder, in order of their names, at most 100.
  static func folders(in folder: URL) -> [URL] {
    let names = (try? folder.names()) ?? []
    return Array(
      names.sorted().lazy.filter { !$0.hasPrefix(".") }.map { folder.appendingPathComponent($0) }
        .filter { $0.isFolder }.prefix(100))
  }

  /// All bytes of a file; throws for more than `limit`.
  static func bytes(of url: URL, limit: Int = 1 << 30) throws(FileError) -> [UInt8] {
    try InputFile(url, limit: limit).bytes()
  }

  /// How many bytes a file has; 0 where that is not known.
  static func byteCount(of url: URL) -> Int { url.status.map { Int($0.byteCount) } ?? 0 }

  /// The size in the header of an image; nil if it cannot be read.
  static func imageSize(
    of url: URL, isUpright: Bool = false
  ) throws(FileError) -> ImageSize? {
    imageSize(of: try bytes(of: url), isUpright: isUpright)
  }

  /// The same of the bytes of a file.
  static func imageSize(of bytes: [UInt8], isUpright: Bool) -> ImageSize? {
    guard let header = try? ImageHeader(of: bytes[...]) else { return nil }
    guard isUpright else { return header.size }
    return ExifTurn(orientation: header.orientation, stored: header.size)?.upright ?? header.size
  }
}

/// Identifies a version of a source.
package enum SourceMark {
  /// The path with its size in bytes and the time of its last change; of a folder the path alone.
  package static func of(_ url: URL) -> String {
    guard let status = url.status, status.kind == .file else { return url.path }
    let changed = status.modified.secondsSince1970
    return "\(url.path) (\(status.byteCount) bytes, \(changed))"
  }
}
