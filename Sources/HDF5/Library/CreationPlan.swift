@preconcurrency import CHDF5

/// The layout of a new dataset, validated before libhdf5 creates it.
struct CreationPlan {
  let shape: [Int]
  let isExtendible: Bool
  let chunkRows: Int?
  let gzipLevel: Int?

  private static let defaultChunkBytes = 256 << 10

  /// Chunk extents, nil for contiguous storage; throws `.cannotWrite` for impossible ones.
  func chunk(elementBytes: Int, _ operation: Operation) throws(HDF5Error) -> [Int]? {
    guard shape.allSatisfy({ $0 >= 0 }), shape.count <= HDF5Format.maxRank,
      ExtentCheck.product(shape, elementBytes) != nil
    else { throw operation.failure(.cannotWrite, "no dataset has the extents \(shape)") }
    guard gzipLevel.map((1...9).contains) ?? true else {
      throw operation.failure(
        .cannotWrite, expected: "a gzip level of 1 to 9", found: "\(gzipLevel ?? 0)")
    }
    guard isExtendible || gzipLevel != nil || chunkRows != nil else { return nil }
    guard let rows = shape.first else {
      throw operation.failure(.cannotWrite, "a single value has no chunks")
    }
    let row = shape.dropFirst().map { max($0, 1) }
    let rowBytes = row.reduce(elementBytes, *)
    var chunkRows = chunkRows ?? max(1, Self.defaultChunkBytes / rowBytes)
    if !isExtendible { chunkRows = min(chunkRows, max(rows, 1)) }
    guard chunkRows > 0, let bytes = ExtentCheck.product([chunkRows], rowBytes), bytes <= 1 << 30
    else {
      throw operation.failure(
        .cannotWrite, expected: "chunks of at most 1 GiB",
        found: "\(chunkRows) rows of \(rowBytes) bytes")
    }
    return [chunkRows] + row
  }

  func space(
    _ library: borrowing HDF5Library, _ operation: Operation
  ) throws(HDF5Error) -> Handle {
    guard !shape.isEmpty else { return try library.handle(H5Screate(H5S_SCALAR), operation) }
    let extents = shape.map { hsize_t($0) }
    var limits = extents
    if isExtendible { limits[0] = hsize_t.max }
    return try library.handle(
      H5Screate_simple(Int32(shape.count), extents, limits), operation, .cannotWrite)
  }

  /// Without timestamps: the same values give the same bytes.
  func creationList(
    _ chunk: [Int]?, elementBytes: Int, _ library: borrowing HDF5Library, _ operation: Operation
  ) throws(HDF5Error) -> Handle {
    let list = try library.handle(H5Pcreate(H5P_CLS_DATASET_CREATE_ID_g), operation)
    try library.check(H5Pset_obj_track_times(list.id, false), operation)
    if let chunk {
      let extents = chunk.map { hsize_t($0) }
      try library.check(
        H5Pset_chunk(list.id, Int32(extents.count), extents), operation, .cannotWrite)
    }
    if let gzipLevel {
      if elementBytes > 1 { try library.check(H5Pset_shuffle(list.id), operation) }
      try library.check(H5Pset_deflate(list.id, UInt32(gzipLevel)), operation, .cannotWrite)
    }
    return list
  }
}
