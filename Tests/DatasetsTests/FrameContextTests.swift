import Datasets
import FaceCore
import Foundation
import HDF5
import Platform
import TestSupport
import Testing

@Suite struct FrameContextTests {
  let folder: TemporaryFolder
  let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("a.h5")
  }

  private func write(
    _ frames: [(FrameContext, DepthMap?)], faces: [FaceLabel] = []
  ) throws {
    let writer = try DatasetWriter(url, name: "a", replacing: true)
    for (context, depth) in frames {
      try writer.add(
        name: "f", image: [], size: ImageSize(width: 0, height: 0), faces: faces,
        context: context, depth: depth)
    }
    try writer.finish()
  }

  private static let camera = FrameContext(
    intrinsics: (0..<9).map { Double($0) / 8 }, cameraTransform: (0..<16).map { Double($0) / 4 },
    attributes: ["light": 0.5])

  @Test func `cameras, attributes and depth come back where they were, and only there`() throws {
    let map = DepthMap(width: 3, height: 2, metres: [0, 0.5, .nan, 1, 2, 4])
    try write([(FrameContext(), nil), (Self.camera, map), (FrameContext(), nil)])
    let dataset = try DatasetReader(url)
    #expect(try dataset.contexts(0..<3) == [FrameContext(), Self.camera, FrameContext()])
    #expect(try dataset.contexts(1..<2) == [Self.camera])
    let back = try #require(try dataset.depth(1))
    #expect(back.width == 3 && back.height == 2 && back.metres[2].isNaN)
    #expect(back.metres.filter { !$0.isNaN } == [0, 0.5, 1, 2, 4])
    #expect(try dataset.depth(0) == nil && dataset.depth(2) == nil)
    #expect(dataset.contextNames.tables == ["camera intrinsics", "camera transform", "light"])
    #expect(dataset.contextNames.depthMaps == 1)
    #expect(try DatasetValidation(of: dataset).hasErrors == false)
  }

  @Test func `a file without any of it has no tables for it`() throws {
    try write([(FrameContext(), nil)])
    let dataset = try DatasetReader(url)
    #expect(dataset.contextNames.tables.isEmpty && dataset.contextNames.depthMaps == 0)
    #expect(try dataset.contexts(0..<1) == [FrameContext()])
    #expect(try FileContents(of: url).text.contains("depth") == false)
  }

  @Test func `a mesh of ARKit's belongs to its face, others have none`() throws {
    let box = BoundingBox(x: 0, y: 0, width: 1, height: 1)
    var face = FaceLabel(box: box)
    face.arkitMesh = (0..<1220).map { SIMD3(Float($0) / 1024, -0.5, 0.25) }
    try write(
      Array(repeating: (FrameContext(), nil), count: 9), faces: [FaceLabel(box: box), face])
    let labels = try DatasetReader(url).labels(0..<9).flatMap { $0 }
    #expect(labels.count == 18)
    for (index, label) in labels.enumerated() {
      #expect(label.arkitMesh == (index % 2 == 0 ? nil : face.arkitMesh))
    }
    #expect(try DatasetReader(url).faceAttributes == ["arkit1220"])
  }

  static let python = LivePython.path

  @Test(.enabled(if: python != nil, "FACEGAUGE_PYTHON names a Python with h5py"))
  func `h5py sees what we wrote, and we what it wrote in types of its own`() throws {
    var face = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 1, height: 1))
    face.arkitMesh = Array(repeating: SIMD3(0.5, -0.25, 2), count: 1220)
    let map = DepthMap(width: 3, height: 2, metres: [0, 0.5, .nan, 1, 2, 4])
    try write([(FrameContext(), nil), (Self.camera, map)], faces: [face])
    let script = """
      import h5py, numpy as np, sys
      with h5py.File(sys.argv[1], "r+") as f:
          k, t, m = f["camera/intrinsics"], f["camera/transform"], f["faces/meshes/arkit1220"]
          assert k.shape == (2, 3, 3) and np.isnan(k[0]).all() and k[1, 1, 2] == 5 / 8
          assert t.shape == (2, 4, 4) and np.isnan(t[0]).all() and t[1, 2, 3] == 11 / 4
          assert m.shape == (2, 1220, 3) and m.dtype == "f4" and m[1, 1219].tolist() == [0.5, -0.25, 2]
          assert f["depth/frame"][:].tolist() == [1] and f["depth/map"].shape == (1, 2, 3)
          assert np.isnan(f["depth/map"][0, 0, 2]) and f["depth/map"][0, 1, 2] == 4
          assert f["frames/attributes/light"][1] == 0.5
          del f["camera/intrinsics"], f["depth/frame"], f["depth/map"]
          f["camera/intrinsics"] = np.arange(18, dtype=">f4").reshape(2, 3, 3)
          f["depth/frame"] = np.array([0, 1])
          f["depth/map"] = np.full((2, 1, 4), 1500, "u2")
      """
    let result = try ProcessResult(running: try #require(Self.python), ["-c", script, url.path])
    #expect(result.status == 0, "\(result.errors.suffix(400))")
    let dataset = try DatasetReader(url)
    #expect(try dataset.contexts(1..<2)[0].intrinsics == (9..<18).map(Double.init))
    #expect(try dataset.depth(1)?.metres == [1500, 1500, 1500, 1500])
  }

  static let refusals: [(context: FrameContext, depth: DepthMap?, message: String)] = [
    (
      FrameContext(intrinsics: [1]), nil,
      "9 finite numbers in camera/intrinsics in 'f', found [1.0]"
    ),
    (
      FrameContext(attributes: ["a/b": 1]), nil,
      "a frame's attribute of a plain name in 'f', found 'a/b'"
    ),
    (
      FrameContext(attributes: ["a": .infinity]), nil,
      "a finite number or NaN for 'a' in 'f', found inf"
    ),
    (
      FrameContext(), DepthMap(width: 1, height: 1, metres: [.infinity]),
      "depths of finite numbers or NaN in 'f', found an infinite one"
    ),
    (
      FrameContext(), DepthMap(width: 1, height: 2, metres: [1, 1]),
      "depth maps of 1x1 as before in 'f', found 1x2"
    ),
  ]

  @Test(arguments: refusals.indices)
  func `what the tables cannot hold is refused`(index: Int) throws {
    let (context, depth, message) = Self.refusals[index]
    let error = #expect(throws: FileError.self) {
      try write([
        (FrameContext(), DepthMap(width: 1, height: 1, metres: [1])), (context, depth),
      ])
    }
    #expect(error?.description == "cannot write \(url.relativePath): expected \(message)")
    #expect(try folder.names == [])
  }

  static let broken: [(path: String, shape: [Int], values: [Double], message: String)] = [
    (
      "camera/intrinsics", [2, 3, 3], Array(repeating: 1, count: 17) + [.infinity],
      "cannot read 'camera/intrinsics'[1] in FILE: expected finite numbers, or NaN in all, found "
        + "[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, inf]"
    ),
    (
      "camera/transform", [2, 4], Array(repeating: 1, count: 8),
      "cannot read 'camera/transform' in FILE: expected f64 [2, 4, 4], found f64 [2, 4]"
    ),
    (
      "frames/attributes/light", [2], [1, .infinity],
      "cannot read 'frames/attributes/light'[1] in FILE: expected a finite number or NaN, found inf"
    ),
    (
      "depth/frame", [1], [1],
      "cannot read 'depth' in FILE: expected both depth/frame and depth/map or neither, found one"
    ),
  ]

  @Test(arguments: broken.indices)
  func `a broken table is one line with its position`(index: Int) throws {
    let (path, shape, values, message) = Self.broken[index]
    let file = try HDF5File.create(url.path)
    try file.setAttribute("format", of: "/", to: "facegauge.dataset")
    try file.setAttribute("version", of: "/", to: 1)
    _ = try file.createDataset("images/bytes", of: UInt8.self, shape: [0])
    for (path, count) in [("images/offsets", 3), ("faces/frame", 0)] {
      _ = try file.createDataset(path, of: Int32.self, shape: [count])
    }
    _ = try file.createDataset("images/size", of: Int32.self, shape: [2, 2])
    _ = try file.createDataset("faces/box", of: Double.self, shape: [0, 4])
    try file.createDataset(path, of: Double.self, shape: shape).write(values, atRow: 0)
    try file.close()
    let error = #expect(throws: FileError.self) {
      _ = try DatasetReader(url).contexts(0..<2)
    }
    #expect(error?.description.replacing(url.path, with: "FILE") == message)
  }
}
