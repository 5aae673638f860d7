/// Rows of datasets whose chunks hold more rows than are read at once; bounded for the whole file.
///
/// A chunk is decoded for many rows, not for each anew: wide chunks, of which one image takes hundreds, too.
struct DecodedRows: Sendable {
  /// Bytes of rows that are decoded together.
  static let maxWindowBytes = 64 << 20
  private static let maxBytes = 128 << 20
  /// Rows at several places are read in turn, as by the threads of a prefetch.
  private static let windowsPerDataset = 4

  private struct Window: Sendable {
    let start: Int
    let bytes: [UInt8]
    var lastUse: Int
  }

  private var windows: [ObjectIdentifier: [Window]] = [:]
  private var byteCount = 0
  private var uses = 0

  /// The bytes of the rows from `start` on, if they are kept.
  mutating func rows(from start: Int, of dataset: ObjectIdentifier) -> [UInt8]? {
    guard let index = windows[dataset]?.firstIndex(where: { $0.start == start }) else { return nil }
    uses += 1
    windows[dataset]?[index].lastUse = uses
    return windows[dataset]?[index].bytes
  }

  /// Keeps rows for which there is room.
  mutating func keep(_ bytes: [UInt8], from start: Int, of dataset: ObjectIdentifier) {
    makeRoom(for: bytes.count, of: dataset)
    uses += 1
    byteCount += bytes.count
    windows[dataset, default: []].append(Window(start: start, bytes: bytes, lastUse: uses))
  }

  /// Forgets what was used longest ago until so many bytes of one more window of a dataset fit.
  mutating func makeRoom(for count: Int, of dataset: ObjectIdentifier) {
    while windows[dataset].map({ $0.count >= Self.windowsPerDataset }) ?? false {
      removeOldest(of: dataset)
    }
    while byteCount + count > Self.maxBytes,
      let oldest = windows.min(by: { Self.lastUse($0.value) < Self.lastUse($1.value) })?.key
    {
      removeOldest(of: oldest)
    }
  }

  private static func lastUse(_ windows: [Window]) -> Int { windows.map(\.lastUse).min() ?? 0 }

  private mutating func removeOldest(of dataset: ObjectIdentifier) {
    var kept = windows.removeValue(forKey: dataset) ?? []
    guard let oldest = kept.indices.min(by: { kept[$0].lastUse < kept[$1].lastUse }) else { return }
    byteCount -= kept.remove(at: oldest).bytes.count
    if !kept.isEmpty { windows[dataset] = kept }
  }

  mutating func removeAll(of dataset: ObjectIdentifier) {
    byteCount -= (windows.removeValue(forKey: dataset) ?? []).reduce(0) { $0 + $1.bytes.count }
  }
}
