import Datasets
import FaceCore
import Foundation
import Imaging
import Platform
import TestSupport
import Testing

/// Label files of seven formats, held against `Tests/Oracles/face_lists.py`, which wrote them from the labels.
@Suite struct FaceListTests {
  struct Face: Decodable {
    let box: [Double]
    let category: Int
    let ignored: Bool
    let points: [[Double]?]?
    let hidden: [Int]
    let attributes: [String: Double]
    let expression: String?
    let identity: Int?
    let score: Double?
  }

  struct Frame: Decodable {
    let name: String
    let faces: [Face]
    let splits: [String]
    let sum: Int?
  }

  struct Case: Decodable {
    let format: String
    let source: String
    let files: [String: String]
    let images: [String: [Int]]
    let frames: [Frame]
  }

  struct Expected: Decodable {
    let cases: [Case]
  }

  static let cases = (try? Oracles.read("face_lists", as: Expected.self).cases) ?? []

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `there are eight cases of seven formats`() {
    #expect(Self.cases.count == 8)
    #expect(
      Set(Self.cases.map(\.format)) == [
        "fddb", "retinaface", "yolo", "voc", "fer2013", "class-folders", "celeba",
      ])
  }

  private func write(_ made: Case) throws -> URL {
    for (name, text) in made.files { try folder.write(text, to: "source/\(name)") }
    for (name, size) in made.images {
      try folder.write(Sample.png(size[0], size[1]), to: "source/\(name)")
    }
    return folder.file("source").appendingPathComponent(made.source).standardizedFileURL
  }

  /// Numbers of two readers, which round a fraction or a root differently in the last digits.
  private func isClose(_ a: [Double], _ b: [Double]) -> Bool {
    a.count == b.count && zip(a, b).allSatisfy { abs($0 - $1) <= 1e-9 * max(1, abs($1)) }
  }

  private func check(_ face: FaceLabel, _ expected: Face, _ position: Comment) {
    #expect(
      isClose([face.box.x, face.box.y, face.box.width, face.box.height], expected.box), position)
    #expect(face.category == expected.category && face.isIgnored == expected.ignored, position)
    #expect(face.attributes == expected.attributes, position)
    #expect(face.expression == expected.expression && face.identity == expected.identity, position)
    #expect(face.score == expected.score, position)
    let set = face.landmarks.first
    #expect((set == nil) == (expected.points == nil), position)
    guard let set, let points = expected.points else { return }
    #expect(set.scheme == .five && points.count == 5, position)
    for (index, point) in points.enumerated() {
      let state: PointVisibility =
        point == nil ? .notLabelled : expected.hidden.contains(index) ? .occluded : .visible
      #expect(set.visibility[index] == state, position)
      if let point {
        #expect(isClose([set.points[index].x, set.points[index].y], point), position)
      }
    }
  }

  /// The made points of a YOLO file look like no face.
  private func options(_ format: String, images: URL? = nil) -> ImportOptions {
    var options = ImportOptions(imageFolder: images)
    if format == "yolo" { options.pointOrder = PointOrder.named("five") }
    return options
  }

  @Test(arguments: cases.indices)
  func `every label that the file was written from is read, and found by its looks`(
    index: Int
  ) throws {
    let made = Self.cases[index]
    let source = try write(made)
    let found = try ImportSources([source])
    #expect(found.format.name == made.format, "\(found.notes)")
    let frames = try readAll(found.format, found.sources, options(made.format)).frames
    #expect(frames.map(\.name) == made.frames.map(\.name))
    for (frame, expected) in zip(frames, made.frames) {
      #expect(frame.faces.count == expected.faces.count, "\(made.format) \(frame.name)")
      #expect(frame.splits == expected.splits)
      for (face, label) in zip(frame.faces, expected.faces) {
        check(face, label, "\(made.format) \(frame.name)")
      }
      if let sum = expected.sum, case .encoded(let bytes) = frame.image {
        let image = try PixelBuffer(decoding: bytes[...])
        #expect(image.size == ImageSize(width: 48, height: 48))
        #expect(image.bytes.reduce(0) { $0 + Int($1) } == 3 * sum)
      }
    }
  }

  @Test func `rows of a box and a score are RetinaFace's predictions`() throws {
    let source = try folder.write("# a.jpg 20 20\n1 2 5 8 0.25\n1 2 5 8\n", to: "p.txt")
    var predictions = ImportOptions()
    predictions.isPredictions = true
    let faces = try readAll(RetinaFaceList(), [source], predictions).frames[0].faces
    #expect(faces.map(\.score) == [0.25, nil])
    #expect(faces.map(\.box.width) == [4, 4])
    #expect(throws: FileError.self) { try readAll(RetinaFaceList(), [source]) }
  }

  @Test func `a list that ends with the Ctrl-Z of DOS has the same faces`() throws {
    let made = try #require(Self.cases.first { $0.format == "fddb" })
    let source = try write(made)
    let found = try ImportSources([source])
    let frames = try readAll(found.format, found.sources, options(made.format)).frames
    for (name, text) in made.files { try folder.write(text + "\u{1A}", to: "source/\(name)") }
    let again = try readAll(found.format, found.sources, options(made.format)).frames
    #expect(!frames.isEmpty && again.map(\.name) == frames.map(\.name))
    #expect(again.map(\.faces) == frames.map(\.faces))
  }

  /// CelebA as it is unpacked: boxes of the original images beside images that are aligned and cropped.
  @Test
  func `aligned images of CelebA get their aligned points, not the boxes of the original ones`()
    throws
  {
    let points = "70 110 107 111 86 140 75 153 104 154"
    let header = "lefteye_x lefteye_y righteye_x righteye_y nose_x nose_y leftmouth_x leftmouth_y"
    try folder.write(
      "1\nimage_id x_1 y_1 width height\n000001.jpg 95 71 226 313\n",
      to: "celeba/list_bbox_celeba.txt")
    try folder.write(
      "1\n\(header) rightmouth_x rightmouth_y\n000001.jpg \(points)\n",
      to: "celeba/list_landmarks_align_celeba.txt")
    try folder.write(
      Sample.png(178, 218), to: "celeba/img_align_celeba/img_align_celeba/000001.jpg")
    let found = try ImportSources([folder.file("celeba")])
    let read = try readAll(found.format, found.sources)
    let face = try #require(read.frames.first?.faces.first)
    #expect(face.landmarks.first?.points.first == Point(x: 70, y: 110))
    #expect(face.box == BoundingBox(x: 70, y: 110, width: 37, height: 44))
    #expect(
      read.remarks.contains(
        "lost: list_bbox_celeba left out: it is of the original images, and these are aligned"))
    // Boxes of the original images alone say nothing of these.
    let error = #expect(throws: FileError.self) {
      try readAll(
        found.format, [folder.file("celeba/list_bbox_celeba.txt")],
        ImportOptions(imageFolder: folder.file("celeba/img_align_celeba/img_align_celeba")))
    }
    #expect(error?.description.contains("found 178 × 218, CelebA's aligned images") == true)
  }

  @Test func `CelebA's partition needs no images for labels alone`() throws {
    try folder.write("000001.jpg 0\n000002.jpg 2\n", to: "celeba/list_eval_partition.txt")
    let file = folder.file("celeba/list_eval_partition.txt")
    let read = try readAll(CelebALists(), [file], ImportOptions(isLabelsOnly: true))
    #expect(read.frames.map(\.splits) == [["train"], ["test"]])
    #expect(
      read.frames.flatMap(\.faces).map(\.box)
        == [BoundingBox](repeating: BoundingBox(x: 0, y: 0, width: 178, height: 218), count: 2))
    #expect(
      read.remarks.contains {
        $0.hasPrefix("2 images are not there (--labels-only): their boxes are the 178 × 218 pixels")
      })
    try folder.write(Sample.png(30, 40), to: "celeba/000002.jpg")
    let mixed = try readAll(CelebALists(), [file], ImportOptions(isLabelsOnly: true))
    #expect(mixed.frames.flatMap(\.faces).map(\.box.width) == [178, 30])
    #expect(throws: FileError.self) { try readAll(CelebALists(), [file]) }
  }

  @Test(arguments: cases.indices)
  func `a byte-order mark hides no format and changes no label`(index: Int) throws {
    let made = Self.cases[index]
    let source = try write(made)
    let frames = try readAll(
      ImportSources([source]).format, ImportSources([source]).sources, options(made.format)
    ).frames
    for (name, text) in made.files { try folder.write("\u{FEFF}" + text, to: "source/\(name)") }
    let found = try ImportSources([source])
    #expect(found.format.name == made.format, "\(found.notes)")
    let again = try readAll(found.format, found.sources, options(made.format)).frames
    #expect(!frames.isEmpty && again.map(\.name) == frames.map(\.name))
    // As text, because a point that is not labelled is NaN; attributes have no order.
    func texts(_ faces: [FaceLabel]) -> [String] {
      faces.map { face in
        var plain = face
        plain.attributes = [:]
        return "\(plain) \(face.attributes.sorted { $0.key < $1.key })"
      }
    }
    #expect(again.map { texts($0.faces) } == frames.map { texts($0.faces) })
  }

  @Test(arguments: cases.indices)
  func `what is imported comes back from an export the same`(index: Int) throws {
    let made = Self.cases[index]
    let source = try write(made)
    for frame in made.frames where made.images[frame.name] == nil {
      for position in ["", "images/", "FDDB-folds/", "Annotations/"] {
        try folder.write(Sample.png(40, 30), to: "source/\(position)\(frame.name)")
      }
    }
    let found = try ImportSources([source])
    func importing(_ found: ImportSources, _ name: String) throws -> DatasetReader {
      let writer = try DatasetWriter(folder.file(name), name: "a", replacing: false)
      _ = try DatasetImport(
        format: found.format, sources: found.sources,
        options: options(name == "a.h5" ? made.format : "coco", images: found.imageFolder),
        isStrict: false
      ).run(into: writer, advance: { _ in }, isInterrupted: { false })
      return try DatasetReader(folder.file(name))
    }
    let dataset = try importing(found, "a.h5")
    _ = try DatasetExport(COCOExport(), isStrict: false).run(
      over: dataset, to: folder.file("out"), advance: { _ in }, isInterrupted: { false })
    let again = try importing(try ImportSources([folder.file("out")]), "b.h5")
    #expect(again.frameCount == dataset.frameCount && again.faceCount == dataset.faceCount)
    let range = 0..<dataset.frameCount
    for (first, second) in zip(try dataset.labels(range), try again.labels(range)) {
      #expect(first.map(\.box) == second.map(\.box))
      #expect(first.map(\.area) == second.map(\.area))
      #expect(first.map(\.category) == second.map(\.category))
      #expect(first.map(\.isIgnored) == second.map(\.isIgnored))
      #expect(first.map(\.identity) == second.map(\.identity))
      for (one, other) in zip(first.flatMap(\.landmarks), second.flatMap(\.landmarks)) {
        #expect(
          one.visibility.map { $0 == .notLabelled } == other.visibility.map { $0 == .notLabelled })
        #expect(one.labelled == other.labelled)
      }
    }
  }
}
