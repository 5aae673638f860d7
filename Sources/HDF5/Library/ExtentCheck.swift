/// Validates declared sizes against the file's size before anything is allocated.
enum ExtentCheck {
  /// Allowance for declared values that are not written yet and take no bytes in the file.
  private static let maxUnallocatedBytes = 16 << 20
  /// Maximum bytes of a decoded chunk in any file; larger files may exceed it in proportion to their size.
  private static let maxChunkBytes = 32 << 20
  /// Maximum bytes of one read in any file; larger files may exceed it in proportion to their size.
  private static let maxReadBytes = 64 << 20
  private static let maxBytesPerStoredByte = 4
  /// Allowance for chunks that were never written and take no bytes in the file.
  private static let maxUnwrittenChunks = 1 << 16

  /// The product of extents and an element size; nil if it overflows without its zeros.
  static func product(_ extents: [Int], _ elementBytes: Int) -> Int? {
    var product = elementBytes
    for extent in extents where extent != 0 {
      let (next, overflow) = product.multipliedReportingOverflow(by: extent)
      guard !overflow else { return nil }
      product = next
    }
    return product
  }

  private static func budget(_ bytes: Int, _ fileSize: Int) -> Int {
    let (stored, overflow) = fileSize.multipliedReportingOverflow(by: maxBytesPerStoredByte)
    return overflow ? Int.max : max(bytes, stored)
  }

  /// Throws `.refused` if values would take more memory than a file of this size may request.
  static func checkRead(
    _ count: Int, elementBytes: Int, in file: RawFile, _ operation: Operation
  ) throws(HDF5Error) {
    let fileSize = try file.size(operation)
    let (bytes, overflow) = count.multipliedReportingOverflow(by: elementBytes)
    let limit = budget(maxReadBytes, fileSize)
    guard !overflow, bytes <= limit else {
      throw operation.failure(
        .refused, expected: "at most \(limit) bytes at once in a file of \(fileSize) bytes",
        found: "\(count) values of \(elementBytes)")
    }
  }

  /// Throws `.refused` or `.corrupt` if the layout's sizes are impossible.
  static func check(
    _ layout: StoredLayout, elementBytes: Int, in file: RawFile, _ operation: Operation
  ) throws(HDF5Error) {
    let fileSize = try file.size(operation)
    func refuse(_ what: String) -> HDF5Error {
      operation.failure(.refused, "\(what) in a file of \(fileSize) bytes")
    }
    let claim = "it claims \(layout.shape.map(String.init).joined(separator: " × ")) values"
    guard let nonzero = product(layout.shape, elementBytes) else { throw refuse(claim) }
    let total = layout.shape.contains(0) ? 0 : nonzero

    switch layout.storage {
    case .compact(let bytes):
      guard bytes.count >= total else { throw refuse(claim) }
    case .contiguous(let address):
      guard let address, total > 0 else {
        guard total <= maxUnallocatedBytes else { throw refuse(claim) }
        return
      }
      guard layout.compactOrContiguousBytes.map({ $0 >= total }) ?? true else {
        throw refuse(claim)
      }
      try file.checkRange(address, total, operation)
    case .chunked:
      guard layout.chunkElementBytes == elementBytes else {
        throw operation.failure(
          .refused, "its chunks are damaged", expected: "elements of \(elementBytes) bytes",
          found: "\(layout.chunkElementBytes ?? 0)")
      }
      let expansion = layout.filters.reduce(1) { $0 * $1.maxExpansion }
      let (stored, overflow) = fileSize.multipliedReportingOverflow(by: expansion)
      let largest = overflow ? Int.max - maxUnallocatedBytes : stored
      let limit = largest + min(maxUnallocatedBytes, Int.max - largest)
      guard total <= limit else { throw refuse(claim) }
      let chunkClaim = "a chunk of \(layout.chunk.map(String.init).joined(separator: " × ")) values"
      guard let chunkBytes = product(layout.chunk, elementBytes),
        chunkBytes <= budget(maxChunkBytes, fileSize),
        chunkBytes <= limit
      else { throw refuse(chunkClaim) }
      let counts = zip(layout.shape, layout.chunk).map { $0 == 0 ? 0 : ($0 - 1) / $1 + 1 }
      guard let chunks = product(counts, 1), chunks <= max(fileSize, maxUnwrittenChunks) else {
        throw refuse(claim + " in chunks of \(layout.chunk)")
      }
    }
  }
}
