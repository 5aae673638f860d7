import Foundation
import HDF5
import TestSupport
import Testing

@Suite struct HDF5ErrorTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func error(_ body: () throws -> Void) -> HDF5Error? {
    do {
      try body()
      return nil
    } catch {
      return error as? HDF5Error
    }
  }

  private func sample() throws -> String {
    let file = try HDF5File.create(folder.path())
    let points = try file.createDataset("faces/landmarks/ibug68", of: Float.self, shape: [4, 5, 2])
    try points.write([Float](repeating: 1, count: 40), atRow: 0)
    _ = try file.createDataset("wide", of: Double.self, shape: [3])
    _ = try file.createDataset("long", of: Int64.self, shape: [3])
    _ = try file.createStringDataset("name", shape: [3])
    try file.setAttribute("version", of: "/", to: 1)
    try file.close()
    return folder.path()
  }

  @Test func `a file that cannot be opened says why`() throws {
    let missing = error { _ = try HDF5File.open(folder.path("no.h5")) }
    #expect(missing?.kind == .notFound)
    #expect(missing?.description == "cannot open \(folder.path("no.h5")): no such file")
    let directory = error { _ = try HDF5File.open(folder.url.path) }
    #expect(directory?.kind == .notHDF5)
    #expect(
      directory?.description == "cannot open \(folder.url.path): expected a file, found a folder")
    let empty = error { _ = try HDF5File.open(folder.path(writing: [])) }
    #expect(empty?.kind == .notHDF5)
    #expect(empty?.description == "cannot open \(folder.path()): the file is empty")
    let other = error { _ = try HDF5File.open(folder.path(writing: Array("not HDF5 at all".utf8))) }
    #expect(other?.kind == .notHDF5)
    #expect(other?.description == "cannot open \(folder.path()): it is not an HDF5 file")
    let device = error { _ = try HDF5File.open("/dev/null") }
    #expect(device?.kind == .notHDF5)
  }

  @Test func `every truncation is an error of one line`() throws {
    let bytes = try {
      _ = try sample(); return try folder.bytes(TemporaryFolder.name)
    }()
    for count in stride(from: 8, to: bytes.count, by: 97) {
      let path = try folder.path(writing: Array(bytes.prefix(count)), to: "cut.h5")
      let found = error { _ = try HDF5File.open(path) }
      #expect(found?.kind == .corrupt)
      #expect(found?.description.contains("\n") == false)
    }
  }

  @Test func `a mismatch says expected and found`() throws {
    let path = try sample()
    let file = try HDF5File.open(path)
    let cases: [(String, () throws -> Void)] = [
      (
        "cannot read 'faces/landmarks/ibug68' in \(path): expected f32 [M, 68, 2], found f32 [M, 5, 2]",
        { _ = try file.dataset("faces/landmarks/ibug68", of: Float.self, shape: [nil, 68, 2]) }
      ),
      (
        "cannot read 'faces/landmarks/ibug68' in \(path): expected f32 [M, 68], found f32 [4, 5, 2]",
        { _ = try file.dataset("/faces/landmarks/ibug68", of: Float.self, shape: [nil, 68]) }
      ),
      (
        "cannot read 'wide' in \(path): expected f32 [M], found f64 [M]",
        { _ = try file.dataset("wide", of: Float.self, shape: [nil]) }
      ),
      (
        "cannot read 'wide' in \(path): expected f32, found f64",
        { _ = try file.dataset("wide").readAll(Float.self) }
      ),
      (
        "cannot read 'long' in \(path): expected i32, found i64",
        { _ = try file.dataset("long").readAll(Int32.self) }
      ),
      (
        "cannot read 'long' in \(path): expected f64, found i64",
        { _ = try file.dataset("long").readAll(Double.self) }
      ),
      (
        "cannot read 'long' in \(path): expected string, found i64",
        { _ = try file.dataset("long").readAllStrings() }
      ),
      (
        "cannot read 'name' in \(path): expected u8, found string",
        { _ = try file.dataset("name").readAll(UInt8.self) }
      ),
      (
        "cannot read 'long' in \(path): expected rows 2..<4, found 3 rows",
        { _ = try file.dataset("long").read(Int64.self, rows: 2..<4) }
      ),
      (
        "cannot read 'faces' in \(path): expected a dataset, found a group",
        { _ = try file.dataset("faces") }
      ),
      (
        "cannot read 'faces/box' in \(path): there is no such object",
        { _ = try file.dataset("faces/box") }
      ),
      (
        "cannot list 'long' in \(path): expected a group, found a dataset",
        { _ = try file.members(of: "long") }
      ),
      (
        "cannot read attribute 'format' of '/' in \(path): there is no such attribute",
        { _ = try file.attribute("format", of: "/", as: String.self) }
      ),
      (
        "cannot read attribute 'version' of '/' in \(path): expected a text, found an integer",
        { _ = try file.attribute("version", of: "/", as: String.self) }
      ),
    ]
    for (description, body) in cases {
      let found = error(body)
      #expect(found?.kind == .wrongLayout)
      #expect(found?.description == description)
    }
  }

  @Test func `names cannot break the line`() throws {
    let file = try HDF5File.open(sample())
    let found = error { _ = try file.dataset("a\nb\u{1B}[31m\u{2028}c") }
    #expect(found?.description.hasPrefix("cannot read 'a\\u{a}b\\u{1b}[31m\\u{2028}c' in ") == true)
  }

  @Test func `a closed file and a read only file say so`() throws {
    let path = try sample()
    let file = try HDF5File.open(path)
    let dataset = try file.dataset("long")
    let write = error { try dataset.write([1] as [Int64], atRow: 0) }
    #expect(write?.kind == .cannotWrite)
    try file.close()
    try file.close()
    let read = error { _ = try dataset.readAll(Int64.self) }
    #expect(read?.description == "cannot read 'long' in \(path): the file is closed")
    #expect(dataset.shape == [3])
  }

  @Test func `what cannot be written says why`() throws {
    let unreachable = error { _ = try HDF5File.create(folder.path("no/folder.h5")) }
    #expect(unreachable?.kind == .cannotWrite)
    #expect(unreachable?.description.contains("No such file") == true)
    let file = try HDF5File.create(folder.path("b.h5"))
    let fixed = try file.createDataset("a/fixed", of: Float.self, shape: [2, 3])
    let texts = try file.createStringDataset("texts", shape: [1])
    let cases: [() throws -> Void] = [
      { _ = try file.createDataset("a/fixed", of: Float.self, shape: [2]) },
      { try fixed.append([1, 2, 3] as [Float]) },
      { try fixed.write([1, 2] as [Float], atRow: 0) },
      { try fixed.write([1, 2, 3] as [Float], atRow: 2) },
      { try texts.writeStrings(["a\0b"], atRow: 0) },
      { _ = try file.createDataset("neg", of: Float.self, shape: [-1]) },
      { _ = try file.createDataset("big", of: Float.self, shape: [.max, 2]) },
      { _ = try file.createDataset("gzip", of: Float.self, shape: [2], gzipLevel: 10) },
    ]
    for body in cases { #expect(error(body)?.kind == .cannotWrite) }
    let wrongType = error { try fixed.write([1, 2, 3] as [Double], atRow: 0) }
    #expect(wrongType?.description.hasSuffix("expected f32, found f64 values") == true)
  }

  @Test func `a file that another writer holds is still read`() throws {
    let path = try sample()
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    #expect(error { _ = try HDF5File.open(path) } == nil)
  }

  @Test func `a full disk is an error when the file is closed`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 20_000, rlim_max: 20_000)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let folder = try TemporaryFolder()
      let file = try HDF5File.create(folder.path())
      let dataset = try file.createDataset("a", of: UInt8.self, shape: [0], isExtendible: true)
      do {
        try dataset.append([UInt8](repeating: 7, count: 100_000))
        try file.close()
        exit(2)
      } catch let error as HDF5Error {
        exit(error.kind == .cannotWrite && error.description.contains("File too large") ? 0 : 3)
      }
    }
  }
}
