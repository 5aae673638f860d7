internal import Foundation
internal import Platform

/// Digests of a dataset's files that the shards of a run share, so that each file is hashed about once.
///
/// A digest is that of a file whose path, inode, size and times of change are the same to the nanosecond. The time of
/// change (`st_ctime`) follows the system's clock and no program sets it, so other content has another one. A copy of the
/// file on another disk has another inode or time, and is hashed.
struct SharedDigests: Sendable {
  /// Where they lie: a hidden folder next to the parts.
  let folder: URL
  /// A file is hashed from here on, counted from 0, so that shards that start together hash different files.
  let start: (part: Int, of: Int)

  init(in shards: ShardFolder, for request: ShardRequest) {
    folder = shards.url.appendingPathComponent(".digests", isDirectory: true)
    start = (request.index, request.count)
  }

  /// The positions of so many files, in the order in which this shard looks at them.
  func order(of count: Int) -> [Int] {
    guard count > 0 else { return [] }
    let first = start.part * count / max(start.of, 1) % count
    return Array(first..<count) + Array(0..<first)
  }

  /// The digest of a file that another shard found, else of `hash`, which is then shared.
  func digest(of file: URL, hash: () throws -> String) throws -> String {
    let before = Self.identity(of: file)
    if let name = before?.name,
      let bytes = InputFile.head(of: folder.appendingPathComponent(name), 65), bytes.count == 64
    {
      return String(decoding: bytes, as: UTF8.self)
    }
    let began = Date()
    let digest = try hash()
    // A file that changed a moment before or meanwhile may change again with the same time.
    if let before, let name = before.name, before.changed < began.timeIntervalSince1970 - 2,
      Self.identity(of: file)?.name == name, (try? folder.makeFolder()) != nil
    {
      try? UniqueFile.write(Array(digest.utf8), unlessThere: folder.appendingPathComponent(name))
    }
    return digest
  }

  /// What other content of a file would change; nil where the system does not tell.
  private static func identity(of file: URL) -> (name: String?, changed: Double)? {
    guard let status = file.status else { return nil }
    let numbers = [
      Int(status.inode), status.byteCount, status.modified.seconds, status.modified.nanoseconds,
      status.changed.seconds, status.changed.nanoseconds,
    ]
    let path = file.withoutLinks.standardizedFileURL.path
    let text = "content " + numbers.map(String.init).joined(separator: " ") + " " + path
    return (
      try? SHA256.hexadecimal(of: Array(text.utf8)),
      status.changed.secondsSince1970
    )
  }
}
