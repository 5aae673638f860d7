import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// Tables with columns of their own.
@Suite struct CSVColumnsTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func read(
    _ text: String, _ columns: String, _ change: (inout ImportOptions) -> Void = { _ in }
  ) throws -> (frames: [ImportedFrame], remarks: [String]) {
    var options = ImportOptions()
    options.columns = try ColumnMapping(text: columns)
    change(&options)
    return try readAll(CSVColumns(), [try folder.write(text, to: "own.csv")], options)
  }

  /// Reads a table by the columns that are guessed for it, after they were written and read again.
  private func readDrafted(
    _ text: String
  ) throws -> (columns: [String: String], frames: [ImportedFrame]) {
    let file = try folder.write(text, to: "own.csv")
    let json = try ColumnDraft(file).mapping.json()
    let mapping = try ColumnMapping(json: json)
    var options = ImportOptions()
    options.columns = mapping
    return (mapping.columns, try readAll(CSVColumns(), [file], options).frames)
  }

  @Test func `rows of one image are its faces, whatever separates and quotes them`() throws {
    let rows = [
      ["file", "left", "top", "w", "h", "conf", "more"],
      ["a, b.jpg", "1", "2", "30", "40", "0.5", "x"],
      ["c.jpg", "", "", "", "", "", ""],
      ["a, b.jpg", "5", "6", "7", "8", "0.25", "y"],
    ]
    for separator in [",", ";", "\t"] {
      let text = rows.map { $0.map { "\"\($0)\"" }.joined(separator: separator) }
      let read = try read(
        "\u{FEFF}" + text.joined(separator: "\r\n") + "\r\n",
        "image=file,x=left,y=top,w=w,h=h,score=conf")
      #expect(read.frames.map(\.name) == ["a, b.jpg", "c.jpg"])
      let faces = read.frames[0].faces
      #expect(faces[0].box == BoundingBox(x: 1, y: 2, width: 30, height: 40))
      #expect(faces.map(\.score) == [0.5, 0.25] && read.frames[1].faces.isEmpty)
      #expect(
        read.remarks == [
          "lost: 1 columns left out: more", "1 rows without a face count for their images alone",
          "pixels count from 0 (base)",
        ])
    }
  }

  @Test func `spaces separate where nothing else does, and an identity of -1 is none`() throws {
    let read = try read(
      "0 1 2 31 42 0 \"face\"\n-1 5 6 35 46 0 \"face\"\n",
      "header=no,identity=1,x=2,y=3,x2=4,y2=5,frame=6")
    #expect(read.frames.count == 1)
    #expect(read.frames[0].faces.map(\.box.width) == [30, 30])
    #expect(read.frames[0].faces.map(\.identity) == [0, nil])
  }

  @Test func `the tongue is an attribute, as it is no coefficient of MediaPipe's`() throws {
    let read = try read(
      "n,JawOpen,TongueOut\n0,0.5,0.25\n", "frame=n,coefficients={}")
    let face = try #require(read.frames[0].faces.first)
    #expect(face.blendshapes?[Blendshape.jawOpen.index] == 0.5)
    #expect(face.attributes == ["tongueOut": 0.25])
    #expect(!read.remarks.contains { $0.contains("left out") })
  }

  static let boxes: [(header: String, row: String, columns: String)] = [
    ("x1,y1,x2,y2", "1,2,31,42", "x=x1,y=y1,x2=x2,y2=y2"),
    ("cx,cy,w,h", "16,22,30,40", "cx=cx,cy=cy,w=w,h=h"),
    ("x1,y1,x2,y2", "2,3,32,43", "x=x1,y=y1,x2=x2,y2=y2,base=1"),
    ("bbox,id", "\"[1, 2, 30, 40]\",9", "box=bbox,form=xywh"),
    ("bbox,id", "\"1 2 31 42\",9", "box=bbox,form=xyxy"),
  ]

  @Test(arguments: boxes)
  func `every form of a box is the same box`(header: String, row: String, columns: String) throws {
    let read = try read("file,\(header)\na.jpg,\(row)\n", "image=file,\(columns)")
    #expect(read.frames[0].faces.map(\.box) == [BoundingBox(x: 1, y: 2, width: 30, height: 40)])
  }

  private static let five = [(20.0, 10.0), (30, 10), (25, 15), (21, 20), (29, 20)]
  private static let names = ["right_eye", "left_eye", "nose", "right_mouth", "left_mouth"]

  @Test(arguments: [("True", "False"), ("yes", "no"), ("1", "0")])
  func `visibility is a number, or true or false`(seen: String, hidden: String) throws {
    let header = (0..<5).map { "p\($0)x,p\($0)y,p\($0)v" }.joined(separator: ",")
    let row = Self.five.enumerated().map { index, point in
      "\(point.0),\(point.1),\(index == 1 ? hidden : seen)"
    }
    let columns = (0..<5).map { "p\($0)x=p\($0)x,p\($0)y=p\($0)y,p\($0)v=p\($0)v" }
    let read = try read(
      "file,\(header)\na.jpg,\(row.joined(separator: ","))\n",
      "image=file,\(columns.joined(separator: ","))"
    ) { $0.pointOrder = PointOrder.named("five") }
    #expect(
      read.frames[0].faces.first?.landmarks.first?.visibility
        == [.visible, .occluded, .visible, .visible, .visible])
  }

  @Test func `points are wide or long, by number or by name`() throws {
    let flat = Self.five.map { "\($0.0),\($0.1)" }.joined(separator: ",")
    let named = Self.names.map { "\($0)_x,\($0)_y" }.joined(separator: ",")
    let numbered = (0..<5).map { "p\($0)x,p\($0)y" }.joined(separator: ",")
    let single = (0..<5).map { "p\($0)x=p\($0)x,p\($0)y=p\($0)y" }.joined(separator: ",")
    let long = zip(Self.names, Self.five).reversed().map { "a.jpg,\($0),\($1.0),\($1.1)\n" }
    for (text, columns) in [
      ("file,\(named)\na.jpg,\(flat)\n", "image=file,px={}_x,py={}_y"),
      ("file,\(numbered)\na.jpg,\(flat)\n", "image=file,px=p{}x,py=p{}y"),
      ("file,\(numbered)\na.jpg,\(flat)\n", "image=file,\(single)"),
      ("file,part,u,v\n" + long.joined(), "image=file,point=part,px=u,py=v"),
    ] {
      let read = try read(text, columns) {
        if columns.contains("p{}") || columns.contains("p0x") {
          $0.pointOrder = PointOrder.named("five")
        }
      }
      let face = try #require(read.frames.first?.faces.first, "\(columns)")
      #expect(read.frames.count == 1 && read.frames[0].faces.count == 1)
      #expect(face.landmarks.first?.scheme == .five)
      #expect(face.landmarks.first?.points == Self.five.map { Point(x: $0.0, y: $0.1) })
      #expect(face.box == BoundingBox(x: 20, y: 10, width: 10, height: 10))
    }
  }

  @Test func `rows of frames are clips, in order of their numbers, with tracks and times`() throws {
    let read = try read(
      "clip,n,ms,id,x,y,w,h\nb.mp4,2,40,7,3,0,9,9\nb.mp4,1,0,7,1,0,9,9\nc.mp4,1,0,8,5,0,9,9\n",
      "sequence=clip,frame=n,time=ms,time-unit=ms,track=id,x=x,y=y,w=w,h=h")
    #expect(read.frames.map(\.name) == ["b.mp4/1", "b.mp4/2", "c.mp4/1"])
    #expect(read.frames.map(\.number) == [0, 1, 0])
    #expect(read.frames.map(\.timestampMicroseconds) == [0, 40_000, 0])
    #expect(read.frames.map { $0.begins?.name } == ["b.mp4", nil, "c.mp4"])
    #expect(read.frames.map { $0.faces[0].identity } == [7, 7, 8])
    #expect(read.frames.allSatisfy { $0.joins == .number && $0.image.file == nil })
  }

  @Test func `labels, subjects, angles, coefficients and splits are kept`() throws {
    let read = try read(
      "file,who,what,part,yaw,bs_jawOpen,blur\na.jpg,Ann,face,train,90,0.25,3\n",
      "image=file,subject=who,label=what,split=part,yaw=yaw,angle-unit=degrees,coefficients=bs_{},"
        + "attribute.blur=blur")
    let frame = read.frames[0]
    #expect(frame.begins?.subject == "Ann" && frame.begins?.kind == .still)
    #expect(frame.splits == ["train"])
    #expect(frame.faces[0].attributes == ["headYaw": .pi / 2, "blur": 3])
    #expect(frame.faces[0].blendshapes?[Blendshape.jawOpen.index] == 0.25)
  }

  static let drafts: [(text: String, columns: [String: String])] = [
    (
      "filename,width,height,class,xmin,ymin,xmax,ymax\na.jpg,640,480,face,1,2,31,42\n",
      [
        "image": "filename", "image-width": "width", "image-height": "height", "label": "class",
        "x": "xmin", "y": "ymin", "x2": "xmax", "y2": "ymax",
      ]
    ),
    (
      "a.jpg,1,2,31,42,face\nb.jpg,1,2,31,42,face\n",
      ["header": "no", "image": "1", "x": "2", "y": "3", "x2": "4", "y2": "5", "label": "6"]
    ),
    (
      "frame,timestamp_ms,track_id,left,top,width,height\n0,0,7,1,2,30,40\n1,40,7,1,2,30,40\n",
      [
        "frame": "frame", "first-frame": "0", "time": "timestamp_ms", "time-unit": "ms",
        "identity": "track_id", "x": "left", "y": "top", "width": "width", "height": "height",
      ]
    ),
    (
      "img;cx;cy;w;h;confidence\na.jpg;0.5;0.5;0.25;0.25;0.9\n",
      [
        "image": "img", "cx": "cx", "cy": "cy", "width": "w", "height": "h", "space": "relative",
        "score": "confidence",
      ]
    ),
    (
      "file,det_score,bbox_0,bbox_1,bbox_2,bbox_3\na.jpg,0.9,1,2,31,42\nb.jpg,0.5,11,12,31,42\n",
      [
        "image": "file", "score": "det_score", "x": "bbox_0", "y": "bbox_1", "x2": "bbox_2",
        "y2": "bbox_3",
      ]
    ),
    (
      "img_1 0.938 162.5 18.25 201 71\nimg_2 0.5 11 12 31 42\n",
      ["header": "no", "image": "1", "score": "2", "x": "3", "y": "4", "x2": "5", "y2": "6"]
    ),
    (
      "img_1 0 0.5 0.5 0.25 0.25\nimg_2 0 0.25 0.5 0.25 0.5\n",
      [
        "header": "no", "image": "1", "x": "3", "y": "4", "width": "5", "height": "6",
        "space": "relative",
      ]
    ),
    (
      "file,faceRectangle.top,faceRectangle.left,faceRectangle.width,faceRectangle.height\n"
        + "a.jpg,1,2,30,40\n",
      [
        "image": "file", "x": "faceRectangle.left", "y": "faceRectangle.top",
        "width": "faceRectangle.width", "height": "faceRectangle.height",
      ]
    ),
  ]

  @Test(arguments: drafts.indices)
  func `columns are guessed, and the guess is read as it is written`(index: Int) throws {
    let drafted = try readDrafted(Self.drafts[index].text)
    #expect(drafted.columns == Self.drafts[index].columns)
    #expect(drafted.frames.allSatisfy { $0.faces.count == 1 })
    #expect(drafted.frames.allSatisfy { $0.isRelative == (drafted.columns["space"] != nil) })
  }

  @Test func `points are guessed by their columns, and left out where nothing is known of them`()
    throws
  {
    let names = Self.names.map { "\($0)_x,\($0)_y" }.joined(separator: ",")
    let flat = Self.five.map { "\($0.0),\($0.1)" }.joined(separator: ",")
    let known = try readDrafted("file,\(names)\na.jpg,\(flat)\n")
    #expect(known.columns == ["image": "file", "px": "{}_x", "py": "{}_y"])
    #expect(known.frames[0].faces[0].landmarks.first?.scheme == .five)
    let header = (0..<7).map { "x_\($0),y_\($0)" }.joined(separator: ",")
    let row = (0..<14).map { "\($0)" }.joined(separator: ",")
    let unknown = try readDrafted("file,x,y,w,h,\(header)\na.jpg,1,2,3,4,\(row)\n")
    #expect(unknown.columns["px"] == nil && unknown.columns["width"] == "w")
  }

  @Test func `a table of coefficients that lacks frames or is long says what to write`() throws {
    func message(_ text: String) throws -> String {
      let file = try folder.write(text, to: "shapes.csv")
      let error = #expect(throws: FileError.self) { try ColumnDraft(file) }
      return error?.description ?? ""
    }
    let names = "jawOpen,mouthClose,eyeBlinkLeft,eyeBlinkRight,browInnerUp"
    let numbered = try message(",\(names)\n0,0.1,0.2,0.3,0.4,0.5\n1,0,0,0,0,0\n")
    #expect(numbered.contains("add a column frame with the number of each row's frame, from 0"))
    let timed = try message("timestamp,\(names)\n00:00:01.5,0.1,0.2,0.3,0.4,0.5\n")
    #expect(timed.contains("write timestamp in seconds, or add a column frame"), "\(timed)")
    let long = try message("frame,blendshape,score\n0,jawOpen,0.5\n0,mouthClose,0.25\n")
    #expect(long.contains("found the names of coefficients in the column blendshape"), "\(long)")
  }

  @Test func `without columns the error names those of the file and the draft`() throws {
    let file = try folder.write("file,links,oben\na.jpg,1,2\n", to: "own.csv")
    #expect(try DatasetImport.detectFormat(of: [file]).format.name == "csv")
    let error = #expect(throws: FileError.self) { try readAll(CSVColumns(), [file]) }
    #expect(error?.description.contains("found 3 columns: file, links, oben") == true)
    #expect(error?.description.contains("--draft' guesses them") == true)
  }

  static let errors: [(columns: String, message: String)] = [
    ("image=file,x=x", "expected y with x"),
    ("image=file,x=x,y=y", "expected width and height, or x2 and y2, with x and y"),
    ("x=x,y=y,w=w,h=h", "expected the column of images"),
    ("image=file,bild=b", "expected one of image, x, y"),
    ("image", "expected KEY=COLUMN"),
    ("image=file,space=inches", "expected space=pixels or relative"),
    ("image=datei", "expected a column 'datei' for image"),
    ("image=file,px=q_{},py=r_{}", "expected columns 'q_{}' for px"),
  ]

  @Test(arguments: errors)
  func `a mapping that cannot be is one line`(columns: String, message: String) throws {
    let error = #expect(throws: FileError.self) {
      try read("file,x,y,w,h\na.jpg,1,2,3,4\n", columns)
    }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  @Test func `a row whose box has no size is an image without a face`() throws {
    let read = try read(
      "i,x,y,w,h\na.jpg,0,0,0,0\nb.jpg,1,2,3,4\nc.jpg,5,5,0,9\n", "image=i,x=x,y=y,w=w,h=h")
    #expect(read.frames.map(\.faces.count) == [0, 1, 0])
    #expect(read.remarks.contains("2 rows without a face count for their images alone"))
  }

  @Test func `times of predictions stay on their clock`() throws {
    let read = try read("t,x,y,w,h\n0.5,1,2,3,4\n0.54,1,2,3,4\n", "time=t,x=x,y=y,w=w,h=h") {
      $0.keepsClock = true
    }
    #expect(read.frames.map(\.timestampMicroseconds) == [500_000, 540_000])
  }

  @Test func `output that is joined by numbers needs no rising times`() throws {
    let read = try read(
      "f,t,x,y,w,h\n0,0,1,2,3,4\n1,0,1,2,3,4\n2,0.1,1,2,3,4\n",
      "frame=f,time=t,x=x,y=y,w=w,h=h"
    ) {
      $0.isPredictions = true
      $0.keepsClock = true
    }
    #expect(read.frames.map(\.number) == [0, 1, 2])
  }

  @Test func `coefficients are known in every spelling, and those of other rigs are named`() throws
  {
    let spellings = [
      "eyeBlinkLeft,eyeBlinkRight,jawOpen,mouthSmileLeft,mouthSmileRight",
      "eyeBlink_L,eyeBlink_R,jawOpen,mouthSmile_L,mouthSmile_R",
      "eye_blink_l,eye_blink_r,jaw_open,mouth_smile_l,mouth_smile_r",
      "EYE_BLINK_LEFT,EYE_BLINK_RIGHT,JAW_OPEN,MOUTH_SMILE_LEFT,MOUTH_SMILE_RIGHT",
      "bs_EyeBlinkL,bs_EyeBlinkR,bs_JawOpen,bs_MouthSmileL,bs_MouthSmileR",
    ]
    for header in spellings {
      let drafted = try readDrafted("frame,\(header)\n0,0.1,0.2,0.3,0.4,0.5\n1,0,0,0,0,0\n")
      let values = try #require(drafted.frames[0].faces[0].blendshapes, "\(header)")
      let named: [Blendshape] = [
        .eyeBlinkLeft, .eyeBlinkRight, .jawOpen, .mouthSmileLeft, .mouthSmileRight,
      ]
      #expect(named.map { values[$0.index] } == [0.1, 0.2, 0.3, 0.4, 0.5], "\(header)")
      #expect(drafted.frames[0].faces[0].attributes.isEmpty)
    }
    for (header, rig) in [
      ("Blink_L,Blink_R,A,Joy", "VRM"),
      ("blinkLeft,blinkRight,lookUp,aa,happy", "VRM"),
      ("EYES_CLOSED_L,EYES_CLOSED_R,JAW_DROP,LIP_CORNER_PULLER_L", "Meta (Oculus)"),
      ("BrowLowererL,JawDrop,LipsToward,ChinRaiserB", "Meta (Oculus)"),
    ] {
      let row = header.split(separator: ",").map { _ in "0.25" }.joined(separator: ",")
      let file = try folder.write("frame,\(header)\n0,\(row)\n1,\(row)\n", to: "rig.csv")
      let draft = try ColumnDraft(file)
      let start = "\(header.replacing(",", with: ", ")) have the names of \(rig)'s coefficients"
      #expect(draft.notes.contains { $0.hasPrefix(start) && $0.contains("--columns jawOpen=") })
      var options = ImportOptions()
      options.columns = draft.mapping
      let read = try readAll(CSVColumns(), [file], options)
      #expect(read.remarks.contains { $0.contains(" have the names of \(rig)'s coefficients") })
      #expect(read.frames[0].faces[0].blendshapes == nil)
    }
  }

  @Test(arguments: [
    "happy,sad,angry,neutral,surprised", "AU01_r,AU12_r,AU25_r", "blink,blur,yawning",
    "a,e,i,o,u",
  ])
  func `other numbers of faces are attributes without a word`(header: String) throws {
    let row = header.split(separator: ",").map { _ in "0.25" }.joined(separator: ",")
    let file = try folder.write("frame,\(header)\n0,\(row)\n1,\(row)\n", to: "own.csv")
    #expect(try !ColumnDraft(file).notes.contains { $0.contains("have the names of") })
  }

  @Test(arguments: [true, false])
  func `points after the name of an image are drafted as such, alone and after a box`(
    hasBox: Bool
  ) throws {
    let points = FacePoints.five().map { "\($0.x) \($0.y)" }.joined(separator: " ")
    let row = (hasBox ? "60 70 50 55 " : "") + points
    let read = try readDrafted("a.jpg \(row)\nb.jpg \(row)\n")
    let face = try #require(read.frames.first?.faces.first)
    #expect(face.landmarks.first?.points == FacePoints.five())
    let box = BoundingBox(x: 60, y: 70, width: 50, height: 55)
    #expect((face.box == box) == hasBox)
    #expect(read.columns["p0x"] == (hasBox ? "6" : "2"))
    let four = try readDrafted("a.jpg 60 70 50 55\nb.jpg 60 70 50 55\n")
    #expect(four.frames.map { $0.faces.map(\.box) } == [[box], [box]])
  }

  @Test func `one coefficient in two columns is refused with both`() throws {
    let error = #expect(throws: FileError.self) {
      try read("f,jawOpen,JAW_OPEN\n0,0.5,0.5\n", "frame=f,coefficients={}")
    }
    #expect(error?.description.contains("found 'JAW_OPEN and jawOpen'") == true)
  }

  @Test(arguments: [
    (["0", "1", "1"], [PointVisibility.occluded, .visible, .visible], nil),
    (["0", "1", "2"], [.notLabelled, .occluded, .visible], nil),
    (["0.12", "0.97", "0.5"], [.occluded, .visible, .visible], "probabilities: 1 points"),
    (["12", "97", "50"], [.occluded, .visible, .visible], "percent: 1 points"),
  ])
  func `visibilities are states, probabilities or percent`(
    seen: [String], states: [PointVisibility], remark: String?
  ) throws {
    let names = Self.names.map { "\($0)_x,\($0)_y,\($0)_v" }.joined(separator: ",")
    let row = Self.five.indices.map {
      "\(Self.five[$0].0),\(Self.five[$0].1),\(seen[min($0, 2)])"
    }.joined(separator: ",")
    let read = try read(
      "file,\(names)\na.jpg,\(row)\n", "image=file,px={}_x,py={}_y,pv={}_v")
    let set = try #require(read.frames[0].faces[0].landmarks.first)
    #expect(Array(set.visibility.prefix(3)) == states)
    #expect(
      read.remarks.contains { $0.contains("visibilities of up to") } == (remark != nil)
        && remark.map { text in read.remarks.contains { $0.contains(text) } } ?? true,
      "\(read.remarks)")
  }
}
