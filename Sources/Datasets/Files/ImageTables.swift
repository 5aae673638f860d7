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
    var last: UInt64 = 0
    let total = UInt64(bytes.shape[0])
    for start in stride(from: 0, through: frames, by: 1 << 16) {
      let end = min(start + (1 << 16), frames + 1)
      for (row, offset) in try offsets.readByValue(UInt64.self, rows: start..<end).enumerated() {
        let index = start + row
        guard index > 0 || offset == 0, offset >= last, offset <= total else {
          throw DatasetError(
            .wrongData,
            "cannot read 'images/offsets'[\(index)] in \(file.path): expected "
              + (index == 0 ? "0" : "\(last) to \(total)") + ", found \(offset)")
        }
        last = offset
      }
    }
    guard last == total else {
      throw DatasetError(
        .wrongData,
        "cannot read 'images/offsets'[\(frames)] in \(file.path): expected \(total), the length "
          + "of images/bytes, found \(last)")
    }
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
