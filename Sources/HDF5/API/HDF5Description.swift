internal import Platform

/// What a dataset's header says, whether or not its values can be read.
package struct HDF5Description: Sendable, Equatable {
  /// Extents; empty for a scalar, nil where the header does not say.
  package var shape: [Int]?
  /// The element type in words, such as `f32`; nil where the header does not say.
  package var type: String?
  /// The names of the fields of a compound type.
  package var fields: [String] = []
  /// Names of the filters in the order in which they were applied.
  package var filters: [String] = []
  /// Chunk extents; empty unless chunked.
  package var chunk: [Int] = []
  /// Why the values cannot be read; nil where they can.
  package var problem: HDF5Error?

  /// A description without any facts.
  package init() {}
}

extension HDF5File {
  /// Describes the dataset at a path as far as its header is understood; throws where there is none.
  package func describe(_ path: String) throws(HDF5Error) -> HDF5Description {
    let operation = Operation("read", path, in: self.path)
    let header = try reading(operation) { () throws(HDF5Error) in
      try ObjectPath(file: self, operation: operation).require(path).header
    }
    guard header.kind == .dataset else {
      throw operation.mismatch(
        expected: "a dataset", found: header.kind == .group ? "a group" : "a named type")
    }
    var found = HDF5Description()
    if let space = try? header.single(HDF5Format.Message.dataspace, in: raw) {
      found.shape = try? Extents(space, raw.lengthBytes, operation).shape
    }
    if let type = try? header.datatype(in: raw) {
      let part = ElementPart(type, in: raw)
      found.type = part.type.element.description
      found.shape? += part.extents
    }
    if let pipeline = try? header.single(HDF5Format.Message.filters, in: raw) {
      found.filters = FilterList(pipeline).identifiers.map(UnreadStorage.name)
    }
    do throws(HDF5Error) {
      let dataset = try dataset(path)
      found.chunk = dataset.chunk
      found.fields = dataset.fields
      if case .unsupported(let name) = dataset.elementType {
        found.problem = operation.failure(.refused, "\(name) is not read")
      }
    } catch {
      found.problem = error
      if let layout = try? header.single(HDF5Format.Message.layout, in: raw),
        let rank = found.shape?.count
      {
        found.chunk = Self.chunk(layout, rank: rank, raw.addressBytes)
      }
    }
    return found
  }

  /// The first bytes of the block before the HDF5 data, at most 128; empty where there is none.
  package func userBlockStart() throws(HDF5Error) -> [UInt8] {
    let operation = Operation("read", in: path)
    var bytes = [UInt8](repeating: 0, count: min(raw.base, 128))
    guard !bytes.isEmpty else { return [] }
    do throws(SystemError) {
      let count = try raw.descriptor.fill(&bytes, upTo: bytes.count, from: 0)
      return Array(bytes.prefix(count))
    } catch {
      throw operation.failure(error)
    }
  }

  /// The names of the attributes of the object at a path, in ascending order; those that are not UTF-8 are left out.
  package func attributeNames(of path: String) throws(HDF5Error) -> [String] {
    let operation = Operation("list the attributes of", path, in: self.path)
    return try reading(operation) { () throws(HDF5Error) in
      let header = try ObjectPath(file: self, operation: operation).require(path).header
      return header.messages.filter { $0.type == HDF5Format.Message.attribute && !$0.isShared }
        .compactMap { AttributeMessage($0.body) }
        .compactMap { String(validating: $0.name, as: UTF8.self) }.sorted()
    }
  }

  /// Chunk extents of a layout that is not understood as a whole, without the element size; empty where it has none.
  private static func chunk(_ body: ArraySlice<UInt8>, rank: Int, _ addressBytes: Int) -> [Int] {
    var reader = ByteReader(body)
    guard let version = reader.integer(1), version >= HDF5Format.Layout.firstVersionWithSizes,
      reader.integer(1) == HDF5Format.Layout.Class.chunked.rawValue
    else { return [] }
    let hasIndex = version >= HDF5Format.Layout.firstVersionWithIndexes
    guard reader.skip(hasIndex ? 1 : 0) != nil, reader.integer(1) == rank + 1 else { return [] }
    guard let width = hasIndex ? reader.integer(1) : 4,
      reader.skip(hasIndex ? 0 : addressBytes) != nil
    else { return [] }
    return (0..<rank).compactMap { _ in reader.integer(width) }
  }
}
