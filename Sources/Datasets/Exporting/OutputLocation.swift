internal import FaceCore
internal import Foundation
internal import Platform

/// The folder of an export, which gets its final name only when it is complete.
struct OutputLocation {
  private let folder: AtomicFolder

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

  /// A new file below the folder to append to.
  func handle(_ name: String) throws(FileError) -> FileHandle {
    try write([], to: name)
    let file = folder.partial.appendingPathComponent(name)
    do throws(SystemError) {
      let descriptor = try Descriptor(file, .writing)
      return FileHandle(fileDescriptor: descriptor.number, closeOnDealloc: true)
    } catch {
      throw FileError(.cannotWrite, "cannot write \(url.relativePath): \(error)")
    }
  }

  /// Adds text to a file.
  func append(_ text: String, to handle: FileHandle) throws(FileError) {
    do {
      try handle.write(contentsOf: Data(text.utf8))
    } catch {
      throw FileError(
        .cannotWrite, "cannot write \(url.relativePath): \(error.systemReason)")
    }
  }

  /// Gives the finished folder its name.
  func commit(closing handle: FileHandle) throws(FileError) {
    do {
      try handle.close()
    } catch {
      throw FileError(
        .cannotWrite, "cannot write \(url.relativePath): \(error.systemReason)")
    }
    try folder.commit()
  }
}
