import Datasets
import FaceCore
import Foundation
import TestSupport
import Testing

/// Public data sets as their authors publish them, compared with a second, simpler reading.
@Suite(.enabled(if: Shared.isAvailable, "FACEGAUGE_SHARED names no folder of data"))
struct SharedDataTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `the dlib faces are 9 images with 43 boxes of 68 points`() throws {
    let sources = ["testing", "training"].map {
      Shared.data("dlib-faces/\($0)_with_face_landmarks.xml")
    }
    let url = folder.file("dlib.h5")
    let writer = try DatasetWriter(url, name: "dlib", replacing: false)
    let remarks = try DatasetImport(
      format: ImglabXML(), sources: sources, options: ImportOptions(), isStrict: true
    ).run(into: writer, advance: { _ in }, isInterrupted: { false })
    #expect(remarks.isEmpty)
    let dataset = try DatasetReader(url)
    #expect(dataset.frameCount == 9)
    #expect(dataset.faceCount == 43)
    let labels = try dataset.labels(0..<9)
    var frame = -1
    var face = -1
    var part = 0
    for source in sources {
      let text = try String(contentsOf: source, encoding: .isoLatin1)
      for line in text.split(separator: "\n") {
        let line = String(line)
        if line.contains("<image ") {
          frame += 1
          face = -1
          let name = try #require(line.firstMatch(of: /file='([^']+)'/)).1
          #expect(try dataset.frames(frame..<frame + 1)[0].name == name)
        } else if line.contains("<box ") {
          face += 1
          part = 0
          let numbers = try ["left", "top", "width", "height"].map { try Self.number($0, in: line) }
          let box = labels[frame][face].box
          #expect([box.x, box.y, box.width, box.height] == numbers)
          #expect(labels[frame][face].isIgnored == line.contains("ignore='1'"))
        } else if line.contains("<part ") {
          let point = labels[frame][face].landmarks[0].points[part]
          #expect(
            try [point.x, point.y] == [Self.number("x", in: line), Self.number("y", in: line)])
          #expect(try Double(part) == Self.number("name", in: line))
          part += 1
        } else if line.contains("</box>") {
          #expect(part == 68)
        }
      }
    }
    #expect(labels.map(\.count).reduce(0, +) == 43)
    #expect(frame == 8)
    #expect(try DatasetValidation(of: dataset).hasErrors == false)
  }

  private static func number(_ key: String, in line: String) throws -> Double {
    let match = try #require(try line.firstMatch(of: Regex("\\b\(key)='([^']+)'")))
    return try #require(match.output[1].substring.flatMap { Double($0) })
  }

  @Test func `the 300-W test boxes have the eyes only`() throws {
    let read = try readAll(
      ImglabXML(), [Shared.data("300w-annots/labels_ibug_300W_test.xml")])
    let faces = read.frames.flatMap(\.faces)
    #expect(faces.count == 1008)
    for face in faces {
      let set = try #require(face.landmarks.first)
      let labelled = set.visibility.indices.filter { set.visibility[$0] != .notLabelled }
      #expect(labelled == Array(36..<48))
    }
  }

  @Test func `the Helen test set is 70 images, each with the points of its text`() throws {
    let source = Shared.data("helen68/testset")
    let read = try readAll(PointsFolder(), [source], ImportOptions(indexBase: 1))
    #expect(read.frames.count == 70)
    #expect(
      read.remarks == [
        "coordinates taken as 1-based (--index-base)", "boxes are the tight boxes of the points",
      ])
    for frame in read.frames {
      let image = try #require(frame.image.file)
      let text = try String(
        contentsOf: image.deletingPathExtension().appendingPathExtension("pts"),
        encoding: .utf8)
      let numbers = text.split { $0 == " " || $0 == "\n" || $0 == "\r" || $0 == "\t" }
        .compactMap { Double($0) }
      let points = try #require(frame.faces.first?.landmarks.first?.points)
      #expect(frame.faces.count == 1)
      #expect(points.flatMap { [$0.x + 1, $0.y + 1] }.count == numbers.count)
      for (index, point) in points.enumerated() {
        // Taking 1 off and adding it again may round at these sizes (up to 4288).
        #expect(abs(point.x + 1 - numbers[2 * index]) < 1e-9)
        #expect(abs(point.y + 1 - numbers[2 * index + 1]) < 1e-9)
      }
    }
  }

  @Test func `the image of eos has the points below its header`() throws {
    let read = try readAll(PointsFolder(), [Shared.data("eos-ibug/examples/data")])
    #expect(read.frames.map(\.name) == ["image_0010.png"])
    let points = try #require(read.frames.first?.faces.first?.landmarks.first?.points)
    // The first two lines of the file, less the index base of 1.
    #expect(points[0] == Point(x: 610.284152, y: 271.773913))
    #expect(points[1] == Point(x: 606.899810, y: 303.319120))
    #expect(points.count == 68)
  }
}
