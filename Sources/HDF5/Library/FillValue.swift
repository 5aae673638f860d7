/// A fill value message of either kind.
struct FillValue {
  /// The value of one element; nil if none is set.
  let bytes: ArraySlice<UInt8>?

  /// nil if the message is damaged.
  init?(_ body: ArraySlice<UInt8>) {
    var reader = ByteReader(body)
    guard let version = reader.integer(1), HDF5Format.FillValue.versions.contains(version) else {
      return nil
    }
    let hasFlags = version >= HDF5Format.FillValue.firstVersionWithFlags
    let hasValue: Bool
    if hasFlags {
      guard let flags = reader.integer(1) else { return nil }
      hasValue = flags & HDF5Format.FillValue.hasValue != 0
    } else {
      guard reader.skip(2) != nil, let isDefined = reader.integer(1) else { return nil }
      hasValue = version < HDF5Format.FillValue.firstVersionWithState || isDefined != 0
    }
    guard hasValue else {
      bytes = nil
      return
    }
    guard let size = reader.integer(4) else { return nil }
    if size == HDF5Format.FillValue.undefinedSize && !hasFlags {
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
