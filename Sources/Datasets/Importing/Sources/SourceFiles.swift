internal import FaceCore
package import Foundation
internal import Imaging
internal import Platform

/// File access for imports.
enum SourceFiles {
  /// Extensions of the images that can be imported, in lower case.
  static let imageExtensions: Set<String> = ["jpg", "jpeg", "png"]

  /// Extensions of images that are not read, in lower case.
  static let unreadExtensions: Set<String> = [
    "webp", "gif", "bmp", "tif", "tiff", "heic", "heif", "avif", "jp2", "jxl",
  ]

  /// Whether the name has an image's extension.
  static func isImage(_ name: some StringProtocol) -> Bool {
    let end = PathText(name.trimmingCharacters(in: .whitespaces))
    return imageExtensions.contains(end.suffix.lowercased())
  }

  /// The first 4 KiB of a file as text without a byte-order mark, or nil if it cannot be read.
  static func head(of url: URL) -> String? {
    guard !url.isFolder, let handle = try? FileHandle(forReadingFrom: url) else { return nil }
    defer { try? handle.close() }
    guard let data = try? handle.read(upToCount: 4096) else { return nil }
    return ByteOrderMark.text([UInt8](data))
  }

  /// Throws unless the path is an existing file.
  static func requireFile(_ url: URL) throws(FileError) {
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw FileError(.notFound, "cannot read \(url.relativePath): no such file")
    }
    guard !url.isFolder else {
      throw FileError(
        .wrongData, "cannot read \(url.relativePath): expected a file, found a folder")
    }
  }

  /// Throws unless the path is an existing folder.
  static func requireFolder(_ url: URL) throws(FileError) {
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw FileError(.notFound, "cannot read \(url.relativePath): no such folder")
    }
    guard url.isFolder else {
      throw FileError(
        .wrongData, "cannot read \(url.relativePath): expected a folder, found a file")
    }
  }

  /// The sequence name of a source: its file name without extension, preceded by as many folders
  /// as needed to distinguish it from the other sources.
  static func title(
    of source: URL, among sources: [URL], keepsExtension: Bool = false
  ) -> String {
    func title(_ url: URL, _ count: Int) -> String {
      let parts = (keepsExtension ? url : url.deletingPathExtension()).standardizedFileURL
        .pathComponents.filter { $0 != "/" }
      return parts.suffix(count).joined(separator: "/")
    }
    let limit = source.standardizedFileURL.pathComponents.count
    let count = (1..<max(limit, 2)).first { count in
      let own = title(source, count)
      return sources.count { title($0, count) == own } < 2
    }
    return title(source, count ?? 1)
  }

  /// Files of those extensions below a folder, as paths relative to it, in order of their names.
  static func files(
    in folder: URL, extensions: Set<String>
  ) throws(FileError) -> [String] {
    guard let walker = FileManager.default.enumerator(atPath: folder.path) else {
      throw FileError(.inputOutput, "cannot list \(folder.relativePath): no access")
    }
    var found: [String] = []
    for case let path as String in walker
    where extensions.contains(PathText(path).suffix.lowercased()) {
      if !folder.appendingPathComponent(path).isFolder { found.append(path) }
    }
    return found.sorted()
  }

  /// Files below a folder down to a depth, as paths relative to it, in order of their names.
  ///
  /// Names that begin with a dot are left out.
  static func names(below folder: URL, depth: Int) throws(FileError) -> [String] {
    guard
      let walker = FileManager.default.enumerator(
        at: folder, includingPropertiesForKeys: [.isDirectoryKey], options: [.skipsHiddenFiles])
    else { throw FileError(.inputOutput, "cannot list \(folder.relativePath): no access") }
    let root = folder.standardizedFileURL.path
    var found: [String] = []
    for case let url as URL in walker {
      if walker.level > depth {
        walker.skipDescendants()
      } else if !url.isFolder {
        found.append(String(url.standardizedFileURL.path.dropFirst(root.count + 1)))
      }
    }
    return found.sorted()
  }

  /// The folders directly in a folder, in order of their names, at most 100.
  static func folders(in folder: URL) -> [URL] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return Array(
      names.sorted().lazy.filter { !$0.hasPrefix(".") }.map { folder.appendingPathComponent($0) }
        .filter { $0.isFolder }.prefix(100))
  }

  /// All bytes of a file; throws for more than `limit`.
  static func bytes(of url: URL, limit: Int = 1 << 30) throws(FileError) -> [UInt8] {
    try requireFile(url)
    do {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: url.resolvingSymlinksInPath().path)
      guard attributes[.type] as? FileAttributeType == .typeRegular else {
        throw FileError(
          .wrongData,
          "cannot read \(url.relativePath): expected a regular file, found a device or pipe")
      }
      let size = (attributes[.size] as? NSNumber)?.intValue ?? 0
      guard size <= limit else {
        throw FileError(
          .wrongData,
          "cannot read \(url.relativePath): expected at most \(limit) bytes, found \(size)")
      }
      // Foundation leaks 4 KiB for each empty file that it reads.
      return size == 0 ? [] : [UInt8](try Data(contentsOf: url))
    } catch let error as FileError {
      throw error
    } catch {
      throw FileError(
        .inputOutput, "cannot read \(url.relativePath): \(error.systemReason)")
    }
  }

  /// The size in the header of an image; nil if it cannot be read.
  static func imageSize(of url: URL) throws(FileError) -> ImageSize? {
    let bytes = try bytes(of: url)
    return try? ImageHeader(of: bytes.span).size
  }
}

/// Identifies a version of a source.
package enum SourceMark {
  /// The path with its size in bytes and the time of its last change; of a folder the path alone.
  package static func of(_ url: URL) -> String {
    let attributes = try? FileManager.default.attributesOfItem(
      atPath: url.resolvingSymlinksInPath().path)
    let isFile = attributes?[.type] as? FileAttributeType == .typeRegular
    guard isFile, let size = attributes?[.size] as? NSNumber,
      let changed = attributes?[.modificationDate] as? Date
    else { return url.path }
    return "\(url.path) (\(size.intValue) bytes, \(changed.timeIntervalSince1970))"
  }
}
