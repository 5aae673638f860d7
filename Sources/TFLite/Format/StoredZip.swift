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
    typealias Record = ZipFormat.EndRecord
    let signature = Record.signature
    var offset = bytes.count - Record.byteCount
    while offset >= max(0, bytes.count - Record.byteCount - Record.maxCommentLength) {
      if bytes[offset..<offset + signature.count].elementsEqual(signature),
        try offset + Record.byteCount + integer(UInt16.self, at: offset + Record.commentLength)
          == bytes.count
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
    let count = try integer(UInt16.self, at: end + ZipFormat.EndRecord.entryCount)
    let size = try integer(UInt32.self, at: end + ZipFormat.EndRecord.directorySize)
    let start = try integer(UInt32.self, at: end + ZipFormat.EndRecord.directoryOffset)
    guard count > 0 else {
      throw ModelError(.corrupt, "the archive's directory lists no members", byteOffset: end)
    }
    let shift = end - size - start
    guard shift >= 0 else {
      throw ModelError(
        .corrupt, "a directory of \(size) bytes at \(start) does not end before its end record",
        byteOffset: end)
    }
    typealias Entry = ZipFormat.DirectoryEntry
    var members: [(name: String, position: Range<Int>)] = []
    var entry = start + shift
    for _ in 0..<count {
      try expect(Entry.signature, at: entry, "directory entry")
      let nameLength = try integer(UInt16.self, at: entry + Entry.nameLength)
      let extraLength = try integer(UInt16.self, at: entry + Entry.extraLength)
      let commentLength = try integer(UInt16.self, at: entry + Entry.commentLength)
      let nameStart = entry + Entry.byteCount
      let next = nameStart + nameLength + extraLength + commentLength
      guard next <= end else {
        throw ModelError(
          .corrupt, "a directory entry of \(next - entry) bytes runs past the directory's end",
          byteOffset: entry)
      }
      let name = String(decoding: bytes[nameStart..<nameStart + nameLength], as: UTF8.self)
      members.append((name, try data(of: name, entry: entry, shift: shift, end: start + shift)))
      entry = next
    }
    try expectApart(members)
    return members
  }

  private func data(
    of name: String, entry: Int, shift: Int, end: Int
  ) throws(ModelError) -> Range<Int> {
    typealias Entry = ZipFormat.DirectoryEntry
    typealias Header = ZipFormat.LocalHeader
    let flags = try integer(UInt16.self, at: entry + Entry.flags)
    let method = try integer(UInt16.self, at: entry + Entry.method)
    let stored = try integer(UInt32.self, at: entry + Entry.storedSize)
    let size = try integer(UInt32.self, at: entry + Entry.size)
    guard method == ZipFormat.stored, flags & ZipFormat.isEncrypted == 0, stored == size else {
      throw ModelError(
        .unsupported,
        "member '\(name)' is compressed or encrypted (method \(method), flags \(flags), "
          + "\(stored) of \(size) bytes), expected it stored",
        byteOffset: entry)
    }
    let header = try integer(UInt32.self, at: entry + Entry.headerOffset) + shift
    try expect(Header.signature, at: header, "member header")
    let nameLength = try integer(UInt16.self, at: header + Header.nameLength)
    let extraLength = try integer(UInt16.self, at: header + Header.extraLength)
    let first = header + Header.byteCount + nameLength + extraLength
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
