@preconcurrency import CHDF5
import Foundation
import HDF5
import TestSupport
import Testing

@Suite struct DamagedChunkTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A file with a chunk of 4096 bytes as it is stored, behind h5py's LZF.
  private func lzf(_ stored: [UInt8]) throws -> HDF5Dataset {
    let made = try HDF5Library.locked { _ throws(HDF5Error) in
      let file = H5Fcreate(folder.path(), 2, 0, 0)
      let list = H5Pcreate(H5P_CLS_DATASET_CREATE_ID_g)
      H5Pset_chunk(list, 1, [4096])
      // An optional filter that this libhdf5 does not have.
      H5Pset_filter(list, 32_000, 1, 0, nil)
      let space = H5Screate_simple(1, [4096], nil)
      let dataset = H5Dcreate2(file, "d", H5T_STD_U8LE_g, space, 0, list, 0)
      let status = H5Dwrite_chunk(dataset, 0, 0, [0], stored.count, stored)
      H5Dclose(dataset)
      return min(status, H5Fclose(file))
    }
    try #require(made >= 0)
    return try HDF5File.open(folder.path()).dataset("d")
  }

  /// A literal `a`, and copies of it from one byte before.
  private static let letters: [UInt8] =
    [0, 0x61] + (0..<15).flatMap { _ in [0xE0, 255, 0] as [UInt8] } + [0xE0, 126, 0]

  @Test func `copies may overlap what they write`() throws {
    #expect(try lzf(Self.letters).readAll(UInt8.self) == Array(repeating: 0x61, count: 4096))
  }

  static let streams: [(String, [UInt8])] = [
    ("a control byte alone", [0xE0]),
    ("a byte too short", letters.dropLast(3) + [0xE0, 125, 0]),
    ("a byte too long", letters.dropLast(3) + [0xE0, 127, 0]),
    ("more after the end", letters + [0, 0x61]),
    ("a bomb", [0, 0x61] + (0..<4096).flatMap { _ in [0xE0, 255, 0] as [UInt8] }),
    ("a copy from before the start", [0, 0x61, 0x20, 1]),
    ("a copy at the start", [0x20, 0]),
    ("literals beyond the end", [31, 0x61]),
    ("a copy without its distance", [0, 0x61, 0x20]),
    ("a long copy without its length", [0, 0x61, 0xE0]),
    ("a long copy without its distance", [0, 0x61, 0xE0, 9]),
  ]

  @Test(arguments: streams.map(\.0)) func `broken streams of LZF are refused`(name: String) throws {
    let stored = try #require(Self.streams.first { $0.0 == name }).1
    let dataset = try lzf(stored)
    let error = #expect(throws: HDF5Error.self) { try dataset.readAll(UInt8.self) }
    #expect(error?.kind == .corrupt)
    #expect(error?.description.contains("a chunk is damaged: expected 4096 bytes") == true)
  }

  @Test(arguments: ["FAHD", "FADB", "EAHD", "EAIB", "EADB", "BTHD", "BTLF"])
  func `indexes of a wrong checksum are damaged`(signature: String) throws {
    let oracle = try #require(OracleFile.all["growing chunks, version 2.0"])
    let original = try oracle.bytes
    let starts = original.ranges(of: Array(signature.utf8)).map(\.lowerBound)
    try #require(!starts.isEmpty)
    var bytes = original
    for start in starts { bytes[start + 6] ^= 0x40 }
    let file = try HDF5File.open(folder.path(writing: bytes))
    let errors = oracle.datasets.keys.compactMap { path -> HDF5Error? in
      do {
        _ = try file.dataset(path).readAll(Int64.self)
        return nil
      } catch {
        return error as? HDF5Error
      }
    }
    #expect(!errors.isEmpty)
    for error in errors {
      #expect(error.kind == .corrupt)
      #expect(error.description.hasSuffix("its chunk index is damaged"), "\(error)")
    }
  }

  /// Every byte of each index block, with a checksum that is right again.
  @Test(arguments: ["FAHD", "FADB", "EAHD", "EAIB", "EADB", "EASB", "BTHD", "BTIN", "BTLF"])
  func `indexes that contradict themselves end in an error or in other values`(
    signature: String
  ) async {
    await #expect(processExitsWith: .success) { [signature = signature as String] in
      let folder = try TemporaryFolder()
      let oracle = try #require(OracleFile.all["growing chunks, version 2.0"])
      let original = try oracle.bytes
      let checksums = MetadataChecksum.all(in: original)
      for start in original.ranges(of: Array(signature.utf8)).map(\.lowerBound) {
        for position in start + 4..<min(start + 90, original.count) {
          for value: UInt8 in [0, 1, 0x7F, 0xFF] {
            var bytes = original
            bytes[position] = value
            checksums.forEach { $0.repair(&bytes) }
            let path = try folder.path(writing: bytes)
            alarm(30)
            _ = try? Walk.read(path)
          }
        }
      }
    }
  }

  /// One row of wide chunks takes all of them, which once cost a decompression of the file for each row.
  @Test func `a chunk is read once for all of its rows`() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      var generator = SystemRandomNumberGenerator()
      let values = (0..<300 * 32 * 32).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let made = try HDF5Library.locked { _ throws(HDF5Error) in
        let file = H5Fcreate(folder.path(), 2, 0, 0)
        let list = H5Pcreate(H5P_CLS_DATASET_CREATE_ID_g)
        H5Pset_chunk(list, 3, [300, 4, 4])
        H5Pset_deflate(list, 1)
        let space = H5Screate_simple(3, [300, 32, 32], nil)
        let dataset = H5Dcreate2(file, "d", H5T_STD_U8LE_g, space, 0, list, 0)
        let status = H5Dwrite(dataset, H5T_STD_U8LE_g, 0, 0, 0, values)
        H5Dclose(dataset)
        return min(status, H5Fclose(file))
      }
      try #require(made >= 0)
      let file = try HDF5File.open(folder.path())
      let dataset = try file.dataset("d")
      let before = try Self.bytesRead()
      for row in 0..<300 {
        let expected = Array(values[row * 1024..<(row + 1) * 1024])
        guard try dataset.read(UInt8.self, rows: row..<row + 1) == expected else { exit(4) }
      }
      guard try Self.bytesRead() - before < 2 * file.byteCount() else { exit(5) }
    }
  }

  /// Bytes that this process has read since it began.
  private static func bytesRead() throws -> Int {
    let counts = try String(contentsOfFile: "/proc/self/io", encoding: .utf8)
    let line = try #require(counts.split(separator: "\n").first { $0.hasPrefix("rchar: ") })
    return try #require(Int(line.dropFirst("rchar: ".count)))
  }
}
