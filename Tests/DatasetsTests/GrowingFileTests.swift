import Datasets
import FaceCore
import Foundation
import HDF5
import Platform
import TestSupport
import Testing

/// Small files that would take much memory.
@Suite struct GrowingFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func expect(_ message: String, _ body: () throws -> Void) {
    let error = #expect(throws: FileError.self) { try body() }
    #expect(error?.kind == .wrongData)
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  @Test func `more frames than a file of its size can hold are refused`() throws {
    let file = try HDF5File.create(folder.file("a.h5").path)
    try file.setAttribute("format", of: "/", to: "facegauge.dataset")
    try file.setAttribute("version", of: "/", to: 1)
    _ = try file.createDataset(
      "images/size", of: Int32.self, shape: [400_000, 2], chunkRows: 1 << 16, gzipLevel: 1)
    try file.close()
    expect("cannot read 'images/size' in ") { _ = try DatasetReader(folder.file("a.h5")) }
    expect("expected at most 262144 rows in a file of ") {
      _ = try DatasetReader(folder.file("a.h5"))
    }
  }

  @Test func `more faces on one frame than are held together are refused`() throws {
    var dataset = PlainDataset()
    dataset.faceFrames = [Int32](repeating: 1, count: 10_001)
    dataset.boxes = [Float](repeating: 1, count: 4 * 10_001)
    dataset.areas = [Float](repeating: 1, count: 10_001)
    dataset.missing = ["faces/landmarks/ibug68/points", "faces/landmarks/ibug68/visible"]
    try dataset.write(to: folder.file("a.h5"))
    expect("expected at most 10000 rows for a frame, found 10001 for frame 1") {
      _ = try DatasetReader(folder.file("a.h5"))
    }
    let writer = try DatasetWriter(folder.file("b.h5"), name: "b", replacing: false)
    let face = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 1, height: 1))
    expect("expected at most 10000 faces in 'p', found 10001") {
      try writer.add(
        name: "p", image: Sample.png(2, 2), size: ImageSize(width: 2, height: 2),
        faces: Array(repeating: face, count: 10_001))
    }
  }

  @Test func `more attributes than are written are not read either`() throws {
    for group in ["faces", "frames"] {
      var dataset = PlainDataset()
      dataset.spoil = { file in
        for index in 0...4096 {
          let rows = group == "faces" ? dataset.faceFrames.count : dataset.images.count
          _ = try file.createDataset(
            "\(group)/attributes/a\(index)", of: Double.self, shape: [rows])
        }
      }
      try dataset.write(to: folder.file("\(group).h5"))
      expect("'\(group)/attributes' in ") { _ = try DatasetReader(folder.file("\(group).h5")) }
      expect("expected at most 4096 attributes, found 4097") {
        _ = try DatasetReader(folder.file("\(group).h5"))
      }
    }
    let writer = try DatasetWriter(folder.file("w.h5"), name: "w", replacing: false)
    var context = FrameContext()
    for index in 0...4096 { context.attributes["a\(index)"] = 1 }
    expect("expected at most 4096 attributes of frames in 'p', found 4097") {
      try writer.add(
        name: "p", image: [], size: ImageSize(width: 0, height: 0), faces: [], context: context)
    }
  }

  /// A face as a tracker reports it, with all that a file can hold of it.
  private static func face(of scheme: LandmarkScheme, attributes: Int) -> FacePrediction {
    let points = [SIMD3<Float>](repeating: SIMD3(repeating: 1), count: scheme.count)
    var face = FacePrediction(
      region: nil, isTracked: false, detectionScore: 0.5, presence: nil, tongueOut: nil,
      scheme: scheme, points: points, unsmoothedPoints: points.map { $0 + 1 })
    for index in 0..<attributes { face.attributes["a\(index)"] = 1 }
    return face
  }

  /// 67,108,864 bytes by 208 and, of each point, 24 bytes twice, and of each attribute 64.
  @Test(arguments: [
    (LandmarkScheme.five, 0, 10_000), (.mediapipe478, 0, 2_898), (.five, 150, 6_678),
  ])
  func `predictions are written up to as many faces as are read`(
    scheme: LandmarkScheme, attributes: Int, limit: Int
  ) throws {
    let face = Self.face(of: scheme, attributes: attributes)
    func write(_ count: Int) throws -> PredictionsReader {
      let writer = try PredictionsWriter(folder.file("p.h5"), header: .sample())
      for (frame, faces) in [[face], Array(repeating: face, count: count), []].enumerated() {
        try writer.add(
          FramePrediction(
            frame: frame, size: ImageSize(width: 9, height: 9), stageNanoseconds: [1, 1, 1],
            detectorRan: false, detections: [], candidates: [], faces: faces, rejected: []))
      }
      try writer.finish()
      return try PredictionsReader(folder.file("p.h5"))
    }
    #expect(try write(limit).predictions(1..<2)[0].faces.count == limit)
    expect("cannot write frame 1 to ") { _ = try write(limit + 1) }
    expect(": expected at most \(limit) faces") { _ = try write(limit + 1) }
    expect(", found \(limit + 1)") { _ = try write(limit + 1) }
  }

  @Test func `labels that make the faces of earlier frames too large are refused`() throws {
    let writer = try DatasetWriter(folder.file("w.h5"), name: "w", replacing: false)
    let box = BoundingBox(x: 0, y: 0, width: 1, height: 1)
    func add(_ name: String, _ faces: [FaceLabel]) throws {
      try writer.add(
        name: name, image: Sample.png(2, 2), size: ImageSize(width: 2, height: 2), faces: faces)
    }
    try add("crowd", Array(repeating: FaceLabel(box: box), count: 10_000))
    let points = try #require(
      Landmarks(
        scheme: .mediapipe478,
        points: Array(repeating: Point(x: 1, y: 1), count: 478)))
    expect("7692 faces of 8724 bytes in 'crowd', found 10000") {
      try add("mesh", [FaceLabel(box: box, landmarks: [points])])
    }
  }

  @Test func `frames with many faces are read in smaller parts`() throws {
    let writer = try DatasetWriter(folder.file("a.h5"), name: "a", replacing: false)
    let face = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 1, height: 1))
    for index in 0..<6 {
      try writer.add(
        name: "\(index)", image: Sample.png(2, 2), size: ImageSize(width: 2, height: 2),
        faces: Array(repeating: face, count: index == 2 ? 5000 : 1000))
    }
    try writer.finish()
    let dataset = try DatasetReader(folder.file("a.h5"))
    var ranges: [Range<Int>] = []
    var next = 0
    while next < dataset.frameCount {
      ranges.append(try dataset.range(from: next, atMost: 256))
      next = ranges[ranges.count - 1].upperBound
    }
    #expect(ranges == [0..<2, 2..<3, 3..<6])
  }

  /// A file of tables that were never written, which read as 0 and take next to no bytes.
  private func writeUnwritten(
    frames: Int, facesPerFrame: Int, attributes: Int, to name: String
  ) throws -> URL {
    var dataset = PlainDataset()
    let image = Sample.png(2, 2)
    dataset.images = Array(repeating: image, count: frames)
    dataset.offsets = (0...frames).map { UInt64($0 * image.count) }
    dataset.sizes = Array(repeating: 2, count: 2 * frames)
    let rows = frames * facesPerFrame
    dataset.faceFrames = (0..<rows).map { Int32($0 / facesPerFrame) }
    dataset.missing = [
      "faces/box", "faces/area", "faces/landmarks/ibug68/points", "faces/landmarks/ibug68/visible",
      "frames/sequence", "frames/timestamp_us", "sequences/name", "sequences/kind",
      "sequences/first", "sequences/count",
    ]
    dataset.spoil = { file in
      _ = try file.createDataset(
        "faces/box", of: Float.self, shape: [rows, 4], chunkRows: 1 << 12, gzipLevel: 1)
      for index in 0..<attributes {
        _ = try file.createDataset(
          "faces/attributes/a\(index)", of: Double.self, shape: [rows], chunkRows: 1 << 16,
          gzipLevel: 1)
      }
    }
    try dataset.write(to: folder.file(name))
    return folder.file(name)
  }

  @Test func `tables that are small only while they are compressed are refused by their sum`()
    throws
  {
    let file = try writeUnwritten(
      frames: 26, facesPerFrame: 10_000, attributes: 150, to: "a.h5")
    expect("cannot read 'faces' in ") { _ = try DatasetReader(file) }
    expect("expected at most 67108864 bytes of values in a file of ") {
      _ = try DatasetReader(file)
    }
    expect(" for 260000 rows") { _ = try DatasetReader(file) }
  }

  @Test func `a frame whose faces take more memory than is held together is refused`() throws {
    let file = try writeUnwritten(frames: 1, facesPerFrame: 10_000, attributes: 150, to: "a.h5")
    expect("rows of 9664 bytes for a frame, found 10000 for frame 0") {
      _ = try DatasetReader(file)
    }
  }

  @Test func `faces of many attributes are read fewer at a time, each with all of them`() throws {
    let file = try writeUnwritten(frames: 20, facesPerFrame: 100, attributes: 500, to: "a.h5")
    let dataset = try DatasetReader(file)
    let range = try dataset.range(from: 0, atMost: 256)
    #expect(range == 0..<5)
    let labels = try dataset.labels(range)
    #expect(labels.map(\.count) == [100, 100, 100, 100, 100])
    #expect(labels.joined().allSatisfy { $0.attributes.count == 500 })
    #expect(try dataset.range(from: 18, atMost: 256) == 18..<20)
  }

  private static func repeated(_ count: Int) -> String { String(repeating: "x", count: count) }
  private static let attributes = (0..<20_000).map { " a\($0)='1'" }.joined()

  static let bounded: [(String, String)] = [
    ("<!-- \(repeated(1 << 20)) -->", ""),
    ("<a b='\(repeated(1 << 17))'/>", "tags of at most 65536 bytes"),
    ("<a\(attributes)/>", "tags of at most 65536 bytes"),
    (repeated(2 << 20), "texts of at most 1048576 bytes"),
    ("<!-- never ends", "the end of a comment"),
  ]

  @Test(arguments: bounded)
  func `what an XML parser would keep whole is bounded`(part: String, expected: String) throws {
    try folder.write(Sample.png(9, 9), to: "a.png")
    let source = try folder.write(
      ImglabTests.document(
        part + "<image file='a.png'><box top='1' left='1' width='2' height='2'/></image>"),
      to: "faces.xml")
    let writer = try DatasetWriter(folder.file("out.h5"), name: "out", replacing: false)
    let plan = DatasetImport(
      format: ImglabXML(), sources: [source], options: ImportOptions(), isStrict: false)
    func run() throws {
      _ = try plan.run(into: writer, advance: { _ in }, isInterrupted: { false })
    }
    if expected.isEmpty {
      try run()
      #expect(writer.faceCount == 1)
    } else {
      expect("expected \(expected), found ") { try run() }
    }
  }

  @Test func `a list with a million faces on one image is refused at its count`() throws {
    let source = try folder.write("a.jpg\n1000000\n", to: "a.txt")
    let writer = try DatasetWriter(folder.file("out.h5"), name: "out", replacing: false)
    let plan = DatasetImport(
      format: WIDERList(), sources: [source], options: ImportOptions(), isStrict: false)
    expect("line 2: expected at most 10000 faces of a.jpg, found '1000000'") {
      _ = try plan.run(into: writer, advance: { _ in }, isInterrupted: { false })
    }
  }
}
