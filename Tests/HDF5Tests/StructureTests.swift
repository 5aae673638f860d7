import Foundation
import HDF5
import TestSupport
import Testing

/// Files of every version by `Tests/Oracles/hdf5_structures.py`, and what h5py reads from them.
@Suite struct StructureTests {
  struct Table: Decodable {
    let shape: [Int]
    let texts: [String]?
    let numbers: [String]?

    /// Zeros of both signs differ.
    var bits: [UInt64]? { numbers.map { $0.compactMap(Double.init).map(\.bitPattern) } }
  }

  struct File: Decodable {
    let datasets: [String: Table]
    let attributes: [String: [String: Table]]
    let members: [String: [String]]
  }

  private struct Seen: Decodable {
    let files: [String: File]
  }

  static let python = LivePython.path
  static let needsPython = "FACEGAUGE_PYTHON names a Python with h5py"

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  func make() throws -> [String: File] {
    let script = Oracles.folder.appending(path: "hdf5_structures.py").path
    let result = try ProcessResult(
      running: try #require(Self.python), [script, folder.url.path])
    try #require(result.status == 0, "\(result.errors.suffix(400))")
    return try JSONDecoder().decode(Seen.self, from: Data(result.output.utf8)).files
  }

  private func open(_ name: String) throws -> HDF5File {
    try HDF5File.open(folder.file(name).path)
  }

  /// The dataset at `path:field`, fields of fields included.
  private static func dataset(_ path: String, in file: HDF5File) throws -> HDF5Dataset {
    let parts = path.split(separator: ":").map(String.init)
    return try parts.dropFirst().reduce(try file.dataset(parts[0])) { try $0.field($1) }
  }

  @Test(.enabled(if: python != nil, Comment(rawValue: needsPython)))
  func `members, attributes, types and fields of every version are those that h5py reads`() throws {
    let files = try make()
    #expect(files.count == 6 * 7 + 3)
    var counts = (datasets: 0, attributes: 0, members: 0)
    for (name, seen) in files {
      let file = try open(name)
      for (path, names) in seen.members {
        #expect(try file.members(of: path) == names, "\(name): \(path)")
        counts.members += names.count
      }
      for (path, table) in seen.datasets {
        try Self.check(path, table, in: file, Comment(rawValue: "\(name): \(path)"))
        counts.datasets += 1
      }
      for (path, attributes) in seen.attributes {
        for (attribute, table) in attributes {
          let comment = Comment(rawValue: "\(name): \(attribute) of \(path)")
          if let texts = table.texts {
            #expect(try file.attribute(attribute, of: path) == texts, comment)
          } else {
            let numbers = try file.attribute(attribute, of: path, as: [Double].self)
            #expect(numbers.map(\.bitPattern) == table.bits, comment)
          }
          counts.attributes += 1
        }
        #expect(try !file.hasAttribute("none", of: path))
      }
    }
    #expect(counts.datasets > 800 && counts.attributes > 2000 && counts.members > 8000)
  }

  private static func check(
    _ path: String, _ table: Table, in file: HDF5File, _ comment: Comment
  ) throws {
    let dataset = try dataset(path, in: file)
    try #require(dataset.shape == table.shape, comment)
    let rows = table.shape.first ?? 0
    let perRow = table.shape.dropFirst().reduce(1, *)
    if let texts = table.texts {
      #expect(try dataset.readAllStrings() == texts, comment)
      for row in 0..<min(rows, 5) {
        let slice = Array(texts[row * perRow..<(row + 1) * perRow])
        #expect(try dataset.readStrings(rows: row..<row + 1) == slice, comment)
      }
    } else {
      let bits = try #require(table.bits)
      let all =
        if let rows = table.shape.first {
          try dataset.readByValue(Double.self, rows: 0..<rows)
        } else if dataset.elementType == .i64 {
          try dataset.readAll(Int64.self).map { Double($0) }
        } else {
          try dataset.readAll(Double.self)
        }
      #expect(all.map(\.bitPattern) == bits, comment)
      for row in 0..<min(rows, 5) {
        let values = try dataset.readByValue(Double.self, rows: row..<rows)
        #expect(values.map(\.bitPattern) == Array(bits[(row * perRow)...]), comment)
      }
    }
  }

  @Test(.enabled(if: python != nil, Comment(rawValue: needsPython)))
  func `fields, types that are not read and compressed groups are named`() throws {
    _ = try make()
    let file = try open("default.h5")
    let table = try file.dataset("compounds/table")
    #expect(table.elementType == .compound)
    let names = ["id", "bbox", "name", "score", "ok", "pose", "points", "raw", "text"]
    #expect(table.fields == names)
    let box = try table.field("bbox")
    #expect(box.elementType == .f32 && box.shape.dropFirst() == [4])
    #expect(box.path == "compounds/table:bbox")
    expect(
      .wrongLayout,
      "expected a field 'box', found fields 'id', 'bbox', 'name'"
    ) { _ = try table.field("box") }
    expect(.wrongLayout, "expected a field 'x', found f32") {
      _ = try table.field("bbox").field("x")
    }
    expect(.wrongLayout, "expected f32, found a compound type") {
      _ = try table.readAll(Float.self)
    }
    expect(.wrongLayout, "expected f64, found complex numbers") {
      _ = try file.dataset("types/complex").readAll(Double.self)
    }
    expect(.wrongLayout, "expected a text or numbers, found a compound type") {
      _ = try file.attribute("compound", of: "types", as: [Double].self)
    }
    #expect(try file.attribute("flag", of: "types") == 1)

    let compressed = try open("compressed.h5")
    #expect(try compressed.members(of: "/") == ["group"])
    expect(.refused, "its list of links is compressed") { _ = try compressed.members(of: "group") }
  }

  @Test(.enabled(if: python != nil, Comment(rawValue: needsPython)))
  func `damaged heaps and trees are refused`() throws {
    _ = try make()
    let original = try folder.bytes("links 60, v200.h5")
    let checksums = MetadataChecksum.all(in: original)
    let damaged = "its list of links is damaged"
    func refuse(
      _ text: String, repaired: Bool = true, sourceLocation: SourceLocation = #_sourceLocation,
      _ change: (inout [UInt8]) throws -> Void
    ) throws {
      var bytes = original
      try change(&bytes)
      if repaired { checksums.forEach { $0.repair(&bytes) } }
      try #require(bytes != original, sourceLocation: sourceLocation)
      let file = try HDF5File.open(folder.path(writing: bytes, to: "damaged.h5"))
      expect(.corrupt, text, sourceLocation: sourceLocation) { _ = try file.members(of: "group") }
    }
    func start(_ signature: String) throws -> Int {
      try #require(original.firstRange(of: Array(signature.utf8))).lowerBound
    }
    for signature in ["FRHP", "FHIB", "BTHD", "BTIN", "BTLF"] {
      let start = try start(signature)
      try refuse(damaged, repaired: false) { $0[start + 12] ^= 1 }
      try refuse(damaged, repaired: false) { $0[start] ^= 1 }
    }
    // The first block of the group's heap is the last in the file.
    let block = try #require(original.ranges(of: Array("FHDB".utf8)).last).lowerBound
    try refuse(damaged, repaired: false) { $0[block + 40] ^= 1 }
    // The tree's root becomes its own child.
    let root = try start("BTIN")
    let header = try start("BTHD")
    let own = Array(original[header + 16..<header + 24])
    let records = Int(original[header + 24])
    try refuse(damaged) {
      $0.replaceSubrange(root + 6 + 11 * records..<root + 14 + 11 * records, with: own)
    }
    // More levels than there are, and more records than a node has room for.
    try refuse(damaged) { $0[header + 12] = 40 }
    try refuse(damaged) { $0[header + 25] = 0xFF }
    // Objects beyond their block, and blocks beyond the heap.
    let leaf = try start("BTLF")
    try refuse(damaged) { $0[leaf + 6 + 4 + 1 + 3] = 0x7F }
    try refuse(damaged) { $0[leaf + 6 + 4 + 1 + 4 + 1] = 0xFF }
    let heap = try start("FRHP")
    try refuse(damaged) { $0[heap + 110] = 3 }
  }

  @Test(.enabled(if: python != nil, Comment(rawValue: needsPython)))
  func `an attribute of an unknown form blocks nothing`() throws {
    _ = try make()
    var bytes = try folder.bytes("types, earliest.h5")
    // Version, a reserved byte, and the sizes of name, type and dataspace.
    let name = try #require(
      bytes.ranges(of: Array("flags\u{0}".utf8)).first {
        bytes[$0.lowerBound - 8] == 1 && bytes[$0.lowerBound - 6] == 6
      })
    bytes[name.lowerBound - 8] = 9
    let file = try HDF5File.open(folder.path(writing: bytes, to: "unknown.h5"))
    #expect(try file.attribute("kinds", of: "/", as: [Int].self) == [1, 2])
    #expect(try file.dataset("half").shape == [10])
    expect(.corrupt, "its object header is damaged") {
      _ = try file.attribute("flags", of: "/", as: [Int].self)
    }
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
}
