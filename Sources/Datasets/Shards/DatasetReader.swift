package import FaceCore
package import Foundation
internal import HDF5
package import Platform

/// Reads a dataset of one or more files by ranges of frames, as if it were one file.
///
/// The path is a `dataset.h5`, a JSON that lists files, or a pattern such as `shards/*.h5`. Frames, faces,
/// sequences and splits of later files follow those of earlier ones; at most 32 files are open at once.
/// Usable from any thread.
package final class DatasetReader: Sendable {
  /// The version of libhdf5 that runs; nil where it does not report one.
  package static var libraryVersion: String? { HDF5Library.version }

  /// The path as the caller gave it.
  package let url: URL
  /// The dataset's own name.
  package let name: String
  /// Number of frames.
  package var frameCount: Int { all.frameCount }
  /// Number of labelled faces.
  package var faceCount: Int { all.faceCount - all.otherObjectCount }
  /// Number of labelled objects of other categories than faces.
  package var otherObjectCount: Int { all.otherObjectCount }
  /// Its sequences; empty if every frame is a still.
  package let sequences: [SequenceDescription]
  /// Whether a frame without a face row is known to show no face.
  package var isLabelled: Bool { all.isLabelled }
  /// The landmark schemes with labels.
  package let schemes: [LandmarkScheme]
  /// Number of frames that have no image: no bytes, or a size of 0 by 0.
  package var withoutImageCount: Int { all.withoutImageCount }
  /// Named sets of frames: the name, and how many frames.
  package let splits: [(name: String, count: Int)]
  /// Labels other than boxes and points: blendshapes, pose, expression, and attributes by name.
  package let faceAttributes: [String]
  /// Cameras and attributes of frames, and the number of depth maps.
  package let contextNames: (tables: [String], depthMaps: Int)
  /// Names of the attributes of faces, sorted.
  package let attributeNames: [String]
  /// Schemes whose points have a third number in some file.
  package var schemesWithDepth: Set<LandmarkScheme> { all.schemesWithDepth }
  /// Origin of the files: licence, source and creation, joined if files differ.
  package var provenance: [(name: String, value: String)] { all.provenance }
  /// Tables of the files that this version does not know, each once.
  package var unknownTables: [String] { all.unknownTables }

  /// Landmark schemes of the files that this version does not know; their points are not read.
  package var unknownSchemes: [String] {
    let group = DatasetLayout.schemes + "/"
    return unknownTables.filter { $0.hasPrefix(group) }.map { String($0.dropFirst(group.count)) }
  }

  private let all: ShardUnion
  private let open: OpenShards
  private var shards: [Shard] { all.shards }

  /// Opens every file once and checks that its tables fit together, and the files with each other.
  ///
  /// At most `openFiles`, 1 or more, stay open. Throws `.notFound` if nothing exists, `.wrongData` if a file is broken or
  /// does not match the first.
  package init(_ url: URL, openFiles: Int = 32) throws(FileError) {
    let (files, title) = try Self.explaining(url) { () throws(FileError) in
      try ShardList.files(of: url)
    }
    self.url = url
    open = OpenShards(limit: openFiles)
    var merged = ShardUnion()
    for (index, file) in files.enumerated() {
      let opened = try Self.explaining(file) { () throws(FileError) in try DatasetFile(file) }
      try merged.add(opened)
      open.keep(opened, at: index)
    }
    all = merged
    sequences = merged.sequences
    schemes = LandmarkScheme.all.filter { merged.schemes.contains($0) }
    splits = merged.splitNames.map { ($0, merged.splitCounts[$0] ?? 0) }
    contextNames = (merged.contextNames, merged.depthMapCount)
    attributeNames = merged.attributeNames.sorted()
    faceAttributes = merged.faceAttributeNames + attributeNames
    name =
      title ?? (merged.names.count == 1 ? merged.names[0] : nil)
      ?? url.deletingPathExtension().lastPathComponent
  }

  /// Runs a closure on a file; if it fails for what another command reads, the error points to that.
  static func explaining<T>(
    _ file: URL, _ body: () throws(FileError) -> T
  ) throws(FileError) -> T {
    do {
      return try body()
    } catch {
      guard error.kind == .wrongData || file.isFolder,
        let hint = ImportHint.text(for: file)
      else { throw error }
      throw FileError(error.kind, error.description + " (\(hint))")
    }
  }

  /// The files, in order.
  package var files: [URL] { shards.map(\.url) }

  /// SHA-256 of what one of the files says, however it is stored; `advance` hears the bytes of it that are done.
  package func contentDigest(
    ofFile index: Int, advance: (Int) -> Void
  ) throws(FileError) -> String {
    try open.file(index, of: shards).contentDigest(advance: advance)
  }

  /// Number of files open now.
  package var openFileCount: Int { open.count }

  /// Number of sequences; stills without a table count one each.
  package var sequenceCount: Int { sequences.isEmpty ? frameCount : sequences.count }

  /// The kind of a sequence; without a table of sequences all frames are stills.
  package func kind(ofSequence index: Int) -> SequenceKind {
    sequences.indices.contains(index) ? sequences[index].kind : .still
  }

  /// The description of a sequence; nil if the dataset has no table of them.
  package func sequence(_ index: Int) -> SequenceDescription? {
    sequences.indices.contains(index) ? sequences[index] : nil
  }

  /// The description of a sequence of video; nil for stills.
  package func video(ofSequence index: Int) -> SequenceDescription? {
    kind(ofSequence: index) == .video ? sequences[index] : nil
  }

  /// Size of all files in bytes.
  package var byteCount: Int {
    files.reduce(0) { total, file in
      total + (file.status?.byteCount ?? 0)
    }
  }

  /// The frames of a split in ascending order; throws `.wrongData` if there is none of that name.
  package func split(_ name: String) throws(FileError) -> [Int] {
    guard splits.contains(where: { $0.name == name }) else {
      let known = splits.map(\.name).joined(separator: ", ")
      throw FileError.wrongData(
        "cannot read split '\(name)' of \(url.relativePath): expected "
          + (known.isEmpty ? "a dataset with splits, found none" : "one of \(known), found none"))
    }
    var frames: [Int] = []
    for (index, shard) in shards.enumerated() where all.splitsOfShards[index].contains(name) {
      for frame in try open.file(index, of: shards).split(name) {
        frames.append(shard.firstFrame + frame)
      }
    }
    return frames
  }

  /// The frames of a range; throws `.wrongData` for a time more than 142 years from 0.
  package func frames(_ range: Range<Int>) throws(FileError) -> [Frame] {
    guard shards.count > 1 else { return try open.file(0, of: shards).frames(range) }
    var frames: [Frame] = []
    for (index, part) in parts(of: range) {
      let shard = shards[index]
      for var frame in try open.file(index, of: shards).frames(part) {
        frame.index += shard.firstFrame
        if frame.sequence >= 0 { frame.sequence += shard.firstSequence }
        frames.append(frame)
      }
    }
    return frames
  }

  /// The labelled faces of each frame of a range, without objects of other categories.
  package func faces(_ range: Range<Int>) throws(FileError) -> [[FaceLabel]] {
    let labels = try labels(range)
    guard otherObjectCount > 0 else { return labels }
    return labels.map { $0.filter { $0.category == FaceCategories.face } }
  }

  /// The labels of each frame of a range, also those of other categories than faces.
  package func labels(_ range: Range<Int>) throws(FileError) -> [[FaceLabel]] {
    var labels: [[FaceLabel]] = []
    for (index, part) in parts(of: range) {
      labels += try open.file(index, of: shards).labels(part)
    }
    return labels
  }

  /// The identities of the labelled faces of each frame of a range.
  func identities(_ range: Range<Int>) throws(FileError) -> [[Int]] {
    var identities: [[Int]] = []
    for (index, part) in parts(of: range) {
      identities +=
        try open.file(index, of: shards).identities(part) ?? part.map { _ in [] }
    }
    return identities
  }

  /// The frames from `start` on to read together: at most `step`, fewer if they have many faces.
  package func range(from start: Int, atMost step: Int) throws(FileError) -> Range<Int> {
    var end = min(start + max(step, 1), frameCount)
    while end > start + 1, try load(start..<end) > 1 {
      end = start + (end - start + 1) / 2
    }
    return start..<max(start, end)
  }

  /// The memory of a range of frames and their faces, as a share of what may be in memory together.
  private func load(_ range: Range<Int>) throws(FileError) -> Double {
    var load = 0.0
    for (index, part) in parts(of: range) {
      load += try open.file(index, of: shards).load(part)
    }
    return load
  }

  /// Camera and attributes of each frame of a range.
  package func contexts(_ range: Range<Int>) throws(FileError) -> [FrameContext] {
    var contexts: [FrameContext] = []
    for (index, part) in parts(of: range) {
      contexts += try open.file(index, of: shards).context.contexts(part)
    }
    return contexts
  }

  /// The depth map of a frame; nil if it has none.
  package func depth(_ frame: Int) throws(FileError) -> DepthMap? {
    let index = shardIndex(of: frame)
    return try open.file(index, of: shards).context.depth(frame - shards[index].firstFrame)
  }

  /// Passes the depth maps of a range of frames to a closure, in order.
  func forEachDepth(
    in range: Range<Int>, _ body: (DepthMap) -> Void
  ) throws(FileError) {
    for (index, part) in parts(of: range) {
      try open.file(index, of: shards).context.forEachDepth(in: part, body)
    }
  }

  /// The stored image of a frame.
  package func image(_ frame: Int) throws(FileError) -> StoredImage {
    let index = shardIndex(of: frame)
    let position = frame - shards[index].firstFrame
    var bytes: [UInt8] = []
    return try open.file(index, of: shards).images(position..<position + 1, into: &bytes)[0]
  }

  /// The images of consecutive frames; `buffer` is reused for the bytes of those that are read first.
  func images(
    _ range: Range<Int>, into buffer: inout [UInt8]
  ) throws(FileError) -> [StoredImage] {
    var images: [StoredImage] = []
    for (index, part) in parts(of: range) {
      let file = try open.file(index, of: shards)
      if images.isEmpty {
        images = try file.images(part, into: &buffer)
      } else {
        var further: [UInt8] = []
        images += try file.images(part, into: &further)
      }
    }
    return images
  }

  /// Size of a frame's image in bytes.
  func imageByteCount(_ frame: Int) throws(FileError) -> Int {
    let index = shardIndex(of: frame)
    return try open.file(index, of: shards).imageByteCount(frame - shards[index].firstFrame)
  }

  /// Whether a path, which may be a file, a list of files or a pattern, matches anything.
  package static func isThere(_ url: URL) -> Bool {
    guard let (files, _) = try? ShardList.files(of: url) else { return false }
    return files.contains { $0.isThere }
  }

  /// The shard that holds a frame.
  private func shardIndex(of frame: Int) -> Int {
    var (low, high) = (0, shards.count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if shards[middle].firstFrame <= frame { low = middle } else { high = middle - 1 }
    }
    return low
  }

  private func parts(of range: Range<Int>) -> [(shard: Int, frames: Range<Int>)] {
    guard !range.isEmpty else { return [] }
    var parts: [(Int, Range<Int>)] = []
    for index in shardIndex(of: range.lowerBound)..<shards.count {
      let shard = shards[index]
      guard shard.firstFrame < range.upperBound else { break }
      let part = range.clamped(to: shard.frames)
      guard !part.isEmpty else { continue }
      parts.append(
        (index, (part.lowerBound - shard.firstFrame)..<(part.upperBound - shard.firstFrame)))
    }
    return parts
  }
}
