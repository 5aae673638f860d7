import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// Tables whose columns tell what each row is.
@Suite struct CSVClassesTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func reading(
    _ text: String, _ columns: String, _ change: (inout ImportOptions) -> Void = { _ in }
  ) throws -> (frames: [ImportedFrame], remarks: [String]) {
    var options = ImportOptions()
    options.columns = try ColumnMapping(text: columns)
    change(&options)
    return try readAll(CSVColumns(), [try folder.write(text, to: "own.csv")], options)
  }

  @Test func `classes that are no expressions are labels, of which --category names the faces`()
    throws
  {
    func table(_ classes: [String]) -> String {
      let rows = classes.map { "a.jpg,1,2,31,42,\($0),0\n" }
      return "file,xmin,ymin,xmax,ymax,LabelName,IsGroupOf\n" + rows.joined()
    }
    func draft(_ classes: [String]) throws -> ColumnDraft {
      try ColumnDraft(try folder.write(table(classes), to: "drafted.csv"))
    }
    let objects = ["Human face", "Car", "Car"]
    let guessed = try draft(objects)
    #expect(guessed.mapping.columns["label"] == "LabelName")
    #expect(guessed.mapping.columns["crowd"] == "IsGroupOf")
    #expect(guessed.notes.contains { $0.contains("--category NAME,NAME") })
    #expect(try draft(["happy", "sad", "sad"]).mapping.columns["expression"] == "LabelName")
    let box = "image=file,x=xmin,y=ymin,x2=xmax,y2=ymax"
    let read = try reading(table(objects), box + ",label=LabelName") {
      $0.categories = ["Human face"]
    }
    #expect(read.frames[0].faces.map { $0.category == 1 } == [true, false, false])
    let error = #expect(throws: FileError.self) {
      try reading(table(objects), box) { $0.categories = ["Human face"] }
    }
    #expect(error?.description.contains("(label=COLUMN)") == true)
  }

  @Test func `names of people are the same people in all tables, and others are others`() throws {
    func identities(
      _ names: [[String]], of key: String = "image"
    ) throws -> (numbers: [[Int?]], remarks: [String]) {
      var options = ImportOptions()
      options.columns = try ColumnMapping(text: "\(key)=file,x=x,y=y,w=w,h=h,identity=who")
      let files = try names.enumerated().map { index, names in
        let file = key == "image" ? "\(index).jpg" : "0"
        let rows = names.map { "\(file),1,2,30,40,\($0)\n" }
        return try folder.write("file,x,y,w,h,who\n" + rows.joined(), to: "\(index).csv")
      }
      let read = try readAll(CSVColumns(), files, options)
      return (read.frames.map { $0.faces.map(\.identity) }, read.remarks)
    }
    #expect(try identities([["anna"], ["bob"], ["eve", "anna"]]).numbers == [[0], [1], [2, 0]])
    #expect(try identities([["anna", "bob"], ["1", "5"]]).numbers == [[0, 1], [2, 3]])
    let stills = try identities([["7", "3"], ["3", "9"]])
    #expect(stills.numbers == [[7, 3], [3, 9]])
    #expect(stills.remarks.last?.hasPrefix("1 identities are numbers that an earlier") == true)
    let clips = try identities([["7", "3"], ["3", "9"]], of: "frame")
    #expect(clips.numbers == [[7, 3], [0, 1]])
    #expect(clips.remarks.last?.hasPrefix("1 identities got another number") == true)
    #expect(try identities([["anna"], ["anna"]], of: "frame").numbers == [[0], [0]])
  }

  @Test func `the labels of all tables tell which are faces, not those of each`() throws {
    var options = ImportOptions()
    options.columns = try ColumnMapping(text: "image=file,x=x,y=y,w=w,h=h,label=what")
    let files = try [["hand"], ["face", "hand"]].enumerated().map { index, labels in
      let rows = labels.map { "\(index).jpg,1,2,30,40,\($0)\n" }
      return try folder.write("file,x,y,w,h,what\n" + rows.joined(), to: "\(index).csv")
    }
    let read = try readAll(CSVColumns(), files, options)
    #expect(read.frames.map { $0.faces.map { $0.category == 1 } } == [[false], [true, false]])
  }

  @Test(arguments: [("b.mp4", FrameKey.number), ("b.jpg", .name)])
  func `frames of a clip in the column of images are joined by their numbers`(
    name: String, key: FrameKey
  ) throws {
    let read = try reading(
      "clip,n,x,y,w,h\n\(name),0,1,0,9,9\n", "image=clip,frame=n,x=x,y=y,w=w,h=h"
    ) { $0.isLabelsOnly = true }
    #expect(read.frames.map(\.joins) == [key])
  }

  @Test(arguments: [(0, false), (1, true), (3, true)])
  func `a draft leaves open what the first frame is where none is 0`(
    first: Int, isOpen: Bool
  ) throws {
    let text = "frame,x,y,w,h\n\(first),1,2,30,40\n9,1,2,30,40\n"
    let file = try folder.write(text, to: "clip.csv")
    let draft = try ColumnDraft(file)
    #expect(draft.mapping.columns["first-frame"] == (isOpen ? nil : "0"))
    #expect(draft.notes.contains { $0.hasPrefix("no frame is 0: ") } == isOpen)
    var options = ImportOptions()
    options.columns = draft.mapping
    let read = try readAll(CSVColumns(), [file], options)
    #expect(read.frames.allSatisfy { $0.isFirstUnknown == isOpen })
  }

  @Test(arguments: [(1, "s"), (40, "ms"), (1000, "ms"), (1_000_000, "us")])
  func `times a second apart are in the unit that makes them so`(step: Int, unit: String) throws {
    let rows = (0..<4).map { "\($0),\($0 * step),1,2,30,40\n" }
    let file = try folder.write("frame,timestamp,x,y,w,h\n" + rows.joined(), to: "clip.csv")
    #expect(try ColumnDraft(file).mapping.columns["time-unit"] == unit)
  }

  @Test func `a draft says of which columns decimal commas are not read`() throws {
    func notes(_ row: String) throws -> [String] {
      try ColumnDraft(folder.write("file;x;y;w;h;score\n\(row)\n", to: "drafted.csv")).notes
    }
    let note = "numbers with a decimal comma are not read, write them with a point: score"
    #expect(try notes("a.jpg;1;2;30;40;0,75").contains(note))
    #expect(try notes("a.jpg;1;2;30;40;0.75").allSatisfy { !$0.contains("comma") })
  }

  @Test func `a crowd is a region`() throws {
    let text = "file,x,y,w,h,group\na.jpg,1,2,30,40,1\na.jpg,1,2,3,4,0\n"
    let read = try reading(text, "image=file,x=x,y=y,w=w,h=h,crowd=group")
    #expect(read.frames[0].faces.map(\.isCrowd) == [true, false])
  }

  @Test func `four numbers that may be corners or sizes are told so, and images decide`() throws {
    for index in 0..<20 { try folder.write(Sample.png(100, 80), to: "\(index).png") }
    func draft(_ row: String, count: Int, as images: String = "png") throws -> [Bool] {
      let text = (0..<count).map { "\($0).\(images) \(row)\n" }.joined()
      let found = try ColumnDraft(folder.write(text, to: "four.csv"))
      let isUnsure = found.notes.contains { $0.contains("would fit too: look at the boxes") }
      return [found.mapping.columns["x2"] != nil, isUnsure]
    }
    // Without images nothing tells.
    #expect(try draft("10 12 40 50", count: 20, as: "jpg") == [true, true])
    #expect(try draft("40 50 10 12", count: 20, as: "jpg") == [false, false])
    // Corners beyond the middle are no sizes, and sizes of many faces are all within their images.
    #expect(try draft("60 50 90 70", count: 20) == [true, false])
    #expect(try draft("10 12 40 50", count: 20) == [false, true])
    #expect(try draft("10 12 40 50", count: 2) == [true, true])
    let box = try ColumnDraft(
      folder.write("image,bbox\nx.jpg,\"[10, 12, 40, 50]\"\n", to: "box.csv"))
    #expect(box.mapping.columns["form"] == "xywh")
    #expect(box.notes.contains { $0.contains("corners would fit too") })
  }

  @Test(arguments: ["crowd", "ignore"])
  func `a flag is 0 or 1, true or false in any form, or not known`(key: String) throws {
    func read(_ flags: [String]) throws -> [Bool] {
      let rows = flags.map { "a.jpg,1,2,30,40,\($0)\n" }
      let faces = try reading(
        "file,x,y,w,h,flag\n" + rows.joined(), "image=file,x=x,y=y,w=w,h=h,\(key)=flag"
      ).frames[0].faces
      return faces.map { key == "crowd" ? $0.isCrowd : $0.isIgnored }
    }
    let forms = ["1", "1.0", "True", "yes", "0", "0.0", "FALSE", "-1", "nan", ""]
    #expect(try read(forms) == forms.indices.map { $0 < 4 })
    let error = #expect(throws: FileError.self) { _ = try read(["0", "2"]) }
    #expect(error?.description.contains("line 3: expected 0 or 1 in flag, found '2'") == true)
  }
}
