internal import Foundation
internal import Platform

/// A file that several processes, of other machines too, may write at once: each writes aside, and the first has the name.
enum UniqueFile {
  /// Writes a whole file and brings it to the disk, unless another process has.
  static func write(_ bytes: [UInt8], unlessThere file: URL) throws(EvaluationError) {
    do {
      let unfinished = try UnfinishedItem(of: file)
      defer { unfinished.remove() }
      try unfinished.write(bytes)
      try unfinished.url.synchronise()
      guard try unfinished.rename(toNew: file) else { return }
      try file.deletingLastPathComponent().synchronise()
    } catch {
      throw EvaluationError(
        .cannotWrite, "cannot write \(file.relativePath): \(error.systemReason)",
        cause: error.systemError)
    }
  }
}
