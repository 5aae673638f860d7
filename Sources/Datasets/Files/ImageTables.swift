internal import HDF5
internal import Imaging

/// The pictures of a dataset: one blob with offsets, or an array of pixels.
struct ImageTables {
  private let storage: Storage

  private enum Storage {
    case encoded(bytes: HDF5Dataset, offsets: OffsetWindow)
    case pixels(HDF5Dataset)
  }

  /// Opens the tables and checks that the offsets run from 0 to the end without turning back.
  init(_ file: HDF5File, frames: Int) throws {
    guard try !file.exists("images/pixels") else {
      storage = .pixels(
        try file.dataset("images/pixels", of: UInt8.self, shape: [frames, nil, nil, 3]))
      return
    }
    let offsets = try file.dataset("images/offsets", holding: UInt64.self, shape: [frames + 1])
    let bytes = try file.dataset("images/bytes", of: UInt8.self, shape: [nil])
    try TableCheck.offsets(
      offsets, total: bytes.shape[0], what: "the length of images/bytes", in: file)
    storage = .encoded(bytes: bytes, offsets: OffsetWindow(offsets))
  }

  /// The picture of a frame.
  func picture(_ frame: Int) throws(HDF5Error) -> StoredPicture {
    switch storage {
    case .encoded(let bytes, let offsets):
      return .encoded(try bytes.read(UInt8.self, rows: try offsets.range(of: frame)))
    case .pixels(let pixels):
      let values = try pixels.read(UInt8.self, rows: frame..<(frame + 1))
      return .pixels(
        PixelBuffer(width: pixels.shape[2], height: pixels.shape[1], bytes: values)
          ?? PixelBuffer())
    }
  }
}

/// Reads offsets some hundred at a time, as pictures are mostly asked for one after another.
private final class OffsetWindow {
  private let table: HDF5Dataset
  private var first = 0
  private var offsets: [UInt64] = []

  private static let length = 512

  init(_ table: HDF5Dataset) { self.table = table }

  /// The bytes of a frame's picture.
  func range(of frame: Int) throws(HDF5Error) -> Range<Int> {
    if frame < first || frame + 1 >= first + offsets.count {
      let end = min(frame + Self.length, table.shape[0])
      offsets = try table.readByValue(UInt64.self, rows: frame..<max(end, frame + 2))
      first = frame
    }
    return Int(offsets[frame - first])..<Int(offsets[frame - first + 1])
  }
}
