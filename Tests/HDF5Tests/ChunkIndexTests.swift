import CZlib
import Foundation
import HDF5
import TestSupport
import Testing

/// Files of every version, index and filter by `Tests/Oracles/hdf5_chunks.py`.
@Suite struct ChunkIndexTests {
  struct Seen: Decodable {
    struct Table: Decodable {
      let shape: [Int]
      /// CRC-32 of the values as little-endian u32.
      let crc: UInt
    }

    let files: [String: [String: Table]]
  }

  static let python = LivePython.path

  @Test(.enabled(if: python != nil, "FACEGAUGE_PYTHON names a Python with h5py"))
  func `chunks of every index, filter and version are those that h5py reads`() throws {
    let folder = try TemporaryFolder()
    let script = Oracles.folder.appending(path: "hdf5_chunks.py").path
    let result = try ProcessResult(
      running: try #require(Self.python), [script, folder.url.path])
    try #require(result.status == 0, "\(result.errors.suffix(400))")
    let seen = try JSONDecoder().decode(Seen.self, from: Data(result.output.utf8))
    #expect(seen.files.count == 6)
    for (version, tables) in seen.files {
      #expect(tables.count >= 72)
      let file = try HDF5File.open(folder.file("\(version).h5").path)
      for (path, table) in tables {
        let name = Comment(rawValue: "\(version): \(path)")
        let dataset = try file.dataset(path)
        try #require(dataset.shape == table.shape, name)
        let values = try dataset.readAll(UInt32.self)
        #expect(Self.crc(values) == table.crc, name)
        let rows = table.shape[0]
        for step in [1, 7, 64] where rows / step < 1000 {
          var parts: [UInt32] = []
          for start in stride(from: 0, to: rows, by: step) {
            parts += try dataset.read(UInt32.self, rows: start..<min(start + step, rows))
          }
          #expect(parts == values, name)
        }
        // Backwards, so that what was read before does not help.
        guard rows > 0, rows < 1000 else { continue }
        let last = try file.dataset(path)
        let reversed = try (0..<rows).reversed().map { row in
          try last.read(UInt32.self, rows: row..<row + 1)
        }
        #expect(reversed.reversed().flatMap { $0 } == values, name)
      }
    }
  }

  private static func crc(_ values: [UInt32]) -> UInt {
    let bytes = values.flatMap { value in withUnsafeBytes(of: value.littleEndian, Array.init) }
    return crc32(0, bytes, UInt32(bytes.count))
  }
}
