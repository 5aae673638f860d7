import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

@Suite struct PointsTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static let lines = (0..<68).map { "\($0).5 \($0 + 100)" }
  static let expected = (0..<68).map { Point(x: Double($0) + 0.5, y: Double($0 + 100)) }

  static func withHeader(_ lines: [String], count: Int = 68) -> String {
    "version: 1\nn_points:  \(count)\n{\n\(lines.joined(separator: "\n"))\n}\n"
  }

  private func read(
    _ text: String, indexBase: Int = 0
  ) throws -> (frames: [ImportedFrame], remarks: [String]) {
    try folder.write(text, to: "set/a_1.pts")
    try folder.write(Sample.png(12, 8), to: "set/a_1.png")
    return try readAll(
      PointsFolder(), [folder.file("set")], ImportOptions(indexBase: indexBase))
  }

  static let readable: [(name: String, text: String)] = [
    ("with a header", withHeader(lines)),
    ("without a header", lines.joined(separator: "\n")),
    ("with a header and DOS line ends", withHeader(lines).replacing("\n", with: "\r\n")),
    ("without a header and old Mac line ends", lines.joined(separator: "\r")),
    (
      "with tabs and blank lines",
      "\n\n" + lines.map { "\t" + $0.replacing(" ", with: "\t \t") + " \n" }.joined(separator: "\n")
    ),
    (
      "with exponents",
      lines.map { line in
        line.split(separator: " ").map { "\((Double($0) ?? .nan) * 10)e-1" }.joined(separator: " ")
      }.joined(separator: "\n")
    ),
    ("with a byte order mark", "\u{FEFF}" + withHeader(lines)),
    (
      "with the header in one word",
      withHeader(lines).replacing("n_points:  68", with: "n_points:68")
    ),
  ]

  @Test(arguments: readable.indices)
  func `points are read`(index: Int) throws {
    let read = try read(Self.readable[index].text)
    let face = try #require(read.frames.first?.faces.first, "\(Self.readable[index].name)")
    let set = try #require(face.landmarks.first)
    for (point, expected) in zip(set.points, Self.expected) {
      // A decimal with an exponent may round once on its way.
      #expect(abs(point.x - expected.x) < 1e-12 && abs(point.y - expected.y) < 1e-12)
    }
    #expect(set.visibility.allSatisfy { $0 == .visible })
    #expect(face.box == BoundingBox(around: set.points))
    #expect(read.frames.map(\.name) == ["a_1.png"])
  }

  @Test func `the index base is taken off and named`() throws {
    let read = try read(Self.withHeader(Self.lines), indexBase: 1)
    let points = try #require(read.frames.first?.faces.first?.landmarks.first?.points)
    #expect(points == Self.expected.map { Point(x: $0.x - 1, y: $0.y - 1) })
    #expect(
      read.remarks == [
        "coordinates taken as 1-based (--index-base)", "boxes are the tight boxes of the points",
        "1 sets of 68 points are taken as ibug68, by their number alone",
      ])
  }

  static let failures: [(name: String, text: String, message: String)] = [
    (
      "one point too few", lines.dropLast().joined(separator: "\n"),
      "set/a_1.pts: expected 5, 6, 19, 21, 29, 68, 83, 98, 106, 194, 468 or 478 points, or "
        + "--points, found 67"
    ),
    (
      "another number promised", withHeader(lines, count: 66),
      "set/a_1.pts: expected 66 points, found 68"
    ),
    (
      "no closing brace", String(withHeader(lines).dropLast(2)),
      "set/a_1.pts: expected '}' at the end, found 68 points"
    ),
    (
      "text after the end", withHeader(lines) + "1 2\n",
      "set/a_1.pts, line 73: expected nothing after '}', found '1 2'"
    ),
    (
      "a point next to the brace",
      withHeader(lines).replacing("{\n0.5", with: "{ 0.5"),
      "set/a_1.pts, line 3: expected one '{', alone and before the points, found '{ 0.5 100'"
    ),
    (
      "a closing brace alone", lines.joined(separator: "\n") + "\n}",
      "set/a_1.pts, line 69: expected '{' before '}', alone in its line, found '}'"
    ),
    (
      "NaN", withHeader(["nan 3"] + lines.dropFirst()),
      "set/a_1.pts, line 4: expected two numbers, found 'nan 3'"
    ),
    (
      "three numbers", withHeader(["1 2 3"] + lines.dropFirst()),
      "set/a_1.pts, line 4: expected two numbers, found '1 2 3'"
    ),
    (
      "commas", withHeader(["1,2"] + lines.dropFirst()),
      "set/a_1.pts, line 4: expected two numbers, found '1,2'"
    ),
    (
      "a count in words", withHeader(lines).replacing("n_points:  68", with: "n_points: many"),
      "set/a_1.pts, line 2: expected n_points: COUNT, found 'n_points: many'"
    ),
    ("empty", "", "set/a_1.pts: expected points, found none"),
    ("a header without points", withHeader([]), "set/a_1.pts: expected 68 points, found 0"),
  ]

  @Test(arguments: failures.indices)
  func `what is wrong is one line that names the line`(index: Int) throws {
    let (name, text, message) = Self.failures[index]
    let error = #expect(throws: FileError.self, "\(name)") { try read(text) }
    #expect(error?.line(from: folder) == "cannot read \(message)", "\(name)")
    #expect(error?.kind == .wrongData)
  }

  @Test func `what has no partner is counted`() throws {
    let text = Self.withHeader(FacePoints.ibug68().map { "\($0.x) \($0.y)" })
    for name in ["b_1.pts", "b_2.pts", "deep/c.pts", "lonely.pts", "lonely too.PTS"] {
      try folder.write(text, to: "set/\(name)")
    }
    for name in ["b_1.jpg", "b_2.JPG", "deep/c.jpeg", "x.jpg", "c.jpeg", "y.png"] {
      try folder.write(Sample.jpeg(9, 9), to: "set/\(name)")
    }
    let read = try readAll(PointsFolder(), [folder.file("set")])
    #expect(read.frames.map(\.name) == ["b_1.jpg", "b_2.JPG", "deep/c.jpeg"])
    #expect(
      read.remarks.suffix(2) == [
        "lost: 2 .pts files without an image left out",
        "lost: 3 images without a .pts file left out",
      ])
  }

  /// Face `a` of a folder with points of `moved` changed.
  private func face(_ moved: [Int: Point], base: Int = 0) throws -> (Landmarks, [String]) {
    var points = FacePoints.ibug68()
    for (index, point) in moved { points[index] = point }
    try folder.write(
      Self.withHeader(points.map { "\($0.x) \($0.y)" }), to: "set/a.pts")
    try folder.write(Sample.jpeg(9, 9), to: "set/a.jpg")
    let read = try readAll(PointsFolder(), [folder.file("set")], ImportOptions(indexBase: base))
    return (try #require(read.frames[0].faces[0].landmarks.first), read.remarks)
  }

  @Test(arguments: [0, 1])
  func `a point with a minus before x and y is hidden at its place`(base: Int) throws {
    let place = FacePoints.ibug68()[3]
    let (set, remarks) = try face([3: Point(x: -place.x, y: -place.y)], base: base)
    #expect(set.points[3] == Point(x: place.x - Double(base), y: place.y - Double(base)))
    #expect(set.visibility[3] == .occluded && set.visibility[4] == .visible)
    #expect(remarks.contains { $0.hasPrefix("1 points with a minus before x and y are hidden") })
  }

  @Test(arguments: [Point(x: -4, y: -6), Point(x: -100, y: -100)])
  func `a point beyond the corner of the image, or at a mark, stays where it is`(
    place: Point
  ) throws {
    let (set, remarks) = try face([3: place])
    #expect(set.points[3] == place && set.visibility[3] == .visible)
    #expect(!remarks.contains { $0.contains("minus") })
  }

  @Test(arguments: [("images/a.jpg", "landmarks/a.txt"), ("b/picture/a.jpg", "b/mark/a.jpg.txt")])
  func `points in a folder next to that of the images are read`(
    image: String, points: String
  ) throws {
    try folder.write(Sample.jpeg(9, 9), to: "set/\(image)")
    let mask = image.replacing("images", with: "masks").replacing("picture", with: "masks")
    try folder.write(Sample.jpeg(9, 9), to: "set/\(mask)")
    let lines = FacePoints.ibug68().map { "\($0.x) \($0.y)" }
    try folder.write("68\n" + lines.joined(separator: "\n"), to: "set/\(points)")
    let read = try readAll(PointsFolder(), [folder.file("set")])
    #expect(read.frames.map(\.name) == [image])
    #expect(read.frames[0].faces[0].landmarks[0].scheme == .ibug68)
    #expect(!read.remarks.contains { $0.hasPrefix("lost: ") }, "\(read.remarks)")
  }

  @Test func `a point without numbers is not labelled`() throws {
    let read = try read(Self.withHeader(["nan NaN"] + Self.lines.dropFirst()))
    let set = try #require(read.frames.first?.faces.first?.landmarks.first)
    #expect(
      set.visibility.map { $0 == .notLabelled } == [true] + Array(repeating: false, count: 67))
  }

  @Test func `two images of one name are an error`() throws {
    try folder.write(Self.withHeader(Self.lines), to: "set/a.pts")
    try folder.write(Sample.jpeg(9, 9), to: "set/a.jpg")
    try folder.write(Sample.png(9, 9), to: "set/a.png")
    let error = #expect(throws: FileError.self) {
      try readAll(PointsFolder(), [folder.file("set")])
    }
    #expect(
      error?.line(from: folder)
        == "cannot import set/a.pts: expected one image of that name, found a.jpg and a.png")
  }

  @Test func `a folder without points is an error`() throws {
    try folder.write(Sample.png(9, 9), to: "set/a.png")
    let error = #expect(throws: FileError.self) {
      try readAll(PointsFolder(), [folder.file("set")])
    }
    #expect(error?.description.hasSuffix(": expected .pts files, found none") == true)
  }
}
