@preconcurrency import CHDF5

extension HDF5File {
  /// Opens a dataset after validating its header; throws `.wrongLayout`, `.refused` or `.corrupt`.
  package func dataset(_ path: String) throws(HDF5Error) -> HDF5Dataset {
    let operation = Operation("read", path, in: self.path)
    let (object, layout, type, part) = try reading(operation) { () throws(HDF5Error) in
      let object = try ObjectPath(file: self, operation: operation).require(path)
      guard object.header.kind == .dataset else {
        throw operation.mismatch(
          expected: "a dataset", found: object.header.kind == .group ? "a group" : "a named type")
      }
      let layout = try StoredLayout(object.header, in: raw, operation)
      let message = try object.header.datatype(in: raw)
      let type = StoredType(message, in: raw)
      try ExtentCheck.check(layout, elementBytes: type.byteCount, in: raw, operation)
      return (object, layout, type, ElementPart(message, in: raw))
    }
    var id: hid_t = -1
    if isWritable {
      id = try withOpenFile(operation) { library throws(HDF5Error) in
        try library.handle(H5Dopen2(self.id, object.path, 0), operation).release()
      }
    }
    return HDF5Dataset(
      path: path, file: self, id: id, type: type, part: part, shape: layout.shape,
      chunk: layout.chunk, isExtendible: !layout.chunk.isEmpty && layout.unlimitedAxes.contains(0),
      fixedLayout: isWritable ? nil : layout)
  }

  /// Opens a dataset and checks type and shape, nil being any extent; throws as `dataset(_:)` does.
  package func dataset<Element: HDF5Element>(
    _ path: String, of element: Element.Type, shape: [Int?]
  ) throws(HDF5Error) -> HDF5Dataset {
    let dataset = try dataset(path)
    try dataset.require(element, shape: shape)
    return dataset
  }

  /// Opens a dataset of text and checks its shape, nil being any extent.
  package func stringDataset(_ path: String, shape: [Int?]) throws(HDF5Error) -> HDF5Dataset {
    let dataset = try dataset(path)
    try dataset.require(.string, isReadable: dataset.elementType == .string, shape: shape)
    return dataset
  }

  /// Creates a dataset and the groups above it; throws `.cannotWrite`, also if the path is taken.
  ///
  /// With `isExtendible`, the dataset starts with `shape[0]` rows and more can be appended.
  /// Chunks hold `chunkRows` whole rows, by default about 256 KiB; without `isExtendible` and
  /// `gzipLevel` (1 fast … 9 small) the values are stored contiguously. Unwritten values read as 0.
  package func createDataset<Element: HDF5Element>(
    _ path: String, of element: Element.Type, shape: [Int], isExtendible: Bool = false,
    chunkRows: Int? = nil, gzipLevel: Int? = nil
  ) throws(HDF5Error) -> HDF5Dataset {
    let operation = Operation("create", path, in: self.path)
    try requireWritable(operation)
    return try withOpenFile(operation) { library throws(HDF5Error) in
      guard let type = Element.elementType.types(library)?.file else {
        throw operation.failure(.cannotWrite, "its type is not written")
      }
      let plan = CreationPlan(
        shape: shape, isExtendible: isExtendible, chunkRows: chunkRows, gzipLevel: gzipLevel)
      return try create(path, Element.elementType, type, plan, library, operation)
    }
  }

  /// Creates a dataset of variable-length UTF-8 text and the groups above it; otherwise as `createDataset`.
  package func createStringDataset(
    _ path: String, shape: [Int], isExtendible: Bool = false, chunkRows: Int? = nil
  ) throws(HDF5Error) -> HDF5Dataset {
    let operation = Operation("create", path, in: self.path)
    try requireWritable(operation)
    return try withOpenFile(operation) { library throws(HDF5Error) in
      let type = try library.variableTextType(operation)
      let plan = CreationPlan(
        shape: shape, isExtendible: isExtendible, chunkRows: chunkRows, gzipLevel: nil)
      return try create(path, .string, type.id, plan, library, operation)
    }
  }

  private func create(
    _ path: String, _ element: HDF5ElementType, _ type: hid_t, _ plan: CreationPlan,
    _ library: borrowing HDF5Library, _ operation: Operation
  ) throws(HDF5Error) -> HDF5Dataset {
    let parts = try ObjectPath.parts(path, operation)
    guard !parts.isEmpty else { throw operation.failure(.cannotWrite, "the root is a group") }
    try requireGroups(parts.dropLast(), library, operation)
    let full = "/" + parts.joined(separator: "/")
    guard try !hasLink(full, library, operation) else {
      throw operation.failure(.cannotWrite, "there is an object of this name already")
    }
    let elementBytes = H5Tget_size(type)
    let chunk = try plan.chunk(elementBytes: elementBytes, operation)
    let space = try plan.space(library, operation)
    let creation = try plan.creationList(chunk, elementBytes: elementBytes, library, operation)
    let links = try Self.linkCreationList(parts.suffix(1), library, operation)
    let access = try accessList(chunk, elementBytes: elementBytes, library, operation)
    let handle = try library.handle(
      H5Dcreate2(id, full, type, space.id, links.id, creation.id, access.id), operation,
      .cannotWrite)
    let stored = StoredType(writing: element, elementBytes: elementBytes, in: raw)
    return HDF5Dataset(
      path: path, file: self, id: handle.release(), type: stored, shape: plan.shape,
      chunk: chunk ?? [], isExtendible: plan.isExtendible, fixedLayout: nil)
  }

  /// libhdf5 caches chunks while they are being filled.
  private func accessList(
    _ chunk: [Int]?, elementBytes: Int, _ library: borrowing HDF5Library, _ operation: Operation
  ) throws(HDF5Error) -> Handle {
    let list = try library.handle(H5Pcreate(H5P_CLS_DATASET_ACCESS_ID_g), operation)
    let chunkBytes = ExtentCheck.product(chunk ?? [], elementBytes) ?? 0
    let cacheBytes = min(max(2 * min(chunkBytes, 32 << 20), 1 << 20), 64 << 20)
    try library.check(H5Pset_chunk_cache(list.id, 521, cacheBytes, 1), operation)
    return list
  }
}
