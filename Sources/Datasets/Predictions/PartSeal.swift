package import Foundation
package import Platform

/// The last line of a part: the SHA-256 of all bytes before it, which shows what a disk or a copy has changed.
///
/// It lies behind what the superblock counts as the HDF5 file, where readers of HDF5 do not look.
package enum PartSeal {
  private static let mark = "\nfacegauge.part SHA-256 "
  /// The mark, 64 hexadecimal digits and a line break.
  private static let byteCount = mark.utf8.count + 64 + 1

  private static func line(_ sha256: String) -> [UInt8] { Array("\(mark)\(sha256)\n".utf8) }

  /// Adds the line to a finished file; throws what the system said.
  static func add(to file: URL) throws {
    try file.append(line(try SHA256.hexadecimal(ofFile: file.path)))
  }

  /// How a file differs from what was written, in the words of an error; nil where every byte is as it was.
  package static func damage(of file: URL) throws(FileError) -> String? {
    let input = try InputFile(file)
    let end = input.byteCount - byteCount
    let last = end >= 0 ? try input.bytes(upTo: byteCount, from: end) : []
    guard last.starts(with: mark.utf8) else {
      return "expected a checksum as its last line, found none"
    }
    let sha256 = try FileError.reading { try SHA256.hexadecimal(ofFile: file.path, limit: end) }
    guard last != line(sha256) else { return nil }
    let stated = String(decoding: last.dropFirst(mark.utf8.count).prefix(12), as: UTF8.self)
    return "damaged: expected SHA-256 \(stated.withControlCharactersEscaped)…, found "
      + "\(sha256.prefix(12))…"
  }
}
