package import Platform
internal import Synchronization

/// Prefetches the images of frames in the order of use, while earlier ones are processed.
///
/// Images are read in batches of about 1 MiB, consecutive frames in one read. In addition to the current batch,
/// two are being read or ready. An unreadable image is reported at its frame. For use by one thread.
package final class ImagePrefetcher {
  /// A stored image, or the reason why it cannot be read.
  package typealias Image = (frame: Int, stored: Result<StoredImage, FileError>)

  private let dataset: DatasetReader
  private let stretches: Prefetcher<Stretch>
  private let spare: SpareBuffers
  /// The buffer of the images that were returned last.
  private var lent: [UInt8] = []
  private var images: ArraySlice<Image> = []

  private static let stretchBytes = 1 << 20
  private static let stretchFrames = 512

  /// Starts to read the images of frames.
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
        // An image of unknown size fails when it is read.
        byteCount += (try? dataset.imageByteCount(frame)) ?? 0
        guard part.isEmpty || byteCount <= Self.stretchBytes else { break }
        part.append(frame)
        following = rest.next()
      }
      return part
    }
    stretches = Prefetcher(depth: 2) { () -> Prefetcher<Stretch>.Job? in
      let frames = nextFrames()
      guard !frames.isEmpty else { return nil }
      return { Stretch(frames, of: dataset, buffer: spare.take()) }
    }
  }

  /// The images of the next frames, at least one; none after the last. Release the images returned before.
  package func nextStretch() -> [Image] {
    spare.add(lent)
    lent = []
    guard let stretch = stretches.next() else { return [] }
    lent = stretch.buffer
    return stretch.images
  }

  /// The image of a frame, which is read at once if it is not the next.
  package func image(_ frame: Int) throws(FileError) -> StoredImage {
    if images.isEmpty {
      images = []
      images = nextStretch()[...]
    }
    guard images.first?.frame == frame, let next = images.popFirst() else {
      return try dataset.image(frame)
    }
    return try next.stored.get()
  }

  private struct Stretch {
    var images: [Image] = []
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
      if range.count > 1, images.isEmpty,
        let stored = try? dataset.images(range, into: &buffer)
      {
        images += zip(range, stored).map { ($0, .success($1)) }
      } else {
        images += range.map { frame in
          (frame, Result { () throws(FileError) in try dataset.image(frame) })
        }
      }
    }
  }

  /// Unused buffers, for reuse.
  private final class SpareBuffers: Sendable {
    private let buffers = Mutex<[[UInt8]]>([])

    func add(_ buffer: [UInt8]) {
      if !buffer.isEmpty { buffers.withLock { $0.append(buffer) } }
    }

    func take() -> [UInt8] { buffers.withLock { $0.popLast() ?? [] } }
  }
}
