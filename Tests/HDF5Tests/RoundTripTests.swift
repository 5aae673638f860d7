import Foundation
import HDF5
import TestSupport
import Testing

@Suite struct RoundTripTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func roundTrip<Element: HDF5Element>(_ values: [Element], _ name: String) throws {
    let path = folder.path(name + ".h5")
    let file = try HDF5File.create(path)
    for (index, gzip) in [nil, 4].enumerated() {
      let dataset = try file.createDataset(
        "group/\(index)", of: Element.self, shape: [values.count / 2, 2], gzipLevel: gzip)
      try dataset.write(values, atRow: 0)
      #expect(try dataset.readAll(Element.self) == values)
    }
    try file.close()
    let opened = try HDF5File.open(path)
    for index in 0...1 {
      let dataset = try opened.dataset(
        "group/\(index)", of: Element.self, shape: [nil, 2])
      #expect(dataset.elementType == Element.elementType)
      #expect(try dataset.readAll(Element.self) == values)
      #expect(try dataset.read(Element.self, rows: 1..<2) == Array(values[2..<4]))
    }
  }

  @Test func `every number comes back as it was written`() throws {
    try roundTrip([UInt8.min, .max, 1, 2], "u8")
    try roundTrip([Int8.min, .max, -1, 2], "i8")
    try roundTrip([UInt16.min, .max, 1, 2], "u16")
    try roundTrip([Int16.min, .max, -1, 2], "i16")
    try roundTrip([UInt32.min, .max, 1, 2], "u32")
    try roundTrip([Int32.min, .max, -1, 2], "i32")
    try roundTrip([UInt64.min, .max, 1, 2], "u64")
    try roundTrip([Int64.min, .max, -1, 2], "i64")
    try roundTrip([Float.greatestFiniteMagnitude, -.infinity, .leastNonzeroMagnitude, -0], "f32")
    try roundTrip([Double.greatestFiniteMagnitude, -.infinity, .leastNonzeroMagnitude, -0], "f64")
  }

  @Test func `not a number stays not a number`() throws {
    let file = try HDF5File.create(folder.path())
    let dataset = try file.createDataset("a", of: Float.self, shape: [2])
    try dataset.write([.nan, 1] as [Float], atRow: 0)
    let values = try dataset.readAll(Float.self)
    #expect(values[0].isNaN && values[1] == 1)
  }

  @Test func `text comes back as it was written`() throws {
    let texts = ["", "Zoë", "顔", "👁‍🗨", String(repeating: "long ", count: 20_000), "a\nb"]
    let file = try HDF5File.create(folder.path())
    let dataset = try file.createStringDataset("images/name", shape: [0], isExtendible: true)
    try dataset.appendStrings(texts)
    try dataset.appendStrings(["last"])
    try dataset.writeStrings(["first"], atRow: 0)
    let expected = ["first"] + texts.dropFirst() + ["last"]
    #expect(try dataset.readAllStrings() == expected)
    try file.close()
    let opened = try HDF5File.open(folder.path()).stringDataset("images/name", shape: [nil])
    #expect(try opened.readAllStrings() == expected)
    #expect(try opened.readStrings(rows: 2..<4) == ["顔", "👁‍🗨"])
  }

  @Test func `an empty dataset has a shape and no values`() throws {
    let file = try HDF5File.create(folder.path())
    _ = try file.createDataset("e", of: Float.self, shape: [0, 68, 2], isExtendible: true)
    _ = try file.createDataset("fixed", of: UInt8.self, shape: [3, 0])
    _ = try file.createStringDataset("text", shape: [0])
    try file.close()
    let opened = try HDF5File.open(folder.path())
    let dataset = try opened.dataset("e", of: Float.self, shape: [nil, 68, 2])
    #expect(dataset.shape == [0, 68, 2])
    #expect(dataset.isExtendible)
    #expect(try dataset.readAll(Float.self).isEmpty)
    #expect(try dataset.read(Float.self, rows: 0..<0).isEmpty)
    #expect(try opened.dataset("fixed").readAll(UInt8.self).isEmpty)
    #expect(try opened.dataset("text").readAllStrings().isEmpty)
  }

  @Test(arguments: [1, 3, 4, 7, 100]) func `appended rows read across chunk borders`(chunkRows: Int)
    throws
  {
    for gzip in [nil, 6] {
      let file = try HDF5File.create(folder.path("\(chunkRows)-\(gzip ?? 0).h5"))
      let dataset = try file.createDataset(
        "a", of: Int32.self, shape: [0, 3, 2], isExtendible: true, chunkRows: chunkRows,
        gzipLevel: gzip)
      var all: [Int32] = []
      for rows in [1, 5, 2, 9, 4] {
        let values = (0..<Int32(rows * 6)).map { $0 &+ Int32(all.count) }
        try dataset.append(values)
        all += values
      }
      #expect(dataset.shape == [21, 3, 2])
      #expect(dataset.chunk == [chunkRows, 3, 2])
      try file.close()
      let opened = try HDF5File.open(file.path).dataset("a", of: Int32.self, shape: [nil, 3, 2])
      var reused: [Int32] = []
      for start in 0...21 {
        for end in start...21 {
          try opened.read(rows: start..<end, into: &reused)
          #expect(reused.starts(with: all[(start * 6)..<(end * 6)]))
        }
      }
    }
  }

  @Test func `flushed rows are there for another reader`() throws {
    let file = try HDF5File.create(folder.path())
    let dataset = try file.createDataset(
      "a", of: UInt8.self, shape: [0], isExtendible: true, gzipLevel: 1)
    try dataset.append([1, 2, 3] as [UInt8])
    try file.flush()
    #expect(try HDF5File.open(folder.path()).dataset("a").readAll(UInt8.self) == [1, 2, 3])
  }

  @Test func `attributes come back as they were written`() throws {
    let file = try HDF5File.create(folder.path())
    try file.createGroup("faces/landmarks")
    for path in ["/", "faces/landmarks"] {
      try file.setAttribute("text", of: path, to: "Bösendorfer 顔")
      try file.setAttribute("empty", of: path, to: "")
      try file.setAttribute("integer", of: path, to: Int.min)
      try file.setAttribute("number", of: path, to: 0.1)
      try file.setAttribute("texts", of: path, to: ["a", "", "ccc"])
      try file.setAttribute("integers", of: path, to: [1, -2])
      try file.setAttribute("numbers", of: path, to: [0.5, .infinity])
      try file.setAttribute("none", of: path, to: [Int]())
      try file.setAttribute("text", of: path, to: "replaced")
    }
    try check(file)
    try file.close()
    try check(try HDF5File.open(folder.path()))
  }

  private func check(_ file: HDF5File) throws {
    for path in ["", "/faces/landmarks"] {
      #expect(try file.attribute("text", of: path, as: String.self) == "replaced")
      #expect(try file.attribute("empty", of: path, as: String.self) == "")
      #expect(try file.attribute("integer", of: path, as: Int.self) == .min)
      #expect(try file.attribute("number", of: path, as: Double.self) == 0.1)
      #expect(try file.attribute("texts", of: path, as: [String].self) == ["a", "", "ccc"])
      #expect(try file.attribute("integers", of: path, as: [Int].self) == [1, -2])
      #expect(try file.attribute("integers", of: path, as: [Double].self) == [1, -2])
      #expect(try file.attribute("numbers", of: path, as: [Double].self) == [0.5, .infinity])
      #expect(try file.attribute("none", of: path, as: [Int].self) == [])
      #expect(try file.hasAttribute("none", of: path))
      #expect(try !file.hasAttribute("nothing", of: path))
    }
  }

  @Test func `groups list their members in order`() throws {
    let file = try HDF5File.create(folder.path())
    for name in ["b", "a", "Z", "é", "a1"] { try file.createGroup("top/" + name) }
    try file.createGroup("top/a")
    _ = try file.createDataset("top/data", of: UInt8.self, shape: [])
    #expect(try file.members(of: "top") == ["Z", "a", "a1", "b", "data", "é"])
    #expect(try file.members(of: "/") == ["top"])
    #expect(try file.kind(of: "/top/") == .group)
    #expect(try file.kind(of: "top/data") == .dataset)
    #expect(try file.exists("top/é"))
    #expect(try !file.exists("top/nothing/below"))
  }

  @Test func `a large group reads back`() throws {
    let file = try HDF5File.create(folder.path())
    let names = (10..<60).map { "a group/\($0)" } + ["größe/1"]
    for name in names {
      try file.createDataset(name, of: UInt8.self, shape: [1]).write([UInt8(7)], atRow: 0)
    }
    try file.close()
    let opened = try HDF5File.open(folder.path())
    #expect(try opened.members(of: "a group") == (10..<60).map { "\($0)" })
    for name in names { #expect(try opened.dataset(name).readAll(UInt8.self) == [7]) }
  }

  @Test func `the same values give the same bytes`() throws {
    func make(_ name: String) throws -> [UInt8] {
      let file = try HDF5File.create(folder.path(name))
      try file.setAttribute("format", of: "/", to: "facegauge.dataset")
      let dataset = try file.createDataset(
        "a/b", of: Float.self, shape: [0, 2], isExtendible: true, gzipLevel: 4)
      try dataset.append((0..<2000).map(Float.init))
      let texts = try file.createStringDataset("a/c", shape: [2])
      try texts.writeStrings(["x", "yy"], atRow: 0)
      try file.close()
      return try folder.bytes(name)
    }
    let first = try make("1.h5")
    Thread.sleep(forTimeInterval: 1.1)
    #expect(try make("2.h5") == first)
  }

  @Test func `threads read one file at once`() async throws {
    let file = try HDF5File.create(folder.path())
    let dataset = try file.createDataset("a", of: Int64.self, shape: [4000], gzipLevel: 1)
    try dataset.write((0..<4000).map(Int64.init), atRow: 0)
    try file.close()
    let opened = try HDF5File.open(folder.path()).dataset("a")
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for task in 0..<8 {
        group.addTask {
          for start in stride(from: task * 100, to: 3900, by: 37) {
            let values = try opened.read(Int64.self, rows: start..<start + 100)
            guard values == (start..<start + 100).map(Int64.init) else { return false }
          }
          return true
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }
}
