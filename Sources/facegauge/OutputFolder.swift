import CommandSyntax
import FaceCore
import Foundation

/// Writing rendered files, with errors that say what could not be written.
enum OutputFolder {
  /// Makes a folder where there is none.
  static func make(_ url: URL) throws(CommandFailure) {
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    } catch {
      throw CommandFailure(
        .cannotWrite, "cannot make \(url.relativePath): \(error.systemReason)")
    }
  }

  /// Writes text under a temporary name and renames it when it is whole.
  static func write(_ text: String, to url: URL) throws(CommandFailure) {
    try write(Data(text.utf8), to: url)
  }

  /// Writes bytes under a temporary name and renames the file when it is whole.
  static func write(_ data: Data, to url: URL) throws(CommandFailure) {
    do {
      try data.write(to: url, options: .atomic)
    } catch {
      throw CommandFailure(
        .cannotWrite, "cannot write \(url.relativePath): \(error.systemReason)")
    }
  }
}
