import CZlib
import Datasets
import FaceCore
import Foundation
import TestSupport
import Testing

/// Public label files, compared with `Tests/Oracles/label_files.py`: every number to its last bit.
@Suite(.enabled(if: Shared.isAvailable, "FACEGAUGE_SHARED names no folder of data"))
struct LabelFilesSharedTests {
  struct COCO: Decodable {
    let of: String?
    let images: Int
    let first: String
    let last: String
    let faces: Int
    let boxes: UInt
    let areas: UInt
    let scores: UInt
    let points: UInt
    let pointCount: Int
    let flags: [String: Int]
    let crowds: Int
    let categories: [String: Int]
  }

  struct Detections: Decodable {
    let images: Int
    let faces: Int
    let numbers: UInt
    let first: String
    let last: String
  }

  struct Votes: Decodable {
    let rows: Int
    let votes: UInt
    let winners: [String: Int]
    let first: String
    let last: String
  }

  struct Expected: Decodable {
    let annotations: [String: COCO]
    let results: [String: COCO]
    let detections: Detections
    let votes: Votes
  }

  static let expected = try? Oracles.read("label_files", as: Expected.self)
  static let files = (expected?.annotations ?? [:]).merging(expected?.results ?? [:]) { $1 }

  @Test func `there are 6 annotation files and 2 of results`() {
    #expect(Self.expected?.annotations.count == 6 && Self.expected?.results.count == 2)
  }

