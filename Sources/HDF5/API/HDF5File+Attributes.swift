@preconcurrency import CHDF5
internal import Platform

extension HDF5File {
  /// An attribute of the object at a path, `/` being the root; throws `.wrongLayout` if missing or of another type.
  ///
  /// Integers of every width are read as `Int`, and any number as `Double` if it is exact.
  package func attribute<Value: HDF5AttributeValue>(
    _ name: String, of path: String, as type: Value.Type = Value.self
  ) throws(HDF5Error) -> Value {
    let operation = Operation("read attribute '\(name)' of", path, in: self.path)
    return try reading(operation) { () throws(HDF5Error) in
      guard let stored = try stored(name, of: path, operation) else {
        throw operation.failure(.wrongLayout, "there is no such attribute")
      }
      let content = try content(of: stored, operation)
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
    return try reading(operation) { () throws(HDF5Error) in
      try stored(name, of: path, operation) != nil
    }
  }

  private func stored(
    _ name: String, of path: String, _ operation: Operation
  ) throws(HDF5Error) -> StoredAttribute? {
    try Self.checkName(name, operation)
    return try ObjectPath(file: self, operation: operation).require(path).header
      .attribute(named: name, in: raw)
  }

  private static func checkName(_ name: String, _ operation: Operation) throws(HDF5Error) {
    guard !name.isEmpty, !name.utf8.contains(0) else {
      throw operation.failure(.wrongLayout, "no attribute has this name")
    }
  }

  /// Sets or replaces an attribute: UTF-8 text, i64 or f64, one value or an array; throws `.cannotWrite`.
  package func setAttribute<Value: HDF5AttributeValue>(
    _ name: String, of path: String, to value: Value
  ) throws(HDF5Error) {
    let operation = Operation("write attribute '\(name)' of", path, in: self.path)
    try requireWritable(operation)
    try Self.checkName(name, operation)
    let resolved = "/" + (try ObjectPath.parts(path, operation)).joined(separator: "/")
    try withOpenFile(operation) { library throws(HDF5Error) in
      let exists = H5Aexists_by_name(id, resolved, name, 0)
      try library.check(exists, operation, .cannotWrite)
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
        try integers.withBuffer { (values) throws(HDF5Error) in
          try write(
            values.baseAddress, count, to: attribute.id, H5T_NATIVE_INT64_g, library, operation)
        }
      case .numbers(let numbers):
        let attribute = try create(name, resolved, H5T_IEEE_F64LE_g, space.id, library, operation)
        try numbers.withBuffer { (values) throws(HDF5Error) in
          try write(
            values.baseAddress, count, to: attribute.id, H5T_NATIVE_DOUBLE_g, library, operation)
        }
      }
    }
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
    of stored: StoredAttribute, _ operation: Operation
  ) throws(HDF5Error) -> HDF5AttributeContent {
    let (bytes, type) = (stored.bytes, stored.type)
    if let text = type.text {
      return .texts(try StoredText.decode(bytes, type, text, raw, operation))
    }
    switch type.element {
    case .string, .bytes, .reference, .compound, .unsupported:
      throw operation.mismatch(expected: "a text or numbers", found: "\(type.element)")
    case .f16, .bf16, .f32, .f64:
      return .numbers(Self.widened(bytes, type))
    case .u64:
      let values = (Self.widened(bytes, type) as [UInt64]).compactMap { Int(exactly: $0) }
      guard values.count * type.byteCount == bytes.count else {
        throw operation.mismatch(expected: "integers below 2^63", found: "a larger one")
      }
      return .integers(values)
    case .i8, .u8, .i16, .u16, .i32, .u32, .i64:
      return .integers((Self.widened(bytes, type) as [Int64]).map { Int($0) })
    }
  }

  private static func widened<Value: HDF5Element>(_ bytes: [UInt8], _ type: StoredType) -> [Value] {
    var values = [Value](repeating: .zero, count: bytes.count / type.byteCount)
    values.withUnsafeMutableBufferPointer { buffer in
      // Safety: stored elements are no wider than `Value`, and fit into the front.
      UnsafeMutableRawBufferPointer(buffer).copyBytes(from: bytes)
      ElementConversion.widen(buffer, from: type)
    }
    return values
  }
}
