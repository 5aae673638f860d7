import Foundation
import HDF5
import TestSupport
import Testing

@Suite struct DamagedStructureTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

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

  /// libhdf5 1.10 computes the checksum of a continued header over a length below its own frame.
  @Test(arguments: [0, 1, 4, 7, 1 << 40])
  func `a continued header of an impossible length is refused`(count: Int) throws {
    let original = try #require(OracleFile.all["attributes, version 1.8"]).bytes
    let block = try #require(original.firstRange(of: Array("OCHK".utf8))).lowerBound
    let address = withUnsafeBytes(of: UInt64(block).littleEndian) { Array($0) }
    let message = try #require(original.firstRange(of: address)).upperBound
    var bytes = original
    for (index, byte) in withUnsafeBytes(of: UInt64(count).littleEndian, Array.init).enumerated() {
      bytes[message + index] = byte
    }
    MetadataChecksum.all(in: original).forEach { $0.repair(&bytes) }
    let path = try folder.path(writing: bytes)
    expect(.corrupt, "cannot ") {
      _ = try HDF5File.open(path).attribute("big", of: "/", as: Int.self)
    }
  }

  @Test func `a checksum that is wrong is found`() throws {
    let original = try #require(OracleFile.all["types, version 1.10"]).bytes
    _ = try HDF5File.open(folder.path(writing: original))
    let header = try #require(original.firstRange(of: Array("OHDR".utf8))).lowerBound
    var bytes = original
    bytes[header + 8] ^= 1
    let path = try folder.path(writing: bytes, to: "b.h5")
    expect(.corrupt, "its object header has a wrong checksum") { _ = try HDF5File.open(path) }
  }

  /// A group of the older format, and where its first symbol node and its tree are.
  private func group() throws -> (bytes: [UInt8], tree: Int, node: Int) {
    let file = try HDF5File.create(folder.path("made.h5"))
    for name in ["aa", "bb", "cc"] { try file.createGroup(name) }
    try file.close()
    let bytes = try folder.bytes("made.h5")
    let tree = try #require(bytes.firstRange(of: Array("TREE".utf8))).lowerBound
    return (bytes, tree, try #require(bytes.firstRange(of: Array("SNOD".utf8))).lowerBound)
  }

  @Test func `a tree of groups that holds itself ends`() throws {
    var (bytes, tree, _) = try group()
    let own = withUnsafeBytes(of: UInt64(tree).littleEndian) { Array($0) }
    bytes[tree + 5] = 1
    bytes.replaceSubrange(tree + 32..<tree + 40, with: own)
    let path = try folder.path(writing: bytes)
    expect(.corrupt, "its list of links is damaged") {
      _ = try HDF5File.open(path).members(of: "/")
    }
  }

  @Test func `names beyond their heap and names that come twice are refused`() throws {
    let (bytes, _, node) = try group()
    var beyond = bytes
    beyond[node + 8 + 6] = 1
    let outside = try folder.path(writing: beyond)
    expect(.corrupt, "its list of links is damaged") { _ = try HDF5File.open(outside).exists("aa") }
    var twice = bytes
    twice.replaceSubrange(node + 48..<node + 56, with: bytes[node + 8..<node + 16])
    let same = try folder.path(writing: twice, to: "twice.h5")
    expect(.corrupt, "its list of links is damaged") {
      _ = try HDF5File.open(same).members(of: "/")
    }
  }

  @Test func `a large chunk of a small file is refused before it is decoded`() throws {
    let file = try HDF5File.create(folder.path())
    _ = try file.createDataset(
      "d", of: UInt8.self, shape: [0], isExtendible: true, chunkRows: 64 << 20, gzipLevel: 9)
    try file.close()
    let opened = try HDF5File.open(folder.path())
    expect(.refused, "a chunk of 67108864 values") { _ = try opened.dataset("d") }
  }

  @Test func `one read of a small file gives at most 64 MiB`() throws {
    let file = try HDF5File.create(folder.path())
    let dataset = try file.createDataset(
      "d", of: UInt8.self, shape: [72 << 20], chunkRows: 8 << 20, gzipLevel: 1)
    let part = [UInt8](repeating: 1, count: 8 << 20)
    for index in 0..<9 { try dataset.write(part, atRow: index << 23) }
    try file.close()
    let opened = try HDF5File.open(folder.path()).dataset("d")
    expect(.refused, "expected at most 67108864 bytes at once in a file of") {
      _ = try opened.readAll(UInt8.self)
    }
    #expect(try opened.read(UInt8.self, rows: 0..<1 << 23) == part)
  }

  @Test func `a large file that is nearly all holes is refused`() throws {
    _ = try HDF5File.create(folder.path()).close()
    #expect(truncate(folder.path(), 1 << 40) == 0)
    expect(.refused, "of 1099511627776 bytes, the rest are holes") {
      _ = try HDF5File.open(folder.path())
    }
  }
}
