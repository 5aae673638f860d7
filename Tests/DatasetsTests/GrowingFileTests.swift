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

  @Test(arguments: [
    ("<!-- " + String(repeating: "x", count: 1 << 20) + " -->", ""),
    ("<a b='" + String(repeating: "x", count: 1 << 17) + "'/>", "tags of at most 65536 bytes"),
    (
      "<a" + (0..<20_000).map { " a\($0)='1'" }.joined() + "/>", "tags of at most 65536 bytes"
    ),
    (String(repeating: "x", count: 2 << 20), "texts of at most 1048576 bytes"),
    ("<!-- never ends", "the end of a comment"),
  ])
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
