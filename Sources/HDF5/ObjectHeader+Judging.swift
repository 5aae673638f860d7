extension ObjectHeader {
  /// Throws `.corrupt` for messages whose lengths contradict each other, and `.refused` for what is not read.
  func judgeMessages(in file: RawFile) throws(HDF5Error) {
    for message in messages {
      switch (message.type, message.isShared) {
      case (MessageType.linkInfo, _):
        try judgeLinkInfo(message.body, in: file)
      case (MessageType.datatype, _):
        _ = try datatype(of: message, in: file)
      case (MessageType.attribute, true):
        throw operation.failure(.refused, "an attribute is stored in a shared message")
      case (MessageType.attribute, false):
        _ = try attribute(message.body, in: file)
      case (MessageType.oldFillValue, false):
        guard FillValue(old: message.body) != nil else { throw damaged }
      case (MessageType.fillValue, false):
        guard FillValue(message.body) != nil else { throw damaged }
      default: break
      }
    }
  }

  private func judgeLinkInfo(
    _ body: ArraySlice<UInt8>, in file: RawFile
  ) throws(HDF5Error) {
    var reader = ByteReader(body)
    guard reader.skip(1) != nil, let flags = reader.integer(1),
      reader.skip(flags & 1 != 0 ? 8 : 0) != nil, let heap = reader.address(file.addressBytes)
    else { throw damaged }
    guard heap == nil else {
      throw operation.failure(
        .refused, "it has a group of more than 8 members in the newer format, which is not read",
        expected: "libver 'earliest' without track_order")
    }
  }

  /// Throws `.refused` where attributes are kept in a heap.
  private func judgeAttributeStorage(in file: RawFile) throws(HDF5Error) {
    for message in messages where message.type == MessageType.attributeInfo {
      var reader = ByteReader(message.body)
      guard reader.skip(1) != nil, let flags = reader.integer(1),
        reader.skip(flags & 1 != 0 ? 2 : 0) != nil, let heap = reader.address(file.addressBytes)
      else { throw damaged }
      guard heap == nil else {
        throw operation.failure(
          .refused, "it has more than 8 attributes in the newer format, which is not read",
          expected: "libver 'earliest' without track_order")
      }
    }
  }

  /// The type of the object's values; throws `.corrupt` where it has none.
  func datatype(in file: RawFile) throws(HDF5Error) -> DatatypeMessage {
    guard let message = try single(MessageType.datatype) else { throw damaged }
    return try datatype(of: message, in: file)
  }

  private func datatype(
    of message: Message, in file: RawFile
  ) throws(HDF5Error) -> DatatypeMessage {
    guard !message.isShared else { return try namedType(message.body, in: file) }
    guard let type = DatatypeMessage(message.body) else { throw damaged }
    return type
  }

  /// The type in a header of its own that a reference names.
  private func namedType(
    _ body: ArraySlice<UInt8>, in file: RawFile
  ) throws(HDF5Error) -> DatatypeMessage {
    var reader = ByteReader(body)
    guard let version = reader.integer(1), version == 2 || version == 3,
      let kind = reader.integer(1), version == 2 || kind == 2,
      let address = reader.address(file.addressBytes), let address
    else { throw operation.failure(.refused, "its type is stored in a shared message") }
    let header = try ObjectHeader(at: address, in: file, operation)
    guard let message = try header.single(MessageType.datatype), !message.isShared,
      let type = DatatypeMessage(message.body)
    else { throw damaged }
    return type
  }

  /// The attribute of a name; nil where the object has none.
  func attribute(
    named name: String, in file: RawFile
  ) throws(HDF5Error) -> StoredAttribute? {
    try judgeAttributeStorage(in: file)
    for message in messages where message.type == MessageType.attribute && !message.isShared {
      guard let body = AttributeMessage(message.body) else { throw damaged }
      if body.name.elementsEqual(name.utf8) { return try attribute(message.body, in: file) }
    }
    return nil
  }

  private func attribute(
    _ body: ArraySlice<UInt8>, in file: RawFile
  ) throws(HDF5Error) -> StoredAttribute {
    guard let attribute = AttributeMessage(body), attribute.isNameTerminated,
      !attribute.hasSharedSpace
    else { throw damaged }
    let shape = try Extents(attribute.space, file.lengthBytes, operation).shape
    let type =
      attribute.hasNamedType
      ? try namedType(attribute.type, in: file) : DatatypeMessage(attribute.type)
    guard let type, let claim = ExtentCheck.product(shape, type.byteCount),
      shape.contains(0) || claim <= attribute.values.count
    else { throw damaged }
    return StoredAttribute(
      type: StoredType(type, in: file), shape: shape,
      bytes: Array(attribute.values.prefix(shape.contains(0) ? 0 : claim)))
  }
}

/// An attribute's values as they are stored.
struct StoredAttribute {
  let type: StoredType
  let shape: [Int]
  let bytes: [UInt8]
}
