import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

@Suite struct HRNetTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static func header(_ count: Int) -> String {
    (["image_name", "scale", "center_w", "center_h"]
      + (0..<count).flatMap { ["original_\($0)_x", "original_\($0)_y"] }).joined(separator: ",")
  }

  /// A face of points on the diagonal from (1, 1) to (count, count), its box as HRNet notes it.
  static func row(_ name: String, _ count: Int = 68, scale: Double? = nil) -> String {
    let centre = Double(count + 1) / 2
    let numbers =
      [scale ?? Double(count - 1) / 200, centre, centre]
      + (1...count).flatMap { [Double($0), Double($0)] }
    return name + numbers.map { ",\($0)" }.joined()
  }

  private func read(
    _ text: String, base: Int = 1, scheme: String? = nil
  ) throws -> (frames: [ImportedFrame], remarks: [String]) {
    var options = ImportOptions(indexBase: base)
    options.pointOrder = scheme.flatMap(PointOrder.named)
    return try readAll(HRNetCSV(), [folder.write(text, to: "faces.csv")], options)
  }

  @Test func `rows of one image become its faces, whatever stands between`() throws {
    for (count, scheme) in [(68, LandmarkScheme.ibug68), (98, .wflw98), (29, .cofw29)] {
      let rows = [Self.header(count), Self.row("a/b.jpg", count), Self.row("c.png", count)]
      let read = try read(
        (rows + [Self.row("a/b.jpg", count, scale: 9)]).joined(separator: "\r\n"),
        scheme: scheme.name)
      #expect(read.frames.map(\.name) == ["a/b.jpg", "c.png"])
      #expect(read.frames.map(\.faces.count) == [2, 1])
      #expect(read.frames[0].image.file == folder.file("a/b.jpg"))
      let face = try #require(read.frames[1].faces.first)
      #expect(face.landmarks.map(\.scheme) == [scheme])
      let side = Double(count - 1)
      #expect(face.box == BoundingBox(x: 0, y: 0, width: side, height: side))
      #expect(
        read.remarks == [
          "coordinates taken as 1-based (--index-base)", "boxes are the tight boxes of the points",
          "3 sets of \(count) points are taken as \(scheme.name), as stated (--scheme)",
          "lost: 1 faces whose scale or center is not that of the points: both left out",
        ])
    }
  }

  static let failures: [(text: String, message: String)] = [
    ("", ": expected a header, found an empty file"),
    (
      "name,x\n",
      ", line 1: expected a header that begins with image_name,scale,center_w,center_h, found "
        + "'name,x'"
    ),
    (
      header(5) + ",original_5_x",
      ", line 1: expected two columns a point, found '11 columns'"
    ),
    (
      header(7) + "\n" + row("a.jpg", 7),
      ": expected 5, 6, 19, 21, 29, 68, 83, 98, 106, 194, 468 or 478 points, or --points, found 7"
    ),
    (
      header(68).replacing("original_3_y", with: "original_4_y"),
      ", line 1: expected 'original_3_y' in column 12, found 'original_4_y'"
    ),
    (header(68) + "\n" + row("a.jpg", 67), ", line 2: expected 140 fields, found '138'"),
    (header(68) + "\n" + row(""), ", line 2: expected the name of an image, found ''"),
    (
      header(68) + "\n" + row("a.jpg").replacing(",68.0,68.0", with: ",68.0,inf"),
      ", line 2: expected a number in column 140, found 'inf'"
    ),
  ]

  @Test(arguments: failures.indices)
  func `what is wrong is one line that names the line`(index: Int) throws {
    let error = #expect(throws: FileError.self) { try read(Self.failures[index].text) }
    #expect(
      error?.line(from: folder) == "cannot read faces.csv\(Self.failures[index].message)")
    #expect(error?.kind == .wrongData)
  }

  @Test func `labels come without images where that is asked for`() throws {
    let source = try folder.write(Self.header(68) + "\n" + Self.row("gone.jpg"), to: "faces.csv")
    let writer = try DatasetWriter(folder.file("a.h5"), name: "a", replacing: false)
    let remarks = try DatasetImport(
      format: HRNetCSV(), sources: [source], options: ImportOptions(isLabelsOnly: true),
      isStrict: true
    ).run(into: writer, advance: { _ in }, isInterrupted: { false })
    #expect(remarks.last?.text == "images left out (--labels-only)")
    let dataset = try DatasetReader(folder.file("a.h5"))
    #expect(dataset.withoutImageCount == 1 && dataset.faceCount == 1)
  }

  @Test(.enabled(if: Shared.isAvailable, "FACEGAUGE_SHARED names no folder of data"))
  func `the common 300-W rows are 554 and those of Helen equal its own points`() throws {
    let source = Shared.data("300w-annots/face_landmarks_300w_valid_common.csv")
    #expect(try DatasetImport.detectFormat(of: [source]).format.name == "hrnet")
    let read = try readAll(HRNetCSV(), [source])
    #expect(read.frames.count == 554)
    #expect(read.remarks.count == 2)
    let helen = try readAll(PointsFolder(), [Shared.data("helen68/testset")])
    for frame in helen.frames {
      let same = try #require(read.frames.first { $0.name == "helen/testset/\(frame.name)" })
      let (ours, theirs) = (same.faces[0].landmarks[0], frame.faces[0].landmarks[0])
      for (point, other) in zip(ours.points, theirs.points) {
        // The CSV went through a float of another program.
        #expect(abs(point.x - other.x) < 1e-3 && abs(point.y - other.y) < 1e-3)
      }
    }
    #expect(helen.frames.count == 70)
  }
}
