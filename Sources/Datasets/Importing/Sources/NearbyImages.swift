internal import Foundation
internal import Platform

/// Finds images that lie under another spelling of the names that labels have for them.
///
/// Names may have the slashes of Windows, percent-escapes, another case, the letters of another normal form, another
/// extension or none, folders that are not there, or be in Latin-1. A file is found for one name only.
struct NearbyImages {
  private var found: (count: Int, first: String) = (0, "")
  /// The image files of folders, by their names and by these without extension.
  private var contents: [String: [String: [String]]] = [:]
  /// The name that each found file was taken for.
  private var owners: [String: String] = [:]
  /// Hashes of the paths of images that labels name as they are.
  private var exact: Set<Int> = []

  /// What was found under other names; nil for none.
  var remark: ImportRemark? {
    found.count == 0
      ? nil
      : .assumed(
        "\(found.count) images are found under another spelling of their names; the first is "
          + found.first)
  }

  /// Gives a frame whose image is not there the one that is meant, if there is one, and its name.
  ///
  /// Throws where an image that was taken for another name turns out to have labels of its own.
  mutating func resolve(_ frame: inout ImportedFrame) throws(FileError) {
    guard let url = frame.image.file else { return }
    guard !url.isThere else {
      let path = url.path
      exact.insert(path.hashValue)
      guard let owner = owners[path] else { return }
      throw FileError(
        .notFound,
        "cannot read \(owner): no such file, and \(frame.name), which is like it, has labels of its own "
          + "(--images names the folder of the images)")
    }
    var (name, folder) = (url.lastPathComponent, url.deletingLastPathComponent())
    if case .member(let path, let root) = frame.image { (name, folder) = (path, root) }
    if case .file = frame.image, url.path.hasSuffix("/" + frame.name) {
      name = frame.name
      folder = URL(fileURLWithPath: String(url.path.dropLast(name.count + 1)))
    }
    guard let path = path(of: name, in: folder) else { return }
    if frame.name.hasSuffix(name) {
      frame.name = String(frame.name.dropLast(name.count)) + path
    }
    frame.image = .member(path, of: folder)
  }

  /// The path below a folder of the image that a name means; nil where none or several are like it.
  mutating func path(of name: String, in folder: URL) -> String? {
    var texts = [name.replacing("\\", with: "/")]
    if let decoded = texts[0].removingPercentEncoding, decoded != texts[0] { texts.append(decoded) }
    for text in texts {
      let parts = PathText(text).components.filter { $0 != "." }
      guard let last = parts.last else { continue }
      for folders in [parts.dropLast(), []] where !folders.contains("..") {
        let inner = folders.joined(separator: "/")
        let position = inner.isEmpty ? folder : folder.appendingPathComponent(inner)
        guard let file = file(like: last, in: position) else { continue }
        let path = (folders + [file]).joined(separator: "/")
        let whole = folder.appendingPathComponent(path).path
        guard !exact.contains(whole.hashValue),
          owners.updateValue(name, forKey: whole) ?? name == name
        else { return nil }
        if found.count == 0 { found.first = "'\(path)' for '\(name)'" }
        found.count += 1
        return path
      }
    }
    return nil
  }

  /// The only image of a folder that has the name but for its case or extension.
  private mutating func file(like name: String, in folder: URL) -> String? {
    let files = images(in: folder)
    let key = name.lowercased()
    if let same = files[key], same.count == 1 { return same[0] }
    let stem = SourceFiles.isImage(name) ? PathText(key).stem : key
    guard let same = files[stem + "."], same.count == 1 else { return nil }
    return same[0]
  }

  /// A name, and for one that is not UTF-8 what it is in a list that is read as UTF-8 and in an XML in Latin-1.
  private static func readings(of name: String) -> [String] {
    let bytes = name.pathBytes.dropLast().map { UInt8(bitPattern: $0) }
    guard String(validating: bytes, as: UTF8.self) == nil else { return [name] }
    let scalars = bytes.map { Unicode.Scalar($0) }
    return [
      name, String(decoding: bytes, as: UTF8.self), String(String.UnicodeScalarView(scalars)),
    ]
  }

  private mutating func images(in folder: URL) -> [String: [String]] {
    if let known = contents[folder.path] { return known }
    var files: [String: [String]] = [:]
    for name in ((try? folder.names()) ?? []).sorted() where SourceFiles.isImage(name) {
      for text in Self.readings(of: name) {
        let key = text.lowercased()
        files[key, default: []].append(name)
        files[PathText(key).stem + ".", default: []].append(name)
      }
    }
    contents[folder.path] = files
    return files
  }
}
