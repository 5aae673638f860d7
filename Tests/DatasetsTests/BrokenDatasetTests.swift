import Datasets
import FaceCore
import Foundation
import HDF5
import Platform
import TestSupport
import Testing

@Suite struct BrokenDatasetTests {
  typealias Case = (name: String, spoil: @Sendable (inout PlainDataset) -> Void, message: String)

  /// FILE stands for the path. Only opening and the reading of labels and frames are evaluated.
  static let cases: [Case] = [
    (
      "another format", { $0.format = "other" },
      "cannot read '/' in FILE: expected format facegauge.dataset, found other"
    ),
    (
      "a newer version", { $0.version = 2 },
      "cannot read '/' in FILE: expected version 1, found 2"
    ),
    (
      "no sizes", { $0.missing = ["images/size"] },
      "cannot read 'images/size' in FILE: there is no such object"
    ),
    (
      "no boxes", { $0.missing = ["faces/box"] },
      "cannot read 'faces/box' in FILE: there is no such object"
    ),
    (
      "no visibility", { $0.missing = ["faces/landmarks/ibug68/visible"] },
      "cannot read 'faces/landmarks/ibug68/visible' in FILE: "
        + "there is no such object"
    ),
    (
      "one offset too few", { $0.offsets.removeLast() },
      "cannot read 'images/offsets' in FILE: expected u64 [4], found u64 [3]"
    ),
    (
      "offsets that do not start at 0", { $0.offsets[0] = 1 },
      "cannot read 'images/offsets'[0] in FILE: expected 0, found 1"
    ),
    (
      "offsets that run backwards", { $0.offsets[2] = 3 },
      "cannot read 'images/offsets'[2] in FILE: expected LAST to TOTAL, found 3"
    ),
    (
      "offsets beyond the end", { $0.offsets[3] = 1 << 40 },
      "cannot read 'images/offsets'[3] in FILE: expected MIDDLE to TOTAL, found 1099511627776"
    ),
    (
      "bytes after the last image", { $0.offsets[3] -= 1 },
      "cannot read 'images/offsets'[3] in FILE: expected TOTAL, the length of images/bytes, "
        + "found LESS"
    ),
    (
      "faces that go back", { $0.faceFrames = [2, 0, 2] },
      "cannot read 'faces/frame'[1] in FILE: expected 2 to 2 in ascending order, found 0"
    ),
    (
      "a face of a frame that is not there", { $0.faceFrames = [0, 0, 3] },
      "cannot read 'faces/frame'[2] in FILE: expected 0 to 2 in ascending order, found 3"
    ),
    (
      "a face of frame -1", { $0.faceFrames = [-1, 0, 2] },
      "cannot read 'faces/frame'[0] in FILE: expected 0 to 2 in ascending order, found -1"
    ),
    (
      "more frames than boxes", { $0.faceFrames.append(2) },
      "cannot read 'faces/box' in FILE: expected f64 [4, 4], found f32 [3, 4]"
    ),
    (
      "a box that is no number", { $0.boxes[5] = .nan },
      "cannot read 'faces/box'[1] in FILE: expected finite numbers and a size that is not "
        + "negative, found [2.0, nan, 3.0, 3.0]"
    ),
    (
      "a box of negative width", { $0.boxes[10] = -7 },
      "cannot read 'faces/box'[2] in FILE: expected finite numbers and a size that is not "
        + "negative, found [0.0, 0.0, -7.0, 11.0]"
    ),
    (
      "an infinite area", { $0.areas[2] = .infinity },
      "cannot read 'faces/area'[2] in FILE: expected a finite number that is not negative, "
        + "found inf"
    ),
    (
      "an area table of another length", { $0.areas.removeLast() },
      "cannot read 'faces/area' in FILE: expected f64 [3], found f32 [2]"
    ),
    (
      "a state of 7", { $0.visible[70] = 7 },
      "cannot read 'faces/landmarks/ibug68/visible'[1, 2] in FILE: expected 0, 1 or 2, found 7"
    ),
    (
      "a visible point that is nowhere", { $0.points[3] = .nan },
      "cannot read 'faces/landmarks/ibug68/points'[0, 1] in FILE: expected finite numbers where "
        + "visible is 2, found 2.0, nan"
    ),
    (
      "five points instead of 68",
      {
        $0.missing = ["faces/landmarks/ibug68/points"]
        $0.spoil = { file in
          try file.createDataset("faces/landmarks/ibug68/points", of: Float.self, shape: [3, 5, 2])
            .write([Float](repeating: 1, count: 30), atRow: 0)
        }
      },
      "cannot read 'faces/landmarks/ibug68/points' in FILE: expected f64 [3, 68, 2], "
        + "found f32 [3, 5, 2]"
    ),
    (
      "frames as floats",
      {
        $0.missing = ["faces/frame"]
        $0.spoil = { file in
          try file.createDataset("faces/frame", of: Double.self, shape: [3])
            .write([0.0, 0, 2], atRow: 0)
        }
      },
      "cannot read 'faces/frame' in FILE: expected i32 [M], found f64 [M]"
    ),
    (
      "a frame number beyond i32",
      {
        $0.missing = ["faces/frame"]
        $0.spoil = { file in
          try file.createDataset("faces/frame", of: Int64.self, shape: [3])
            .write([0, 5_000_000_000, 2] as [Int64], atRow: 0)
        }
      },
      "cannot read 'faces/frame' in FILE: expected i32 values, found 5000000000 in row 1"
    ),
    (
      "boxes as text",
      {
        $0.missing = ["faces/box"]
        $0.spoil = { file in
          try file.createStringDataset("faces/box", shape: [3]).writeStrings(
            ["1", "2", "3"], atRow: 0)
        }
      },
      "cannot read 'faces/box' in FILE: expected f64 [3, 4], found string [3]"
    ),
    (
      "bytes as wider numbers",
      {
        $0.missing = ["images/bytes"]
        $0.spoil = { file in
          try file.createDataset("images/bytes", of: Int32.self, shape: [3])
            .write([1, 2, 3] as [Int32], atRow: 0)
        }
      },
      "cannot read 'images/bytes' in FILE: expected u8 [M], found i32 [M]"
    ),
    (
      "a group in the position of a table",
      {
        $0.missing = ["faces/box"]
        $0.spoil = { file in
          _ = try file.createDataset("faces/box/x", of: Float.self, shape: [3])
        }
      },
      "cannot read 'faces/box' in FILE: expected a dataset, found a group"
    ),
    (
      "blendshapes without names",
      { $0.spoil = { try put("faces/blendshapes", 3, [52], in: $0) } },
      "cannot read attribute 'names' of 'faces/blendshapes' in FILE: there is no such attribute"
    ),
    (
      "blendshapes of another order",
      {
        $0.spoil = { file in
          try put("faces/blendshapes", 3, [52], in: file)
          try file.setAttribute(
            "names", of: "faces/blendshapes", to: Array(Blendshape.names.reversed()))
        }
      },
      "cannot read attribute 'names' of 'faces/blendshapes' in FILE: expected 52 names in "
        + "MediaPipe's order, found 52: noseSneerRight, noseSneerLeft, mouthUpperUpRight …"
    ),
    (
      "51 blendshapes", { $0.spoil = { try put("faces/blendshapes", 3, [51], in: $0) } },
      "cannot read 'faces/blendshapes' in FILE: expected f64 [3, 52], found f32 [3, 51]"
    ),
    (
      "an infinite blendshape",
      {
        $0.spoil = { file in
          try put("faces/blendshapes", 3, [52], in: file, fill: .infinity)
          try file.setAttribute("names", of: "faces/blendshapes", to: Blendshape.names)
        }
      },
      "cannot read 'faces/blendshapes'[0, 0] in FILE: expected a finite number or NaN, found inf"
    ),
    (
      "a pose that is no matrix", { $0.spoil = { try put("faces/pose", 3, [4, 4], in: $0) } },
      "cannot read 'faces/pose'[0] in FILE: expected a finite rotation, a finite or NaN "
        + "translation and a last row of 0, 0, 0, 1, found [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, "
        + "0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]"
    ),
    (
      "an attribute of another length",
      { $0.spoil = { try put("faces/attributes/blur", 2, [], in: $0) } },
      "cannot read 'faces/attributes/blur' in FILE: expected f64 [3], found f32 [2]"
    ),
    (
      "an infinite attribute",
      { $0.spoil = { try put("faces/attributes/blur", 3, [], in: $0, fill: -.infinity) } },
      "cannot read 'faces/attributes/blur'[0] in FILE: expected a finite number or NaN, found -inf"
    ),
    (
      "expressions as numbers", { $0.spoil = { try put("faces/expression", 3, [], in: $0) } },
      "cannot read 'faces/expression' in FILE: expected string [3], found f32 [3]"
    ),
    (
      "names of classes as numbers",
      { $0.spoil = { try put("faces/category_name", 3, [], in: $0) } },
      "cannot read 'faces/category_name' in FILE: expected string [3], found f32 [3]"
    ),
    (
      "points of four numbers",
      {
        $0.missing = ["faces/landmarks/ibug68/points"]
        $0.spoil = { try put("faces/landmarks/ibug68/points", 3, [68, 4], in: $0) }
      },
      "cannot read 'faces/landmarks/ibug68/points' in FILE: expected f64 [3, 68, 2], "
        + "found f32 [3, 68, 4]"
    ),
    (
      "a point of infinite depth",
      {
        $0.missing = ["faces/landmarks/ibug68/points"]
        $0.spoil = {
          try put("faces/landmarks/ibug68/points", 3, [68, 3], in: $0, fill: .infinity)
        }
      },
      "cannot read 'faces/landmarks/ibug68/points'[0, 0] in FILE: expected finite numbers where "
        + "visible is 2, found inf, inf, inf"
    ),
    (
      "a split that repeats a frame", { $0.spoil = { try split([0, 1, 1], in: $0) } },
      "cannot read 'splits/train'[2] in FILE: expected 2 to 2 in ascending order, found 1"
    ),
    (
      "a split beyond the frames", { $0.spoil = { try split([3], in: $0) } },
      "cannot read 'splits/train'[0] in FILE: expected 0 to 2 in ascending order, found 3"
    ),
    (
      "a sequence beyond the frames", { $0.counts[1] = 2 },
      "cannot read 'sequences/first'[1] in FILE: expected frames within 0..<3, found 2 from 2 on"
    ),
    (
      "a sequence before the frames", { $0.firsts[0] = -1 },
      "cannot read 'sequences/first'[0] in FILE: expected frames within 0..<3, found 2 from -1 on"
    ),
    (
      "a sequence of another kind", { $0.kinds[1] = "movie" },
      "cannot read 'sequences/kind'[1] in FILE: expected still or video, found 'movie'"
    ),
    (
      "sequences without the frames' side", { $0.missing = ["frames/sequence"] },
      "cannot read 'frames/sequence' in FILE: expected both frames/sequence and sequences or "
        + "neither, found one"
    ),
    (
      "frames without sequences",
      {
        $0.missing = [
          "sequences/name", "sequences/kind", "sequences/first", "sequences/count",
        ]
      },
      "cannot read 'sequences' in FILE: expected both frames/sequence and sequences or neither, "
        + "found one"
    ),
    (
      "one name too few", { $0.sequenceNames.removeLast() },
      "cannot read 'sequences/name' in FILE: expected string [2], found string [1]"
    ),
  ]

