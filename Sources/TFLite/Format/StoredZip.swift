/// A ZIP archive without compression; every offset is checked.
struct StoredZip {
  let bytes: [UInt8]

  private func integer<T: FixedWidthInteger>(_ type: T.Type, at offset: Int) throws(ModelError)
    -> Int
  {
    Int(try FlatBuffer(bytes: bytes[...]).integer(type, at: offset))
  }

  private func expect(_ signature: UInt32, at offset: Int, _ what: String) throws(ModelError) {
    guard try integer(UInt32.self, at: offset) == Int(signature) else {
      throw ModelError(
        .corrupt, "no \(what) at the offset that the archive gives", byteOffset: offset)
    }
  }

  /// The position of the end-of-directory record, whose comment ends the file; models inside may
  /// contain their own records, which do not.
  private func endRecord() throws(ModelError) -> Int {
    let signature: [UInt8] = [0x50, 0x4b, 5, 6]
    var offset = bytes.count - 22
    while offset >= max(0, bytes.count - 22 - 65_535) {
      if bytes[offset..<offset + 4].elementsEqual(signature),
        try offset + 22 + integer(UInt16.self, at: offset + 20) == bytes.count
      {
        return offset
      }
      offset -= 1
    }
    throw ModelError(
      .corrupt,
      "neither a TFLite model nor a ZIP archive: no end-of-directory record in "
        + "\(bytes.count) bytes")
  }

  /// Names and data positions of all members.
  func members() throws(ModelError) -> [(name: String, position: Range<Int>)] {
    let end = try endRecord()
    let count = try integer(UInt16.self, at: end + 10)
    let size = try integer(UInt32.self, at: end + 12)
    let start = try integer(UInt32.self, at: end + 16)
    guard count > 0 else {
      throw ModelError(.corrupt, "the archive's directory lists no members", byteOffset: end)
    }
    let shift = end - size - start
    guard shift >= 0 else {
      throw ModelError(
        .corrupt, "a directory of \(size) bytes at \(start) does not end before its end record",
        byteOffset: end)
    }
    var members: [(name: String, position: Range<Int>)] = []
    var entry = start + shift
    for _ in 0..<count {
      try expect(0x0201_4b50, at: entry, "directory entry")
      let nameLength = try integer(UInt16.self, at: entry + 28)
      let rest = try integer(UInt16.self, at: entry + 30) + integer(UInt16.self, at: entry + 32)
      let next = entry + 46 + nameLength + rest
      guard next <= end else {
        throw ModelError(
          .corrupt, "a directory entry of \(next - entry) bytes runs past the directory's end",
          byteOffset: entry)
      }
      let name = String(decoding: bytes[entry + 46..<entry + 46 + nameLength], as: UTF8.self)
      members.append((name, try data(of: name, entry: entry, shift: shift, end: start + shift)))
      entry = next
    }
    try expectApart(members)
    return members
  }

  private func data(
    of name: String, entry: Int, shift: Int, end: Int
  ) throws(ModelError) -> Range<Int> {
    let flags = try integer(UInt16.self, at: entry + 8)
    let method = try integer(UInt16.self, at: entry + 10)
    let stored = try integer(UInt32.self, at: entry + 20)
    let size = try integer(UInt32.self, at: entry + 24)
    guard method == 0, flags & 1 == 0, stored == size else {
      throw ModelError(
        .unsupported,
        "member '\(name)' is compressed or encrypted (method \(method), flags \(flags), "
          + "\(stored) of \(size) bytes), expected it stored",
        byteOffset: entry)
    }
    let header = try integer(UInt32.self, at: entry + 42) + shift
    try expect(0x0403_4b50, at: header, "member header")
    let first =
      try header + 30 + integer(UInt16.self, at: header + 26)
      + integer(UInt16.self, at: header + 28)
    guard first <= end, size <= end - first else {
      throw ModelError(
        .corrupt, "member '\(name)' of \(size) bytes at \(first) runs into the directory at \(end)",
        byteOffset: entry)
    }
    return first..<first + size
  }

  private func expectApart(_ members: [(name: String, position: Range<Int>)]) throws(ModelError) {
    let order = members.filter { !$0.position.isEmpty }
      .sorted { $0.position.lowerBound < $1.position.lowerBound }
    for (a, b) in zip(order, order.dropFirst()) where a.position.upperBound > b.position.lowerBound
    {
      throw ModelError(
        .corrupt, "members '\(a.name)' and '\(b.name)' overlap", byteOffset: b.position.lowerBound)
    }
  }
}
