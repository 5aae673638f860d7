package import Foundation

extension URL {
  /// The path to this file from a folder, with `..` where it has to go up.
  package func path(from folder: URL) -> String {
    let own = resolvingSymlinksInPath().standardizedFileURL.pathComponents
    let start = folder.standardizedFileURL.pathComponents
    let shared = zip(own, start).prefix { $0 == $1 }.count
    return (Array(repeating: "..", count: start.count - shared) + own[shared...])
      .joined(separator: "/")
  }

  /// Makes a folder, and those above it; one that is there already is no error. Throws `.cannotWrite`.
  package func makeFolder() throws(FileError) {
    do {
      try FileManager.default.createDirectory(at: self, withIntermediateDirectories: true)
    } catch {
      throw FileError(.cannotWrite, "cannot make \(relativePath): \(error.systemReason)")
    }
  }

  /// Whether there is a folder, also by way of a symbolic link.
  package var isFolder: Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
      && isDirectory.boolValue
  }
}
