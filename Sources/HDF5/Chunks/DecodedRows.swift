/// Rows of datasets whose chunks hold more rows than are read at once; bounded for the whole file.
///
/// A chunk is decoded for many rows, not for each anew: wide chunks, of which one image takes hundreds, too.
struct DecodedRows: Sendable {
  /// Bytes of rows that are kept together of one dataset.
  static let maxWindowBytes = 96 << 20
  private static let maxBytes = 96 << 20

  private struct Window: Sendable {
    let start: Int
    let bytes: [UInt8]
    var lastUse: Int
  }

  private var windows: [ObjectIdentifier: Window] = [:]
  private var byteCount = 0
  private var uses = 0

  /// The bytes of the rows from `start` on, if they are kept.
  mutating func rows(from start: Int, of dataset: ObjectIdentifier) -> [UInt8]? {
    guard let window = windows[dataset], window.start == start else { return nil }
    uses += 1
    windows[dataset]?.lastUse = uses
    return window.bytes
  }

  mutating func keep(_ bytes: [UInt8], from start: Int, of dataset: ObjectIdentifier) {
    removeAll(of: dataset)
    makeRoom(for: bytes.count)
    uses += 1
    byteCount += bytes.count
    windows[dataset] = Window(start: start, bytes: bytes, lastUse: uses)
  }

  /// Forgets what was used longest ago until so many bytes fit.
  mutating func makeRoom(for count: Int) {
    while byteCount + count > Self.maxBytes,
      let oldest = windows.min(by: { $0.value.lastUse < $1.value.lastUse })?.key
    {
      removeAll(of: oldest)
    }
  }

  mutating func removeAll(of dataset: ObjectIdentifier) {
    byteCount -= windows.removeValue(forKey: dataset)?.bytes.count ?? 0
  }
}
