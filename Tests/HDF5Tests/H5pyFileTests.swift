import Foundation
import HDF5
import TestSupport
import Testing

@Suite struct H5pyFileTests {
  static let names = [
    "types", "types, version 1.10", "types behind a user block", "chunks", "chunks, version 1.10",
    "chunks behind a user block", "attributes", "attributes in order of creation",
    "attributes, version 1.8", "large group, version 1.10", "growing chunks, version 1.10",
    "growing chunks, version 2.0",
  ]

  static let paged = "paged chunks, version 1.10"

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `every oracle file is tested`() {
    #expect(Set(OracleFile.all.keys) == Set(Self.names + [Self.paged]))
  }

  @Test(arguments: names + [paged]) func `values are those that h5py reads`(name: String) throws {
    let oracle = try #require(OracleFile.all[name])
    let file = try HDF5File.open(folder.path(writing: oracle.bytes))
    for (path, expected) in oracle.datasets {
      let dataset = try file.dataset(path)
      #expect(dataset.shape == expected.shape, "\(path)")
      #expect(dataset.elementType.description == expected.type, "\(path)")
      if let texts = expected.texts {
        #expect(try dataset.readAllStrings() == texts, "\(path)")
      } else {
        let numbers = try #require(expected.numbers)
        #expect(try Self.same(dataset, numbers), "\(path)")
      }
    }
  }

  /// Compares exactly: integers as text, floating point after parsing its shortest decimal form.
  private static func same(_ dataset: HDF5Dataset, _ expected: [String]) throws -> Bool {
    func integers<Element: HDF5Element & BinaryInteger>(_: Element.Type) throws -> Bool {
      try dataset.readAll(Element.self).map(\.description) == expected
    }
    switch dataset.elementType {
    case .u8: return try integers(UInt8.self) && integers(UInt64.self) && integers(Int16.self)
    case .i8: return try integers(Int8.self) && integers(Int64.self)
    case .u16: return try integers(UInt16.self) && integers(Int32.self)
    case .i16: return try integers(Int16.self) && integers(Int64.self)
    case .u32: return try integers(UInt32.self) && integers(Int64.self)
    case .i32: return try integers(Int32.self) && integers(Int64.self)
    case .u64: return try integers(UInt64.self)
    case .i64: return try integers(Int64.self)
    case .f16, .bf16, .f32:
      let numbers = expected.compactMap(Double.init)
      return try dataset.readAll(Float.self).map(Double.init) == numbers
        && dataset.readAll(Double.self) == numbers
    case .f64: return try dataset.readAll(Double.self) == expected.compactMap(Double.init)
    case .string, .bytes, .reference, .compound, .unsupported: return false
    }
  }

  @Test(arguments: names) func `rows are slices of the whole`(name: String) throws {
    let oracle = try #require(OracleFile.all[name])
    let file = try HDF5File.open(folder.path(writing: oracle.bytes))
    for (path, expected) in oracle.datasets where expected.shape.count > 1 {
      let dataset = try file.dataset(path)
      guard let rows = expected.shape.first, dataset.elementType != .u64,
        dataset.elementType != .i64
      else { continue }
      let perRow = expected.shape.dropFirst().reduce(1, *)
      for start in 0...rows {
        for end in start...rows {
          let slice = start * perRow..<end * perRow
          if let texts = expected.texts {
            #expect(try dataset.readStrings(rows: start..<end) == Array(texts[slice]), "\(path)")
          } else {
            let numbers = try #require(expected.numbers)[slice].compactMap(Double.init)
            #expect(try dataset.read(Double.self, rows: start..<end) == numbers, "\(path)")
          }
        }
      }
    }
  }

  @Test(arguments: names) func `attributes are those that h5py reads`(name: String) throws {
    let oracle = try #require(OracleFile.all[name])
    let file = try HDF5File.open(folder.path(writing: oracle.bytes))
    for expected in oracle.attributes {
      let (name, path) = (expected.name, expected.object)
      switch expected.value {
      case .text(let text): #expect(try file.attribute(name, of: path) == text)
      case .texts(let texts): #expect(try file.attribute(name, of: path) == texts)
      case .integer(let integer): #expect(try file.attribute(name, of: path) == integer)
      case .integers(let integers): #expect(try file.attribute(name, of: path) == integers)
      case .number(let number): #expect(try file.attribute(name, of: path) == number)
      case .numbers(let numbers): #expect(try file.attribute(name, of: path) == numbers)
      case .flag(let flag): #expect(try file.attribute(name, of: path) == (flag ? 1 : 0))
      }
    }
  }
}
