import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

@Suite struct FERPlusTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static let words = [
    "neutral", "happiness", "surprise", "sadness", "anger", "disgust", "fear", "contempt",
    "unknown", "NF",
  ]
  static let header = "Usage,Image name," + words.joined(separator: ",")

  private func read(
    _ text: String, _ options: ImportOptions = ImportOptions()
  ) throws -> (frames: [ImportedFrame], remarks: [String]) {
    try readAll(FERPlusVotes(), [folder.write(text, to: "label.csv")], options)
  }

  /// By FER+'s rules: single votes are none, and what is left needs more than half.
  @Test func `the word with more than half of the votes is the expression, single votes out`()
    throws
  {
    try folder.write(Sample.png(48, 48), to: "a.png")
    let read = try read(
      """
      a.png,"(0, 0, 48, 48)",0,7,3,0,0,0,0,0,0,0
      b.png,"(2, 3, 42, 33)",5,5,0,0,0,0,0,0,0,0
      c.png,"(0, 0, 48, 48)",1,0,0,0,0,0,0,0,9,0
      d.png,"(0, 0, 48, 48)",1,0,0,0,0,0,0,0,0,9
      e.png,"(0, 0, 48, 48)",0,0,0,0,0,0,0,0,0,0
      f.png,"(0, 0, 48, 48)",4,3,3,0,0,0,0,0,0,0
      g.png,"(0, 0, 48, 48)",5,1,1,1,1,1,0,0,0,0
      """)
    let faces = read.frames.flatMap(\.faces)
    #expect(faces.map(\.expression) == ["happiness", nil, nil, nil, nil, nil, "neutral"])
    #expect(faces.map(\.isIgnored) == [false, false, false, true, false, false, false])
    #expect(faces[1].box == BoundingBox(x: 2, y: 3, width: 40, height: 30))
    #expect(faces[0].attributes["votes_surprise"] == 3)
    #expect(Set(faces[0].attributes.keys) == Set(Self.words.map { "votes_\($0)" }))
    #expect(
      read.frames.map { $0.image.file != nil } == [true] + Array(repeating: false, count: 6))
    #expect(
      read.remarks == [
        "the expression is the word with more than half of the votes, single votes removed, as in "
          + "FER+; the votes are attributes",
        "boxes are taken as left, top, right, bottom",
        "3 faces without a majority of votes have no expression",
        "1 faces with a majority for unknown have no expression",
        "1 faces with a majority for NF, no face, are to be ignored",
        "lost: 6 images were not found: labels only",
      ])
  }

  @Test func `labels that are asked for alone lose no image`() throws {
    let read = try read(
      "a.png,\"(0, 0, 48, 48)\",0,7,3,0,0,0,0,0,0,0", ImportOptions(isLabelsOnly: true))
    #expect(!read.remarks.contains { $0.hasPrefix("lost") })
  }

  @Test func `fer2013new has usages, no boxes and rows without an image`() throws {
    let source = try folder.write(
      "\(Self.header)\nTraining,a.png,0,7,3,0,0,0,0,0,0,0\nPrivateTest,,0,0,0,0,0,0,0,0,0,10\n",
      to: "fer2013new.csv")
    #expect(try DatasetImport.detectFormat(of: [source]).format.name == "ferplus")
    let read = try readAll(FERPlusVotes(), [source])
    #expect(read.frames.map(\.name) == ["a.png"])
    #expect(read.frames[0].splits == ["Training"])
    #expect(read.frames[0].faces[0].box == BoundingBox(x: 0, y: 0, width: 48, height: 48))
    #expect(
      read.remarks.suffix(4) == [
        "the box is the whole of FER's image, 48 by 48",
        "lost: 1 images were not found: labels only",
        "lost: 1 rows without an image's name left out",
        "1 images of usage Training are split Training",
      ])
  }

  @Test func `images of several files of FER2013 have names of their own`() throws {
    let pixels = Array(repeating: "7", count: 48 * 48).joined(separator: " ")
    let files = try ["train", "test"].map {
      try folder.write("emotion,pixels\n3,\(pixels)\n", to: "\($0).csv")
    }
    let read = try readAll(FER2013(), files)
    #expect(read.frames.map(\.name) == ["train/fer0000000.png", "test/fer0000000.png"])
    #expect(try readAll(FER2013(), [files[0]]).frames.map(\.name) == ["fer0000000.png"])
  }

  static let box = "\"(0, 0, 48, 48)\""
  static let failures: [(text: String, message: String)] = [
    ("", ": expected rows of votes, found an empty file"),
    ("a.png,\(box),1,2", ", line 1: expected image, box and ten counts, found '4 fields'"),
    ("a,\(box),1,0,0,0,0,0,0,0,0,0", ", line 1: expected the name of an image, found 'a'"),
    (
      "a.png,\(box),1,0,0,0,0,0,0,0,0,0\nb.png,\(box),1,0,0,x,0,0,0,0,0,0",
      ", line 2: expected a number in sadness, found 'x'"
    ),
    (
      "a.png,\(box),1,0,0,0.5,0,0,0,0,0,0",
      ", line 1: expected a whole number of votes in sadness, found '0.5'"
    ),
    (
      "a.png,\(box),1,0,0,0,0,0,0,0,0,-1",
      ", line 1: expected a whole number of votes in NF, found '-1'"
    ),
    ("a.png,\(box),nan,0,0,0,0,0,0,0,0,0", ", line 1: expected a number in neutral, found 'nan'"),
    (
      "a.png,\"(0, 0, 48)\",1,0,0,0,0,0,0,0,0,0",
      ", line 1: expected a box (left, top, right, bottom), found '(0, 0, 48)'"
    ),
    (
      "a.png,\"(9, 0, 4, 8)\",1,0,0,0,0,0,0,0,0,0",
      ", line 1: expected a box (left, top, right, bottom), found '(9, 0, 4, 8)'"
    ),
    (
      "a.png,\"(0, 0, inf, 8)\",1,0,0,0,0,0,0,0,0,0",
      ", line 1: expected a number in the box, found 'inf'"
    ),
    ("a.png,\"(0, 0,", ", line 1: expected a closing quote, found 'the end of the file'"),
    (
      "\(header)\nTest,a.png,1",
      ", line 2: expected usage, image and ten counts, found '3 fields'"
    ),
  ]

  @Test(arguments: failures.indices)
  func `what is wrong is one line that names the line`(index: Int) throws {
    let error = #expect(throws: FileError.self) { try read(Self.failures[index].text) }
    #expect(
      error?.line(from: folder) == "cannot read label.csv\(Self.failures[index].message)")
    #expect(error?.kind == .wrongData)
  }
}
