internal import FaceCore
internal import Foundation
internal import Platform
internal import Synchronization

/// Properties of one file of a dataset, kept while it is closed.
struct Shard {
  /// The file.
  let url: URL
  /// Its first frame within the dataset.
  let firstFrame: Int
  /// Its first sequence within the dataset.
  let firstSequence: Int
  let frameCount: Int
  /// Number of faces.
  let faceCount: Int

  /// Its frames within the dataset.
  var frames: Range<Int> { firstFrame..<(firstFrame + frameCount) }
}

/// The open files of a dataset: a limited number, the ones used last.
final class OpenShards: Sendable {
  private let limit: Int
  private let kept = Mutex(Kept())

  private struct Kept {
    var files: [Int: DatasetFile] = [:]
    var used: [Int] = []

    mutating func keep(_ file: DatasetFile, at index: Int, limit: Int) {
      used.removeAll { $0 == index }
      used.append(index)
      files[index] = file
      while used.count > limit { files[used.removeFirst()] = nil }
    }
  }

  /// Keeps at most `limit` files open, 1 or more.
  init(limit: Int) { self.limit = max(limit, 1) }

  /// How many files are open.
  var count: Int { kept.withLock { $0.files.count } }

  /// Keeps a newly opened file and closes the least recently used one.
  func keep(_ file: DatasetFile, at index: Int) {
    kept.withLock { $0.keep(file, at: index, limit: limit) }
  }

  /// The file of a shard, reopened if it was closed; throws `.wrongData` if it has changed since.
  func file(_ index: Int, of shards: [Shard]) throws(FileError) -> DatasetFile {
    try kept.withLock { kept throws(FileError) in
      if let file = kept.files[index] {
        if kept.used.last != index { kept.keep(file, at: index, limit: limit) }
        return file
      }
      let shard = shards[index]
      let file = try DatasetFile(shard.url)
      guard file.frameCount == shard.frameCount, file.faceCount == shard.faceCount else {
        throw FileError.wrongData(
          "cannot read \(shard.url.relativePath) again: expected \(shard.frameCount) frames and "
            + "\(shard.faceCount) faces as before, found \(file.frameCount) and \(file.faceCount)")
      }
      kept.keep(file, at: index, limit: limit)
      return file
    }
  }
}
