/// A reference to an object of the same file.
package struct HDF5Reference: Sendable, Hashable {
  /// Address of the object's header.
  let address: UInt64
}

extension HDF5Dataset {
  /// Reads all references to objects, a null one as nil; throws `.wrongLayout` for other types.
  package func readReferences() throws(HDF5Error) -> [HDF5Reference?] {
    let operation = operation("read")
    guard elementType == .reference, part.type.byteCount == file.raw.addressBytes else {
      throw operation.mismatch(expected: "object references", found: "\(elementType)")
    }
    let bytes = try storedBytes(rows: { 0..<($0.first ?? 1) }, operation)
    return stride(from: 0, to: bytes.count, by: part.type.byteCount).map { start in
      let address = bytes[start..<start + part.type.byteCount].reversed()
        .reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return address == 0 ? nil : HDF5Reference(address: address)
    }
  }

  /// Reads rows of bytes of variable length, one array per value; throws `.wrongLayout` for other types.
  package func readByteSequences(rows: Range<Int>) throws(HDF5Error) -> [[UInt8]] {
    let operation = operation("read")
    guard elementType == .bytes else {
      throw operation.mismatch(expected: "variable-length u8", found: "\(elementType)")
    }
    let bytes = try storedBytes(rows: { _ in rows }, operation)
    var heap = try GlobalHeap(file.raw, operation)
    var values: [[UInt8]] = []
    for start in stride(from: 0, to: bytes.count, by: part.type.byteCount) {
      values.append(Array(try heap.bytes(bytes[start..<start + part.type.byteCount])))
    }
    return values
  }
}

extension HDF5File {
  /// The paths of a group's members by the references that name them; soft links are left out.
  ///
  /// References are not followed: an object is opened by its path, whose links are validated.
  package func membersByReference(
    of group: String
  ) throws(HDF5Error) -> [HDF5Reference: String] {
    let operation = Operation("list", group, in: path)
    return try reading(operation) { () throws(HDF5Error) in
      let paths = ObjectPath(file: self, operation: operation)
      let object = try paths.require(group)
      var members: [HDF5Reference: String] = [:]
      for (name, link) in try paths.links(of: object).links {
        guard case .object(let address) = link else { continue }
        let reference = HDF5Reference(address: address)
        // An object with several names gets the first in their order.
        if let other = members[reference], other < object.inner(name) { continue }
        members[reference] = object.inner(name)
      }
      return members
    }
  }
}