  @Test(arguments: files.keys.sorted())
  func `a COCO file has the numbers that pycocotools finds`(path: String) throws {
    let expected = try #require(Self.files[path])
    let sources = [path, expected.of].compactMap { $0.map(Shared.data) }
    #expect(try DatasetImport.detectFormat(of: sources).format.name == "coco")
    // COCO itself has 80 categories and no faces; the numbers stay those of pycocotools.
    let options = ImportOptions(categories: path.hasPrefix("coco-eval") ? ["person"] : [])
    let frames = try readAll(COCOJSON(), sources, options).frames
    #expect(frames.count == expected.images)
    #expect(frames.first?.name == expected.first && frames.last?.name == expected.last)
    let faces = frames.flatMap(\.faces)
    #expect(faces.count == expected.faces)
    #expect(Self.checksum(faces.flatMap { Self.sides($0.box) }) == expected.boxes)
    #expect(Self.checksum(faces.map(\.area)) == expected.areas)
    #expect(Self.checksum(faces.compactMap(\.score)) == expected.scores)
    let points = faces.flatMap(\.landmarks).flatMap(\.points)
    #expect(points.count == expected.pointCount)
    #expect(Self.checksum(points.flatMap { [$0.x, $0.y] }) == expected.points)
    #expect(faces.count { $0.isCrowd } == expected.crowds)
    #expect(
      Dictionary(grouping: faces) { "\($0.category)" }.mapValues(\.count) == expected.categories)
    let states = faces.flatMap(\.landmarks).flatMap(\.visibility)
    // Where a file has no flag 2, its 1 means visible.
    let hidden = expected.flags["2"] == nil ? 0 : expected.flags["1"] ?? 0
    #expect(states.count { $0 == .occluded } == hidden)
    #expect(states.count { $0 == .notLabelled } == expected.flags["0"] ?? 0)
  }

  @Test(arguments: [
    ("300vw/anno_300vw", 3, "ibug68"), ("wflw/test_wflw", 2, "wflw98"),
    ("cofw/test_cofw", 2, "cofw29"), ("coco/test_coco_wholebody", 4, "ibug68"),
  ])
  func `mmpose's files come with their images into a dataset without errors`(
    path: String, images: Int, scheme: String
  ) throws {
    let folder = try TemporaryFolder()
    let writer = try DatasetWriter(folder.file("a.h5"), name: "a", replacing: false)
    _ = try DatasetImport(
      format: COCOJSON(), sources: [Shared.data("mmpose-face/\(path).json")],
      options: ImportOptions(), isStrict: false
    ).run(into: writer, advance: { _ in }, isInterrupted: { false })
    let dataset = try DatasetReader(folder.file("a.h5"))
    #expect(dataset.frameCount == images && dataset.withoutImageCount == 0)
    let faces = try dataset.labels(0..<images).flatMap { $0 }
    #expect(faces.allSatisfy { $0.landmarks.map(\.scheme.name) == [scheme] })
    #expect(try DatasetValidation(of: dataset).hasErrors == false)
  }

  @Test func `COCO-WholeBody has 4 of 14 valid faces, and the others are counted`() throws {
    let read = try readAll(
      COCOJSON(), [Shared.data("mmpose-face/coco/test_coco_wholebody.json")])
    #expect(read.frames.map(\.faces.count).reduce(0, +) == 4)
    #expect(read.remarks.contains("lost: 10 annotations without a valid face left out"))
    #expect(read.remarks.contains("lost: 14 boxes of bodies left out"))
  }

  @Test func `300VW without boxes gets tight ones, and its flag 1 means visible`() throws {
    let read = try readAll(COCOJSON(), [Shared.data("mmpose-face/300vw/anno_300vw.json")])
    #expect(
      read.remarks == [
        "the only category, 1 'person', is taken as faces",
        "no point has flag 2: flag 1 is taken as labelled and visible",
        "3 sets of 68 keypoints are taken as ibug68",
        "3 annotations without a box get the tight box of their points",
        "lost: unsupported keys of annotations left out: center (3), scale (3)",
      ])
  }

  @Test func `the values of WFLW's JSON come the same from a list as WFLW publishes them`() throws {
    let json = try readAll(COCOJSON(), [Shared.data("mmpose-face/wflw/test_wflw.json")]).frames
    let folder = try TemporaryFolder()
    var rows: [String] = []
    for frame in json {
      for (index, face) in frame.faces.enumerated() {
        let box = face.box
        let points: [Double] = face.landmarks[0].points.flatMap { [$0.x, $0.y] }
        let rest = [box.x, box.y, box.maxX, box.maxY, 0, 1, 0, Double(index % 2), 0, 1]
        rows.append((points + rest).map { "\($0)" }.joined(separator: " ") + " \(frame.name)")
      }
    }
    let source = try folder.write(rows.joined(separator: "\n"), to: "list.txt")
    #expect(try DatasetImport.detectFormat(of: [source]).format.name == "wflw")
    let list = try readAll(WFLWList(), [source]).frames
    #expect(list.map(\.name) == json.map(\.name))
    #expect(list.flatMap(\.faces).map(\.landmarks) == json.flatMap(\.faces).map(\.landmarks))
    for (ours, theirs) in zip(list.flatMap(\.faces), json.flatMap(\.faces)) {
      // A width is taken off a right edge again.
      #expect(zip(Self.sides(ours.box), Self.sides(theirs.box)).allSatisfy { abs($0 - $1) < 1e-9 })
    }
  }

  @Test func `RetinaFace's output for WIDER is 3226 images with the numbers of its text`() throws {
    let expected = try #require(Self.expected?.detections)
    let folder = try TemporaryFolder()
    let archive = Shared.data("wider-pred-retina-mnet-b/widerface_txt.tar.gz").path
    let result = try ProcessResult(
      running: "/usr/bin/env", ["tar", "-xzf", archive, "-C", folder.url.path])
    try #require(result.status == 0, "\(result.errors)")
    let source = folder.file("widerface_txt")
    #expect(try DatasetImport.detectFormat(of: [source]).format.name == "wider-detections")
    let read = try readAll(WIDERDetections(), [source])
    #expect(read.remarks.isEmpty)
    #expect(read.frames.count == 3226 && expected.images == 3226)
    #expect(read.frames.first?.name == expected.first && read.frames.last?.name == expected.last)
    let faces = read.frames.flatMap(\.faces)
    #expect(faces.count == expected.faces)
    #expect(
      Self.checksum(faces.flatMap { Self.sides($0.box) + [$0.score ?? .nan] }) == expected.numbers)
    let names = Set(read.frames.map(\.name))
    let images = Shared.data("wider-val-img/images")
    let found = try readAll(ImageFolder(), [images]).frames.map(\.name)
    #expect(found.count == 95 && found.allSatisfy(names.contains))
  }

  @Test func `FER+ has a word for every face with a majority of votes`() throws {
    let expected = try #require(Self.expected?.votes)
    let source = Shared.data("ferplus/data/FER2013Valid/label.csv")
    #expect(try DatasetImport.detectFormat(of: [source]).format.name == "ferplus")
    let read = try readAll(FERPlusVotes(), [source])
    #expect(read.frames.count == expected.rows)
    #expect(read.frames.first?.name == expected.first && read.frames.last?.name == expected.last)
    let faces = read.frames.flatMap(\.faces)
    var winners = expected.winners
    let (none, unknown, noFace) = (winners["none"], winners["unknown"], winners["NF"])
    for word in ["none", "unknown", "NF"] { winners[word] = nil }
    #expect(
      Dictionary(grouping: faces.compactMap(\.expression)) { $0 }.mapValues(\.count) == winners)
    #expect(faces.count { $0.isIgnored } == noFace ?? 0)
    #expect(faces.allSatisfy { $0.box == BoundingBox(x: 0, y: 0, width: 48, height: 48) })
    #expect(
      Self.checksum(
        faces.flatMap { face in FERPlusTests.words.map { face.attributes["votes_\($0)"] ?? .nan } })
        == expected.votes)
    #expect(
      read.remarks.suffix(3) == [
        "\(none ?? 0) faces without a majority of votes have no expression",
        "\(unknown ?? 0) faces with a majority for unknown have no expression",
        "lost: 3579 images were not found: labels only",
      ])
  }

  @Test func `the 300-W XML is 1-based minus 1, rounded`() throws {
    let xml = try readAll(ImglabXML(), [Shared.data("300w-annots/labels_ibug_300W_test.xml")])
    let csv = try readAll(
      HRNetCSV(), [Shared.data("300w-annots/face_landmarks_300w_valid_common.csv")],
      ImportOptions(indexBase: 1))
    let exact = Dictionary(uniqueKeysWithValues: csv.frames.map { ($0.name, $0.faces[0]) })
    var common = 0
    for frame in xml.frames {
      guard let face = exact[frame.name] else { continue }
      common += 1
      for index in 36..<48 {
        let (rounded, point) = (
          frame.faces[0].landmarks[0].points[index], face.landmarks[0].points[index]
        )
        // Half a pixel, and what the CSV lost as text.
        #expect(abs(rounded.x - point.x) < 0.5001 && abs(rounded.y - point.y) < 0.5001)
      }
    }
    #expect(common == 76)
  }

  private static func sides(_ box: BoundingBox) -> [Double] {
    [box.x, box.y, box.width, box.height]
  }

  private static func checksum(_ values: [Double]) -> UInt {
    values.withUnsafeBytes { bytes in
      crc32(0, bytes.bindMemory(to: UInt8.self).baseAddress, UInt32(bytes.count))
    }
  }
}
