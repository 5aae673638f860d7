/// The chunks of the row band that was read last, decoded; bounded, so that memory does not grow with the file.
struct DecodedChunks: Sendable {
  private static let maxBytes = 32 << 20

  private var band: Int?
  private var chunks: [[Int]: [UInt8]] = [:]
  private var byteCount = 0

  func chunk(at offset: [Int]) -> [UInt8]? { chunks[offset] }

  mutating func keep(_ bytes: [UInt8], at offset: [Int]) {
    if band != offset.first {
      removeAll()
      band = offset.first
    }
    guard byteCount + bytes.count <= Self.maxBytes else { return }
    chunks[offset] = bytes
    byteCount += bytes.count
  }

  mutating func removeAll() {
    chunks.removeAll(keepingCapacity: true)
    byteCount = 0
    band = nil
  }
}
