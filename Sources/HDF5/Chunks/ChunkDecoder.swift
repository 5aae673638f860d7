internal import Platform

/// Reverses a filter pipeline and requires exactly one chunk's bytes, which libhdf5 1.10 does not check.
struct ChunkDecoder {
  let filters: [HDF5Format.Filter]
  let chunkBytes: Int
  let elementBytes: Int
  let operation: Operation

  /// Throws `.corrupt` unless the stored bytes decode to `chunkBytes`.
  func decode(_ stored: [UInt8], skipped: UInt32) throws(HDF5Error) -> [UInt8] {
    var bytes = stored
    for (index, filter) in filters.enumerated().reversed() where skipped & 1 << UInt32(index) == 0 {
      switch filter {
      case .deflate: bytes = try inflate(bytes, rest(before: index, skipped))
      case .lzf: bytes = try expand(bytes, rest(before: index, skipped))
      case .shuffle: bytes = unshuffle(bytes)
      case .fletcher32: bytes = try checked(bytes)
      }
    }
    guard bytes.count == chunkBytes else { throw wrongSize(found: "\(bytes.count)") }
    return bytes
  }

  private func wrongSize(found: String) -> HDF5Error {
    operation.failure(
      .corrupt, "a chunk is damaged", expected: "\(chunkBytes) bytes", found: found)
  }

  /// What a filter's input was: at most so many bytes, exactly that unless it was compressed before.
  private struct Rest {
    let byteCount: Int
    let isExact: Bool
  }

  private func rest(before index: Int, _ skipped: UInt32) -> Rest {
    let earlier = filters.indices.filter { $0 < index && skipped & 1 << UInt32($0) == 0 }
    return Rest(
      byteCount: chunkBytes + 4 * earlier.count { filters[$0] == .fletcher32 },
      isExact: !earlier.contains { filters[$0].maxExpansion > 1 })
  }

  private func inflate(_ stored: [UInt8], _ rest: Rest) throws(HDF5Error) -> [UInt8] {
    let output: [UInt8]
    do {
      output = try Deflate.decompressed(stored, atMost: rest.byteCount)
    } catch {
      throw wrongSize(found: error.description)
    }
    guard output.count == rest.byteCount || !rest.isExact else {
      throw wrongSize(found: "\(output.count)")
    }
    return output
  }

  private func expand(_ stored: [UInt8], _ rest: Rest) throws(HDF5Error) -> [UInt8] {
    guard let output = LZF.decompress(stored, limit: rest.byteCount),
      output.count == rest.byteCount || !rest.isExact
    else { throw wrongSize(found: "a broken stream or another length") }
    return output
  }

  private func unshuffle(_ bytes: [UInt8]) -> [UInt8] {
    let count = bytes.count / elementBytes
    guard elementBytes > 1, count > 1 else { return bytes }
    var output = bytes
    // Safety: both buffers hold at least `count * elementBytes` bytes.
    bytes.withUnsafeBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        for byte in 0..<elementBytes {
          let plane = byte * count
          for element in 0..<count {
            target[element * elementBytes + byte] = source[plane + element]
          }
        }
      }
    }
    return output
  }

  private func checked(_ bytes: [UInt8]) throws(HDF5Error) -> [UInt8] {
    guard bytes.count > 4 else { throw wrongSize(found: "\(bytes.count)") }
    let stored = bytes.suffix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let sum = Self.fletcher32(bytes.dropLast(4))
    // Before release 1.6.3 the two bytes of each half were swapped.
    let old = (sum & 0x00FF_00FF) << 8 | (sum >> 8) & 0x00FF_00FF
    guard stored == sum || stored == old else {
      throw operation.failure(.corrupt, "a chunk's checksum is wrong")
    }
    return Array(bytes.dropLast(4))
  }

  /// Fletcher's checksum over big-endian 16-bit words, as libhdf5 defines it.
  static func fletcher32(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var (sum1, sum2): (UInt32, UInt32) = (0, 0)
    func fold(_ sum: UInt32) -> UInt32 { (sum & 0xFFFF) + sum >> 16 }
    var index = bytes.startIndex
    while index + 1 < bytes.endIndex {
      for _ in 0..<min(360, (bytes.endIndex - index) / 2) {
        sum1 &+= UInt32(bytes[index]) << 8 | UInt32(bytes[index + 1])
        sum2 &+= sum1
        index += 2
      }
      (sum1, sum2) = (fold(sum1), fold(sum2))
    }
    if index < bytes.endIndex {
      sum1 &+= UInt32(bytes[index]) << 8
      sum2 &+= sum1
      (sum1, sum2) = (fold(sum1), fold(sum2))
    }
    return fold(sum2) << 16 | fold(sum1)
  }
}

extension HDF5Format.Filter {
  /// The most bytes that a byte stands for after the filter.
  var maxExpansion: Int {
    switch self {
    case .deflate: 1032
    case .lzf: LZF.maxExpansion
    case .shuffle, .fletcher32: 1
    }
  }
}
