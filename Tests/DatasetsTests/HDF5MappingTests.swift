import Datasets
import FaceCore
import Foundation
import HDF5
import Imaging
import Platform
import TestSupport
import Testing

@Suite struct HDF5MappingTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Writes numbers into a new file, by path.
  private func write(_ arrays: [(path: String, shape: [Int], values: [Double])]) throws {
    let file = try HDF5File.create(folder.file("a.h5").path)
    for array in arrays {
      let dataset = try file.createDataset(array.path, of: Double.self, shape: array.shape)
      try dataset.write(array.values, atRow: 0)
    }
    try file.close()
  }

  private static func mapping(_ images: String, _ faces: String, _ more: String = "") -> String {
    """
    {"schema": "facegauge.hdf5-mapping", "version": 1, "files": ["a.h5"],
     "images": {\(images)}, "faces": {\(faces)}\(more)}
    """
  }

  private func read(
    _ images: String, _ faces: String, _ more: String = "", _ options: ImportOptions = .init()
  ) throws -> (frames: [ImportedFrame], remarks: [String]) {
    let text = Self.mapping(images, faces, more)
    let read = try readAll(HDF5Mapping(), [folder.write(text, to: "mapping.json")], options)
    #expect(try Schema.problems(ofFile: text.utf8) == [])
    return read
  }

  /// Two images of 2 rows and 3 columns, whose value names image, row, column and channel.
  private static func value(_ n: Int, _ row: Int, _ column: Int, _ channel: Int) -> Double {
    Double(100 * n + 30 * row + 10 * column + channel)
  }

  private static let nhwc: [Double] = {
    var values: [Double] = []
    for n in 0..<2 {
      for row in 0..<2 {
        for column in 0..<3 {
          for channel in 0..<3 { values.append(value(n, row, column, channel)) }
        }
      }
    }
    return values
  }()
  private static let nchw: [Double] = {
    var values: [Double] = []
    for n in 0..<2 {
      for channel in 0..<3 {
        for row in 0..<2 { for column in 0..<3 { values.append(value(n, row, column, channel)) } }
      }
    }
    return values
  }()
  private static let wholeImage = "\"box\": {\"form\": \"image\"}"

  private static let fractions = nchw.map { $0 / 255 }

  @Test(arguments: [
    ("NHWC", [2, 2, 3, 3], nhwc, [0.0, 255.0]), ("NCHW", [2, 3, 2, 3], nchw, [0.0, 255.0]),
    ("NCHW", [2, 3, 2, 3], fractions, [0.0, 1.0]),
  ])
  func `NHWC and NCHW, floats of 0 to 1 and of 0 to 255, are the same image`(
    layout: String, shape: [Int], values: [Double], range: [Double]
  ) throws {
    try write([("x", shape, values)])
    let read = try read(
      "\"pixels\": {\"path\": \"x\", \"layout\": \"\(layout)\", \"range\": \(range)}",
      Self.wholeImage)
    #expect(read.frames.count == 2)
    for (index, frame) in read.frames.enumerated() {
      guard case .encoded(let bytes) = frame.image else { continue }
      var buffer = PixelBuffer()
      try buffer.decode(bytes[...])
      #expect(buffer.size == ImageSize(width: 3, height: 2))
      var wanted: [UInt8] = []
      for row in 0..<2 {
        for column in 0..<3 {
          for channel in 0..<3 { wanted.append(UInt8(Self.value(index, row, column, channel))) }
        }
      }
      #expect(buffer.bytes == wanted)
      #expect(frame.faces.first?.box == BoundingBox(x: 0, y: 0, width: 3, height: 2))
    }
  }

  @Test func `values outside of the range are clipped and counted`() throws {
    try write([("x", [1, 1, 2, 3], [-1, 0, 1, 2, 0.5, .nan])])
    let read = try read(
      "\"pixels\": {\"path\": \"x\", \"layout\": \"NHWC\", \"range\": [0, 1]}", Self.wholeImage)
    #expect(read.remarks.last == "lost: a.h5: 3 values of pixels outside of 'range' clipped")
  }

  static let boxes: [(entry: String, numbers: [Double])] = [
    ("\"form\": \"xywh\", \"path\": \"b\"", [2, 4, 6, 8]),
    ("\"form\": \"xywh\", \"path\": \"b\", \"base\": 1", [3, 5, 6, 8]),
    ("\"form\": \"xyxy\", \"path\": \"b\"", [2, 4, 8, 12]),
    ("\"form\": \"cxcywh\", \"path\": \"b\"", [5, 8, 6, 8]),
    ("\"form\": \"xywh\", \"path\": \"b\", \"space\": \"relative\"", [0.125, 0.5, 0.375, 1]),
  ]

  @Test(arguments: boxes.indices)
  func `every form of a box is the same box`(index: Int) throws {
    try folder.write(Sample.png(16, 8), to: "p/0")
    try write([("b", [1, 4], Self.boxes[index].numbers), ("n", [1], [0])])
    let read = try read(
      "\"names\": \"n\", \"folder\": \"p\"", "\"box\": {\(Self.boxes[index].entry)}")
    #expect(read.frames.first?.faces.first?.box == BoundingBox(x: 2, y: 4, width: 6, height: 8))
  }

  @Test func `a box from center and scale is a square of 200 pixels a unit`() throws {
    try write([("c", [2, 2], [100, 50, 1, 1]), ("s", [2], [0.5, .nan]), ("n", [2], [7, 8])])
    let read = try read(
      "\"names\": \"n\"",
      "\"box\": {\"form\": \"center-scale\", \"center\": \"c\", \"scale\": \"s\", \"base\": 1}")
    #expect(
      read.frames.first?.faces.first?.box == BoundingBox(x: 49, y: -1, width: 100, height: 100))
    #expect(read.frames.last?.faces.isEmpty == true)
    #expect(
      read.remarks.last
        == "lost: a.h5: 1 faces left out whose box has a NaN or a negative size")
  }

  static let layouts: [(layout: String, shape: [Int], index: @Sendable (Int, Int, Int) -> Int)] = [
    ("NKD", [2, 5, 2], { $0 * 10 + $1 * 2 + $2 }), ("NDK", [2, 2, 5], { $0 * 10 + $2 * 5 + $1 }),
    ("DKN", [2, 5, 2], { $2 * 10 + $1 * 2 + $0 }), ("xyxy", [2, 10], { $0 * 10 + $1 * 2 + $2 }),
    ("xxyy", [2, 10], { $0 * 10 + $2 * 5 + $1 }),
  ]

  @Test func `a mapping to another category than a face is imported`() throws {
    try write([("x", [2, 2, 3, 3], Self.nhwc)])
    let mapping = try folder.write(
      """
      {"schema": "facegauge.hdf5-mapping", "version": 1, "files": ["a.h5"],
       "images": {"pixels": {"path": "x", "layout": "NHWC", "range": [0, 255]}},
       "faces": {\(Self.wholeImage), "category": 2}}
      """, to: "mapping.json")
    let url = folder.file("out.h5")
    let writer = try DatasetWriter(url, name: "out", replacing: true)
    _ = try DatasetImport(
      format: HDF5Mapping(), sources: [mapping], options: .init(), isStrict: false
    ).run(into: writer, advance: { _ in }, isInterrupted: { false })
    #expect(try DatasetReader(url).labels(0..<2).map { $0.map(\.category) } == [[2], [2]])
  }

  @Test(arguments: layouts.indices)
  func `points lie in any order, flat or transposed, from 1 or from 0`(index: Int) throws {
    let (layout, shape, position) = Self.layouts[index]
    var values = [Double](repeating: 0, count: 20)
    for face in 0..<2 {
      for point in 0..<5 {
        for axis in 0..<2 {
          values[position(face, point, axis)] = Double(100 * face + 10 * point + axis)
        }
      }
    }
    try write([
      ("p", shape, values), ("v", [2, 5], [0, 1, 2, 2, 2, 2, 2, 2, 2, 2]), ("n", [2], [0, 1]),
    ])
    let read = try read(
      "\"names\": \"n\"",
      """
      "box": {"form": "points"}, "points": [{"path": "p", "scheme": "five", "layout": "\(layout)", "base": 1,
        "visible": {"path": "v", "states": ["not-labelled", "occluded", "visible"]}}]
      """)
    for (face, frame) in read.frames.enumerated() {
      let set = try #require(frame.faces.first?.landmarks.first)
      #expect(set.scheme == .five)
      let points = (0..<5).map { point in
        let y = Double(100 * face + 10 * point)
        return Point(x: y - 1, y: y)
      }
      #expect(set.points == points)
    }
    #expect(
      read.frames[0].faces[0].landmarks[0].visibility
        == [.notLabelled, .occluded, .visible, .visible, .visible])
  }

  @Test func `faces find their images by number, with all other labels`()
    throws
  {
    try write([
      ("n", [3], [10, 11, 12]), ("of", [3], [3, 1, 3]),
      ("b", [3, 4], (0..<12).map(Double.init)), ("who", [3], [4, -1, 5]),
      ("e", [3], [1, 2, 1]), ("shapes", [3, 2], [0.25, 0.5, 0, 1, 0, 1]),
      ("angles", [3, 3], [0, 90, 0, 0, 0, 0, .nan, 0, 0]), ("age", [3], [30, 40, 50]),
      ("train", [2], [1, 3]), ("when", [3], [5.0, 5.04, 5.08]), ("clip", [3], [1, 1, 1]),
    ])
    let read = try read(
      "\"names\": \"n\", \"sequence\": \"clip\", \"time\": {\"path\": \"when\", \"unit\": \"s\"}",
      """
      "image": {"path": "of", "base": 1}, "box": {"form": "xywh", "path": "b"}, "identity": "who",
      "expression": {"path": "e", "base": 1, "names": ["glad", "sad"]}, "attributes": {"age": "age"},
      "blendshapes": {"path": "shapes", "names": ["jawOpen", "TongueOut"]},
      "pose": {"form": "euler", "path": "angles", "order": "xyz", "unit": "degrees", "axes": "y-up"}
      """, ", \"splits\": {\"train\": {\"path\": \"train\", \"base\": 1}}")
    #expect(read.frames.map(\.faces.count) == [1, 0, 2])
    #expect(read.frames.map(\.splits) == [["train"], [], ["train"]])
    #expect(read.frames.map(\.timestampMicroseconds) == [0, 40_000, 80_000])
    #expect(read.frames.map { $0.begins?.kind } == [.video, nil, nil])
    let face = try #require(read.frames[2].faces.first)
    #expect(face.identity == 4 && face.expression == "glad" && face.attributes["age"] == 30)
    #expect(face.blendshapes?[Blendshape.jawOpen.index] == 0.25)
    #expect(face.attributes["tongueOut"] == 0.5)
    #expect(read.frames[0].faces.first?.identity == nil)
    let pose = try #require(face.pose)
    // A right-handed quarter turn about y takes z to x.
    let (right, back) = (abs(pose.matrix[2] - 1), abs(pose.matrix[8] + 1))
    #expect(right < 1e-6)
    #expect(back < 1e-6)
    #expect(read.frames[2].faces[1].pose == nil)
  }

  @Test func `a pose in axes with y down turns the other way about y and z`() throws {
    let (c, s) = (0.8, 0.6)
    try write([("n", [1], [0]), ("m", [1, 3, 3], [c, 0, s, 0, 1, 0, -s, 0, c])])
    let read = try read(
      "\"names\": \"n\"",
      "\"box\": {\"form\": \"points\"}, \"pose\": {\"form\": \"matrix\", \"path\": \"m\", \"axes\": \"y-down\"}"
    )
    #expect(read.frames.first?.faces.isEmpty == true)
    let again = try self.read(
      "\"names\": \"n\"",
      "\"box\": {\"form\": \"xywh\", \"path\": \"m\", \"columns\": [1, 5]}, "
        + "\"pose\": {\"form\": \"matrix\", \"path\": \"m\", \"axes\": \"y-down\"}")
    let pose = try #require(again.frames.first?.faces.first?.pose)
    let found: [Float] = [pose.matrix[0], pose.matrix[2], pose.matrix[8]]
    let wanted: [Float] = [0.8, -0.6, 0.6]
    #expect(found == wanted)
  }

  static let failures: [(images: String, faces: String, message: String)] = [
    (
      "\"nmaes\": \"n\"", "",
      "'images' in mapping.json: expected only the keys pixels, bytes, offsets, names, folder, repeat, "
        + "sequence, subject, split, time, order, perhaps \"names\", found the key \"nmaes\""
    ),
    ("\"names\": 3", "", "'images.names' in mapping.json: expected a text, found 3"),
    ("", "", "'images' in mapping.json: expected the key pixels, bytes or names, found none"),
    (
      "\"names\": \"n\"", "",
      "'faces.box' in mapping.json: expected an object with the keys form, path, columns, center, "
        + "scale, unit, space, base, found nothing"
    ),
    (
      "\"names\": \"n\"", "\"box\": {\"form\": \"xy\"}",
      "'faces.box.form' in mapping.json: expected one of xywh, xyxy, cxcywh, yxyx, trbl, center-scale, "
        + "image, points, found \"xy\""
    ),
    (
      "\"names\": \"n\"", "\"box\": {\"form\": \"xywh\", \"path\": \"n\"}",
      "'n' in a.h5: expected 4 numbers per row, found []"
    ),
    (
      "\"names\": \"n\"", "\"box\": {\"form\": \"xywh\", \"path\": \"b\"}",
      "'b' in a.h5: expected 2 rows as in 'n', found 3"
    ),
    (
      "\"names\": \"same\"", "\"box\": {\"form\": \"points\"}",
      "mapping.json: expected each image's name once in 'same', found one again (\"repeat\": true "
        + "makes its rows faces of one image)"
    ),
    (
      "\"names\": \"n\"",
      "\"box\": {\"form\": \"points\"}, \"points\": [{\"path\": \"b\", \"count\": 16}]",
      "'faces.points[0].count' in mapping.json: expected the count of a scheme (68, 98, 29, 5, 106, "
        + "21, 19, 478, 5, 6, 83, 194), found 16"
    ),
    (
      "\"names\": \"n\"",
      "\"box\": {\"form\": \"points\"}, \"points\": [{\"path\": \"b\", \"count\": 5}]",
      "'faces.points[0].count' in mapping.json: expected a scheme instead, as five, dlib5 have as "
        + "many, found 5"
    ),
    (
      "\"pixels\": {\"path\": \"b\", \"layout\": \"NHWC\", \"range\": [0, 1]}", "",
      "'b' in a.h5: expected pixels of 4 dimensions (NHWC), found f64 [3, 4]"
    ),
    (
      "\"pixels\": {\"path\": \"b\", \"layout\": \"HWCN\", \"range\": [0, 1]}", "",
      "'b' in a.h5: expected pixels of 4 dimensions (HWCN), found f64 [3, 4]"
    ),
    (
      "\"pixels\": {\"path\": \"b\", \"layout\": \"NHWW\", \"range\": [0, 1]}", "",
      "'images.pixels.layout' in mapping.json: expected N, H, W and C once each, found \"NHWW\""
    ),
    (
      "\"names\": \"n\"",
      "\"box\": {\"form\": \"points\"}, \"image\": {\"path\": \"n\", \"base\": 1}",
      "'n' in a.h5: expected images from 1 to 2, found 10 in row 0"
    ),
  ]

  @Test(arguments: failures.indices)
  func `what is wrong is one line that names key or array`(index: Int) throws {
    let (images, faces, message) = Self.failures[index]
    try write([
      ("n", [2], [10, 11]), ("same", [2], [1, 1]), ("b", [3, 4], Array(repeating: 1, count: 12)),
    ])
    let error = #expect(throws: FileError.self) { try read(images, faces) }
    #expect(error?.line(from: folder) == "cannot read \(message)")
    #expect(error?.kind == .wrongData)
    if ["key", "a text", "one of"].contains(where: message.contains) {
      #expect(try Schema.problems(ofFile: Self.mapping(images, faces).utf8) != [])
    }
  }

  private static let plainBox = "\"box\": {\"form\": \"xywh\", \"path\": \"b\"}"
  /// What a mapping makes of the array x of a shape, and the limit that it meets; n has two rows and b two boxes.
  private static let grown: [(shape: [Int], images: String, faces: String, limit: String)] = [
    (
      [262_145, 1, 1, 1],
      "\"pixels\": {\"path\": \"x\", \"layout\": \"NHWC\", \"range\": [0, 255]}", wholeImage,
      "at most 262144 rows"
    ),
    ([262_145], "\"names\": \"x\"", plainBox, "at most 262144 rows"),
    (
      [262_145], "\"names\": \"n\"", plainBox + ", \"image\": {\"path\": \"x\", \"base\": 0}",
      "at most 262144 rows"
    ),
    (
      [262_145], "\"names\": \"n\"", plainBox + ", \"image\": {\"names\": \"x\"}",
      "at most 262144 rows"
    ),
    ([262_145], "\"names\": \"n\", \"subject\": \"x\"", plainBox, "at most 262144 rows"),
    ([262_145], "\"names\": \"n\"", plainBox + ", \"expression\": \"x\"", "at most 262144 rows"),
    ([262_145], "\"bytes\": \"n\", \"offsets\": \"x\"", wholeImage, "at most 262144 rows"),
    (
      [5, 2, 1 << 20], "\"names\": \"n\"",
      plainBox + ", \"points\": [{\"path\": \"x\", \"scheme\": \"five\", \"layout\": \"KDN\"}]",
      "at most 262144 rows"
    ),
    (
      [8, 1 << 20], "\"names\": \"n\"",
      "\"box\": {\"form\": \"xywh\", \"path\": \"x\", \"columns\": [0, 4]}, \"attributes\": {"
        + (0..<8).map { "\"a\($0)\": {\"path\": \"x\", \"columns\": [\($0), \($0 + 1)]}" }.joined(
          separator: ", ")
        + "}", "at most 67108864 bytes of values that stay in memory"
    ),
    (
      [257, 1 << 20], "\"names\": \"n\"", plainBox + ", \"ignore\": \"x\"",
      "at most 268435456 bytes of values"
    ),
  ]

  @Test(arguments: grown.indices)
  func `a small file that claims many values is refused before they are in memory`(
    index: Int
  ) throws {
    let (shape, images, faces, limit) = Self.grown[index]
    let file = try HDF5File.create(folder.file("a.h5").path)
    _ = try file.createDataset("x", of: UInt8.self, shape: shape, chunkRows: 1, gzipLevel: 1)
    try file.createDataset("n", of: UInt8.self, shape: [2]).write(
      [UInt8](arrayLiteral: 0, 1), atRow: 0)
    try file.createDataset("b", of: UInt8.self, shape: [2, 4])
      .write([UInt8](repeating: 1, count: 8), atRow: 0)
    // Arrays that were never written may claim 1032 bytes per byte of the file.
    _ = try file.createDataset("filler", of: UInt8.self, shape: [1 << 19])
    try file.dataset("filler").write([UInt8](repeating: 0, count: 1 << 19), atRow: 0)
    try file.close()
    let error = #expect(throws: FileError.self) { try read(images, faces) }
    #expect(
      error?.description.hasPrefix(
        "cannot read 'x' in \(folder.file("a.h5").path): expected \(limit)")
        == true, "\(error?.description ?? "")")
    #expect(error?.kind == .wrongData)
  }

  @Test(arguments: [
    "", "[]", "{", "\u{0}\u{1}", String(repeating: "[", count: 100_000), "{\"version\": true}",
  ])
  func `what is no mapping is refused`(text: String) throws {
    let source = try folder.write(text, to: "mapping.json")
    let error = #expect(throws: FileError.self) { try readAll(HDF5Mapping(), [source]) }
    #expect(error?.kind == .wrongData)
  }

  @Test func `every committed mapping is one`() throws {
    let mappings = try FileManager.default.contentsOfDirectory(
      atPath: Checkout.root.appending(path: "Datasets/mappings").path
    ).filter { $0.hasSuffix(".json") }
    #expect(mappings.count == 5)
    for name in mappings {
      let source = Checkout.root.appending(path: "Datasets/mappings/\(name)")
      #expect(try DatasetImport.detectFormat(of: [source]).format.name == "hdf5")
    }
  }
}
