import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// White space between columns, numbers of rows and identities, in formats of several kinds.
@Suite struct TextColumnTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static let lists: [(format: any DatasetFormat, text: String)] = [
    (WIDERList(), "a.jpg\n1\n1 2 3 4 0 1 0 0 2 1\n"),
    (RetinaFaceList(), "# a.jpg 64 48\n1 2 4 6\n"),
    (FDDBEllipses(), "d/a\n1\n5 4 0 10 10  1\n"),
    (WFLWList(), (0..<196).map { "\($0) " }.joined() + "a.jpg\n"),
  ]

  @Test(arguments: lists.indices, ["\t", " \t ", "  "])
  func `any white space separates the columns of a list`(index: Int, space: String) throws {
    let (format, text) = Self.lists[index]
    let plain = try readAll(format, [folder.write(text, to: "plain.txt")])
    let file = try folder.write(
      text.replacing(" ", with: space).replacing("1\n", with: "1.0\n"), to: "list.txt")
    let read = try readAll(format, [file])
    #expect(format.recognises(file) != nil)
    #expect(read.frames.map(\.name) == plain.frames.map(\.name))
    #expect(read.frames.map(\.faces) == plain.frames.map(\.faces))
    #expect(plain.frames[0].faces.count == 1)
  }

  @Test(arguments: ["", "Unnamed: 0"])
  func `numbers of rows are no column of a table`(name: String) throws {
    let points = (0..<29).flatMap { ["original_\($0)_x", "original_\($0)_y"] }
    let head = (["image_name", "scale", "center_w", "center_h"] + points).joined(separator: ",")
    let row = "a.jpg,0.2,20,20," + (0..<58).map { "\($0)" }.joined(separator: ",")
    let usage =
      "Usage,Image name,neutral,happiness,surprise,sadness,anger,disgust,fear,contempt,unknown,NF"
    let pixels = Array(repeating: "7", count: 48 * 48).joined(separator: " ")
    let tables: [(format: any DatasetFormat, head: String, row: String)] = [
      (HRNetCSV(), head, row), (FERPlusVotes(), usage, "Training,a.jpg,4,0,0,1,3,2,0,0,0,0"),
      (FER2013(), "emotion,pixels,Usage", "3,\(pixels),Training"),
    ]
    for (format, head, row) in tables {
      let plain = try readAll(format, [folder.write("\(head)\n\(row)\n", to: "plain.csv")])
      let file = try folder.write("\(name),\(head)\n0,\(row)\n", to: "rows.csv")
      let read = try readAll(format, [file])
      #expect(format.recognises(file) != nil, "\(format.name)")
      #expect(read.frames.map(\.name) == plain.frames.map(\.name))
      #expect(read.frames.map(\.faces) == plain.frames.map(\.faces))
      #expect(plain.frames.count == 1)
    }
  }

  @Test(arguments: [",", ";"])
  func `rows of empty cells, as below a table of a spreadsheet, are none`(separator: String) throws
  {
    let rows = ["file,x,y,w,h", "a.jpg,1,2,3,4", ",,,,", "b.jpg,5,6,7,8", ",,,,", ",,,,"]
    let text = rows.joined(separator: "\r\n").replacing(",", with: separator)
    var options = ImportOptions()
    options.columns = try ColumnMapping(text: "image=file,x=x,y=y,w=w,h=h")
    let read = try readAll(CSVColumns(), [folder.write(text, to: "own.csv")], options)
    #expect(read.frames.map(\.name) == ["a.jpg", "b.jpg"])
    #expect(read.frames.map(\.faces.count) == [1, 1])
  }

  @Test(arguments: [";", ",", "\t"], ["", "\u{FEFF}"])
  func `a first line that states the separator is no header`(mark: String, start: String) throws {
    let rows = [["file", "x", "y", "w", "h"], ["\"a,;\t.jpg\"", "1", "2", "3", "4"]]
    let text = rows.map { $0.joined(separator: mark) + "\n" }.joined()
    var options = ImportOptions()
    options.columns = try ColumnMapping(text: "image=file,x=x,y=y,w=w,h=h")
    for end in ["\n", "\r\n"] {
      let file = try folder.write("\(start)sep=\(mark)\(end)\(text)", to: "own.csv")
      let read = try readAll(CSVColumns(), [file], options)
      #expect(read.frames.map(\.name) == ["a,;\t.jpg"])
      #expect(read.frames[0].faces.map(\.box.height) == [4])
      #expect(CSVColumns().recognises(file) != nil)
      #expect(try ColumnDraft(file).mapping.columns["image"] == "file")
    }
  }

  static let encodings: [(bytes: [UInt8], found: String)] = [
    ([0xFF, 0xFE, 0x61, 0, 0x2C, 0, 0x62, 0, 0x0A, 0], ": expected text in UTF-8, found UTF-16 "),
    (Array("file,x\nb".utf8) + [0xF6, 0x2C, 0x31, 0x0A], ", line 2: expected text in UTF-8, "),
    (Array("a,b\n".utf8) + [0], ": expected text in UTF-8, found a byte of 0"),
  ]

  @Test(arguments: encodings.indices)
  func `a table in another encoding is refused, and not read with other names`(index: Int) throws {
    let (bytes, found) = Self.encodings[index]
    let file = try folder.write(bytes, to: "own.csv")
    var options = ImportOptions()
    options.columns = try ColumnMapping(text: "image=file,attribute.x=x")
    let error = #expect(throws: FileError.self) { try readAll(CSVColumns(), [file], options) }
    #expect(error?.line(from: folder).hasPrefix("cannot read own.csv\(found)") == true)
  }

  @Test func `an identity twice in a frame is counted, of labels and of a tracker's output`() throws
  {
    let rows =
      "1,1,11,21,5,6,1\n1,1,31,21,5,6,1\n2,1,11,21,5,6,1\n2,2,31,21,5,6,1\n3,-1,1,1,5,6,1\n3,-1,9,1,5,6,1\n"
    let file = try folder.write(rows, to: "out.txt")
    let plan = DatasetImport(
      format: MOTChallenge(), sources: [file], options: ImportOptions(), isStrict: false)
    let labels = folder.file("labels.h5")
    let text =
      "1 faces have an identity that another face of their frame has, in 1 frames, the first is "
      + "'out/1': metrics of tracks need each once"
    let remarks = try plan.run(
      into: DatasetWriter(labels, name: "labels", replacing: true), advance: { _ in },
      isInterrupted: { false })
    #expect(remarks.filter(\.isLoss).map(\.text) == [text])
    let summary = try PredictionsImport(
      format: MOTChallenge(), sources: [file], options: ImportOptions(), isStrict: false
    ).run(
      for: DatasetReader(labels), sha256: String(repeating: "0", count: 64),
      into: folder.file("p.h5"), replacing: false, advance: { _ in }, isInterrupted: { false })
    #expect(summary.remarks.filter(\.isLoss).map(\.text) == [text])
  }
}
