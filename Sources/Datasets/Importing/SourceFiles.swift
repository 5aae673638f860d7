internal import FaceCore
package import Foundation
internal import Imaging

/// Looking at the files that an import is given.
enum SourceFiles {
  /// Extensions of the pictures that can be imported, in lower case.
  static let pictureExtensions: Set<String> = ["jpg", "jpeg", "png"]

  /// Whether the name ends as a picture's does.
  static func isPicture(_ name: some StringProtocol) -> Bool {
    let end = name.trimmingCharacters(in: .whitespaces) as NSString
    return pictureExtensions.contains(end.pathExtension.lowercased())
  }

  /// Whether the path is a folder.
  static func isFolder(_ url: URL) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
      && isDirectory.boolValue
  }

  /// The first 4 KiB of a file as text, or nil where it cannot be read.
  static func head(of url: URL) -> String? {
    guard !isFolder(url), let handle = try? FileHandle(forReadingFrom: url) else { return nil }
    defer { try? handle.close() }
    guard let data = try? handle.read(upToCount: 4096) else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  /// Throws unless the path is an existing file.
  static func requireFile(_ url: URL) throws(DatasetError) {
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw DatasetError(.notFound, "cannot read \(url.relativePath): no such file")
    }
    guard !isFolder(url) else {
      throw DatasetError(
        .wrongData, "cannot read \(url.relativePath): expected a file, found a folder")
    }
  }

  /// Throws unless the path is an existing folder.
  static func requireFolder(_ url: URL) throws(DatasetError) {
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw DatasetError(.notFound, "cannot read \(url.relativePath): no such folder")
    }
    guard isFolder(url) else {
      throw DatasetError(
        .wrongData, "cannot read \(url.relativePath): expected a folder, found a file")
    }
  }

  /// Files of those extensions below a folder, as paths relative to it, in order of their names.
  static func files(
    in folder: URL, extensions: Set<String>
  ) throws(DatasetError) -> [String] {
    guard let walker = FileManager.default.enumerator(atPath: folder.path) else {
      throw DatasetError(.inputOutput, "cannot list \(folder.relativePath): no access")
    }
    var found: [String] = []
    for case let path as String in walker
    where extensions.contains((path as NSString).pathExtension.lowercased()) {
      if !isFolder(folder.appendingPathComponent(path)) { found.append(path) }
    }
    return found.sorted()
  }

  /// All bytes of a file, at most `limit` of them.
  static func bytes(of url: URL, limit: Int = 1 << 30) throws(DatasetError) -> [UInt8] {
    try requireFile(url)
    do {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: url.resolvingSymlinksInPath().path)
      guard attributes[.type] as? FileAttributeType == .typeRegular else {
        throw DatasetError(
          .wrongData,
          "cannot read \(url.relativePath): expected a regular file, found a device or pipe")
      }
      let size = (attributes[.size] as? NSNumber)?.intValue ?? 0
      guard size <= limit else {
        throw DatasetError(
          .wrongData,
          "cannot read \(url.relativePath): expected at most \(limit) bytes, found \(size)")
      }
      // Foundation loses 4 KiB for each empty file that it reads.
      return size == 0 ? [] : [UInt8](try Data(contentsOf: url))
    } catch let error as DatasetError {
      throw error
    } catch {
      throw DatasetError(
        .inputOutput, "cannot read \(url.relativePath): \(error.localizedDescription)")
    }
  }

  /// The size in the header of a picture; nil where it has none that can be read.
  static func pictureSize(of url: URL) throws(DatasetError) -> PictureSize? {
    let bytes = try bytes(of: url)
    return try? PictureHeader(of: bytes.span).size
  }
}

/// What tells whether a source is still what it was.
package enum SourceMark {
  /// The place with its size in bytes and the time of its last change; of a folder the place alone.
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
