/// The numbers of a ZIP archive; each group names its section of PKWARE's APPNOTE.
///
/// A field's number is its position in its structure.
enum ZipFormat {
  /// 4.3.7, the local file header.
  enum LocalHeader {
    static let signature: UInt32 = 0x0403_4b50
    static let nameLength = 26
    static let extraLength = 28
    static let byteCount = 30
  }

  /// 4.3.12, the central directory structure: a file header.
  enum DirectoryEntry {
    static let signature: UInt32 = 0x0201_4b50
    static let flags = 8
    static let method = 10
    static let storedSize = 20
    static let size = 24
    static let nameLength = 28
    static let extraLength = 30
    static let commentLength = 32
    static let headerOffset = 42
    static let byteCount = 46
  }

  /// 4.3.16, the end of central directory record.
  enum EndRecord {
    static let signature: [UInt8] = [0x50, 0x4b, 0x05, 0x06]
    static let entryCount = 10
    static let directorySize = 12
    static let directoryOffset = 16
    static let commentLength = 20
    static let byteCount = 22
    static let maxCommentLength = 65_535
  }

  /// 4.4.4, the general purpose bit flag.
  static let isEncrypted = 0x01
  /// 4.4.5, the compression method of a file that is stored.
  static let stored = 0
}
