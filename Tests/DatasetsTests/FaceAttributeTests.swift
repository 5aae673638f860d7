import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

@Suite struct FaceAttributeTests {
  let folder: TemporaryFolder
  let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("a.h5")
  }

  private func write(
    _ faces: [FaceLabel], image: [UInt8] = [],
    size: ImageSize = ImageSize(width: 0, height: 0)
  ) throws {
    let writer = try DatasetWriter(url, name: "a", replacing: true)
    for face in faces {
      try writer.add(name: "f", image: image, size: size, faces: [face])
    }
    try writer.finish()
  }

  @Test func `every scheme keeps its points, flat or deep`() throws {
    for scheme in LandmarkScheme.all {
      for isDeep in [false, true] {
        let points = (0..<scheme.count).map { Point(x: Double($0), y: 0.5) }
        let depths = isDeep ? points.map { -$0.x } : nil
        let set = try #require(Landmarks(scheme: scheme, points: points, depths: depths))
        #expect(LandmarkScheme.withCount(scheme.count).contains(scheme))
        let box = BoundingBox(x: 0, y: 0, width: 1, height: 1)
        try write([FaceLabel(box: box), FaceLabel(box: box, landmarks: [set])])
        let labels = try DatasetReader(url).labels(0..<2)
        #expect(labels[0][0].landmarks.isEmpty)
        #expect(labels[1][0].landmarks == [set])
      }
    }
  }

  static let refusals: [(change: @Sendable (inout FaceLabel) -> Void, message: String)] = [
    ({ $0.score = .nan }, "expected a finite score in 'f', found nan"),
    ({ $0.blendshapes = [0, 1] }, "expected 52 blendshapes in 'f', found 2"),
    (
      { $0.blendshapes = Array(repeating: .infinity, count: 52) },
      "expected blendshapes of finite numbers or NaN in 'f', found inf"
    ),
    (
      { $0.pose = HeadPose(matrix: SIMD16(repeating: 0)) },
      "expected a pose of finite rotation, with a last row of 0, 0, 0, 1 in 'f', found "
        + "SIMD16<Float>(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, "
        + "0.0, 0.0)"
    ),
    (
      { $0.attributes = ["../box": 1] },
      "expected an attribute of a plain name in 'f', found '../box'"
    ),
    ({ $0.attributes = ["": 1] }, "expected an attribute of a plain name in 'f', found ''"),
    (
      { $0.attributes = ["blur": .infinity] },
      "expected a finite number or NaN for 'blur' in 'f', found inf"
    ),
  ]

  @Test(arguments: refusals.indices)
  func `what the tables cannot hold is refused`(index: Int) throws {
    var face = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 1, height: 1))
    Self.refusals[index].change(&face)
    let error = #expect(throws: FileError.self) { try write([face]) }
    #expect(
      error?.description == "cannot write \(url.relativePath): \(Self.refusals[index].message)")
    #expect(try folder.names == [])
  }

  @Test func `depth that comes after flat points of the scheme is refused`() throws {
    let points = Array(repeating: Point(x: 1, y: 1), count: 5)
    let flat = try #require(Landmarks(scheme: .five, points: points))
    let deep = try #require(
      Landmarks(scheme: .five, points: points, depths: [1, 2, 3, 4, 5]))
    let box = BoundingBox(x: 0, y: 0, width: 1, height: 1)
    let faces = [flat, deep].map { FaceLabel(box: box, landmarks: [$0]) }
    let error = #expect(throws: FileError.self) { try write(faces) }
    #expect(
      error?.description
        == "cannot write \(url.relativePath): expected points of five without depth as before in 'f', "
        + "found points with depth")
    try write(faces.reversed())
    #expect(try DatasetReader(url).labels(0..<2).map { $0[0].landmarks } == [[deep], [flat]])
  }

  @Test func `depth of any face of a frame makes a place for all of them`() throws {
    let points = Array(repeating: Point(x: 1, y: 1), count: 5)
    let depths: [[Double]?] = [nil, [1, 2, 3, 4, 5]]
    let sets = try depths.map {
      try #require(Landmarks(scheme: .five, points: points, depths: $0))
    }
    let writer = try DatasetWriter(url, name: "a", replacing: true)
    try writer.add(
      name: "f", image: [], size: ImageSize(width: 0, height: 0),
      faces: sets.map {
        FaceLabel(box: BoundingBox(x: 0, y: 0, width: 1, height: 1), landmarks: [$0])
      })
    try writer.finish()
    #expect(try DatasetReader(url).labels(0..<1)[0].map { $0.landmarks[0] } == sets)
  }

  @Test(arguments: [
    ("a/b", [0]), ("", [0]), ("s", [1, 0]), ("s", [0, 0]), ("s", [-1]), ("s", [2]),
  ])
  func `a split that makes no sense is refused`(name: String, frames: [Int]) throws {
    let writer = try DatasetWriter(url, name: "a", replacing: true)
    for _ in 0..<2 {
      try writer.add(
        name: "f", image: [], size: ImageSize(width: 0, height: 0), faces: [])
    }
    let error = #expect(throws: FileError.self) { try writer.addSplit(name, frames: frames) }
    #expect(error?.kind == .wrongData)
  }

  @Test func `frames without an image are told, valid, and make no clips`() throws {
    try write([WrittenDataset.expressive])
    let dataset = try DatasetReader(url)
    #expect(dataset.withoutImageCount == 1)
    let contents = try FileContents(of: url).text
    #expect(contents.contains("images     no image\n"))
    #expect(contents.contains("labels     blendshapes, pose, expression, blur, headYaw\n"))
    #expect(contents.contains("radians    headYaw\n"))
    let findings = try DatasetValidation(of: dataset).findings
    #expect(
      findings.map(\.what) == [
        "frame without an image", "blendshape coefficient outside of 0 to 1",
      ])
    #expect(findings.map(\.isError) == [false, false])
    let writer = try DatasetWriter(folder.file("clips.h5"), name: "c", replacing: false)
    let summary = try ClipMaker().run(
      over: dataset, into: writer, advance: { _ in }, isInterrupted: { false })
    #expect(summary.clips == 0 && summary.withoutImage == 1)
  }

  @Test func `clips keep the expression and drop the pose, counted`() throws {
    var face = WrittenDataset.expressive
    face.box = BoundingBox(x: 8, y: 8, width: 16, height: 16)
    try write([face], image: Sample.png(64, 48), size: ImageSize(width: 64, height: 48))
    let clips = folder.file("clips.h5")
    let writer = try DatasetWriter(clips, name: "c", replacing: false)
    let summary = try ClipMaker(motions: [.zoom], framesPerClip: 3).run(
      over: DatasetReader(url), into: writer, advance: { _ in }, isInterrupted: { false })
    try writer.finish()
    #expect(summary.withoutPose == 1)
    let labels = try DatasetReader(clips).labels(0..<3).flatMap { $0 }
    #expect(labels.count == 3)
    for label in labels {
      #expect(label.pose == nil && label.expression == "joy ✓")
      #expect(label.blendshapes?.dropFirst() == face.blendshapes?.dropFirst())
      #expect(label.attributes == face.attributes)
    }
    // A third of the way the image is enlarged by 1 + (1 - cos 120°) / 2 = 1.75, depth with it.
    let depths = try #require(labels[1].landmarks.first?.depths)
    for (depth, source) in zip(depths, [0, 0.5, -2, 4, 8]) {
      #expect(abs(depth - 1.75 * source) < 1e-5)
    }
  }
}
