@preconcurrency import CHDF5

extension HDF5File {
  /// Opens a dataset after judging its header; throws `.wrongLayout`, `.refused` or `.corrupt`.
  package func dataset(_ path: String) throws(HDF5Error) -> HDF5Dataset {
    let operation = Operation("read", path, in: self.path)
    return try withOpenFile(operation) { library throws(HDF5Error) in
      try openDataset(path, library, operation)
    }
  }

  /// Opens a dataset that must have this type and shape, nil being any extent; throws as `dataset(_:)` does.
  package func dataset<Element: HDF5Element>(
    _ path: String, of element: Element.Type, shape: [Int?]
  ) throws(HDF5Error) -> HDF5Dataset {
    let dataset = try dataset(path)
    try dataset.require(element, shape: shape)
    return dataset
  }

  /// Opens a dataset of text that must have this shape, nil being any extent.
  package func stringDataset(_ path: String, shape: [Int?]) throws(HDF5Error) -> HDF5Dataset {
    let dataset = try dataset(path)
    try dataset.requireStrings(shape: shape)
    return dataset
  }

  /// Creates a dataset and the groups above it; throws `.cannotWrite`, also if the path is taken.
  ///
  /// With `isExtendible`, `shape[0]` rows are there at first and more can be appended.
  /// Chunks hold `chunkRows` whole rows, by default about 256 KiB; without `isExtendible` and
  /// `gzipLevel` (1 fast … 9 small) the values lie in one piece. Unwritten values read as 0.
  package func createDataset<Element: HDF5Element>(
    _ path: String, of element: Element.Type, shape: [Int], isExtendible: Bool = false,
    chunkRows: Int? = nil, gzipLevel: Int? = nil
  ) throws(HDF5Error) -> HDF5Dataset {
    let operation = Operation("create", path, in: self.path)
    try requireWritable(operation)
    return try withOpenFile(operation) { library throws(HDF5Error) in
      guard let type = Element.elementType.fileType(library) else {
        throw operation.failure(.cannotWrite, "its type is not written")
      }
      let plan = CreationPlan(
        shape: shape, isExtendible: isExtendible, chunkRows: chunkRows, gzipLevel: gzipLevel)
      return try create(path, type, plan, library, operation)
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
      return try create(path, type.id, plan, library, operation)
    }
  }

  private func create(
    _ path: String, _ type: hid_t, _ plan: CreationPlan, _ library: borrowing HDF5Library,
    _ operation: Operation
  ) throws(HDF5Error) -> HDF5Dataset {
    let parts = try ObjectPath.parts(path, operation)
    guard !parts.isEmpty else { throw operation.failure(.cannotWrite, "the root is a group") }
    try requireGroups(parts.dropLast(), library, operation)
    let paths = ObjectPath(file: self, operation: operation)
    let full = "/" + parts.joined(separator: "/")
    guard try paths.resolve(full, library) == nil else {
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
    let stored = try StoredType(type, library, operation).asStored(in: raw)
    return HDF5Dataset(
      path: path, file: self, id: handle.release(), type: stored, shape: plan.shape,
      chunk: chunk ?? [], isExtendible: plan.isExtendible, fixedLayout: nil)
  }

  private func openDataset(
    _ path: String, _ library: borrowing HDF5Library, _ operation: Operation
  ) throws(HDF5Error) -> HDF5Dataset {
    let paths = ObjectPath(file: self, operation: operation)
    let resolved = try paths.require(path, library)
    let info = try paths.info(ofResolved: resolved, library)
    guard info.type == H5O_TYPE_DATASET else {
      throw operation.mismatch(
        expected: "a dataset", found: info.type == H5O_TYPE_GROUP ? "a group" : "a named type")
    }
    if isWritable {
      try library.check(H5Fflush(id, H5F_SCOPE_LOCAL), operation, .cannotWrite)
    }
    let layout = try StoredLayout(
      ObjectHeader(at: UInt64(info.addr), in: raw, operation), in: raw, operation)
    let access = try accessList(layout.chunk, elementBytes: 8, library, operation)
    let handle = try library.handle(H5Dopen2(id, resolved, access.id), operation)
    let typeHandle = try library.handle(H5Dget_type(handle.id), operation)
    let type = try StoredType(typeHandle.id, library, operation).asStored(in: raw)
    try ExtentCheck.check(layout, elementBytes: type.byteCount, in: raw, operation)
    return HDF5Dataset(
      path: path, file: self, id: handle.release(), type: type, shape: layout.shape,
      chunk: layout.chunk, isExtendible: !layout.chunk.isEmpty && layout.isUnlimited,
      fixedLayout: isWritable ? nil : layout)
  }

  /// Chunks are cached by libhdf5 only while they are being filled; reading keeps its own.
  private func accessList(
    _ chunk: [Int]?, elementBytes: Int, _ library: borrowing HDF5Library, _ operation: Operation
  ) throws(HDF5Error) -> Handle {
    let list = try library.handle(H5Pcreate(H5P_CLS_DATASET_ACCESS_ID_g), operation)
    let chunkBytes = ExtentCheck.product(chunk ?? [], elementBytes) ?? 0
    let cacheBytes = isWritable ? min(max(2 * min(chunkBytes, 32 << 20), 1 << 20), 64 << 20) : 0
    try library.check(
      H5Pset_chunk_cache(list.id, isWritable ? 521 : 0, cacheBytes, 1), operation)
    return list
  }
}
