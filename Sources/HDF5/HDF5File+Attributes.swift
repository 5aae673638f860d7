@preconcurrency import CHDF5

extension HDF5File {
  /// An attribute of the object at a path, `/` being the root; throws `.wrongLayout` if missing or of another type.
  ///
  /// Integers of every width read as `Int`, and any number as `Double` where nothing is lost.
  package func attribute<Value: HDF5AttributeValue>(
    _ name: String, of path: String, as type: Value.Type = Value.self
  ) throws(HDF5Error) -> Value {
    let operation = Operation("read attribute '\(name)' of", path, in: self.path)
    return try withOpenFile(operation) { library throws(HDF5Error) in
      let resolved = try resolve(path, name, library, operation)
      let exists = H5Aexists_by_name(id, resolved, name, 0)
      try library.check(exists, operation)
      guard exists > 0 else {
        throw operation.failure(.wrongLayout, "there is no such attribute")
      }
      let content = try content(of: name, resolved, library, operation)
      guard let value = Value(attribute: content) else {
        throw operation.mismatch(
          expected: Value.attributeDescription, found: content.description)
      }
      return value
    }
  }

  /// Whether the object at a path has an attribute of this name; throws `.wrongLayout` if there is no object.
  package func hasAttribute(_ name: String, of path: String) throws(HDF5Error) -> Bool {
    let operation = Operation("look up attribute '\(name)' of", path, in: self.path)
    return try withOpenFile(operation) { library throws(HDF5Error) in
      let exists = H5Aexists_by_name(
        id, try resolve(path, name, library, operation), name, 0)
      try library.check(exists, operation)
      return exists > 0
    }
  }

