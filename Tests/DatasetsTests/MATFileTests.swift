import Datasets
import FaceCore
import Foundation
import Platform
import Statistics
import TestSupport
import Testing

/// MAT-files of version 5, seen through COFW68, whose files are the simplest.
@Suite struct MATFileTests {
  let folder: TemporaryFolder
  static let sample = MATSample()

  init() throws { folder = try TemporaryFolder() }

  private func read(_ bytes: [UInt8]) throws -> FaceLabel {
    try folder.write(bytes, to: "set/1_points.mat")
    let read = try readAll(COFW68(), [folder.file("set")])
    return try #require(read.frames.first?.faces.first)
  }

  static let readable: [(name: String, bytes: [UInt8])] = [
    ("as it is", sample.face()),
    ("compressed", sample.file(sample.compressed(sample.points), sample.compressed(sample.hidden))),
    ("big-endian", MATSample(isBigEndian: true).face()),
    (
      "with a variable of a class that is not read",
      sample.file(sample.array("other", class: 2, [1, 1], []), sample.points, sample.hidden)
    ),
    (
      "with the array without a name that MATLAB writes for objects and function handles",
      sample.file(sample.points, sample.hidden, sample.bytes("", 1, 2, [0, 1]))
    ),
  ]

  @Test(arguments: readable.indices)
  func `MATLAB counts pixels from 1, whatever way the file is written`(index: Int) throws {
    let face = try read(Self.readable[index].bytes)
    let points = try #require(face.landmarks.first)
    let wanted = (0..<68).map { Point(x: Double($0), y: Double($0 + 100)) }
    #expect(points.points == wanted)
    let states: [PointVisibility] = [.occluded] + Array(repeating: .visible, count: 67)
    #expect(points.visibility == states)
    #expect(face.box == BoundingBox(x: 0, y: 100, width: 67, height: 67))
  }

  @Test func `a point at -1, -1 is not labelled, and the box is around the others`() throws {
    var values: [Double] = (1...68).map { Double($0) } + (101...168).map { Double($0) }
    (values[0], values[68]) = (-1, -1)
    let points = Self.sample.doubles("Points", 68, 2, values)
    let face = try read(Self.sample.file(points, Self.sample.hidden))
    #expect(face.landmarks.first?.visibility[0] == .notLabelled)
    #expect(face.box == BoundingBox(x: 1, y: 101, width: 66, height: 66))
  }

  static let failures: [(bytes: [UInt8], message: String)] = [
    ([], ": expected MAT version 5, found an empty file"),
    (Array("MATLAB".utf8), ": expected MAT version 5, found 6 bytes"),
    (
      Array(sample.face()[..<124]) + [0, 2, 0x49, 0x4D],
      ": expected MAT version 5, found version 7.3, which is HDF5: read it as hdf5, with a mapping"
    ),
    (
      [0, 0, 0, 0] + Array(repeating: 0, count: 200),
      ": expected MAT version 5, found version 4 or another file"
    ),
    (
      Array(repeating: 0x41, count: 200), ": expected MAT version 5, found another file"
    ),
    (Array(sample.face().dropLast(8)), ", byte 1280: expected at most 120 bytes, found 128"),
    (sample.file([1, 2, 3]), ", byte 128: expected a tag of 8 bytes, found 3"),
    (
      sample.file(sample.word(99) + sample.word(0)),
      ", byte 128: expected a data type that MAT version 5 has, found 99"
    ),
    (
      sample.file(sample.element(9, [])),
      ", byte 128: expected a variable, found an element of type double"
    ),
    (
      sample.file(sample.word(15) + sample.word(4) + [1, 2, 3, 4]),
      ", byte 128: expected a compressed variable, found a broken stream"
    ),
    (
      sample.file(sample.compressed(sample.word(14) + sample.word(1 << 30))),
      ", byte 128: expected at most 12384 bytes in a compressed variable, found 1073741832"
    ),
    (
      sample.file(sample.compressed(sample.points + [0, 0, 0, 0, 0, 0, 0, 0])),
      ", byte 128: expected a compressed variable of 1152 bytes, found another length"
    ),
    (
      sample.file(sample.array("Points", [68, 2], sample.element(9, sample.number(1)))),
      ", byte 56: expected 136 values, found 8 bytes of type double"
    ),
    (
      sample.file(sample.array("Points", [1 << 20, 1 << 20], [])),
      ", byte 32: expected extents of at most 2147483647 values, found 1048576"
    ),
    (
      sample.file(sample.array("Points", [-1, 2], [])),
      ", byte 32: expected extents of at most 2147483647 values, found -1"
    ),
    (
      sample.file(sample.array("Points", class: 77, [1, 1], [])),
      ", byte 16: expected a class of arrays of 1 to 17, found 77"
    ),
    (
      sample.file(sample.array("Points", class: 6 + 0x800, [1, 1], [])),
      ", byte 8: expected real numbers, found complex ones"
    ),
    (
      sample.file(sample.array("Points", class: 1, [1 << 19, 1], [])),
      ", byte 56: expected at most 262144 more cells, found 524288"
    ),
    (
      sample.file(sample.points, sample.points),
      ": expected each variable once, found 'Points' twice"
    ),
  ]

