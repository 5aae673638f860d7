extension Array where Element == Float {
  /// Widens little-endian IEEE half floats, exactly; an odd last byte is ignored.
  package init(float16Bytes bytes: ArraySlice<UInt8>) {
    self = bytes.withUnsafeBytes { raw in
      (0..<raw.count / 2).map { index in
        let bits = raw.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)
        return Float(Float16(bitPattern: UInt16(littleEndian: bits)))
      }
    }
  }

  /// Reads little-endian IEEE floats; a rest of fewer than four bytes is ignored.
  package init(float32Bytes bytes: ArraySlice<UInt8>) {
    self = bytes.withUnsafeBytes { raw in
      (0..<raw.count / 4).map { index in
        let bits = raw.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)
        return Float(bitPattern: UInt32(littleEndian: bits))
      }
    }
  }
}
