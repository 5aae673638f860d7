import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// What goes out comes back the same, as far as the other format can hold it.
@Suite struct ExportTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func export(
    _ source: URL, as name: String, to position: String, strict: Bool = false
  ) throws -> DatasetExport.Summary {
    let format = try #require(DatasetExporters.named(name))
    return try DatasetExport(format, isStrict: strict).run(
      over: DatasetReader(source), to: folder.file(position), advance: { _ in },
      isInterrupted: { false })
  }

  private func importing(_ name: String, _ file: String, to output: String) throws -> [ImportRemark]
  {
    let writer = try DatasetWriter(folder.file(output), name: "made", replacing: true)
    let format = try #require(DatasetFormats.named(name))
    return try DatasetImport(
      format: format, sources: [folder.file(file)], options: ImportOptions(), isStrict: true
    ).run(into: writer, advance: { _ in }, isInterrupted: { false })
  }

  /// Frames with all that imglab holds: odd numbers, ignored faces, missing points, names that XML must escape.
  static func holdable(by format: String) throws -> MadeDataset {
    var made = MadeDataset()
    let isCOCO = format == "coco"
    let awkward = [0.1, 1e-7, 12345.678, -3.5, 33.333332, 1.0 / 3, 16_777_216]
    made.frames = try (0..<7).map { index in
      var face = FaceLabel(
        box: BoundingBox(x: awkward[index], y: awkward[(index + 1) % 7], width: 10.1, height: 20.7),
        isIgnored: index == 2)
      let scheme: LandmarkScheme = isCOCO ? .wflw98 : .ibug68
      let states = (0..<scheme.count).map { point -> PointVisibility in
        point % 5 == index % 5 ? .notLabelled : isCOCO && point % 7 == 3 ? .occluded : .visible
      }
      let points = (0..<scheme.count).map { point in
        states[point] == .notLabelled
          ? Point(x: .nan, y: .nan) : Point(x: Double(point) / 3, y: awkward[point % 7])
      }
      face.landmarks = [try #require(Landmarks(scheme: scheme, points: points, visibility: states))]
      if isCOCO {
        face.area = 77.7
        face.isCrowd = index == 3
        face.category = index == 4 ? 2 : 1
        face.identity = index == 5 ? nil : index * 10
        face.score = index == 6 ? 0.123_456_7 : nil
      }
      var twin = face
      twin.identity = face.identity.map { $0 + 1 }
      return MadeDataset.Still(
        name: ["a.png", "sub/b.png", "naïve 顔 🙂.png", "q'\"<&>.png", "e.png", "f.png", "g.png"][
          index],
        faces: index == 6 ? [face, twin] : index == 1 ? [] : [face])
    }
    return made
  }

  @Test(arguments: ["imglab", "coco"])
  func `import, export and import again give the same`(name: String) throws {
    try Self.holdable(by: name).write(to: folder.file("a.h5"))
    let summary = try export(folder.file("a.h5"), as: name, to: "out", strict: true)
    #expect(summary.images == 7 && summary.faces == 7)
    #expect(summary.losses.isEmpty, "\(summary.losses)")
    let file = try #require(DatasetExporters.named(name)).labelFile
    _ = try importing(name, "out/\(file)", to: "b.h5")
    let (first, again) = (
      try DatasetSnapshot(folder.file("a.h5")), try DatasetSnapshot(folder.file("b.h5"))
    )
    #expect(first.names == again.names)
    #expect(first.images == again.images)
    for (one, two) in zip(first.faces, again.faces) { #expect(one == two) }
    // What was imported once is the same for ever.
    _ = try export(folder.file("b.h5"), as: name, to: "again", strict: true)
    #expect(try folder.bytes("again/\(file)") == folder.bytes("out/\(file)"))
  }

  @Test(arguments: ["imglab", "coco"])
  func `what a format cannot hold is counted, and refused when strict`(name: String) throws {
    _ = try WrittenDataset.write(to: folder.file("a.h5"))
    let refusal = #expect(throws: FileError.self) {
      try export(folder.file("a.h5"), as: name, to: "out", strict: true)
    }
    #expect(refusal?.kind == .wrongData)
    #expect(refusal?.description.contains("\n") == false)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["a.h5"])
    let summary = try export(folder.file("a.h5"), as: name, to: "out")
    let losses = Dictionary(uniqueKeysWithValues: summary.losses.map { ($0.what, $0.count) })
    var expected = [
      "videos, whose frames become stills without times": 1, "subjects of sequences": 1,
      "splits": 2,
      "attributes 'blur'": 1, "attributes 'headYaw'": 1, "blendshapes": 1, "head poses": 1,
      "expressions": 1, "depths of points": 1, "frame names that are not file names": 2,
    ]
    if name == "coco" { expected["landmarks of five in addition to ibug68"] = 1 }
    if name == "imglab" {
      expected["identities"] = 1
      expected["crowd flags"] = 1
      expected["categories"] = 1
      expected["areas other than the box's"] = 1
      expected["landmarks of five"] = 1
      expected["hidden points, which become visible"] = 1
    }
    #expect(losses == expected)
    #expect(summary.images == 3)
    #expect(FileManager.default.fileExists(atPath: folder.file("out/clip/0.jpg").path))
  }

  @Test func `frames without images are left out and counted`() throws {
    var made = MadeDataset()
    made.frames = [
      MadeDataset.Still(name: "a.png", faces: [MadeDataset.face()]),
      MadeDataset.Still(
        name: "b", faces: [FaceLabel(box: BoundingBox(x: 0, y: 0, width: 0, height: 0))],
        image: []),
    ]
    try made.write(to: folder.file("a.h5"))
    let summary = try export(folder.file("a.h5"), as: "coco", to: "out")
    #expect(summary.images == 1 && summary.faces == 1)
    #expect(
      summary.losses.map { "\($0.what): \($0.count)" } == [
        "faces of frames without an image: 1", "frames without an image: 1",
      ])
  }

  @Test(arguments: ["coco", "cvat", "imglab", "label-studio", "yolo"])
  func `labels of which no frame has an image are refused`(name: String) throws {
    var made = MadeDataset()
    made.frames = ["a", "b"].map {
      MadeDataset.Still(name: $0, faces: [MadeDataset.face()], image: [])
    }
    try made.write(to: folder.file("a.h5"))
    let error = #expect(throws: FileError.self) {
      try export(folder.file("a.h5"), as: name, to: "out")
    }
    #expect(
      error?.line(from: folder)
        == "cannot export a.h5 as \(name): expected frames with images, found none in 2 (import the "
        + "labels with their images)")
    #expect(!folder.file("out").isThere)
  }

  @Test func `names never lead out of the folder, and never to one file twice`() throws {
    let names = [
      "../a.png", "/etc/a.png", "a//b.png", ".hidden.png", "labels.json", "same.png", "same.png",
      "dir.png", "dir.png/x.png", "no-ending", "wrong.jpg", "tab\t.png", "",
    ]
    var made = MadeDataset()
    made.frames = names.map { MadeDataset.Still(name: $0) }
    try made.write(to: folder.file("a.h5"))
    let summary = try export(folder.file("a.h5"), as: "coco", to: "out")
    #expect(summary.images == names.count)
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.file("out").path)
      .sorted()
    #expect(files.count == names.count + 1)
    #expect(
      files.contains("same.png") && files.contains("dir.png") && files.contains("frame-000008.png"))
    #expect(files.contains("no-ending.png") && files.contains("wrong.jpg.png"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == [
        "a.h5", "out",
      ])
  }

  @Test func `a position that is taken and a dataset without labels are refused`() throws {
    var made = MadeDataset()
    made.frames = [MadeDataset.Still(name: "a.png")]
    try made.write(to: folder.file("a.h5"))
    try folder.write("mine", to: "taken")
    let taken = #expect(throws: FileError.self) {
      try export(folder.file("a.h5"), as: "imglab", to: "taken")
    }
    #expect(taken?.kind == .cannotWrite)
    made.isLabelled = false
    try made.write(to: folder.file("bare.h5"))
    let bare = #expect(throws: FileError.self) {
      try export(folder.file("bare.h5"), as: "imglab", to: "out")
    }
    #expect(bare?.description.contains("found a dataset without") == true)
  }

  @Test(arguments: [
    0.1, 1.0 / 3, 1e-7, 12345.678, Double(Float(0.1)), Double(Float.pi), 5, -0.5, 1e10,
  ])
  func `numbers are written as short as reads back exactly`(number: Double) {
    #expect(Double(ExactText.of(number)).map { Float($0) } == Float(number))
    if Double(Float(number)) != number { #expect(Double(ExactText.of(number)) == number) }
  }

  @Test func `labels of frames and depth maps are counted among what a format cannot hold`() throws
  {
    let writer = try DatasetWriter(folder.file("lit.h5"), name: "lit", replacing: true)
    let box = BoundingBox(x: 1, y: 2, width: 3, height: 4)
    try writer.add(
      name: "a.png", image: Sample.png(12, 8), size: ImageSize(width: 12, height: 8),
      faces: [FaceLabel(box: box)], context: FrameContext(attributes: ["lux": 20]),
      depth: DepthMap(width: 2, height: 1, metres: [0.5, 0.6]))
    try writer.finish()
    let losses = try export(folder.file("lit.h5"), as: "imglab", to: "lit").losses
    #expect(losses.map(\.what) == ["labels of frames", "depth maps"])
    #expect(losses.map(\.count) == [1, 1])
    #expect(throws: FileError.self) {
      try export(folder.file("lit.h5"), as: "imglab", to: "strict", strict: true)
    }
  }

  @Test(arguments: ["coco", "imglab", "cvat", "cvat-video", "label-studio", "yolo", "mot"])
  func `meshes of faces are counted, as no format holds them`(name: String) throws {
    var face = FaceLabel(box: BoundingBox(x: 1, y: 2, width: 3, height: 4), identity: 1)
    face.arkitMesh = Array(repeating: SIMD3(0.5, -0.25, 2), count: 1220)
    var made = MadeDataset()
    made.frames = [
      MadeDataset.Still(
        name: "a.png", faces: [face],
        begins: SequenceDescription(name: "clip", kind: .video, framesPerSecond: 25))
    ]
    try made.write(to: folder.file("mesh.h5"))
    let losses = try export(folder.file("mesh.h5"), as: name, to: "out").losses
    #expect(losses.first { $0.what == "ARKit meshes" }?.count == 1)
  }
}