  /// Sets or replaces an attribute: UTF-8 text, i64 or f64, one value or an array; throws `.cannotWrite`.
  package func setAttribute<Value: HDF5AttributeValue>(
    _ name: String, of path: String, to value: Value
  ) throws(HDF5Error) {
    let operation = Operation("write attribute '\(name)' of", path, in: self.path)
    try requireWritable(operation)
    try withOpenFile(operation) { library throws(HDF5Error) in
      let resolved = try resolve(path, name, library, operation)
      let exists = H5Aexists_by_name(id, resolved, name, 0)
      try library.check(exists, operation)
      if exists > 0 {
        try library.check(H5Adelete_by_name(id, resolved, name, 0), operation, .cannotWrite)
      }
      let content = value.attributeContent
      var count = hsize_t(content.count)
      let space = try library.handle(
        Value.isSingleAttribute ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nil),
        operation)
      switch content {
      case .texts(let texts):
        let type = try library.variableTextType(operation)
        let attribute = try create(name, resolved, type.id, space.id, library, operation)
        try CStrings.with(texts, operation) { pointers throws(HDF5Error) in
          try write(pointers.baseAddress, count, to: attribute.id, type.id, library, operation)
        }
      case .integers(let integers):
        let attribute = try create(name, resolved, H5T_STD_I64LE_g, space.id, library, operation)
        try integers.withUnsafeBufferPointer { (values) throws(HDF5Error) in
          try write(
            values.baseAddress, count, to: attribute.id, H5T_NATIVE_INT64_g, library, operation)
        }
      case .numbers(let numbers):
        let attribute = try create(name, resolved, H5T_IEEE_F64LE_g, space.id, library, operation)
        try numbers.withUnsafeBufferPointer { (values) throws(HDF5Error) in
          try write(
            values.baseAddress, count, to: attribute.id, H5T_NATIVE_DOUBLE_g, library, operation)
        }
      }
    }
  }

  private func resolve(
    _ path: String, _ name: String, _ library: borrowing HDF5Library, _ operation: Operation
  ) throws(HDF5Error) -> String {
    guard !name.isEmpty, !name.utf8.contains(0) else {
      throw operation.failure(.wrongLayout, "no attribute has this name")
    }
    let paths = ObjectPath(file: self, operation: operation)
    let resolved = try paths.require(path, library)
    if !isWritable {
      let address = UInt64(try paths.info(ofResolved: resolved, library).addr)
      try ObjectHeader(at: address, in: raw, operation).judgeAttributeStorage(in: raw)
    }
    return resolved
  }

  private func create(
    _ name: String, _ resolved: String, _ type: hid_t, _ space: hid_t,
    _ library: borrowing HDF5Library, _ operation: Operation
  ) throws(HDF5Error) -> Handle {
    let creation = try library.handle(H5Pcreate(H5P_CLS_ATTRIBUTE_CREATE_ID_g), operation)
    try library.check(H5Pset_char_encoding(creation.id, H5T_CSET_UTF8), operation)
    return try library.handle(
      H5Acreate_by_name(id, resolved, name, type, space, creation.id, 0, 0), operation,
      .cannotWrite)
  }

  private func write(
    _ values: UnsafeRawPointer?, _ count: hsize_t, to attribute: hid_t, _ type: hid_t,
    _ library: borrowing HDF5Library, _ operation: Operation
  ) throws(HDF5Error) {
    guard count > 0 else { return }
    // Safety: `values` holds `count` elements of `type`, the attribute's extent.
    try library.check(H5Awrite(attribute, type, values), operation, .cannotWrite)
  }

  private func content(
    of name: String, _ resolved: String, _ library: borrowing HDF5Library, _ operation: Operation
  ) throws(HDF5Error) -> HDF5AttributeContent {
    let attribute = try library.handle(H5Aopen_by_name(id, resolved, name, 0, 0), operation)
    let typeHandle = try library.handle(H5Aget_type(attribute.id), operation)
    let type = try StoredType(typeHandle.id, library, operation).asStored(in: raw)
    let space = try library.handle(H5Aget_space(attribute.id), operation)
    let shape = try HDF5Dataset.shape(of: space.id, library, operation)
    let fileSize = try raw.size(operation)
    guard let most = ExtentCheck.product(shape, type.byteCount), most <= fileSize else {
      throw operation.failure(.refused, "it claims \(shape) values in a file of \(fileSize) bytes")
    }
    let byteCount = shape.contains(0) ? 0 : most
    if let text = type.text {
      var bytes: [UInt8] = []
      if byteCount > 0 {
        bytes =
          try text == .variable
          ? references(name, resolved, byteCount, library, operation)
          : values(attribute.id, typeHandle.id, byteCount, library, operation)
      }
      return .texts(try StoredText.decode(bytes, type, text, raw, operation))
    }
    guard type.element.nativeType(library) != nil else {
      throw operation.mismatch(expected: "a text or numbers", found: "\(type.element)")
    }
    let bytes = try values(attribute.id, typeHandle.id, byteCount, library, operation)
    return try numbers(bytes, type, operation)
  }

  private func values(
    _ attribute: hid_t, _ type: hid_t, _ byteCount: Int, _ library: borrowing HDF5Library,
    _ operation: Operation
  ) throws(HDF5Error) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    if byteCount > 0 {
      // Safety: `bytes` has room for all values in their stored type, to which nothing is converted.
      try library.check(H5Aread(attribute, type, &bytes), operation)
    }
    return bytes
  }

  private func numbers(
    _ bytes: [UInt8], _ type: StoredType, _ operation: Operation
  ) throws(HDF5Error) -> HDF5AttributeContent {
    switch type.element {
    case .f32, .f64:
      return .numbers(Self.widened(bytes, type))
    case .u64:
      let values = (Self.widened(bytes, type) as [UInt64]).compactMap { Int(exactly: $0) }
      guard values.count * type.byteCount == bytes.count else {
        throw operation.mismatch(expected: "integers below 2^63", found: "a larger one")
      }
      return .integers(values)
    default:
      return .integers((Self.widened(bytes, type) as [Int64]).map { Int($0) })
    }
  }

  private static func widened<Value: HDF5Element>(_ bytes: [UInt8], _ type: StoredType) -> [Value] {
    var values = [Value](repeating: .zero, count: bytes.count / type.byteCount)
    values.withUnsafeMutableBufferPointer { buffer in
      // Safety: stored elements are no wider than `Value`, so that they fit into the front.
      UnsafeMutableRawBufferPointer(buffer).copyBytes(from: bytes)
      ElementConversion.widen(buffer, from: type)
    }
    return values
  }

  /// The references of a text attribute, from the object's header: libhdf5 would follow them unchecked.
  private func references(
    _ name: String, _ resolved: String, _ byteCount: Int, _ library: borrowing HDF5Library,
    _ operation: Operation
  ) throws(HDF5Error) -> [UInt8] {
    if isWritable {
      try library.check(H5Fflush(id, H5F_SCOPE_LOCAL), operation, .cannotWrite)
    }
    let paths = ObjectPath(file: self, operation: operation)
    let address = UInt64(try paths.info(ofResolved: resolved, library).addr)
    let header = try ObjectHeader(at: address, in: raw, operation)
    for message in header.messages where message.type == 0x0C && !message.isShared {
      guard let found = AttributeMessage(message.body), found.name.elementsEqual(name.utf8) else {
        continue
      }
      guard found.values.count >= byteCount else {
        throw operation.failure(.corrupt, "the attribute is damaged")
      }
      return Array(found.values.prefix(byteCount))
    }
    throw operation.failure(
      .refused, "text of variable length is read only from an object's header")
  }
}
