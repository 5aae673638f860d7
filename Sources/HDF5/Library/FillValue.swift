/// A fill value message of either kind.
struct FillValue {
  /// The value of one element; nil if none is set.
  let bytes: ArraySlice<UInt8>?

  /// nil if the message is damaged.
  init?(_ body: ArraySlice<UInt8>) {
    var reader = ByteReader(body)
    guard let version = reader.integer(1), (1...3).contains(version) else { return nil }
    let hasValue: Bool
    if version == 3 {
      guard let flags = reader.integer(1) else { return nil }
      hasValue = flags & 0x20 != 0
    } else {
      guard reader.skip(2) != nil, let isDefined = reader.integer(1) else { return nil }
      hasValue = version == 1 || isDefined != 0
    }
    guard hasValue else {
      bytes = nil
      return
    }
    guard let size = reader.integer(4) else { return nil }
    // A size of -1 means an undefined value.
    if size == 0xFFFF_FFFF && version < 3 {
      bytes = nil
    } else {
      guard let value = reader.take(size) else { return nil }
      bytes = value
    }
  }

  /// The older kind: a size and the value; nil if it is damaged.
  init?(old body: ArraySlice<UInt8>) {
    var reader = ByteReader(body)
    guard let size = reader.integer(4), let value = reader.take(size) else { return nil }
    bytes = value
  }
}
