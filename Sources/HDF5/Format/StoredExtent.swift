internal import Platform

/// Measures how much of a file is stored, if the file system reports holes.
enum StoredExtent {
  /// Smaller files are accepted, because reading them is fast.
  private static let minCheckedBytes = 64 << 20
  private static let maxBytesPerStoredByte = 64
  private static let maxExtents = 1 << 16

  /// Throws `.refused` for a large file that is nearly all holes: hashing takes time in proportion to its size.
  static func check(_ descriptor: Descriptor, _ operation: Operation) throws(HDF5Error) {
    let size = descriptor.seekToEnd()
    guard size > minCheckedBytes else { return }
    let enough = size / maxBytesPerStoredByte
    var (stored, position) = (0, 0)
    for _ in 0..<maxExtents where stored < enough && position < size {
      let next: Range<Int>?
      do throws(SystemError) {
        next = try descriptor.stored(from: position)
      } catch {
        // Holes are not reported.
        return
      }
      (stored, position) = (stored + (next?.count ?? 0), next?.upperBound ?? size)
    }
    guard stored < enough, position >= size else { return }
    throw operation.failure(
      .refused, expected: "a file whose bytes are stored",
      found: "\(stored) of \(size) bytes, the rest are holes")
  }
}
