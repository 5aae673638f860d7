internal import Foundation
internal import Platform

/// A folder of PNG files that appear under their names only when they are whole.
struct ImageFolder {
  let url: URL

  /// Throws for a file, and for a folder with files where it must be empty; makes nothing.
  func check(mayHaveFiles: Bool) throws(FileError) {
    guard url.isThere else { return }
    guard url.isFolder else { throw FileError(writing: url, "expected a folder, found a file") }
    let names: [String]
    do {
      names = try url.names()
    } catch {
      throw FileError(writing: url, error)
    }
    guard mayHaveFiles || names.isEmpty else {
      throw FileError(
        writing: url,
        "expected a new or empty folder, found files in it (--force writes among them)")
    }
  }

  /// Writes a file; a symbolic link of that name is replaced, not followed.
  func write(_ bytes: [UInt8], to name: String) throws(FileError) {
    let target = url.appendingPathComponent(name)
    do {
      try AtomicFile.write(bytes, to: target)
    } catch {
      throw FileError(writing: target, error)
    }
  }

  /// `000012-name.png`: the frame's position, and its name without what file names should not have, cut to 80 letters.
  static func fileName(frame: Int, name: String?) -> String {
    let digits = String(frame)
    let index = String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    var stem = (name ?? "")[...]
    for ending in [".jpg", ".jpeg", ".png"] where stem.lowercased().hasSuffix(ending) {
      stem = stem.dropLast(ending.count)
    }
    let harmless = stem.map { character in
      character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
        ? character : "_"
    }
    return harmless.isEmpty ? "\(index).png" : "\(index)-\(String(harmless.prefix(80))).png"
  }
}
