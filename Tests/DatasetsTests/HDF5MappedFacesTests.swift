import Datasets
import FaceCore
import Foundation
import HDF5
import Platform
import TestSupport
import Testing

/// What a mapping reads of faces besides one array of boxes, and what it takes for none.
@Suite struct HDF5MappedFacesTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func read(
    _ arrays: [(path: String, shape: [Int], values: [Double])], _ images: String, _ faces: String
  ) throws -> (frames: [ImportedFrame], remarks: [String]) {
    let file = try HDF5File.create(folder.file("a.h5").path)
    for array in arrays {
      let dataset = try file.createDataset(array.path, of: Double.self, shape: array.shape)
      try dataset.write(array.values, atRow: 0)
    }
    try file.close()
    let text = """
      {"schema": "facegauge.hdf5-mapping", "version": 1, "files": ["a.h5"],
       "images": {\(images)}, "faces": {\(faces)}}
      """
    let read = try readAll(HDF5Mapping(), [folder.write(text, to: "mapping.json")])
    // What is read keeps the schema.
    #expect(try Schema.problems(ofFile: text.utf8) == [])
    return read
  }

  @Test func `scores are those of faces, and NaN is none`() throws {
    let read = try read(
      [("n", [2], [0, 1]), ("b", [2, 4], [2, 4, 6, 8, 2, 4, 6, 8]), ("s", [2], [0.25, .nan])],
      "\"names\": \"n\"", "\"box\": {\"form\": \"xywh\", \"path\": \"b\"}, \"score\": \"s\"")
    #expect(read.frames.map { $0.faces.first?.score } == [0.25, nil])
  }

  @Test(
    arguments: [
      ("\"form\": \"xywh\", \"path\": [\"x\", \"y\", \"w\", \"h\"]", [0.0]),
      ("\"form\": \"yxyx\", \"path\": \"b\"", [4, 2, 12, 8]),
      ("\"form\": \"trbl\", \"path\": \"b\"", [4, 8, 12, 2]),
    ] as [(String, [Double])])
  func `boxes of four arrays, and with edges in another order, are the same box`(
    entry: String, numbers: [Double]
  ) throws {
    let read = try read(
      [
        ("n", [1], [0]), ("b", [1, numbers.count], numbers), ("x", [1], [2]), ("y", [1], [4]),
        ("w", [1], [6]), ("h", [1], [8]),
      ], "\"names\": \"n\"", "\"box\": {\(entry)}")
    #expect(read.frames.first?.faces.first?.box == BoundingBox(x: 2, y: 4, width: 6, height: 8))
  }

  @Test func `rows that nobody filled are no faces`() throws {
    let points: [Double] = [3, 5, 7, 5, 5, 8, 4, 11, 6, 11]
    let rows =
      points + [Double](repeating: 0, count: 10) + [Double](repeating: -9999, count: 10)
    let boxes = [2, 4, 6, 8, 0, 0, 0, 0] + [Double](repeating: -9999, count: 4)
    let read = try read(
      [("n", [3], [0, 1, 2]), ("b", [3, 4], boxes), ("p", [3, 5, 2], rows)],
      "\"names\": \"n\"",
      "\"box\": {\"form\": \"xywh\", \"path\": \"b\"}, \"points\": [{\"path\": \"p\", \"scheme\": \"five\"}]"
    )
    #expect(read.frames.map(\.faces.count) == [1, 0, 0])
    #expect(read.frames[0].faces[0].landmarks.first?.points.first == Point(x: 3, y: 5))
    #expect(
      read.remarks.contains("lost: a.h5: 1 boxes without a size left out: they are no faces"))
    #expect(
      read.remarks.contains("lost: a.h5: 1 faces left out whose box has a NaN or a negative size"))
  }

  @Test func `places for faces of each image are faces where they are filled`() throws {
    let five: [Double] = [3, 5, 7, 5, 5, 8, 4, 11, 6, 11]
    let moved = five.map { $0 + 1 }
    let none = [Double](repeating: 0, count: 10)
    let boxes: [Double] = [
      2, 4, 6, 8, 3, 5, 6, 8, 4, 6, 6, 8, 0, 0, 0, 0, -1, -1, -1, -1, 0, 0, 0, 0,
    ]
    let read = try read(
      [
        ("n", [3], [0, 1, 2]), ("b", [3, 2, 4], boxes), ("s", [3, 2], [0.9, 0.8, 0.7, 0, 0, 0]),
        ("p", [3, 2, 5, 2], five + moved + five + none + none + none),
      ], "\"names\": \"n\"",
      """
      "padded": true, "box": {"form": "xywh", "path": "b"}, "score": "s",
      "points": [{"path": "p", "scheme": "five"}]
      """)
    #expect(read.frames.map(\.faces.count) == [2, 1, 0])
    #expect(read.frames[0].faces.map(\.score) == [0.9, 0.8])
    #expect(read.frames[0].faces.map(\.box.x) == [2, 3])
    #expect(read.frames[0].faces[1].landmarks.first?.points[0] == Point(x: 4, y: 6))
    #expect(read.frames[1].faces[0].box == BoundingBox(x: 4, y: 6, width: 6, height: 8))
    #expect(read.remarks.contains { $0.hasSuffix("a.h5: 3 places for faces are empty") })
    #expect(!read.remarks.contains { $0.hasPrefix("lost") })
  }

  @Test func `relative points count from the edges that range names, depths too`() throws {
    try folder.write(Sample.png(16, 8), to: "p/0")
    let points = [0, 0, 0.5, 0.5, -0.5, 0, -0.5, 0.5, 0, 0.25, 0.25, 0, 0.75, 0.75, 0]
    let read = try read(
      [("n", [1], [0]), ("p", [1, 5, 3], points)], "\"names\": \"n\", \"folder\": \"p\"",
      """
      "box": {"form": "points"},
      "points": [{"path": "p", "scheme": "five", "space": "relative", "range": [-1, 1]}]
      """)
    let set = try #require(read.frames.first?.faces.first?.landmarks.first)
    #expect(set.points[0] == Point(x: 8, y: 4))
    #expect(set.points[1] == Point(x: 12, y: 2))
    #expect(set.points[2] == Point(x: 4, y: 6))
    #expect(set.depths?[0] == 4)
  }

  @Test func `names that are absolute paths are those of the files`() throws {
    let image = try folder.write(Sample.png(16, 8), to: "elsewhere/0.png")
    let file = try HDF5File.create(folder.file("b.h5").path)
    try file.createStringDataset("n", shape: [1]).writeStrings([image.path], atRow: 0)
    try file.close()
    let mapping = try folder.write(
      """
      {"schema": "facegauge.hdf5-mapping", "version": 1, "files": ["b.h5"],
       "images": {"names": "n", "folder": "p"}, "faces": {"box": {"form": "image"}}}
      """, to: "mapping.json")
    let frames = try readAll(HDF5Mapping(), [mapping]).frames
    #expect(frames.first?.faces.first?.box == BoundingBox(x: 0, y: 0, width: 16, height: 8))
  }
}
