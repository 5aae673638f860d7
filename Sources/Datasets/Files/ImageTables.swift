internal import HDF5
internal import Imaging

/// The pictures of a dataset: one blob with offsets, or an array of pixels.
struct ImageTables {
  private let storage: Storage

  private enum Storage {
    case encoded(bytes: HDF5Dataset, offsets: HDF5Dataset)
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
    storage = .encoded(bytes: bytes, offsets: offsets)
  }

  /// The picture of a frame.
  func picture(_ frame: Int) throws(HDF5Error) -> StoredPicture {
    switch storage {
    case .encoded(let bytes, let offsets):
      let ends = try offsets.readByValue(UInt64.self, rows: frame..<(frame + 2))
      return .encoded(try bytes.read(UInt8.self, rows: Int(ends[0])..<Int(ends[1])))
    case .pixels(let pixels):
      let values = try pixels.read(UInt8.self, rows: frame..<(frame + 1))
      return .pixels(
        PixelBuffer(width: pixels.shape[2], height: pixels.shape[1], bytes: values)
          ?? PixelBuffer())
    }
  }
}
