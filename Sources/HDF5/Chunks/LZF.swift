/// Decompresses LZF, the format of Marc Lehmann's liblzf.
///
/// A stream is literal runs (a byte below 32, which is their length less 1) and copies of what was written
/// (three bits of length, 13 bits of distance; a length of 7 is followed by a byte that is added to it).
enum LZF {
  /// The most bytes that one stored byte stands for: 264 by a copy of three bytes.
  static let maxExpansion = 88

  private static let literals = 32
  private static let longCopy = 7

  /// At most `limit` decompressed bytes; nil for a damaged stream or a longer one.
  static func decompress(_ stored: [UInt8], limit: Int) -> [UInt8]? {
    var isWhole = false
    let output = [UInt8](unsafeUninitializedCapacity: limit) { target, initialized in
      var (input, written) = (0, 0)
      defer { initialized = written }
      while input < stored.count {
        let control = Int(stored[input])
        input += 1
        guard control >= literals else {
          let count = control + 1
          guard count <= stored.count - input, count <= limit - written else { return }
          for index in 0..<count {
            target.initializeElement(at: written + index, to: stored[input + index])
          }
          input += count
          written += count
          continue
        }
        var count = control >> 5
        if count == longCopy {
          guard input < stored.count else { return }
          count += Int(stored[input])
          input += 1
        }
        guard input < stored.count else { return }
        let distance = (control & 0x1F) << 8 + Int(stored[input]) + 1
        input += 1
        count += 2
        guard distance <= written, count <= limit - written else { return }
        // The copy may overlap what it writes.
        for index in written..<written + count {
          target.initializeElement(at: index, to: target[index - distance])
        }
        written += count
      }
      isWhole = true
    }
    return isWhole ? output : nil
  }
}
