import CommandSyntax
import Foundation
import Platform

/// Writes rendered files, with errors that name the file.
enum OutputFolder {
  /// Writes text under a temporary name and renames the file when it is complete.
  static func write(_ text: String, to url: URL) throws(FileError) {
    try write(Data(text.utf8), to: url)
  }

  /// Creates a folder if it does not exist, where these files will be written, before the work that they are the result of.
  ///
  /// A folder that was made goes again where the work fails. Throws where the files cannot be written.
  static func prepare<Result>(
    _ url: URL, for names: [String], work: () throws -> Result
  ) throws -> Result {
    let isNew = !url.isFolder
    try url.makeFolder()
    do {
      for name in names { _ = try AtomicFile(url.appendingPathComponent(name), replacing: true) }
      do throws(SystemError) {
        try url.checkWritable()
      } catch {
        throw FileError(writing: url, error)
      }
      return try work()
    } catch {
      if isNew { url.removeEmptyFolder() }
      throw error
    }
  }

  /// Throws if a file to write is the input, or something else than a file.
  static func check(_ url: URL, besides input: URL) throws(FileError) {
    try url.requireOther(than: input)
    _ = try AtomicFile(url, replacing: true)
  }

  /// Writes a draft of what a file's mapping is, and the notes on it; throws where a file is there and is not replaced.
  static func writeDraft(
    _ text: String, of input: URL, notes: [String], to url: URL, replacing: Bool
  ) throws {
    try check(url, besides: input)
    _ = try AtomicFile(url, replacing: replacing)
    try write(text, to: url)
    for note in notes { Diagnostics.standardError.note(note) }
  }

  /// Writes bytes under a temporary name and renames the file when it is complete.
  static func write(_ data: Data, to url: URL) throws(FileError) {
    do {
      try AtomicFile.write(data, to: url)
    } catch {
      throw FileError(writing: url, error)
    }
  }
}
