import Datasets
import FaceCore
import Foundation
import HDF5
import Imaging
import Platform
import TestSupport
import Testing

@Suite struct ImportTests {
  @Test func `remarks that differ by a name are told as one, where they are more than three`() {
    func remarks(_ count: Int) -> [ImportRemark] {
      (0..<count).flatMap {
        [.assumed("clip-\($0): 30 frames per second"), .dropped("clip-\($0): \($0) points")]
      }
    }
    #expect(remarks(3).grouped == remarks(3))
    let grouped = (remarks(5) + [.assumed("points by names")]).grouped.map(\.text)
    #expect(
      grouped == ["clip-0, clip-1 and 3 more: 30 frames per second"]
        + (0..<5).map { "clip-\($0): \($0) points" } + ["points by names"])
  }

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func importing(
    _ format: any DatasetFormat, _ source: URL, strict: Bool = false,
    images: URL? = nil, statesNoFaces: Bool = false, isInterrupted: () -> Bool = { false }
  ) throws -> [String] {
    let writer = try DatasetWriter(folder.file("out.h5"), name: "out", replacing: false)
    var options = ImportOptions(imageFolder: images)
    options.statesNoFaces = statesNoFaces
    let plan = DatasetImport(
      format: format, sources: [source], options: options, isStrict: strict)
    return try plan.run(into: writer, advance: { _ in }, isInterrupted: isInterrupted)
      .map { ($0.isLoss ? "lost: " : "") + $0.text }
  }

  private func xml(_ names: [String]) throws -> URL {
    try folder.write(
      ImglabTests.document(
        names.map { "<image file='\($0)'><box top='1' left='1' width='2' height='2'/></image>" }
          .joined()), to: "faces.xml")
  }

  @Test func `images keep their bytes and get the size of their header`() throws {
    let images = ["a.png": Sample.png(31, 17), "b.jpg": Sample.jpeg(40, 30)]
    for (name, bytes) in images { try folder.write(bytes, to: name) }
    #expect(try importing(ImglabXML(), xml(["a.png", "b.jpg"])) == [])
    let dataset = try DatasetReader(folder.file("out.h5"))
    #expect(
      try dataset.frames(0..<2).map(\.size) == [
        ImageSize(width: 31, height: 17), ImageSize(width: 40, height: 30),
      ])
    for frame in try dataset.frames(0..<2) {
      guard case .encoded(let bytes) = try dataset.image(frame.index) else { continue }
      #expect(Array(bytes) == images[frame.name])
    }
    #expect(try DatasetValidation(of: dataset).findings.isEmpty)
  }

  @Test func `another folder of images can be named`() throws {
    try folder.write(Sample.png(9, 9), to: "elsewhere/a.png")
    _ = try importing(ImglabXML(), xml(["a.png"]), images: folder.file("elsewhere"))
    #expect(try DatasetReader(folder.file("out.h5")).faceCount == 1)
  }

  @Test func `a rotation in Exif is reported and not applied`() throws {
    try folder.write(RepairedImportTests.jpeg(orientation: 6), to: "a.jpg")
    #expect(
      try importing(ImglabXML(), xml(["a.jpg"])) == [
        "1 images carry an Exif rotation; labels are taken to be for the pixels as stored "
          + "(--apply-exif labels: for the upright images)"
      ])
    let dataset = try DatasetReader(folder.file("out.h5"))
    #expect(try dataset.frames(0..<1)[0].size == ImageSize(width: 40, height: 30))
    #expect(try DatasetValidation(of: dataset).findings.isEmpty)
  }

  static let sized: [(any DatasetFormat, String, @Sendable (Int) -> String)] = [
    (
      COCOJSON(), "a.json",
      { width in
        COCOTests.document(
          images: #"[{"id": 1, "file_name": "a.png", "width": \#(width), "height": 9}]"#)
      }
    ),
    (
      ImglabXML(), "a.xml",
      { width in
        ImglabTests.document(
          "<image file='a.png' width='\(width)' height='9'><box top='1' left='1' width='2' "
            + "height='2'/></image>")
      }
    ),
    (
      VisionObservations(), "a.json",
      { width in
        #"{"schema": "facegauge.vision", "version": 1}"# + "\n"
          + #"{"name": "a.png", "width": \#(width), "height": 9, "faces": []}"# + "\n"
      }
    ),
    (
      MediaPipeResults(), "a.json",
      { width in
        #"{"schema": "facegauge.mediapipe", "version": 1}"# + "\n"
          + #"{"name": "a.png", "width": \#(width), "height": 9, "faces": []}"# + "\n"
      }
    ),
    (RetinaFaceList(), "a.txt", { "# a.png \($0) 9\n1 2 5 8\n" }),
    (
      PascalVOC(), "a.xml",
      { width in
        "<annotation><filename>a.png</filename><size><width>\(width)</width><height>9</height></size>"
          + "<object><name>face</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>5</xmax>"
          + "<ymax>5</ymax></bndbox></object></annotation>"
      }
    ),
  ]

  @Test(arguments: sized.indices)
  func `another size of an image than its labels state is reported`(index: Int) throws {
    let (format, name, text) = Self.sized[index]
    try folder.write(Sample.png(9, 9), to: "a.png")
    let warning =
      "lost: 1 images have another size than their labels state, which are taken for the pixels as "
      + "stored; the first is 'a.png': 18 × 9 stated, 9 × 9 found"
    func remarks(_ width: Int) throws -> [String] {
      let source = try folder.write(text(width), to: name)
      return try importing(format, source, statesNoFaces: text(width).contains(#""faces": []"#))
    }
    #expect(try remarks(18).contains(warning))
    try FileManager.default.removeItem(at: folder.file("out.h5"))
    #expect(try !remarks(9).contains { $0.contains("stated") })
  }

  @Test func `a strict import refuses a loss and writes nothing`() throws {
    try folder.write(Sample.png(9, 9), to: "a.png")
    let source = try folder.write(
      ImglabTests.document(
        "<image file='a.png'><box top='1' left='1' width='2' height='2'><label>x</label></box></image>"
      ), to: "faces.xml")
    let error = #expect(throws: FileError.self) {
      try importing(ImglabXML(), source, strict: true)
    }
    #expect(
      error?.description
        == "cannot import without loss (--strict): 1 text labels of boxes left out")
    #expect(try folder.names == ["a.png", "faces.xml"])
    #expect(try importing(ImglabXML(), source) == ["lost: 1 text labels of boxes left out"])
  }

  @Test func `a strict import takes what is only assumed`() throws {
    try folder.write(Sample.png(9, 9), to: "set/a.png")
    #expect(
      try importing(ImageFolder(), folder.file("set"), strict: true) == [
        "no labels: only metrics that need none are computed"
      ])
  }

  @Test func `a missing image ends the import and leaves nothing`() throws {
    try folder.write(Sample.png(9, 9), to: "a.png")
    let source = try xml(["a.png", "b.png"])
    let error = #expect(throws: FileError.self) { try importing(ImglabXML(), source) }
    #expect(error?.kind == .notFound)
    #expect(
      error?.description
        == "cannot read \(folder.file("b.png").relativePath): no such file (--images names the "
        + "folder of the images, --labels-only omits them)")
    #expect(try folder.names == ["a.png", "faces.xml"])
  }

  @Test(arguments: [
    ("", "expected the first bytes of a JPEG or PNG, found no bytes"),
    ("GIF89a", "expected the first bytes of a JPEG or PNG, found those of GIF, which is not read"),
  ])
  func `what is no image ends the import and leaves nothing`(
    text: String, message: String
  ) throws {
    try folder.write(text, to: "set/a.jpg")
    let error = #expect(throws: FileError.self) {
      try importing(ImageFolder(), folder.file("set"))
    }
    #expect(
      error?.description == "cannot import \(folder.file("set/a.jpg").relativePath): "
        + "cannot decode image: \(message)")
    #expect(error?.kind == .wrongData)
    #expect(try folder.names == ["set"])
  }

  @Test func `unreadable images are left out and named when that is asked for`() throws {
    try folder.write(Sample.png(9, 9), to: "set/a.png")
    try folder.write("RIFF....WEBPVP8 ", to: "set/b.png")
    try folder.write("nothing", to: "set/c.jpg")
    try folder.write("also", to: "set/d.webp")
    func plan(_ limit: Int) -> DatasetImport {
      var options = ImportOptions()
      options.maxBadImages = limit
      return DatasetImport(
        format: ImageFolder(), sources: [folder.file("set")], options: options, isStrict: false)
    }
    let writer = try DatasetWriter(folder.file("out.h5"), name: "out", replacing: false)
    let remarks = try plan(2).run(into: writer, advance: { _ in }, isInterrupted: { false })
    #expect(writer.frameCount == 1)
    #expect(
      remarks.filter(\.isLoss).map { $0.text.replacing(folder.url.relativePath + "/", with: "") }
        == [
          "images of unread formats left out: 1 .webp",
          "image left out: cannot import set/b.png: cannot decode image: expected the first bytes of "
            + "a JPEG or PNG, found those of WebP, which is not read",
          "image left out: cannot import set/c.jpg: cannot decode image: expected the first bytes of "
            + "a JPEG or PNG, found 0x6e6f7468",
        ])
    let other = try DatasetWriter(folder.file("other.h5"), name: "out", replacing: false)
    let error = #expect(throws: FileError.self) {
      try plan(1).run(into: other, advance: { _ in }, isInterrupted: { false })
    }
    #expect(error?.description.contains("c.jpg") == true)
  }

  @Test func `an unreadable still of a subject is left out, and ends the video before it`() throws {
    let bytes = [Sample.png(9, 9), Array("nothing".utf8), Sample.png(8, 8), Sample.png(7, 7)]
    var frames = bytes.enumerated().map { index, bytes in
      ImportedFrame(name: "\(index)", image: .encoded(bytes), faces: [MadeDataset.face()])
    }
    frames[0].begins = SequenceDescription(name: "clip", kind: .video, framesPerSecond: 25)
    frames[1].begins = SequenceDescription(name: "first", kind: .still, subject: "Ada")
    frames[3].begins = SequenceDescription(name: "last", kind: .still, subject: "Bo")
    var options = ImportOptions()
    options.maxBadImages = 1
    let plan = DatasetImport(
      format: PredictionsImportTests.Source(frames: frames), sources: [folder.file("s")],
      options: options, isStrict: false)
    let writer = try DatasetWriter(folder.file("out.h5"), name: "out", replacing: false)
    _ = try plan.run(into: writer, advance: { _ in }, isInterrupted: { false })
    let sequences = try DatasetReader(folder.file("out.h5")).sequences
    #expect(sequences.map(\.name) == ["clip", "2", "last"])
    #expect(sequences.map(\.kind) == [.video, .still, .still])
    #expect(sequences.map(\.count) == [1, 1, 1])
  }

  @Test(.timeLimit(.minutes(60))) func `a pipe or a device is no image`() throws {
    try folder.write(Sample.png(9, 9), to: "set/a.png")
    #expect(mkfifo(folder.file("set/b.png").path, 0o600) == 0)
    let pipe = #expect(throws: FileError.self) {
      try importing(ImageFolder(), folder.file("set"))
    }
    #expect(
      pipe?.description.hasSuffix("b.png: expected a regular file, found a pipe") == true)
    try FileManager.default.removeItem(at: folder.file("set/b.png"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("set/b.png").path, withDestinationPath: "/dev/zero")
    #expect(throws: FileError.self) { try importing(ImageFolder(), folder.file("set")) }
    #expect(try folder.names == ["set"])
  }

  @Test func `a linked image is read`() throws {
    try folder.write(Sample.png(9, 9), to: "real.png")
    try FileManager.default.createDirectory(
      at: folder.file("set"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: folder.file("set/a.png"), withDestinationURL: folder.file("real.png"))
    _ = try importing(ImageFolder(), folder.file("set"))
    #expect(try DatasetReader(folder.file("out.h5")).frameCount == 1)
  }

  @Test func `labels without images make no dataset`() throws {
    let error = #expect(throws: FileError.self) { try importing(ImglabXML(), xml([])) }
    #expect(error?.description.hasSuffix(": expected images, found none") == true)
    #expect(try folder.names == ["faces.xml"])
  }

  @Test func `an interruption leaves nothing`() throws {
    for name in ["a", "b", "c"] { try folder.write(Sample.png(9, 9), to: "set/\(name).png") }
    var asked = 0
    let error = #expect(throws: FileError.self) {
      try importing(
        ImageFolder(), folder.file("set"),
        isInterrupted: {
          asked += 1
          return asked == 3
        })
    }
    #expect(error?.kind == .interrupted)
    #expect(error?.description == "interrupted after 2 images; nothing was written")
    #expect(try folder.names == ["set"])
  }

  @Test func `formats are told apart by what is there`() throws {
    try folder.write(Sample.png(9, 9), to: "points/a.png")
    try folder.write("1 2", to: "points/deep/a.pts")
    try folder.write(Sample.png(9, 9), to: "images/a.png")
    try folder.write(LabelsSample(images: []).text, to: "labels.json")
    let mat = MATSample()
    let number = { (name: String) in mat.doubles(name, 1, 1, [0]) }
    try folder.write(mat.file(number("Pose_Para")), to: "aflw/a.mat")
    try folder.write(mat.file(number("Points")), to: "cofw68/1_points.mat")
    try HDF5File.create(folder.file("cofw.mat").path).createDataset(
      "phisT", of: Double.self, shape: [87, 1]
    ).write([Double](repeating: 0, count: 87), atRow: 0)
    try folder.write(Sample.png(9, 9), to: "yolo/images/a.png")
    try folder.write("0 0.5 0.5 0.25 0.5\n", to: "yolo/labels/a.txt")
    for name in ["happy", "sad"] {
      try folder.write(Sample.png(9, 9), to: "classes/\(name)/a.png")
    }
    let sources = [
      "yolo": folder.file("yolo"), "class-folders": folder.file("classes"),
      "cvat": try folder.write("<annotations>\n<version>1.1", to: "cvat.xml"),
      "voc": try folder.write("<annotation><filename>a", to: "voc.xml"),
      "csv": try folder.write("file,left,top\na.png,1,2\n", to: "own.csv"),
      "label-studio": try folder.write(
        #"[{"id": 1, "data": {}, "annotations": []}]"#, to: "ls.json"),
      "labelme": try folder.write(#"{"flags": {}, "shapes": []}"#, to: "labelme.json"),
      "retinaface": try folder.write("# a/b.jpg\n1 2 3 4", to: "label.txt"),
      "fddb": try folder.write(
        "2002/img_1\n1\n9 8 0.5 30 40 1\n", to: "FDDB-fold-01-ellipseList.txt"),
      "celeba": try folder.write("1\n", to: "list_bbox_celeba.txt"),
      "fer2013": try folder.write("emotion,pixels,Usage\n0,1 2,Training\n", to: "fer2013.csv"),
      "imglab": try xml(["a.png"]), "pts": folder.file("points"),
      "images": folder.file("images"), "labels": folder.file("labels.json"),
      "video": try folder.write("GIF89a", to: "clip.gif"),
      "hrnet": try folder.write("image_name,scale,center_w,center_h,", to: "faces.csv"),
      "coco": try folder.write(COCOTests.document(), to: "coco.json"),
      "wflw": try folder.write(WFLWTests.row("a.jpg"), to: "wflw.txt"),
      "wider": try folder.write("a.jpg\n1\n1 2 3 4 0 0 0 0 0 0", to: "wider.txt"),
      "wider-detections": try folder.write("a\n0", to: "detections/e/a.txt")
        .deletingLastPathComponent().deletingLastPathComponent(),
      "ferplus": try folder.write("a.png,\"(0, 0, 9, 9)\",1,0,0,0,0,0,0,0,0,0", to: "votes.csv"),
      "livelink": try folder.write("Timecode,BlendshapeCount,EyeBlinkLeft", to: "take.csv"),
      "livelink-packets": try folder.write([0x1F, 0x8B, 8], to: "take.gesichter"),
      "mediapipe": try folder.write(#"{"schema": "facegauge.mediapipe"}"#, to: "results.json"),
      "arkit": try folder.write(#"{"schema": "facegauge.arkit"}"#, to: "session.json"),
      "vision": try folder.write(#"{"schema": "facegauge.vision"}"#, to: "observed.json"),
      "openface": try folder.write("frame, confidence, pose_Rx", to: "openface.csv"),
      "pyfeat": try folder.write("frame,FaceRectX,FaceScore", to: "fex.csv"),
      "mot": try folder.write("1,1,5,5,9,9,-1,-1,-1,-1", to: "out.txt"),
      "aflw2000": folder.file("aflw"), "cofw68": folder.file("cofw68"),
      "cofw68-results": try folder.write(COFW68ResultsTests.rows(), to: "method.txt"),
      "cofw": folder.file("cofw.mat"),
      "wider-mat": try folder.write(
        mat.file(number("event_list"), number("file_list"), number("face_bbx_list")),
        to: "wider.mat"),
      "hdf5": try folder.write(#"{"schema": "facegauge.hdf5-mapping"}"#, to: "mapping.json"),
      "otb": try folder.write("1,1,9,9", to: "S/groundtruth_rect.txt"),
    ]
    #expect(Set(sources.keys) == Set(DatasetFormats.all.map(\.name)))
    for (name, source) in sources {
      let found = try DatasetImport.detectFormat(of: [source, source])
      #expect(found.format.name == name)
      #expect(DatasetFormats.named(name)?.name == name)
    }
    #expect(
      try DatasetImport.detectFormat(of: [folder.file("points")]).reason
        == "a folder with 1 .pts files")
    #expect(DatasetFormats.named("IMGLAB") == nil)
  }

  @Test func `what is none of them, or not there, is an error`() throws {
    try folder.write("<html/>", to: "page.xml")
    try folder.write("{}", to: "other.json")
    try folder.write("x", to: "empty/notes.txt")
    try folder.write(Sample.png(9, 9), to: "images/a.png")
    for names in [["page.xml"], ["other.json"], ["empty"], ["images", "page.xml"]] {
      let error = #expect(throws: FileError.self, "\(names)") {
        try DatasetImport.detectFormat(of: names.map(folder.file))
      }
      #expect(error?.kind == .wrongData)
      let paths = names.map { folder.file($0).relativePath }.joined(separator: ", ")
      let formats = DatasetFormats.all.map(\.name).joined(separator: ", ")
      let start = "cannot import \(paths): expected one of \(formats), found none of them "
      let isJSON = names == ["other.json"]
      let more = isJSON ? "; of a tool that is not among them export COCO's JSON" : ""
      #expect(error?.description == start + "(name the format to see why\(more))")
    }
    let error = #expect(throws: FileError.self) {
      try DatasetImport.detectFormat(of: [folder.file("none")])
    }
    #expect(error?.kind == .notFound)
  }
}
