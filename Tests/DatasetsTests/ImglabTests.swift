import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

@Suite struct ImglabTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static func parts(_ names: some Swift.Sequence<Int>) -> String {
    names.map { "<part name='\($0 < 10 ? "0" : "")\($0)' x='\($0 * 2)' y='\(100 - $0)'/>" }
      .joined()
  }

  static func document(_ body: String, prolog: String = "<?xml version='1.0'?>") -> String {
    "\(prolog)\n<dataset>\n<name>n</name>\n<images>\n\(body)\n</images>\n</dataset>\n"
  }

  private func read(_ text: String) throws -> (frames: [ImportedFrame], remarks: [String]) {
    try readAll(ImglabXML(), [try folder.write(text, to: "faces.xml")])
  }

  @Test func `boxes, flags and points come as they are written`() throws {
    let read = try read(
      Self.document(
        """
        <image file='a b.jpg' width='9' height='9'>
          <box top='2' left='1' width='30' height='40'><label>bob</label>\(Self.parts(0..<68))</box>
          <box top='-5' left='-6.5' width='3' height='4' ignore='1'/>
          <box top='0' left='0' width='0' height='7' ignore='0' difficult='1'/>
        </image>
        <image file='sub/b.png'/>
        """))
    #expect(read.frames.map(\.name) == ["a b.jpg", "sub/b.png"])
    #expect(read.frames[0].image.file?.path == folder.file("a b.jpg").path)
    #expect(read.frames[1].image.file?.path == folder.file("sub/b.png").path)
    let faces = read.frames[0].faces
    #expect(
      faces.map(\.box) == [
        BoundingBox(x: 1, y: 2, width: 30, height: 40),
        BoundingBox(x: -6.5, y: -5, width: 3, height: 4),
        BoundingBox(x: 0, y: 0, width: 0, height: 7),
      ])
    #expect(faces.map(\.isIgnored) == [false, true, false])
    let points: [Point] = (0..<68).map { Point(x: Double($0 * 2), y: Double(100 - $0)) }
    #expect(faces[0].landmarks[0].points == points)
    #expect(faces[1].landmarks.isEmpty)
    #expect(read.frames[1].faces.isEmpty)
    #expect(read.remarks == ["lost: 1 text labels of boxes left out"])
  }

  @Test func `numbers of a box are attributes, and what is no number is counted`() throws {
    let text = Self.document(
      "<image file='a.jpg'><box top='1' left='1' width='9' height='9' angle='0.5' difficult='1' "
        + "gender='male' detection_score='0.75'/></image>")
    let labels = try read(text)
    #expect(
      labels.frames[0].faces[0].attributes
        == ["angle": 0.5, "difficult": 1, "detection_score": 0.75])
    #expect(labels.frames[0].faces[0].score == nil)
    #expect(labels.remarks == ["lost: attributes of boxes left out: gender (1)"])
    var options = ImportOptions()
    options.isPredictions = true
    let given = try readAll(ImglabXML(), [folder.file("faces.xml")], options)
    #expect(given.frames[0].faces[0].score == 0.75)
  }

  @Test func `a box with the eyes only leaves the other points without a label`() throws {
    let read = try read(
      Self.document(
        "<image file='a.jpg'><box top='1' left='1' width='9' height='9'>"
          + "\(Self.parts(36..<48))</box></image>"))
    let set = try #require(read.frames[0].faces[0].landmarks.first)
    for index in 0..<68 {
      let isEye = (36..<48).contains(index)
      #expect(set.visibility[index] == (isEye ? .visible : .notLabelled))
      #expect(set.points[index].x.isNaN != isEye)
    }
    #expect(set.labelled.count == 12)
    #expect(read.remarks.isEmpty)
  }

  @Test func `parts of names other than 00 to 67 are counted and left out`() throws {
    let read = try read(
      Self.document(
        "<image file='a.jpg'><box top='1' left='1' width='9' height='9'>\(Self.parts(0..<68))"
          + "<part name='nose' x='1' y='1'/><part x='1' y='1'/>"
          + "<part name='-1' x='1' y='1'/></box></image>"))
    #expect(read.frames[0].faces[0].landmarks.map(\.labelled.count) == [68])
    #expect(read.remarks == ["lost: 3 parts of other names left out"])
  }

  static let box = "<box top='1' left='1' width='9' height='9'>"
  static let failures: [(name: String, text: String, message: String)] = [
    (
      "no width", document("<image file='a.jpg'><box top='1' left='1' height='9'/></image>"),
      "faces.xml, line 5: expected a number in width of <box>, found none"
    ),
    (
      "a width in words",
      document("<image file='a.jpg'>\n<box top='1' left='1' width='wide' height='9'/></image>"),
      "faces.xml, line 6: expected a number in width of <box>, found 'wide'"
    ),
    (
      "an infinite top",
      document("<image file='a.jpg'><box top='inf' left='1' width='1' height='9'/></image>"),
      "faces.xml, line 5: expected a number in top of <box>, found 'inf'"
    ),
    (
      "a negative height",
      document("<image file='a.jpg'><box top='1' left='1' width='1' height='-9'/></image>"),
      "faces.xml, line 5: expected a box of non-negative size, found 1.0 x -9.0"
    ),
    (
      "a part twice",
      document("<image file='a.jpg'>\(box)\(parts([7]))<part name='7' x='1' y='1'/></box></image>"),
      "faces.xml, line 5: expected each part once in a box, found part 7 twice"
    ),
    (
      "a part without y",
      document("<image file='a.jpg'>\(box)<part name='07' x='1'/></box></image>"),
      "faces.xml, line 5: expected numbers in x and y of <part>"
    ),
    (
      "a part outside", document("<image file='a.jpg'>\(parts([7]))</image>"),
      "faces.xml, line 5: expected <part> inside <box>"
    ),
    (
      "a box outside", document("<image file='a.jpg'/>\n\(box)</box>"),
      "faces.xml, line 6: expected <box> inside <image>"
    ),
    (
      "a box inside a box", document("<image file='a.jpg'>\(box)\(box)</box></box></image>"),
      "faces.xml, line 5: expected no <box> inside <box>"
    ),
    (
      "an image without file", document("<image width='3'/>"),
      "faces.xml, line 5: expected <image file='...'>, found no file"
    ),
    (
      "another XML", "<?xml version='1.0'?><dataset><photos/></dataset>",
      "faces.xml: expected imglab XML with an <images> element, found none"
    ),
    (
      "cut off", "<?xml version='1.0'?>\n<dataset>\n<images>\n<image file='a.jpg'>\n<box top='1'",
      "faces.xml, line 5: expected XML, found a syntax error"
    ),
    (
      "cut off between elements", "<dataset>\n<images>\n<image file='a.jpg'/>\n",
      "faces.xml, line 3: expected XML, found a syntax error"
    ),
    ("no XML", "hello", "faces.xml, line 1: expected XML, found a syntax error"),
    ("empty", "", "faces.xml: expected XML, found an empty file"),
  ]

  @Test(arguments: failures.indices)
  func `what is wrong is one line that names the line`(index: Int) throws {
    let (name, text, message) = Self.failures[index]
    let error = #expect(throws: FileError.self, "\(name)") { try read(text) }
    #expect(error?.line(from: folder) == "cannot read \(message)", "\(name)")
    #expect(error?.kind == .wrongData)
  }

  @Test func `a declared ISO-8859-1 is read as such, and UTF-8 without a declaration`() throws {
    let latin = Self.document(
      "<image file='M\u{FC}ller.jpg'/>", prolog: "<?xml version='1.0' encoding='ISO-8859-1'?>")
    let file = try folder.write(latin.unicodeScalars.map { UInt8($0.value) }, to: "latin.xml")
    #expect(try readAll(ImglabXML(), [file]).frames.map(\.name) == ["Müller.jpg"])
    let plain = try read("\u{FEFF}" + Self.document("<image file='Müller.jpg'/>", prolog: ""))
    #expect(plain.frames.map(\.name) == ["Müller.jpg"])
  }

  @Test func `an instruction without content is passed over`() throws {
    let read = try read(
      Self.document(
        "<?a?><!-- <?b?> --><?c d?><image file='a<?b.jpg'/>".replacing("<?b.", with: "?>."),
        prolog: "<?a?>"))
    #expect(read.frames.map(\.name) == ["a?>.jpg"])
  }

  @Test func `an external entity is not followed`() throws {
    try folder.write("SECRET", to: "secret.txt")
    let prolog = """
      <?xml version='1.0'?><!DOCTYPE dataset [<!ENTITY x SYSTEM "\(folder.file("secret.txt").path)">
      <!ENTITY % y SYSTEM "\(folder.file("secret.txt").path)"> %y;]>
      """
    let text = Self.document("<image file='a.jpg'>&x;</image>", prolog: prolog)
    do {
      let read = try read(text)
      #expect(read.frames.map(\.name) == ["a.jpg"])
      #expect(!"\(read)".contains("SECRET"))
    } catch {
      #expect(error is FileError && !"\(error)".contains("SECRET"))
    }
  }

  /// A program that expands them all, 2 × 10^13 bytes, does not end before the time limit.
  @Test(.timeLimit(.minutes(60)))
  func `entities that multiply are not expanded`() throws {
    var entities = "<!ENTITY e0 'aaaaaaaaaaaaaaaaaaaa'>"
    for level in 1...12 {
      let refs = String(repeating: "&e\(level - 1);", count: 10)
      entities += "<!ENTITY e\(level) '\(refs)'>"
    }
    let prolog = "<?xml version='1.0'?><!DOCTYPE dataset [\(entities)]>"
    for body in ["<image file='&e12;'/>", "<image file='a.jpg'>&e12;</image>"] {
      do {
        // Entities in text may be left alone; in an attribute they must be refused.
        let read = try read(Self.document(body, prolog: prolog))
        #expect(read.frames.map(\.name) == ["a.jpg"])
      } catch {
        #expect((error as? FileError)?.kind == .wrongData)
      }
    }
  }
}

/// What a format hands over, and its remarks; losses begin with `lost: `.
func readAll(
  _ format: any DatasetFormat, _ sources: [URL], _ options: ImportOptions = ImportOptions()
) throws -> (frames: [ImportedFrame], remarks: [String]) {
  var frames: [ImportedFrame] = []
  let remarks = try format.read(sources, options: options) { frame in frames.append(frame) }
  return (frames, remarks.map { ($0.isLoss ? "lost: " : "") + $0.text })
}

extension FileError {
  /// The description with paths from a folder on.
  func line(from folder: TemporaryFolder) -> String {
    description.replacing(folder.url.path + "/", with: "")
  }
}
