/// Cache of the decoded chunks of each dataset's last row band; bounded for the whole file.
struct DecodedChunks: Sendable {
  private static let maxBytes = 96 << 20

  private struct Band: Sendable {
    let start: Int
    var chunks: [[Int]: [UInt8]] = [:]
    var byteCount = 0
    var lastUse = 0
  }

  private var bands: [ObjectIdentifier: Band] = [:]
  private var byteCount = 0
  private var uses = 0

  mutating func chunk(of dataset: ObjectIdentifier, at offset: [Int]) -> [UInt8]? {
    guard let bytes = bands[dataset]?.chunks[offset] else { return nil }
    uses += 1
    bands[dataset]?.lastUse = uses
    return bytes
  }

  mutating func keep(_ bytes: [UInt8], of dataset: ObjectIdentifier, at offset: [Int]) {
    guard let start = offset.first, bytes.count <= Self.maxBytes else { return }
    if let band = bands[dataset], band.start != start || band.chunks[offset] != nil {
      removeAll(of: dataset)
    }
    while byteCount + bytes.count > Self.maxBytes,
      let oldest = bands.min(by: { $0.value.lastUse < $1.value.lastUse })?.key
    {
      removeAll(of: oldest)
    }
    uses += 1
    byteCount += bytes.count
    var band = bands.removeValue(forKey: dataset) ?? Band(start: start)
    band.chunks[offset] = bytes
    band.byteCount += bytes.count
    band.lastUse = uses
    bands[dataset] = band
  }

  mutating func removeAll(of dataset: ObjectIdentifier) {
    byteCount -= bands.removeValue(forKey: dataset)?.byteCount ?? 0
  }
}
