internal import FaceCore
internal import Foundation
internal import Platform

/// The folder of an export, which gets its final name only when it is complete.
final class OutputLocation {
  private let folder: AtomicFolder
  /// The files that have text so far.
  private var begun: Set<String> = []
  /// The file that text was added to last, and what of it is not written yet.
  private var open: (name: String, handle: FileHandle, pending: String)?

  /// How many bytes of text are written together.
  private static let block = 1 << 18

  /// Prepares to write; throws `.cannotWrite` if the path exists or its parent folder does not.
  init(_ url: URL) throws(FileError) {
    folder = try AtomicFolder(temporary: url)
  }

  private var url: URL { folder.url }

  /// Makes the folder under its temporary name.
  func make() throws(FileError) { try folder.make() }

  /// Writes a file below the folder, and the folders above it.
  func write(_ bytes: [UInt8], to name: String) throws(FileError) {
    let file = folder.partial.appendingPathComponent(name)
    do {
      if name.contains("/") {
        try file.deletingLastPathComponent().makeFolders()
      }
      try file.write(bytes, isNew: true)
    } catch {
      throw FileError(
        .cannotWrite,
        "cannot write \(url.appendingPathComponent(name).relativePath): \(error.systemReason)"
      )
    }
  }

  /// Adds text to files, which are made with their first text.
  func append(_ pieces: [ExportPiece]) throws(FileError) {
    for piece in pieces {
      if open?.name != piece.file {
        try close()
        if begun.insert(piece.file).inserted { try write([], to: piece.file) }
        open = (piece.file, try handle(piece.file), "")
      }
      open?.pending += piece.text
      if open?.pending.utf8.count ?? 0 > Self.block { try flush() }
    }
  }

  private func handle(_ name: String) throws(FileError) -> FileHandle {
    try writing {
      let file = folder.partial.appendingPathComponent(name)
      let descriptor = try Descriptor(file, [.writing, .appending])
      return FileHandle(fileDescriptor: descriptor.number, closeOnDealloc: true)
    }
  }

  private func flush() throws(FileError) {
    guard let part = open, !part.pending.isEmpty else { return }
    try writing { try part.handle.write(contentsOf: Data(part.pending.utf8)) }
    open?.pending = ""
  }

  private func close() throws(FileError) {
    try flush()
    try writing { _ = try open?.handle.close() }
    open = nil
  }

  /// What `write` gives; its error names the export.
  private func writing<Value>(_ write: () throws -> Value) throws(FileError) -> Value {
    do {
      return try write()
    } catch {
      throw FileError(.cannotWrite, "cannot write \(url.relativePath): \(error.systemReason)")
    }
  }

  /// Gives the finished folder its name.
  func commit() throws(FileError) {
    try close()
    try folder.commit()
  }
}
