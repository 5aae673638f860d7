/// A parsed attribute message: name, type, dataspace and the bytes of its values.
struct AttributeMessage {
  let name: ArraySlice<UInt8>
  let isNameTerminated: Bool
  let type: ArraySlice<UInt8>
  let space: ArraySlice<UInt8>
  let values: ArraySlice<UInt8>
  /// Whether `type` is a reference to a named datatype.
  let hasNamedType: Bool
  let hasSharedSpace: Bool

  init?(_ body: ArraySlice<UInt8>) {
    var reader = ByteReader(body)
    guard let version = reader.integer(1), HDF5Format.Attribute.versions.contains(version),
      let flags = reader.integer(1), let nameBytes = reader.integer(2),
      let typeBytes = reader.integer(2), let spaceBytes = reader.integer(2),
      reader.skip(version >= HDF5Format.Attribute.firstVersionWithCharacterSet ? 1 : 0) != nil
    else { return nil }
    let hasFlags = version >= HDF5Format.Attribute.firstVersionWithFlags
    func padding(_ count: Int) -> Int { hasFlags ? 0 : -count & 7 }
    guard let name = reader.take(nameBytes), reader.skip(padding(nameBytes)) != nil,
      let type = reader.take(typeBytes), reader.skip(padding(typeBytes)) != nil,
      let space = reader.take(spaceBytes), reader.skip(padding(spaceBytes)) != nil,
      let values = reader.take(reader.remaining)
    else { return nil }
    self.name = name.prefix { $0 != 0 }
    isNameTerminated = name.contains(0)
    self.type = type
    self.space = space
    self.values = values
    hasNamedType = hasFlags && flags & HDF5Format.Attribute.hasSharedDatatype != 0
    hasSharedSpace = hasFlags && flags & HDF5Format.Attribute.hasSharedDataspace != 0
  }
}
