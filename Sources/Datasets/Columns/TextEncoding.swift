internal import Platform

/// Refuses text in other encodings than UTF-8, whose names would come out as other names.
enum TextEncoding {
  /// Whether bytes begin with a mark of UTF-16.
  static func isUTF16(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
  }

  /// Throws for bytes that begin with a mark of UTF-16.
  static func refuseUTF16(_ bytes: [UInt8], name: String) throws(FileError) {
    guard isUTF16(bytes) else { return }
    throw FileError.wrongData(
      "cannot read \(name): expected text in UTF-8, found UTF-16 (iconv -f UTF-16 -t UTF-8)")
  }

  /// Throws for bytes that are not UTF-8, with the line of the first.
  static func requireUTF8(_ bytes: [UInt8], name: String) throws(FileError) {
    try refuseUTF16(bytes, name: name)
    guard !bytes.contains(0) else {
      throw FileError.wrongData(
        "cannot read \(name): expected text in UTF-8, found a byte of 0, as UTF-16 has")
    }
    var (line, start) = (1, 0)
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
      let content = bytes[start..<end]
      if content.contains(where: { $0 > 0x7F }),
        String(validating: content, as: UTF8.self) == nil
      {
        throw FileError.wrongData(
          "cannot read \(name), line \(line): expected text in UTF-8, found other bytes, as of "
            + "Windows-1252 (iconv -f WINDOWS-1252 -t UTF-8)")
      }
      (line, start) = (line + 1, end + 1)
    }
  }
}
