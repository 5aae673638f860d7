import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

@Suite struct WFLWTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// 98 points on a line from (1, 2) to (98, 99), then what else is given.
  static func row(_ rest: String, points: Int = 98) -> String {
    (1...points).map { "\($0).5 \($0 + 1)" }.joined(separator: " ") + " " + rest
  }

  private func read(_ text: String) throws -> (frames: [ImportedFrame], remarks: [String]) {
    try readAll(WFLWList(), [folder.write(text, to: "list.txt")])
  }

  @Test func `rows of one image become its faces with box and attributes`() throws {
    let read = try read(
      [
        Self.row("10 20 40 60 0 1 0 0 1 0 7--Cheering/a.jpg"),
        Self.row("1 2 3 4 0 0 0 0 0 0 b.jpg"),
        Self.row("5 6 5 9 1 0 1 1 0 1 7--Cheering/a.jpg"),
      ].joined(separator: "\r\n") + "\r\n")
    #expect(read.frames.map(\.name) == ["7--Cheering/a.jpg", "b.jpg"])
    #expect(read.frames[0].image.file == folder.file("7--Cheering/a.jpg"))
    let faces = read.frames[0].faces
    #expect(
      faces.map(\.box) == [
        BoundingBox(x: 10, y: 20, width: 30, height: 40),
        BoundingBox(x: 5, y: 6, width: 0, height: 3),
      ])
    #expect(
      faces[0].attributes == [
        "pose": 0, "expression": 1, "illumination": 0, "make-up": 0, "occlusion": 1, "blur": 0,
      ])
    #expect(faces[1].attributes["make-up"] == 1)
    #expect(faces[0].landmarks[0].scheme == .wflw98)
    #expect(faces[0].landmarks[0].points.last == Point(x: 98.5, y: 99))
    #expect(
      read.remarks == [
        "coordinates are taken as they are written, from 0",
        "1 boxes of width or height 0 are kept",
      ])
  }

  @Test func `a list of the test subsets has points and names only`() throws {
    let source = try folder.write(Self.row("a.jpg\n"), to: "list_98pt_test_blur.txt")
    #expect(try DatasetImport.detectFormat(of: [source]).format.name == "wflw")
    let read = try readAll(WFLWList(), [source])
    #expect(read.frames[0].faces[0].box == BoundingBox(x: 1.5, y: 2, width: 97, height: 97))
    #expect(read.frames[0].faces[0].attributes.isEmpty)
    #expect(read.remarks.last == "1 rows without a box get the tight box of their points")
  }

  static let failures: [(text: String, message: String)] = [
    ("", ": expected rows of faces, found an empty file"),
    (
      row("a.jpg", points: 68),
      ", line 1: expected 207 columns (98 points, box, 6 attributes, name) or 197 (98 points, name), "
        + "found '137'"
    ),
    (
      row("a.jpg") + "\n" + row("1 2 3 4 0 0 0 0 0 0 a.jpg"),
      ", line 2: expected 197 columns as before, found '207'"
    ),
    (
      row("9 2 3 4 0 0 0 0 0 0 a.jpg"),
      ", line 1: expected a box x_min y_min x_max y_max, found '9 2 3 4'"
    ),
    (
      row("1 2 3 4 0 0 2 0 0 0 a.jpg"), ", line 1: expected 0 or 1 in illumination, found '2.0'"
    ),
    (
      row("a.jpg").replacing("7.5 8 ", with: "7.5 nan "),
      ", line 1: expected a number in column 14, found 'nan'"
    ),
    (
      row("1 2 3 0x4 0 0 0 0 0 0 a.jpg"), ", line 1: expected a number in column 200, found '0x4'"
    ),
  ]

  @Test(arguments: failures.indices)
  func `what is wrong is one line that names the line`(index: Int) throws {
    let error = #expect(throws: FileError.self) { try read(Self.failures[index].text) }
    #expect(
      error?.line(from: folder) == "cannot read list.txt\(Self.failures[index].message)")
    #expect(error?.kind == .wrongData)
  }
}
