package import Foundation

/// A file that several processes, of other machines too, may write at once: each writes aside, and the first has the name.
package enum UniqueFile {
  /// How often a file is made again that another machine took for left over.
  private static let attempts = 16

  /// Writes a whole file and brings it to the disk, unless another process has. Throws `.cannotWrite`.
  package static func write(_ bytes: [UInt8], unlessThere file: URL) throws(FileError) {
    var left = attempts
    while !file.isThere {
      do {
        return try writeOnce(bytes, unlessThere: file)
      } catch {
        left -= 1
        if error.systemError == .notFound, left > 0, file.deletingLastPathComponent().isFolder {
          continue
        }
        throw FileError(writing: file, error)
      }
    }
  }

  private static func writeOnce(_ bytes: [UInt8], unlessThere file: URL) throws {
    let unfinished = try UnfinishedItem(of: file)
    defer { unfinished.remove() }
    try unfinished.write(bytes)
    try unfinished.synchronise()
    guard try unfinished.rename(toNew: file) else { return }
    try file.deletingLastPathComponent().synchronise()
  }
}
