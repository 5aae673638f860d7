internal import Synchronization

/// Reads the pictures of frames, in the order in which they will be asked for, while earlier ones are looked at.
///
/// Pictures are read in stretches of about 1 MiB, consecutive frames as one piece. Beside the stretch that is
/// looked at, two are read or waiting. What cannot be read is told at its frame. One thread asks.
package final class PictureReadAhead {
  /// A picture as it is stored, or why it cannot be read.
  package typealias Picture = (frame: Int, stored: Result<StoredPicture, DatasetError>)

  private let dataset: DatasetReader
  private let stretches: WorkAhead<Stretch>
  private let spare: SpareBuffers
  /// The buffer behind the pictures that were given last.
  private var lent: [UInt8] = []
  private var pictures: ArraySlice<Picture> = []

  private static let stretchBytes = 1 << 20
  private static let stretchFrames = 512

  /// Begins to read the pictures of frames.
  package init(_ frames: some Sequence<Int>, of dataset: DatasetReader) {
    self.dataset = dataset
    let spare = SpareBuffers()
    self.spare = spare
    var rest: any IteratorProtocol<Int> = frames.makeIterator()
    var following = rest.next()
    func nextFrames() -> [Int] {
      var part: [Int] = []
      var byteCount = 0
      while let frame = following, part.count < Self.stretchFrames {
        // What cannot be measured fails when it is read.
        byteCount += (try? dataset.pictureByteCount(frame)) ?? 0
        guard part.isEmpty || byteCount <= Self.stretchBytes else { break }
        part.append(frame)
        following = rest.next()
      }
      return part
    }
    stretches = WorkAhead(depth: 2) { () -> WorkAhead<Stretch>.Job? in
      let frames = nextFrames()
      guard !frames.isEmpty else { return nil }
      return { Stretch(frames, of: dataset, buffer: spare.take()) }
    }
  }

  /// The pictures of the next frames, at least one; none after the last. Those given before should be let go.
  package func nextStretch() -> [Picture] {
    spare.add(lent)
    lent = []
    guard let stretch = stretches.next() else { return [] }
    lent = stretch.buffer
    return stretch.pictures
  }

  /// The picture of a frame, which is read now where it is not the next.
  package func picture(_ frame: Int) throws(DatasetError) -> StoredPicture {
    if pictures.isEmpty {
      pictures = []
      pictures = nextStretch()[...]
    }
    guard pictures.first?.frame == frame, let next = pictures.popFirst() else {
      return try dataset.picture(frame)
    }
    return try next.stored.get()
  }

  private struct Stretch {
    var pictures: [Picture] = []
    var buffer: [UInt8]

    init(_ frames: [Int], of dataset: DatasetReader, buffer: [UInt8]) {
      self.buffer = buffer
      var rest = frames[...]
      while let first = rest.first {
        let count = zip(rest, first...).prefix { $0 == $1 }.count
        read(first..<first + count, of: dataset)
        rest = rest.dropFirst(count)
      }
    }

    private mutating func read(_ range: Range<Int>, of dataset: DatasetReader) {
      if range.count > 1, pictures.isEmpty,
        let stored = try? dataset.pictures(range, into: &buffer)
      {
        pictures += zip(range, stored).map { ($0, .success($1)) }
      } else {
        pictures += range.map { frame in
          (frame, Result { () throws(DatasetError) in try dataset.picture(frame) })
        }
      }
    }
  }

  /// Buffers that nobody looks at any more, to be filled again.
  private final class SpareBuffers: Sendable {
    private let buffers = Mutex<[[UInt8]]>([])

    func add(_ buffer: [UInt8]) {
      if !buffer.isEmpty { buffers.withLock { $0.append(buffer) } }
    }

    func take() -> [UInt8] { buffers.withLock { $0.popLast() ?? [] } }
  }
}
