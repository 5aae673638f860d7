import Foundation

/// Measures how much of a file is stored, if the file system reports holes.
enum StoredExtent {
  /// Smaller files are accepted, because reading them is fast.
  private static let minCheckedBytes = 64 << 20
  private static let maxBytesPerStoredByte = 64
  private static let maxExtents = 1 << 16

  /// Throws `.refused` for a large file that is nearly all holes: hashing takes time in proportion to its size.
  static func check(_ descriptor: Int32, _ operation: Operation) throws(HDF5Error) {
    let size = Int(lseek(descriptor, 0, SEEK_END))
    guard size > minCheckedBytes else { return }
    let enough = size / maxBytesPerStoredByte
    var (stored, position) = (0, 0)
    // SEEK_DATA and SEEK_HOLE, which Foundation does not name.
    let (nextData, nextHole): (Int32, Int32) = (3, 4)
    for _ in 0..<maxExtents where stored < enough && position < size {
      let start = Int(lseek(descriptor, off_t(position), nextData))
      guard start >= 0 else {
        // ENXIO means no more data; other errors mean that holes are not reported.
        guard errno == ENXIO else { return }
        position = size
        continue
      }
      let end = Int(lseek(descriptor, off_t(start), nextHole))
      guard end > start else { return }
      (stored, position) = (stored + end - start, end)
    }
    guard stored < enough, position >= size else { return }
    throw operation.failure(
      .refused, expected: "a file whose bytes are stored",
      found: "\(stored) of \(size) bytes, the rest are holes")
  }
}
