package import Foundation

/// Small input files that are read as a whole.
package enum InputFile {
  /// The bytes of a file of at most so many MiB.
  package static func bytes(of url: URL, mebibytes: Int = 64) throws(FileError) -> [UInt8] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
      throw FileError(.notFound, "cannot read \(url.relativePath): no such file")
    }
    guard !isFolder.boolValue else {
      throw FileError(
        .wrongData, "cannot read \(url.relativePath): expected a file, found a folder")
    }
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
      let size = (attributes[.size] as? NSNumber)?.intValue ?? 0
      guard size <= mebibytes << 20 else {
        throw FileError(
          .wrongData,
          "cannot read \(url.relativePath): expected at most \(mebibytes) MiB, found \(size) bytes")
      }
      return [UInt8](try Data(contentsOf: url))
    } catch let error as FileError {
      throw error
    } catch {
      throw FileError(
        .inputOutput, "cannot read \(url.relativePath): \(error.systemReason)")
    }
  }
}
