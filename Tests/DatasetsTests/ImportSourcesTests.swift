import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// What a folder on the command line stands for, so that labels inside are not dropped.
@Suite struct ImportSourcesTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func image(_ names: String...) throws {
    for name in names { try folder.write(Sample.png(9, 9), to: name) }
  }

  private func refusal(_ source: String, as format: (any DatasetFormat)? = nil) -> String {
    let error = #expect(throws: FileError.self) {
      try ImportSources([folder.file(source)], as: format)
    }
    #expect(error?.kind == .wrongData)
    return error?.description ?? ""
  }

  private var coco: String {
    COCOTests.document(images: #"[{"id": 1, "file_name": "deep/a.png"}]"#)
  }

  @Test func `a folder that an export wrote is read by its labels`() throws {
    try image("set/a.png")
    try folder.write(
      COCOTests.document(images: #"[{"id": 1, "file_name": "a.png"}]"#), to: "set/labels.json")
    let found = try ImportSources([folder.file("set")])
    #expect(found.format.name == "coco")
    #expect(found.sources.map(\.lastPathComponent) == ["labels.json"])
    let frames = try readAll(
      found.format, found.sources, ImportOptions(imageFolder: found.imageFolder)
    ).frames
    #expect(frames.map(\.faces.count) == [1])
    let image = try #require(frames[0].image.file)
    #expect(FileManager.default.fileExists(atPath: image.path))
  }

  @Test(arguments: ["set/images/val", "set/val", "set/images", "set", "set/annotations"])
  func `annotations next to images find them wherever they are`(position: String) throws {
    try image("\(position)/deep/a.png")
    try folder.write(coco, to: "set/annotations/instances_val.json")
    for format in [nil, COCOJSON()] as [(any DatasetFormat)?] {
      let found = try ImportSources([folder.file("set")], as: format)
      #expect(found.format.name == "coco")
      #expect(
        found.imageFolder?.resolvingSymlinksInPath().path
          == folder.file(position).resolvingSymlinksInPath().path)
      #expect(found.notes.contains { $0.hasPrefix("reading ") && $0.hasSuffix(" as coco") })
    }
  }

  @Test func `a folder of the images that the user names stays`() throws {
    try image("set/images/deep/a.png")
    try folder.write(coco, to: "set/labels.json")
    let found = try ImportSources([folder.file("set")], imageFolder: folder.file("other"))
    #expect(found.imageFolder == folder.file("other"))
  }

  @Test func `several label files are named and not guessed between`() throws {
    try image("set/images/a.png")
    try folder.write(coco, to: "set/annotations/train.json")
    try folder.write(coco, to: "set/annotations/val.json")
    #expect(
      refusal("set").hasSuffix(
        "expected one label file, found annotations/train.json (coco), annotations/val.json (coco) "
          + "(name the file, and with --images the folder of its images)"))
    #expect(refusal("set", as: COCOJSON()).contains("annotations/val.json"))
  }

  @Test func `a CSV of labels next to images is read`() throws {
    try image("set/a.png")
    try folder.write("a.png,\"(0, 0, 9, 9)\",1,0,0,0,0,0,0,0,0,0\n", to: "set/label.csv")
    #expect(try ImportSources([folder.file("set")]).format.name == "ferplus")
  }

  @Test func `videos of a folder follow each other, and images among them are not dropped`() throws
  {
    for name in ["b.gif", "a.gif"] { try folder.write("GIF89a", to: "clips/\(name)") }
    let found = try ImportSources([folder.file("clips")])
    #expect(found.format.name == "video")
    #expect(found.sources.map(\.lastPathComponent) == ["a.gif", "b.gif"])
    try image("clips/still.png")
    #expect(refusal("clips").contains("found images and a.gif (video), b.gif (video)"))
    #expect(
      try ImportSources([folder.file("clips")], as: ImageFolder()).format.name == "images")
  }

  @Test func `of a sequence of MOT Challenge the ground truth is the labels, not the detections`()
    throws
  {
    for name in ["A", "B"] {
      try folder.write("1,1,1,1,5,6,1,1,1\n", to: "set/\(name)/gt/gt.txt")
      try folder.write("1,-1,1,1,5,6,0.9,-1,-1,-1\n", to: "set/\(name)/det/det.txt")
    }
    for format in [nil, MOTChallenge()] as [(any DatasetFormat)?] {
      let labels = try ImportSources([folder.file("set")], as: format)
      #expect(labels.format.name == "mot")
      #expect(labels.sources.map(\.lastPathComponent) == ["gt.txt", "gt.txt"])
      #expect(labels.notes.contains { $0.hasPrefix("2 files of detections are no labels") })
      let output = try ImportSources([folder.file("set")], as: format, isPredictions: true)
      #expect(output.sources.map(\.lastPathComponent) == ["det.txt", "det.txt"])
    }
    let alone = try ImportSources([folder.file("set/A/det")])
    #expect(alone.sources.map(\.lastPathComponent) == ["det.txt"])
    try folder.write("1,-1,1,1,5,6,0.9,-1,-1,-1\n", to: "test/C/det/det.txt")
    for format in [nil, MOTChallenge()] as [(any DatasetFormat)?] {
      #expect(refusal("test", as: format).contains("found detections alone, the first is "))
      let output = try ImportSources([folder.file("test")], as: format, isPredictions: true)
      #expect(output.sources.map(\.lastPathComponent) == ["det.txt"])
    }
  }

  @Test func `class folders are read where their names are expressions, else they are noted`()
    throws
  {
    try image("fer/happy/a.png", "fer/sad/b.png", "people/Ada/a.png", "people/Bob/b.png")
    #expect(try ImportSources([folder.file("fer")]).format.name == "class-folders")
    let found = try ImportSources([folder.file("people")])
    #expect(found.format.name == "images")
    #expect(
      try readAll(found.format, found.sources).remarks == [
        "no labels: only metrics that need none are computed",
        "the 2 folders of the images are parts of frame names, not labels (import class-folders "
          + "reads them as expressions)",
      ])
  }

  @Test func `other files next to images are counted, but not readmes`() throws {
    try image("set/a.png")
    for name in ["notes.pdf", "b.gif", "c.doc", "d.doc", "README.md", ".hidden"] {
      try folder.write("x", to: "set/\(name)")
    }
    let found = try ImportSources([folder.file("set")])
    #expect(
      try readAll(found.format, found.sources).remarks.suffix(2) == [
        "lost: images of unread formats left out: 1 .gif",
        "lost: 3 files other than JPEG or PNG left out (.doc 2, .pdf 1), the first is c.doc",
      ])
  }

  @Test func `the time of an import grows with its files and not with their pairs`() throws {
    let text =
      "<annotations><image id=\"0\" name=\"a.jpg\" width=\"9\" height=\"9\"></image></annotations>"
    let files = try (0..<3200).map { try folder.write(text, to: "\($0)/a.xml") }
    func time(of count: Int) throws -> Duration {
      try ContinuousClock().measure { _ = try readAll(CVATXML(), Array(files.prefix(count))) }
    }
    _ = try time(of: 200)
    let few = try time(of: 200)
    let many = try time(of: files.count)
    // 16 times as many; the pairs are 256 times as many.
    #expect(many < few * 64, "\(many) after \(few)")
  }

  @Test(arguments: ["\"deep/b.png\"", "\"b.png\"", "\"b\"", "\"deep/b\""])
  func `results whose ids are names of images are of these`(id: String) throws {
    let folder = try TemporaryFolder()
    let list = #"[{"id": 1, "file_name": "12.jpg"}, {"id": 2, "file_name": "deep/b.png"}]"#
    let results = [
      try folder.write(
        "[{\"image_id\": \(id), \"category_id\": 1, \"bbox\": [1, 2, 3, 4], \"score\": 0.5}]",
        to: "results.json"),
      try folder.write("{\"images\": \(list), \"annotations\": []}", to: "gt.json"),
    ]
    let read = try readAll(COCOJSON(), results)
    #expect(read.frames.map(\.faces.count) == [0, 1])
    #expect(
      read.remarks.contains(
        "no image id of the results is listed: names of images are taken as ids"))
  }
}
