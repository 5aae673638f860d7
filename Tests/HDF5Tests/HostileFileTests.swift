@preconcurrency import CHDF5
import CZlib
import Foundation
import HDF5
import TestSupport
import Testing

@Suite struct HostileFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Makes a file by libhdf5 itself, past all checks of ours.
  private func make(_ fill: (hid_t) throws -> Void) throws -> HDF5File {
    let made = try HDF5Library.locked { _ throws(HDF5Error) in
      let file = H5Fcreate(folder.path(), 2, 0, 0)
      let result = Result { try fill(file) }
      return (H5Fclose(file), result)
    }
    try made.1.get()
    try #require(made.0 >= 0)
    return try HDF5File.open(folder.path())
  }

  /// A dataset of u8 with one property list and one dataspace.
  private func makeDataset(
    _ file: hid_t, _ extents: [UInt64], type: hid_t = H5T_STD_U8LE_g,
    _ properties: (hid_t) -> herr_t
  ) throws -> hid_t {
    let list = H5Pcreate(H5P_CLS_DATASET_CREATE_ID_g)
    try #require(properties(list) >= 0)
    let space = H5Screate_simple(Int32(extents.count), extents, nil)
    let dataset = H5Dcreate2(file, "d", type, space, 0, list, 0)
    try #require(dataset >= 0)
    return dataset
  }

  private func expect(
    _ kind: HDF5Error.Kind, _ text: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
  ) {
    let error = #expect(throws: HDF5Error.self, sourceLocation: sourceLocation) { try body() }
    #expect(error?.kind == kind, sourceLocation: sourceLocation)
    #expect(
      error?.description.contains(text) == true, "\(error?.description ?? "")",
      sourceLocation: sourceLocation)
  }

  @Test func `external storage is refused`() throws {
    let secret = try folder.path(writing: Array("secret".utf8), to: "secret")
    let file = try make { file in
      H5Dclose(try makeDataset(file, [6]) { H5Pset_external($0, secret, 0, 6) })
    }
    expect(.refused, "external storage") { _ = try file.dataset("d") }
  }

  @Test func `links into other files are refused`() throws {
    let other = try HDF5File.create(folder.path("other.h5"))
    _ = try other.createDataset("d", of: UInt8.self, shape: [1])
    try other.setAttribute("a", of: "d", to: 1)
    try other.close()
    let file = try make { file in
      try #require(H5Lcreate_external(folder.path("other.h5"), "/", file, "out", 0, 0) >= 0)
      try #require(H5Lcreate_soft("/out/d", file, "soft", 0, 0) >= 0)
    }
    for path in ["out", "out/d", "soft"] {
      expect(.refused, "'out' is a link into another file") { _ = try file.dataset(path) }
      expect(.refused, "'out' is a link into another file") { _ = try file.exists(path) }
      expect(.refused, "'out' is a link into another file") { _ = try file.members(of: path) }
      expect(.refused, "'out' is a link into another file") {
        _ = try file.attribute("a", of: path, as: Int.self)
      }
    }
    #expect(try file.members(of: "/") == ["out", "soft"])
  }

  @Test func `soft links to nothing and in circles say so`() throws {
    let file = try make { file in
      try #require(H5Lcreate_soft("/nothing", file, "dangling", 0, 0) >= 0)
      try #require(H5Lcreate_soft("b", file, "a", 0, 0) >= 0)
      try #require(H5Lcreate_soft("/a", file, "b", 0, 0) >= 0)
    }
    #expect(try !file.exists("dangling"))
    expect(.wrongLayout, "it is a soft link to '/nothing', which is not there") {
      _ = try file.dataset("dangling")
    }
    expect(.refused, "its soft links go in circles") { _ = try file.dataset("a") }
  }

  @Test func `virtual datasets are refused`() throws {
    let file = try make { file in
      let space = H5Screate_simple(1, [4], nil)
      H5Dclose(
        try makeDataset(file, [4]) { H5Pset_virtual($0, space, folder.path("o.h5"), "d", space) })
    }
    expect(.refused, "virtual dataset") { _ = try file.dataset("d") }
  }

  @Test func `filters off the list are refused`() throws {
    let scale = try make { file in
      H5Dclose(
        try makeDataset(file, [64]) {
          H5Pset_chunk($0, 1, [64])
          return H5Pset_scaleoffset($0, H5Z_SO_INT, 0)
        })
    }
    expect(
      .refused,
      "it is compressed by scale-offset (filter 6), which 'h5repack -f GZIP=4 in.h5 out.h5' makes"
    ) {
      _ = try scale.dataset("d")
    }
    try scale.close()
    let unknown = try make { file in
      H5Dclose(
        try makeDataset(file, [64]) {
          H5Pset_chunk($0, 1, [64])
          return H5Pset_filter($0, 32_001, 1, 0, nil)
        })
    }
    expect(
      .refused,
      "it is compressed by Blosc (filter 32001), which is not read; in a copy of the file, "
        + "python3 -c \"import h5py, hdf5plugin; f = h5py.File('copy.h5', 'a'); v = f['d'][()]; "
        + "del f['d']; f['d'] = v\" makes it readable"
    ) { _ = try unknown.dataset("d") }
  }

  @Test(arguments: [[1 << 40], [1 << 33, 1 << 33], [16, 1 << 62]] as [[UInt64]], [false, true])
  func `extents beyond the file are refused`(extents: [UInt64], isChunked: Bool) throws {
    let file = try make { file in
      let list = H5Pcreate(H5P_CLS_DATASET_CREATE_ID_g)
      if isChunked { H5Pset_chunk(list, Int32(extents.count), extents.map { _ in 16 }) }
      let space = H5Screate_simple(Int32(extents.count), extents, nil)
      let dataset = H5Dcreate2(file, "d", H5T_STD_U8LE_g, space, 0, list, 0)
      try #require(dataset >= 0)
      H5Dclose(dataset)
    }
    expect(.refused, "values in a file of") { _ = try file.dataset("d") }
  }

  @Test func `more chunks than a file can hold are refused`() throws {
    let file = try make { file in
      H5Dclose(try makeDataset(file, [1 << 22]) { H5Pset_chunk($0, 1, [1]) })
    }
    expect(.refused, "it claims 4194304 values in chunks of [1] in a file of") {
      _ = try file.dataset("d")
    }
  }

  @Test(arguments: [0, 1, 3, 33, 255] as [UInt8])
  func `chunks of another rank are refused before they are opened`(rank: UInt8) throws {
    let file = try HDF5File.create(folder.path())
    _ = try file.createDataset("d", of: UInt16.self, shape: [200], chunkRows: 77)
    try file.close()
    var bytes = try folder.bytes(TemporaryFolder.name)
    // Layout message: version 3, chunked, rank 2, address of 8 bytes, extents 77 and 2.
    let extents = try #require(bytes.firstRange(of: [77, 0, 0, 0, 2, 0, 0, 0]))
    let start = extents.lowerBound - 11
    try #require(Array(bytes[start..<start + 3]) == [3, 2, 2])
    bytes[start + 2] = rank
    let patched = try HDF5File.open(folder.path(writing: bytes, to: "patched.h5"))
    let error = #expect(throws: HDF5Error.self) { _ = try patched.dataset("d") }
    #expect(error?.kind == .refused || error?.kind == .corrupt)
  }

  @Test(arguments: [(10, "10 bytes short"), (50_000_000, "a bomb")])
  func `chunks that decode to another size are refused`(decodedBytes: Int, _: String) throws {
    var length = compressBound(uLong(decodedBytes))
    var stored = [UInt8](repeating: 0, count: Int(length))
    let zeros = [UInt8](repeating: 0, count: decodedBytes)
    try #require(compress(&stored, &length, zeros, uLong(decodedBytes)) == Z_OK)
    let file = try make { file in
      let dataset = try makeDataset(file, [4096]) {
        H5Pset_chunk($0, 1, [4096])
        return H5Pset_deflate($0, 6)
      }
      try #require(H5Dwrite_chunk(dataset, 0, 0, [0], Int(length), stored) >= 0)
      H5Dclose(dataset)
    }
    expect(.corrupt, "a chunk is damaged: expected 4096 bytes") {
      _ = try file.dataset("d").readAll(UInt8.self)
    }
  }

  @Test func `chunks stored in another size are refused`() throws {
    let file = try HDF5File.create(folder.path())
    let dataset = try file.createDataset("d", of: UInt8.self, shape: [300], chunkRows: 300)
    try dataset.write([UInt8](repeating: 1, count: 300), atRow: 0)
    try file.close()
    var bytes = try folder.bytes(TemporaryFolder.name)
    // The chunk's key after the B-tree node's header of 24 bytes starts with its stored size.
    let nodes = bytes.ranges(of: Array("TREE".utf8)).filter { bytes[$0.lowerBound + 4] == 1 }
    let key = try #require(nodes.first).lowerBound + 24
    try #require(Array(bytes[key..<key + 4]) == [44, 1, 0, 0])
    bytes[key] = 10
    let patched = try HDF5File.open(folder.path(writing: bytes, to: "patched.h5"))
    expect(.corrupt, "expected 300 bytes, found 266") {
      _ = try patched.dataset("d").readAll(UInt8.self)
    }
  }

  @Test func `string references beyond their heap are refused`() throws {
    let file = try HDF5File.create(folder.path())
    let dataset = try file.createStringDataset("d", shape: [1])
    try dataset.writeStrings(["ABCDEFGHIJKLM"], atRow: 0)
    try file.close()
    let bytes = try folder.bytes(TemporaryFolder.name)
    let text = try #require(bytes.firstRange(of: Array("ABCDEFGHIJKLM".utf8))).lowerBound
    let heap = try #require(bytes.firstRange(of: Array("GCOL".utf8))).lowerBound
    let address = withUnsafeBytes(of: UInt64(heap).littleEndian) { Array($0) }
    let reference = try #require(
      bytes.firstRange(of: [13, 0, 0, 0] + address + [1, 0, 0, 0])
    ).lowerBound
    let patches: [(Int, [UInt8])] = [
      (text - 8, [255, 255, 255, 255, 0, 0, 0, 0]), (text - 8, [12]), (reference, [255, 255, 255]),
      (reference + 4, [1]), (reference + 12, [9]),
    ]
    for (position, patch) in patches {
      var damaged = bytes
      damaged.replaceSubrange(position..<position + patch.count, with: patch)
      let opened = try HDF5File.open(
        folder.path(writing: damaged, to: "\(position)-\(patch.count).h5"))
      expect(.corrupt, "is damaged") { _ = try opened.dataset("d").readAllStrings() }
    }
  }

  @Test func `types that are not read are named`() throws {
    let file = try make { file in
      let compound = H5Tcreate(H5T_COMPOUND, 8)
      H5Tinsert(compound, "x", 0, H5T_STD_I32LE_g)
      H5Dclose(try makeDataset(file, [2], type: compound) { _ in 0 })
    }
    expect(.wrongLayout, "expected f32, found a compound type") {
      _ = try file.dataset("d").readAll(Float.self)
    }
  }
}
