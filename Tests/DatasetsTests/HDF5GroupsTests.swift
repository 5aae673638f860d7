import CZlib
import Datasets
import FaceCore
import Foundation
import HDF5
import Imaging
import Platform
import TestSupport
import Testing

/// Files of one group an image, a subject or a split, and tables, which `Tests/Oracles/hdf5_groups.py` made with h5py.
@Suite struct HDF5GroupsTests {
  struct Face: Decodable {
    let box: [Double]
    let points: [[Double]]?
    let identity: Int?
    let attributes: [String: Double]
  }

  struct Frame: Decodable {
    let name: String
    let pixels: UInt
    let faces: [Face]
    let subject: String?
    let sequence: String?
    let time: Double?
    let splits: [String]?
  }

  struct File: Decodable {
    let layout: String
    let mapping: String
    let stored: MATLABCellsTests.File<[Frame]>

    enum CodingKeys: CodingKey { case layout, mapping }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      layout = try values.decode(String.self, forKey: .layout)
      mapping = try values.decode(String.self, forKey: .mapping)
      stored = try MATLABCellsTests.File(from: decoder)
    }
  }

  struct Expected: Decodable {
    let files: [File]
  }

  static let layouts = [
    "one_group_an_image", "one_group_a_subject", "one_group_a_split", "one_group_a_frame", "keys",
    "identities", "compound", "pandas_table", "pandas_fixed", "matlab", "matlab_structures",
  ].flatMap { ["\($0), earliest", "\($0), latest"] }

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func files() throws -> [File] {
    let expected: Expected = try Oracles.read("hdf5_groups")
    return expected.files
  }

  @Test func `every file of the oracle is tested`() throws {
    #expect(try files().map(\.layout) == Self.layouts)
  }

  @Test(arguments: layouts)
  func `images, faces and whose they are come out as h5py wrote them`(layout: String) throws {
    let file = try #require(try files().first { $0.layout == layout })
    try folder.write(file.stored.unpacked(), to: "a.h5")
    let mapping = try folder.write(file.mapping, to: "mapping.json")
    let frames = try readAll(HDF5Mapping(), [mapping]).frames
    #expect(frames.map(\.name) == file.stored.seen.map(\.name))
    var sequence: SequenceDescription?
    for (frame, seen) in zip(frames, file.stored.seen) {
      try expect(frame, shows: seen)
      if seen.sequence == nil { sequence = nil }
      sequence = frame.begins ?? sequence
      #expect(sequence?.subject ?? "" == seen.subject ?? "")
      if let name = seen.sequence {
        #expect(sequence?.name == name && sequence?.kind == .video)
      } else {
        #expect(sequence?.kind != .video)
      }
      #expect(Double(frame.timestampMicroseconds) == 1_000_000 * (seen.time ?? 0))
    }
  }

  private func expect(_ frame: ImportedFrame, shows seen: Frame) throws {
    guard case .encoded(let bytes) = frame.image else {
      Issue.record("no image")
      return
    }
    var buffer = PixelBuffer()
    try buffer.decode(bytes[...])
    #expect(crc32(0, buffer.bytes, UInt32(buffer.bytes.count)) == seen.pixels)
    #expect(frame.splits == seen.splits ?? [])
    try #require(frame.faces.count == seen.faces.count)
    for (face, seen) in zip(frame.faces, seen.faces) {
      let box: [Double] = [face.box.x, face.box.y, face.box.width, face.box.height]
      #expect(box == seen.box)
      #expect(face.landmarks.first?.points.map { [$0.x, $0.y] } == seen.points)
      #expect(face.identity == seen.identity)
      #expect(face.attributes == seen.attributes)
    }
  }

  /// Writes zeros of these extents, by path.
  private func write(_ arrays: [String: [Int]]) throws {
    let file = try HDF5File.create(folder.file("a.h5").path)
    for (path, shape) in arrays.sorted(by: { $0.key < $1.key }) {
      let dataset = try file.createDataset(path, of: UInt8.self, shape: shape)
      try dataset.write([UInt8](repeating: 1, count: shape.reduce(1, *)), atRow: 0)
    }
    try file.close()
  }

  private func read(
    _ images: String, box: String, _ more: String = "", options: ImportOptions = ImportOptions()
  ) throws -> (frames: [ImportedFrame], remarks: [String]) {
    let text = """
      {"schema": "facegauge.hdf5-mapping", "version": 1, "files": ["\(folder.file("a.h5").path)"],
       "images": {\(images)}, "faces": {"box": {"form": "xywh", "path": "\(box)"}\(more)}}
      """
    let read = try readAll(HDF5Mapping(), [folder.write(text, to: "maps/mapping.json")], options)
    // What is read keeps the schema.
    #expect(try Schema.problems(ofFile: text.utf8) == [])
    return read
  }

  private static func pixels(_ path: String, _ layout: String = "HWC") -> String {
    "\"pixels\": {\"path\": \"\(path)\", \"layout\": \"\(layout)\", \"range\": [0, 255]}"
  }

  private static let image = [2, 3, 3]
  private static let refusals:
    [(arrays: [String: [Int]], images: String, box: String, more: String, message: String)] = [
      (
        ["a/frames": [2, 2, 3, 3], "a/box": [2, 4]], pixels("{subject}/frames", "NHWC"), "{id}/box",
        "",
        "cannot read 'faces.box.path' in maps/mapping.json: expected only words of '{subject}/frames', where the "
          + "images are, {subject}, found {id} in '{id}/box'"
      ),
      (
        ["a/frames": [2, 2, 3, 3], "box": [2, 4]], pixels("{subject}/frames", "NHWC"), "box", "",
        "cannot read 'box' in a.h5: expected {subject} in the path of an array with rows, found none"
      ),
      (
        ["a/b/image": image, "a/box": [2, 4]], pixels("{subject}/{image}/image"), "{subject}/box",
        "",
        "cannot read '{subject}/box' in a.h5: expected {subject} and {image} in the path of an array with "
          + "rows, found {subject}"
      ),
      (
        ["a/image": image, "a/box": [4], "b/image": image], pixels("{image}/image"), "{image}/box",
        "",
        "cannot read 'b/box' in a.h5: there is no such object; of an image without faces it has 0 rows, in "
          + "h5py f['b/box'] = np.zeros((0, 4))"
      ),
      (
        ["a/image": image, "a/box": [4], "b/box": [4]], pixels("{image}/image"), "{image}/box", "",
        "cannot read 'b/image' in a.h5: expected images next to 'b/box', found none"
      ),
      (
        ["image-1": image, "image-2": image, "label-1": [4], "label-2": [4], "label-3": [4]],
        pixels("image-{image}"), "label-{image}", "",
        "cannot read 'label-{image}' in a.h5: expected 2 arrays, one for each 'image-{image}', found 3"
      ),
      (
        ["a/frames": [1, 2, 3, 3], "a/box": [1, 4], "b/frames": [2, 2, 3, 3], "b/box": [3, 4]],
        pixels("{split}/frames", "NHWC"), "{split}/box", "",
        "cannot read 'b/box' in a.h5: expected 2 rows as in 'b/frames', found 3"
      ),
      (
        ["a/image": image, "a/box": [2, 4], "a/who": [1]], pixels("{image}/image"), "{image}/box",
        ", \"identity\": \"{image}/who\"",
        "cannot read 'a/who' in a.h5: expected 2 rows as in 'a/box', found 1"
      ),
      (
        ["a/image": image, "a/box": [2, 3]], pixels("{image}/image"), "{image}/box", "",
        "cannot read 'a/box' in a.h5: expected 4 numbers per face, found [2, 3]"
      ),
      (
        ["a/image": image, "a/box": [4]], pixels("{image}/image", "NHWC"), "{image}/box", "",
        "cannot read 'images.pixels.layout' in maps/mapping.json: expected H, W and C once each, found \"NHWC\""
      ),
      (
        ["a/image": image, "a/box": [4]], pixels("{image}/image"), "{image}/box",
        ", \"image\": {\"path\": \"{image}/box\", \"base\": 0}",
        "cannot read 'faces.image' in maps/mapping.json: expected no 'image' where {image} is the image of its "
          + "faces, found an object"
      ),
      (
        ["a/frames": [1, 2, 3, 3], "a/box": [1, 4]],
        pixels("{sequence}/frames", "NHWC") + ", \"sequence\": \"{sequence}/box\"",
        "{sequence}/box", "",
        "cannot read 'images.sequence' in maps/mapping.json: expected no 'sequence' where {sequence} is in the path of "
          + "the images, found \"{sequence}/box\""
      ),
      (
        ["no good/frames": [1, 2, 3, 3], "no good/box": [1, 4]], pixels("{split}/frames", "NHWC"),
        "{split}/box", "",
        "cannot read 'no good/frames' in a.h5: expected names of splits of letters and digits, found "
          + "'no good'"
      ),
      (
        ["a/image": image, "a/box": [4]], pixels("{image}/picture"), "{image}/box", "",
        "cannot read 'a/picture' in a.h5: expected images next to 'a/box', found none"
      ),
      (
        ["a/image": image, "a/box": [4]], pixels("img{image}/image"), "img{image}/box", "",
        "cannot read 'img{image}/image' in a.h5: expected one array or more, found no name that fits"
      ),
      (
        ["a/image": image, "a/box": [4]], pixels("{a}{image}/image"), "{image}/box", "",
        "cannot use the path '{a}{image}/image': expected names with words in braces that stand apart, such "
          + "as '{subject}/image-{image}', '{image}@age' or 'table:box'"
      ),
      (
        ["a/image": image, "a/box": [4]], pixels("{image}/image") + ", \"order\": \"@n\"",
        "{image}/box", "",
        "cannot read attribute 'n' of 'a' in a.h5: there is no such attribute"
      ),
      (
        ["images": [1, 2, 3, 3], "box": [1, 4]], pixels("images", "NHWC") + ", \"order\": \"@n\"",
        "box", "",
        "cannot read 'images.order' in maps/mapping.json: expected no order where the images' path has no words in "
          + "braces, found \"@n\""
      ),
      (
        ["cam1/a": image, "cam1/a-box": [4], "camx/a": image], pixels("cam{camera}/{image}"),
        "cam{camera}/{image}-box", "",
        "cannot read 'cam1/a-box' in a.h5: expected pixels of 3 dimensions (HWC), found u8 [4]"
      ),
    ]

  @Test(arguments: refusals.indices)
  func `groups that do not fit together are one line`(index: Int) throws {
    let (arrays, images, box, more, message) = Self.refusals[index]
    try write(arrays)
    let error = #expect(throws: FileError.self) { try read(images, box: box, more) }
    #expect(error?.line(from: folder) == message)
    #expect(error?.kind == .wrongData)
  }

  @Test func `names without arrays and names that are no numbers are told`() throws {
    try write([
      "cam-left/img1/image": Self.image, "cam-left/img1/box": [4], "cam-top/img1/image": Self.image,
      "cam-top/img1/box": [1, 4], "cam-left/notes/text": [1], "version": [1],
    ])
    let read = try read(Self.pixels("cam-{camera}/{image}/image"), box: "cam-{camera}/{image}/box")
    #expect(read.frames.map(\.name) == ["left/img1", "top/img1"])
    #expect(read.frames.map { $0.faces.first?.attributes } == [["camera": 0], ["camera": 1]])
    #expect(
      read.remarks == [
        "a.h5: boxes are xywh, pixels from 0.0", "a.h5: attribute camera: 0 is 'left', 1 is 'top'",
        "a.h5: 1 names fit 'cam-{camera}/{image}/image' and have no array there, such as "
          + "'cam-left/notes': taken as no images",
      ])
  }

  @Test func `a name is the same number in all files`() throws {
    for (title, cameras) in [("b.h5", ["left", "top"]), ("a.h5", ["below", "top"])] {
      var arrays: [String: [Int]] = [:]
      for camera in cameras {
        arrays["\(camera)/1/image"] = Self.image
        arrays["\(camera)/1/box"] = [4]
      }
      try write(arrays)
      if title == "b.h5" {
        try FileManager.default.moveItem(at: folder.file("a.h5"), to: folder.file(title))
      }
    }
    let mapping = """
      {"schema": "facegauge.hdf5-mapping", "version": 1,
       "images": {\(Self.pixels("{camera}/{image}/image"))},
       "faces": {"box": {"form": "xywh", "path": "{camera}/{image}/box"}}}
      """
    let read = try readAll(
      HDF5Mapping(),
      [folder.write(mapping, to: "mapping.json"), folder.file("b.h5"), folder.file("a.h5")])
    #expect(read.frames.map { $0.faces.first?.attributes["camera"] } == [0, 1, 2, 1])
    #expect(
      read.remarks.contains("a.h5: attribute camera: 0 is 'left', 1 is 'top', 2 is 'below'"))
  }

  @Test func `a word takes as little of a name as it can, and stands for the same in each place`()
    throws
  {
    try write([
      "s1/s1_a_b.rgb": Self.image, "s1/s1_a_b.box": [4], "s1/s2_c.rgb": Self.image,
      "s1/s2_c.box": [4],
    ])
    let read = try read(
      Self.pixels("{subject}/{subject}_{image}.rgb"), box: "{subject}/{subject}_{image}.box")
    #expect(read.frames.map(\.name) == ["s1/a_b"])
  }

  @Test(.enabled(if: H5pyDatasetTests.python != nil, "FACEGAUGE_PYTHON names a Python with h5py"))
  func `groups that contain themselves come to an end`() throws {
    let recipe = """
      import h5py, sys
      with h5py.File(sys.argv[1], "w") as f:
          for n in range(50): f[f"g{n}"] = f["/"]
      """
    let made = try ProcessResult(
      running: try #require(H5pyDatasetTests.python), ["-c", recipe, folder.file("a.h5").path])
    try #require(made.status == 0, "\(made.errors)")
    let error = #expect(throws: FileError.self) {
      try read(Self.pixels("{a}/{b}/{c}/{d}/{e}/{image}"), box: "{a}/{b}/{c}/{d}/{e}/{image}-box")
    }
    #expect(
      error?.line(from: folder).hasPrefix(
        "cannot read '{a}/{b}/{c}/{d}/{e}/{image}' in a.h5: expected at most 16384 names") == true,
      "\(error?.description ?? "")")
  }

  @Test func `many groups of compressed claims are refused before they are in memory`() throws {
    let file = try HDF5File.create(folder.file("a.h5").path)
    for group in 0..<6 {
      _ = try file.createDataset(
        "\(group)/image", of: UInt8.self, shape: [4000, 4000, 3], chunkRows: 100, gzipLevel: 1)
      try file.createDataset("\(group)/box", of: UInt8.self, shape: [4]).write(
        [UInt8](repeating: 1, count: 4), atRow: 0)
    }
    _ = try file.createDataset("filler", of: UInt8.self, shape: [1 << 19])
    try file.dataset("filler").write([UInt8](repeating: 0, count: 1 << 19), atRow: 0)
    try file.close()
    let error = #expect(throws: FileError.self) {
      try read(
        Self.pixels("{image}/image"), box: "{image}/box", options: ImportOptions(isLabelsOnly: true)
      )
    }
    #expect(
      error?.line(from: folder).hasPrefix(
        "cannot read '5/image' in a.h5: expected at most 268435456 bytes of values") == true,
      "\(error?.description ?? "")")
  }
}