  @Test(arguments: failures.indices)
  func `what is wrong is one line that names the byte`(index: Int) throws {
    let error = #expect(throws: FileError.self) { try read(Self.failures[index].bytes) }
    #expect(
      error?.line(from: folder)
        == "cannot read set/1_points.mat\(Self.failures[index].message)")
    #expect(error?.kind == .wrongData)
  }

  static let contents: [(bytes: [UInt8], message: String)] = [
    (
      sample.file(sample.hidden),
      "'Points' in set/1_points.mat: expected a variable of numbers, text or cells, found none"
    ),
    (
      sample.file(sample.array("Points", class: 2, [1, 1], []), sample.hidden),
      "'Points' in set/1_points.mat: expected a variable of numbers, text or cells, found one of another "
        + "class"
    ),
    (
      sample.file(sample.doubles("Points", 2, 68, Array(repeating: 1, count: 136)), sample.hidden),
      "'Points' in set/1_points.mat: expected 68 x 2 numbers, found 2 x 68"
    ),
    (
      sample.file(sample.array("Points", class: 4, [1, 2], sample.element(16, [65, 66]))),
      "'Points' in set/1_points.mat: expected numbers, found text or cells"
    ),
    (
      sample.file(sample.points, sample.bytes("Occ", 1, 68, Array(repeating: 3, count: 68))),
      "'Occ' in set/1_points.mat: expected 68 zeros and ones, found others"
    ),
    (
      sample.file(
        sample.doubles("Points", 68, 2, Array(repeating: .nan, count: 136)), sample.hidden),
      "'Points' in set/1_points.mat: expected finite numbers, found NaN or infinity"
    ),
  ]

  @Test(arguments: contents.indices)
  func `what a variable should be is one line that names it`(index: Int) throws {
    let error = #expect(throws: FileError.self) { try read(Self.contents[index].bytes) }
    #expect(error?.line(from: folder) == "cannot read \(Self.contents[index].message)")
  }

  @Test func `cells in cells beyond any real depth are refused`() throws {
    var cell = Self.sample.doubles("", 1, 1, [1])
    for _ in 0..<6 { cell = Self.sample.array("", class: 1, [1, 1], cell) }
    let error = #expect(throws: FileError.self) { try read(Self.sample.file(cell)) }
    #expect(
      error?.description.hasSuffix("expected cells at most 4 deep, found deeper ones") == true)
  }

  @Test func `damaged bytes never reach libmatio as lengths that lie`() throws {
    let sample = Self.sample
    let text = sample.array("", class: 4, [1, 2], sample.element(16, [65, 66]))
    let cells = sample.array("cells", class: 1, [1, 2], text + sample.doubles("", 1, 2, [1, 2]))
    let whole = sample.file(cells, sample.points, sample.compressed(sample.hidden))
    var random = SplitMix64(seed: 5)
    var (sound, refused) = (0, 0)
    for _ in 0..<600 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let position = Int.random(in: 124..<bytes.count, using: &random)
        bytes[position] = UInt8.random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) {
        bytes.removeLast(Int.random(in: 0...bytes.count - 124, using: &random))
      }
      do {
        _ = try read(bytes)
        sound += 1
      } catch {
        #expect(error is FileError)
        refused += 1
      }
    }
    #expect(sound > 20 && refused > 200)
  }
}