  @Sendable private static func put(
    _ path: String, _ rows: Int, _ row: [Int], in file: HDF5File, fill: Float = 0.5
  ) throws {
    let values = [Float](repeating: fill, count: rows * row.reduce(1, *))
    try file.createDataset(path, of: Float.self, shape: [rows] + row).write(values, atRow: 0)
  }

  @Sendable private static func split(_ frames: [Int32], in file: HDF5File) throws {
    try file.createDataset("splits/train", of: Int32.self, shape: [frames.count])
      .write(frames, atRow: 0)
  }

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `the sound dataset that the cases spoil is sound`() throws {
    let url = folder.file("a.h5")
    try PlainDataset().write(to: url)
    let dataset = try DatasetReader(url)
    #expect(try dataset.labels(0..<3).map(\.count) == [2, 0, 1])
    #expect(try DatasetValidation(of: dataset).findings.isEmpty)
  }

  @Test(arguments: cases.indices)
  func `a broken table is one line with the position`(index: Int) throws {
    let (name, spoil, message) = Self.cases[index]
    var dataset = PlainDataset()
    let sound = dataset
    spoil(&dataset)
    let url = folder.file("a.h5")
    try dataset.write(to: url)
    let error = #expect(throws: FileError.self, "\(name)") {
      let reader = try DatasetReader(url)
      _ = try reader.labels(0..<reader.frameCount)
      _ = try reader.frames(0..<reader.frameCount)
    }
    let expected = message.replacing("TOTAL", with: "\(sound.offsets[3])")
      .replacing("LAST", with: "\(sound.offsets[1])")
      .replacing("MIDDLE", with: "\(sound.offsets[2])")
      .replacing("LESS", with: "\(sound.offsets[3] - 1)")
    #expect(error?.description.replacing(url.path, with: "FILE") == expected, "\(name)")
    #expect(error?.kind == .wrongData, "\(name)")
  }

  @Test(arguments: [
    ("text", "this is not a dataset\n", "cannot open FILE: it is not an HDF5 file"),
    ("nothing", "", "cannot open FILE: the file is empty"),
  ])
  func `another kind of file is named so`(name: String, text: String, message: String) throws {
    let url = try folder.write(text, to: "a.h5")
    let error = #expect(throws: FileError.self) { try DatasetReader(url) }
    #expect(error?.description.replacing(url.path, with: "FILE") == message)
    #expect(error?.kind == .wrongData)
  }

  @Test func `offsets that change after a file was opened are refused`() throws {
    let (url, plain) = (folder.file("a.h5"), PlainDataset())
    try plain.write(to: url)
    let dataset = try DatasetReader(url)
    func bytes(_ offsets: [UInt64]) -> Data {
      let parts = offsets.map { offset in (0..<8).map { UInt8(offset >> (8 * UInt64($0)) & 255) } }
      return Data(parts.joined())
    }
    var others = plain.offsets
    others.swapAt(1, 2)
    let place = try #require(Data(contentsOf: url).range(of: bytes(plain.offsets)))
    let file = try FileHandle(forUpdating: url)
    try file.seek(toOffset: UInt64(place.lowerBound))
    try file.write(contentsOf: bytes(others))
    try file.close()
    let error = #expect(throws: FileError.self) { try dataset.image(1) }
    #expect(error?.kind == .wrongData)
    #expect(error?.description.hasPrefix("cannot read 'images/offsets'[1] in ") == true)
  }

  @Test func `a folder and a missing file are named so`() throws {
    let folderError = #expect(throws: FileError.self) { try DatasetReader(folder.url) }
    #expect(
      folderError?.description == "cannot open \(folder.url.path): expected a file, found a folder")
    let missing = folder.file("none.h5")
    let error = #expect(throws: FileError.self) { try DatasetReader(missing) }
    #expect(error?.kind == .notFound)
    #expect(error?.description == "cannot open \(missing.path): no such file")
  }

  @Test func `a file cut off anywhere never opens and reads as whole`() throws {
    let url = folder.file("whole.h5")
    try PlainDataset().write(to: url)
    let whole = try [UInt8](Data(contentsOf: url))
    for length in stride(from: 1, to: whole.count, by: max(whole.count / 97, 1)) {
      let cut = try folder.write(Array(whole[..<length]), to: "cut.h5")
      let error = #expect(throws: FileError.self, "\(length) bytes") {
        let reader = try DatasetReader(cut)
        _ = try DatasetValidation(of: reader)
      }
      #expect(error?.kind == .wrongData, "\(length) bytes")
      #expect(error?.description.contains("\n") == false)
    }
  }
}
