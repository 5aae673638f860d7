import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

@Suite struct COFW68ResultsTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Four lines of a face whose points are (first, 10), (first + 1, 11) …
  static func rows(_ number: Int = 7, first: Int = 1, hidden: Set<Int> = []) -> String {
    let x = (0..<68).map { "\(first + $0).500" }.joined(separator: " ")
    let y = (0..<68).map { "\(10 + $0)" }.joined(separator: " ")
    let states = (0..<68).map { hidden.contains($0) ? "1" : "0" }.joined(separator: " ")
    return "\(number) \n\(x) \n\(y) \n\(states) \n"
  }

  @Test func `four lines are a face with its occluded points, under the image's number`() throws {
    let source = try folder.write(
      Self.rows(7, hidden: [0, 67]) + Self.rows(309, first: 5), to: "m.txt")
    let read = try readAll(COFW68Results(), [source])
    #expect(read.frames.map(\.name) == ["7", "309"])
    let face = try #require(read.frames[0].faces.first)
    let points = try #require(face.landmarks.first)
    #expect(points.scheme == .ibug68 && points.points[0] == Point(x: 0.5, y: 9))
    #expect(
      points.visibility.map { $0 == .occluded }.enumerated().filter(\.element).map(\.offset)
        == [0, 67])
    #expect(face.box == BoundingBox(x: 0.5, y: 9, width: 67, height: 67))
    #expect(
      read.remarks == [
        "coordinates taken as 1-based (--index-base)", "boxes are the tight boxes of the points",
      ])
    let zero = try readAll(
      COFW68Results(), [source], ImportOptions(indexBase: 0)
    ).frames[1].faces[0].landmarks[0].points[1]
    #expect(zero == Point(x: 6.5, y: 11))
  }

  static let failures: [(text: String, message: String)] = [
    ("a\n", ", line 1: expected the number of an image, alone, found 'a'"),
    ("1 2\n", ", line 1: expected the number of an image, alone, found '1 2'"),
    ("1\n1 2\n", ", line 2: expected 68 x, found '2 words'"),
    (rows().replacing("\n10 ", with: "\nnan "), ", line 3: expected a number in y, found 'nan'"),
    (rows() + rows(), ", line 5: expected each image once, found '7 again'"),
    (
      rows().replacing("\n0 0", with: "\n0 2"),
      ", line 4: expected 68 zeros and ones, found 'others'"
    ),
  ]

  @Test(arguments: failures.indices)
  func `what is wrong is one line that names the line`(index: Int) throws {
    let source = try folder.write(Self.failures[index].text, to: "m.txt")
    let error = #expect(throws: FileError.self) { try readAll(COFW68Results(), [source]) }
    #expect(
      error?.description == "cannot read \(source.relativePath)\(Self.failures[index].message)")
    #expect(error?.kind == .wrongData)
  }
}
