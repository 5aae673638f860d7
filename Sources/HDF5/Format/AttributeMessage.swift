/// A parsed attribute message: name, type, dataspace and the bytes of its values.
struct AttributeMessage {
  let name: ArraySlice<UInt8>
  let isNameTerminated: Bool
  let type: ArraySlice<UInt8>
  let space: ArraySlice<UInt8>
  let values: ArraySlice<UInt8>
  /// Whether `type` and `space` are references to messages that are stored elsewhere.
  let hasSharedType: Bool
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
    hasSharedType = hasFlags && flags & HDF5Format.Attribute.hasSharedDatatype != 0
    hasSharedSpace = hasFlags && flags & HDF5Format.Attribute.hasSharedDataspace != 0
  }
}

extension ObjectHeader {
  /// The attribute of a name; nil if the object has none. No other attribute is parsed.
  func attribute(
    named name: String, in file: RawFile
  ) throws(HDF5Error) -> StoredAttribute? {
    var hasUnreadable = false
    // Shared ones are read anew for each who asks, so their bytes are bounded together.
    var budget = try file.size(operation)
    var sharedCount = 0
    for message in messages where message.type == HDF5Format.Message.attribute {
      var body = message.body
      if message.isShared {
        body = try shared(body, message.type, in: file)
        (budget, sharedCount) = (budget - body.count, sharedCount + 1)
        guard budget >= 0, sharedCount <= Self.maxSharedAttributes else { throw damaged }
      }
      guard let attribute = AttributeMessage(body) else {
        hasUnreadable = true
        continue
      }
      if attribute.name.elementsEqual(name.utf8) { return try stored(attribute, in: file) }
    }
    if let dense = try denseAttribute(named: name, in: file) { return try stored(dense, in: file) }
    guard !hasUnreadable else { throw damaged }
    return nil
  }

  private static let maxSharedAttributes = 256
  /// Checksums of 32 bits that are equal are rare.
  private static let maxNamesOfOneChecksum = 16

  /// An attribute that lies in a heap, found by the checksum of its name.
  private func denseAttribute(
    named name: String, in file: RawFile
  ) throws(HDF5Error) -> AttributeMessage? {
    typealias Numbers = HDF5Format.AttributeInfo
    guard let info = try single(HDF5Format.Message.attributeInfo, in: file) else { return nil }
    var reader = ByteReader(info)
    guard reader.integer(1) == Numbers.version, let flags = reader.integer(1),
      reader.skip(flags & Numbers.tracksCreationOrder != 0 ? 2 : 0) != nil,
      let heapAddress = reader.address(file.addressBytes),
      let treeAddress = reader.address(file.addressBytes)
    else { throw damaged }
    guard let heapAddress else { return nil }
    guard let treeAddress else { throw damaged }
    let what = "list of attributes"
    let tree = try BTreeV2(at: treeAddress, [.attributeNames], of: what, in: file, operation)
    let wanted = UInt64(MetadataChecksum.sum(Array(name.utf8)[...]))
    var found: [(identifier: ArraySlice<UInt8>, isShared: Bool)] = []
    try tree.forEach { record throws(HDF5Error) in
      var reader = ByteReader(record)
      guard let identifier = reader.take(Numbers.identifierBytes), let flags = reader.integer(1),
        reader.skip(4) != nil, let checksum = reader.unsigned(4)
      else { throw damaged }
      guard checksum == wanted else { return }
      found.append((identifier, flags & HDF5Format.ObjectHeader.isShared != 0))
    }
    guard found.count <= Self.maxNamesOfOneChecksum else { throw damaged }
    for candidate in found {
      let body: ArraySlice<UInt8>
      if candidate.isShared {
        body = try file.sharedMessages.body(
          candidate.identifier, of: HDF5Format.Message.attribute, in: file, operation)
      } else {
        var heap = try FractalHeap(at: heapAddress, of: what, in: file, operation)
        body = try heap.object(candidate.identifier)
      }
      guard let attribute = AttributeMessage(body) else { throw damaged }
      if attribute.name.elementsEqual(name.utf8) { return attribute }
    }
    return nil
  }

  private func stored(
    _ attribute: AttributeMessage, in file: RawFile
  ) throws(HDF5Error) -> StoredAttribute {
    guard attribute.isNameTerminated else { throw damaged }
    let space =
      attribute.hasSharedSpace
      ? try shared(attribute.space, HDF5Format.Message.dataspace, in: file) : attribute.space
    let type =
      attribute.hasSharedType
      ? try shared(attribute.type, HDF5Format.Message.datatype, in: file) : attribute.type
    let shape = try Extents(space, file.lengthBytes, operation).shape
    guard let type = DatatypeMessage(type), let claim = ExtentCheck.product(shape, type.byteCount),
      shape.contains(0) || claim <= attribute.values.count
    else { throw damaged }
    // A field of a compound type cannot be asked for, so the part is all of an element.
    return StoredAttribute(
      type: ElementPart(type, in: file).type,
      bytes: Array(attribute.values.prefix(shape.contains(0) ? 0 : claim)))
  }
}

/// The stored values of an attribute.
struct StoredAttribute {
  /// The type of one value.
  let type: StoredType
  let bytes: [UInt8]
}
