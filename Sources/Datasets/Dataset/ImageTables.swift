internal import HDF5
internal import Imaging
internal import Platform
internal import Synchronization

/// The images of a dataset: one blob with offsets, or an array of pixels.
struct ImageTables {
  private let storage: Storage

  private enum Storage {
    case encoded(bytes: HDF5Dataset, offsets: OffsetWindow)
    case pixels(HDF5Dataset)
  }

  /// Opens the tables and checks that the offsets start at 0, never decrease and end at the last byte.
  init(_ file: HDF5File, frames: Int) throws {
    guard try !file.exists("images/pixels") else {
      let pixels = try file.dataset(
        "images/pixels", of: UInt8.self, shape: [frames, nil, nil, 3])
      try Self.check(pixels, frames, in: file)
      storage = .pixels(pixels)
      return
    }
    let offsets = try file.dataset("images/offsets", holding: UInt64.self, shape: [frames + 1])
    let bytes = try file.dataset("images/bytes", of: UInt8.self, shape: [nil])
    try Self.check(bytes, frames, in: file)
    try TableCheck.offsets(
      offsets, total: bytes.shape[0], what: "the length of images/bytes", in: file)
    storage = .encoded(
      bytes: bytes, offsets: OffsetWindow(offsets, bytes: bytes.shape[0], file: file.path))
  }

  private static func check(_ table: HDF5Dataset, _ frames: Int, in file: HDF5File) throws {
    var cost = RowCost(rows: frames, path: table.path)
    cost.add([table])
    try cost.check(.images, in: file)
  }

  /// For each of consecutive frames whether nothing is stored of it.
  func areEmpty(_ frames: Range<Int>) throws(HDF5Error) -> [Bool] {
    guard case .encoded(_, let offsets) = storage, !frames.isEmpty else {
      return frames.map { _ in false }
    }
    let ends = try offsets.table.readByValue(
      UInt64.self, rows: frames.lowerBound..<frames.upperBound + 1)
    return zip(ends, ends.dropFirst()).map { $0 == $1 }
  }

  /// Size of a frame's image in bytes.
  func byteCount(_ frame: Int) throws -> Int {
    switch storage {
    case .encoded(_, let offsets): try offsets.range(of: frame).count
    case .pixels(let pixels): pixels.shape.dropFirst().reduce(1, *)
    }
  }

  /// The images of consecutive frames; encoded ones are read in one piece into `buffer`, which they share.
  func images(
    _ frames: Range<Int>, into buffer: inout [UInt8]
  ) throws -> [StoredImage] {
    guard !frames.isEmpty else { return [] }
    switch storage {
    case .encoded(let bytes, let offsets):
      let ranges = try frames.map { try offsets.range(of: $0) }
      guard zip(ranges, ranges.dropFirst()).allSatisfy({ $0.upperBound == $1.lowerBound }) else {
        throw offsets.changed(at: frames.lowerBound)
      }
      let start = ranges[0].lowerBound
      try bytes.read(rows: start..<ranges[ranges.count - 1].upperBound, into: &buffer)
      return ranges.map { .encoded(buffer[($0.lowerBound - start)..<($0.upperBound - start)]) }
    case .pixels(let pixels):
      let shape = pixels.shape
      return try frames.map { frame in
        let values = try pixels.read(UInt8.self, rows: frame..<(frame + 1))
        return .pixels(
          PixelBuffer(width: shape[2], height: shape[1], bytes: values) ?? PixelBuffer())
      }
    }
  }
}

/// Reads offsets some hundred at a time, because most images are read in sequence.
private final class OffsetWindow: Sendable {
  let table: HDF5Dataset
  private let byteCount: Int
  private let file: String
  private let window = Mutex((first: 0, offsets: [UInt64]()))

  private static let length = 512

  /// `bytes` is the length of the blob, and `file` the path of both.
  init(_ table: HDF5Dataset, bytes: Int, file: String) {
    (self.table, byteCount, self.file) = (table, bytes, file)
  }

  /// The bytes of a frame's image; throws where they are none, as in a file that changed since it was opened.
  func range(of frame: Int) throws -> Range<Int> {
    try window.withLock { window in
      if frame < window.first || frame + 1 >= window.first + window.offsets.count {
        let end = min(frame + Self.length, table.shape[0])
        window.offsets = try table.readByValue(UInt64.self, rows: frame..<max(end, frame + 2))
        window.first = frame
      }
      let position = frame - window.first
      let (start, end) = (window.offsets[position], window.offsets[position + 1])
      guard start <= end, end <= UInt64(byteCount) else { throw changed(at: frame) }
      return Int(start)..<Int(end)
    }
  }

  /// The error of offsets that were sound when the file was opened.
  func changed(at frame: Int) -> FileError {
    FileError.wrongData(
      "cannot read '\(table.path)'[\(frame)] in \(file): expected the offsets that were there when it was "
        + "opened, found others")
  }
}
