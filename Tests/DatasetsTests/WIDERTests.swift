import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

@Suite struct WIDERTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func read(_ text: String) throws -> (frames: [ImportedFrame], remarks: [String]) {
    try readAll(WIDERList(), [folder.write(text, to: "bbx_gt.txt")])
  }

  @Test func `boxes come with their attributes, and invalid ones are to be ignored`() throws {
    let read = try read(
      """
      0--Parade/a.jpg
      3
      449 330 122 149 2 1 1 0 2 1\u{20}
      10 20 0 9 0 0 0 0 0 0\u{20}
      1 2 3 4 0 0 0 1 0 0\u{20}
      0--Parade/b.jpg
      1
      5 6 7 8 0 0 0 0 0 0\u{20}
      """)
    #expect(read.frames.map(\.name) == ["0--Parade/a.jpg", "0--Parade/b.jpg"])
    #expect(read.frames[0].image.file == folder.file("0--Parade/a.jpg"))
    let faces = read.frames[0].faces
    #expect(faces[0].box == BoundingBox(x: 449, y: 330, width: 122, height: 149))
    #expect(faces.map(\.isIgnored) == [false, true, true])
    #expect(
      faces[0].attributes == [
        "blur": 2, "expression": 1, "illumination": 1, "invalid": 0, "occlusion": 2, "pose": 1,
      ])
    #expect(
      read.remarks == [
        "coordinates are taken as they are written, from 0",
        "1 invalid faces are to be ignored",
        "1 boxes of width or height 0 are kept and to be ignored",
      ])
  }

  @Test func `the row of zeros after a count of 0 is no face, and may be missing`() throws {
    let read = try read(
      """
      a.jpg
      0
      0 0 0 0 0 0 0 0 0 0\u{20}
      b.jpg
      0
      c.jpg
      1
      0 0 0 0 0 0 0 0 0 0
      """)
    #expect(read.frames.map(\.name) == ["a.jpg", "b.jpg", "c.jpg"])
    #expect(read.frames.map(\.faces.count) == [0, 0, 1])
    #expect(
      read.remarks.last == "2 images without faces; the row of zeros after 1 is no face")
  }

  @Test func `a list is recognised by its first three lines`() throws {
    let source = try folder.write("a/b.jpg\n1\n1 2 3 4 0 0 0 0 0 0 \n", to: "val.txt")
    #expect(try DatasetImport.detectFormat(of: [source]).format.name == "wider")
    let short = try folder.write("a.jpg\n1\n1 2 3 4", to: "b.txt")
    #expect(WIDERList().recognises(short) == nil)
  }

  static let failures: [(text: String, message: String)] = [
    ("", ": expected names of images, found an empty file"),
    ("12 3", ", line 1: expected the name of an image, found '12 3'"),
    ("a.jpg\nb.jpg", ", line 2: expected the number of faces of a.jpg, found 'b.jpg'"),
    ("a.jpg", ", line 1: expected the number of faces of a.jpg, found ''"),
    ("a.jpg\n-1", ", line 2: expected the number of faces of a.jpg, found '-1'"),
    (
      "a.jpg\n9999999999999",
      ", line 2: expected the number of faces of a.jpg, found '9999999999999'"
    ),
    (
      "a.jpg\n2\n1 2 3 4 0 0 0 0 0 0",
      ", line 3: expected 2 rows for a.jpg, found 'the end after 1'"
    ),
    (
      "a.jpg\n2\n1 2 3 4 0 0 0 0 0 0\nb.jpg",
      ", line 4: expected x y w h blur expression illumination invalid occlusion pose, found 'b.jpg'"
    ),
    (
      "a.jpg\n1\n1 2 3 4 0 0 0 0 0 0\n1 2 3 4 0 0 0 0 0 0",
      ", line 4: expected the name of an image, found '1 2 3 4 0 0 0 0 0 0'"
    ),
    (
      "a.jpg\n1\n1 2 -3 4 0 0 0 0 0 0",
      ", line 3: expected a width and height of 0 or more, found '-3 4'"
    ),
    ("a.jpg\n1\n1 2 nan 4 0 0 0 0 0 0", ", line 3: expected a number in the box, found 'nan'"),
    (
      "a.jpg\n1\n1 2 3 4 3 0 0 0 0 0", ", line 3: expected a whole number to 2 in blur, found '3.0'"
    ),
  ]

  @Test(arguments: failures.indices)
  func `what is wrong is one line that names the line`(index: Int) throws {
    let error = #expect(throws: FileError.self) { try read(Self.failures[index].text) }
    #expect(
      error?.line(from: folder) == "cannot read bbx_gt.txt\(Self.failures[index].message)")
    #expect(error?.kind == .wrongData)
  }

  @Test func `detections carry scores and the names of WIDER's images`() throws {
    try folder.write("a\n2\n1 2 3 4 0.5 \n5.5 6 -1 8 0.25 \n", to: "set/0--Parade/a.txt")
    try folder.write("b.png\n0\n", to: "set/0--Parade/b.txt")
    try folder.write("1--Run/c.jpg\r\n1\r\n1 2 0 4 12\r\n", to: "set/1--Run/c.txt")
    let source = folder.file("set")
    #expect(try DatasetImport.detectFormat(of: [source]).format.name == "wider-detections")
    let read = try readAll(WIDERDetections(), [source])
    #expect(
      read.frames.map(\.name) == ["0--Parade/a.jpg", "0--Parade/b.png", "1--Run/c.jpg"])
    #expect(read.frames.map { $0.faces.map(\.score) } == [[0.5], [], [12]])
    #expect(read.frames[2].faces[0].box == BoundingBox(x: 1, y: 2, width: 0, height: 4))
    #expect(
      read.remarks == ["lost: 1 detections with a box of negative size left out"])
    #expect(WIDERDetections().joins == .name)
  }

  static let brokenDetections: [(text: String, message: String)] = [
    ("", ", line 0: expected the file's own name as that of the image, found ''"),
    ("b\n0", ", line 1: expected the file's own name as that of the image, found 'b'"),
    ("a\nx", ", line 2: expected the number of detections, found 'x'"),
    ("a\n-1", ", line 2: expected the number of detections, found '-1'"),
    (
      "a\n2\n1 2 3 4 5",
      ", line 3: expected 2 rows x y w h score, the count in its second line, found '1'"
    ),
    ("a\n1\n1 2 3 4", ", line 3: expected x y w h score, found '1 2 3 4'"),
    ("a\n1\n1 2 3 4 nan", ", line 3: expected a number in x y w h score, found 'nan'"),
  ]

  @Test(arguments: brokenDetections.indices)
  func `what is wrong with detections names file and line`(index: Int) throws {
    try folder.write(Self.brokenDetections[index].text, to: "set/e/a.txt")
    let error = #expect(throws: FileError.self) {
      try readAll(WIDERDetections(), [folder.file("set")])
    }
    #expect(
      error?.line(from: folder)
        == "cannot read set/e/a.txt\(Self.brokenDetections[index].message)")
    #expect(error?.kind == .wrongData)
  }
}
