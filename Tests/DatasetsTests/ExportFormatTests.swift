import Datasets
import FaceCore
import Foundation
import Imaging
import Platform
import Statistics
import TestSupport
import Testing

/// Labels go out in each format, and come back the same.
@Suite struct ExportFormatTests {
  private let bench: ExportBench

  init() throws { bench = try ExportBench() }

  @Test func `CVAT has boxes, points, flags, identities and numbers`() throws {
    var faces = try (0..<4).map { [try ExportBench.face($0)] }
    // CVAT says of every shape whether it is occluded.
    for index in faces.indices { faces[index][0].attributes = ["occluded": Double(index % 2)] }
    faces[1][0].isIgnored = true
    faces[2][0].isCrowd = true
    faces[2][0].identity = 12
    faces[3][0].attributes["blur"] = 0.1
    faces[3].append(FaceLabel(box: BoundingBox(x: 60, y: 1, width: 9, height: 9), category: 2))
    faces[3][1].attributes = ["occluded": 0]
    let source = try bench.dataset(faces)
    #expect(try bench.export("cvat", source).losses.isEmpty)
    let again = try bench.importing("cvat", ["out/annotations.xml"], images: "out/images")
    let first = try DatasetSnapshot(source)
    #expect(again.names == first.names && again.images == first.images)
    for (one, two) in zip(first.faces, again.faces) { #expect(one == two) }
  }

  @Test(arguments: ["cvat", "coco", "yolo", "label-studio"])
  func `boxes of any 32-bit numbers come in again to the last bit`(format: String) throws {
    var generator = SplitMix64(seed: 61)
    func number(below end: Float) -> Double { Double(Float.random(in: 0..<end, using: &generator)) }
    let faces = (0..<400).map { _ in
      FaceLabel(
        box: BoundingBox(
          x: number(below: 60), y: number(below: 40), width: number(below: 40),
          height: number(below: 40)))
    }
    let source = try bench.dataset([faces])
    _ = try bench.export(format, source, strict: false)
    let file = ["cvat": "out/annotations.xml", "coco": "out/labels.json", "yolo": "out"][format]
    _ = try bench.importing(
      format, [file ?? "out/tasks.json"], images: format == "coco" ? "out" : "out/images")
    let again = try DatasetReader(bench.folder.file("b.h5"))
    #expect(try again.labels(0..<1)[0].map(\.box) == source.labels(0..<1)[0].map(\.box))
  }

  @Test(arguments: [("cvat", "annotations.xml"), ("label-studio", "tasks.json")])
  func `categories come in again with their numbers`(format: String, file: String) throws {
    func object(_ category: Int) -> FaceLabel {
      FaceLabel(box: BoundingBox(x: 1, y: 2, width: 30, height: 40), category: category)
    }
    for categories in [[[5], [1, 3]], [[5, 3], []]] {
      let source = try bench.dataset(categories.map { $0.map { object($0) } })
      _ = try bench.export(format, source, strict: false)
      let options = ImportOptions(imageFolder: bench.folder.file("out/images"))
      let reader = try #require(DatasetFormats.named(format))
      let again = try readAll(reader, [bench.folder.file("out/\(file)")], options)
      #expect(again.frames.map { $0.faces.map(\.category) } == categories)
      try FileManager.default.removeItem(at: bench.folder.file("out"))
    }
  }

  @Test func `points of which some have no label have no place in CVAT, and are counted`() throws {
    let source = try bench.dataset([[try ExportBench.face(0, missing: true)]])
    let summary = try bench.export("cvat", source, strict: false)
    #expect(
      summary.losses.map { "\($0.what): \($0.count)" } == [
        "landmarks of ibug68 of which some have no label: 1"
      ])
    #expect(try bench.text("out/annotations.xml").contains("<points") == false)
  }

  @Test func `YOLO has boxes and points with flags, and data yaml tells what they are`() throws {
    let faces = try (0..<4).map { [try ExportBench.face($0, scheme: .five, missing: true)] }
    var more = faces
    more[1] = []
    more[2].append(FaceLabel(box: BoundingBox(x: 60, y: 1, width: 9, height: 9), category: 2))
    more[3][0].landmarks = []
    let source = try bench.dataset(more)
    #expect(try bench.export("yolo", source).losses.isEmpty)
    #expect(
      try bench.text("out/data.yaml") == """
        path: .
        train: images
        val: images
        names:
          0: face
          1: category 2
        kpt_shape: [5, 3]
        flip_idx: [1, 0, 2, 4, 3]
        kpt_names:
          0: [right_eye, left_eye, nose, right_mouth, left_mouth]

        """)
    #expect(try bench.folder.bytes("out/labels/sub/b.txt").isEmpty)
    let again = try bench.importing("yolo", ["out"], images: "out/images")
    let first = try DatasetSnapshot(source)
    let order = first.names.indices.sorted { first.names[$0] < first.names[$1] }
    #expect(Set(again.names) == Set(first.names))
    for (position, name) in again.names.enumerated() {
      let own = try #require(order.first { first.names[$0] == name })
      #expect(first.faces[own] == again.faces[position])
    }
  }

  @Test(arguments: ["yolo", "coco"])
  func `YOLO and COCO have points of one scheme, and others are counted`(name: String) throws {
    var both = try ExportBench.face(0)
    both.landmarks += try ExportBench.face(0, scheme: .five).landmarks
    let other = try ExportBench.face(1, scheme: .five)
    let source = try bench.dataset([[both], [other]])
    let refusal = #expect(throws: FileError.self) { try bench.export(name, source) }
    #expect(refusal?.kind == .wrongData)
    let summary = try bench.export(name, source, strict: false)
    #expect(
      summary.losses.map { "\($0.what): \($0.count)" } == [
        "landmarks of five in addition to ibug68: 2"
      ])
    guard name == "coco" else { return }
    let rows = try bench.text("out/labels.json").matches(of: /"num_keypoints":(\d+)/)
    #expect(rows.map { "\($0.1)" } == ["68"])
  }

  @Test func `images of one name and two endings get label files of their own`() throws {
    var made = MadeDataset()
    let jpeg = try PixelBuffer(width: 100, height: 80, color: RGB(1, 2, 3)).jpegBytes(quality: 90)
    made.frames = ["a.png", "A.png", "a/b.png", "a.x.png", "a.jpg"].enumerated().map {
      MadeDataset.Still(
        name: $1, faces: [FaceLabel(box: BoundingBox(x: Double($0), y: 1, width: 5, height: 5))],
        image: $0 == 4 ? jpeg : nil)
    }
    try made.write(to: bench.folder.file("a.h5"))
    _ = try bench.export("yolo", DatasetReader(bench.folder.file("a.h5")), strict: false)
    let labels = try FileManager.default.subpathsOfDirectory(
      atPath: bench.folder.file("out/labels").path
    ).filter { $0.hasSuffix(".txt") }
    #expect(
      labels.sorted() == ["A.txt", "a.txt", "a.x.txt", "a/b.txt", "frame-000004.txt"])
  }

  @Test func `Label Studio gets percents, named points and flags, and pre-labels with scores`()
    throws
  {
    var labels = [[try ExportBench.face(0, scheme: .five)], []]
    labels[0][0].isIgnored = true
    labels[0][0].identity = 3
    let source = try bench.dataset(labels)
    #expect(try bench.export("label-studio", source).losses.isEmpty)
    let tasks = try tasks()
    #expect(tasks.count == 2)
    let data = try #require(tasks[1]["data"] as? [String: String])
    #expect(data["image"] == "/data/local-files/?d=images/sub/b.png")
    let annotations = try #require(tasks[0]["annotations"] as? [[String: Any]])
    let results = try #require(annotations.first?["result"] as? [[String: Any]])
    #expect(
      results.compactMap { $0["type"] as? String }
        == ["rectanglelabels", "choices", "number"]
        + Array(repeating: "keypointlabels", count: 5))
    let box = try #require(results[0]["value"] as? [String: Any])
    let stored = try source.labels(0..<1)[0][0]
    // Percent differ in the last bits.
    let (x, height) = (box["x"] as? Double ?? .nan, box["height"] as? Double ?? .nan)
    #expect(abs(x - stored.box.x) < 1e-12 && abs(height - stored.box.height / 80 * 100) < 1e-12)
    #expect((results[1]["value"] as? [String: Any])?["choices"] as? [String] == ["ignore"])
    #expect((results[2]["value"] as? [String: Any])?["number"] as? Int == 3)
    let nose = try #require(results[5]["value"] as? [String: Any])
    #expect(nose["keypointlabels"] as? [String] == ["nose"])
    let y = nose["y"] as? Double ?? .nan
    #expect(abs(y - stored.landmarks[0].points[2].y / 80 * 100) < 1e-12)
    #expect(results[5]["parentID"] as? String == results[0]["id"] as? String)
    #expect(try bench.text("out/interface.xml").contains("<Label value=\"right_mouth\"/>"))
    try FileManager.default.removeItem(at: bench.folder.file("out"))

    let given = try bench.predictions(
      [[ExportBench.given(0, scheme: nil), ExportBench.given(1, scheme: nil)], []], of: source)
    #expect(try bench.export("label-studio", source, given).losses.isEmpty)
    let works = try #require(try self.tasks()[0]["predictions"] as? [[String: Any]])
    #expect(works.first?["model_version"] as? String == "theirs")
    let scores = try #require(works.first?["result"] as? [[String: Any]]).compactMap {
      $0["score"] as? Double
    }
    // Scores are stored as Float32.
    #expect(scores.count == 2 && abs(scores[0] - 0.9) < 1e-6 && abs(scores[1] - 0.86875) < 1e-6)
  }

  @Test func `points outside of the image, which Label Studio refuses, are left out and counted`()
    throws
  {
    var face = try ExportBench.face(0, scheme: .five)
    face.landmarks[0].points[1].x = 100.5
    face.landmarks[0].points[4].y = -0.5
    let source = try bench.dataset([[face], []])
    let losses = try bench.export("label-studio", source, strict: false).losses
    #expect(losses.map(\.what) == ["points outside of the image"] && losses.map(\.count) == [1])
    let annotations = try #require(try tasks()[0]["annotations"] as? [[String: Any]])
    let results = try #require(annotations.first?["result"] as? [[String: Any]])
    let names = results.compactMap {
      ($0["value"] as? [String: Any])?["keypointlabels"] as? [String]
    }
    #expect(names == [["right_eye"], ["nose"], ["right_mouth"]])
  }

  private func tasks() throws -> [[String: Any]] {
    try #require(
      try JSONSerialization.jsonObject(with: Data(bench.folder.bytes("out/tasks.json")))
        as? [[String: Any]])
  }

  @Test func `MOT has videos as folders with their rate, images and ground truth`() throws {
    var faces = try (0..<4).map { [try ExportBench.face($0, scheme: nil)] }
    for index in faces.indices {
      faces[index][0].identity = index % 2
      faces[index][0].isIgnored = index == 2
    }
    faces[1].append(FaceLabel(box: BoundingBox(x: 60, y: 1, width: 9, height: 9), identity: 5))
    faces[3][0].attributes["visibility"] = 0.25
    let source = try bench.dataset(faces, video: true)
    #expect(try bench.export("mot", source).losses.isEmpty)
    #expect(
      try bench.text("out/clip/seqinfo.ini") == """
        [Sequence]
        name=clip
        frameRate=25
        seqLength=4
        imDir=img1
        imWidth=100
        imHeight=80
        imExt=.png

        """)
    #expect(try bench.text("out/clip/gt/gt.txt").hasPrefix("1,0,1.1"))
    let again = try bench.importing("mot", ["out/clip/gt/gt.txt"])
    let first = try DatasetSnapshot(source)
    #expect(again.images == first.images && again.times == first.times)
    #expect(again.sequences == first.sequences && again.names == first.names)
    for (one, two) in zip(first.faces, again.faces) { #expect(one == two) }
  }

  @Test func `times that a frame rate does not give are counted`() throws {
    var made = MadeDataset()
    made.frames = [0, 40_000, 81_000, 120_001].map { microseconds in
      MadeDataset.Still(name: "x", microseconds: microseconds)
    }
    made.frames[0].begins = SequenceDescription(name: "clip", kind: .video, framesPerSecond: 25)
    try made.write(to: bench.folder.file("a.h5"))
    let summary = try bench.export("mot", DatasetReader(bench.folder.file("a.h5")), strict: false)
    #expect(
      summary.losses.map { "\($0.what): \($0.count)" } == [
        "times that do not follow from the frame rate: 1"
      ])
  }

  @Test func `CVAT for video has a track per identity that ends where the face is gone`() throws {
    var faces = try (0..<6).map { [try ExportBench.face($0, scheme: nil)] }
    for index in faces.indices { faces[index][0].identity = 7 }
    faces[2] = []
    faces[5] = []
    faces[3].append(FaceLabel(box: BoundingBox(x: 60, y: 1, width: 9, height: 9)))
    let source = try bench.dataset(faces, video: true)
    let summary = try bench.export("cvat-video", source, strict: false)
    #expect(
      summary.losses.map { "\($0.what): \($0.count)" } == [
        "frame rates of videos: 1", "faces without an identity, each a track of one frame: 1",
      ])
    let text = try bench.text("out/clip/annotations.xml")
    let boxes = text.matches(of: /<box frame="(\d)" outside="(\d)"/).map { "\($0.1)\($0.2)" }
    #expect(boxes == ["00", "10", "21", "30", "40", "51", "30", "41"])
    #expect(text.matches(of: /<track id="(\d)"/).map { "\($0.1)" } == ["7", "8"])
    #expect(text.matches(of: /<attribute name="track_id">7</).count == 4)
    #expect(try bench.folder.bytes("out/clip/img1/000001.png") == MadeDataset.image(0))
    #expect(text.contains("<task><name>clip</name><size>6</size><mode>interpolation</mode>"))
  }

  @Test func `numbers whose place in CVAT another one has are counted as lost`() throws {
    var face = MadeDataset.face(attributes: ["occluded": 2, "score": 0.5])
    face.score = 0.25
    let source = try bench.dataset([[face]])
    let summary = try bench.export("cvat", source, strict: false)
    #expect(
      summary.losses.map { "\($0.what): \($0.count)" } == [
        "attributes 'score' of faces with another score of their own: 1",
        "values of the attribute 'occluded' other than 0 and 1: 1",
      ])
    let text = try bench.text("out/annotations.xml")
    #expect(text.matches(of: /<name>score</).count == 1)
    #expect(text.matches(of: /<attribute name="score">([0-9.]+)</).map { "\($0.1)" } == ["0.25"])
    #expect(text.contains(" occluded=\"1\""))
  }

  @Test func `an identity that two faces of a frame have is a track and a box of its own`() throws {
    var faces = try (0..<3).map { [try ExportBench.face($0, scheme: nil)] }
    faces[1].append(FaceLabel(box: BoundingBox(x: 60, y: 1, width: 9, height: 9)))
    for frame in faces.indices {
      for index in faces[frame].indices { faces[frame][index].identity = 7 }
    }
    _ = try bench.export("cvat-video", bench.dataset(faces, video: true), strict: false)
    let text = try bench.text("out/clip/annotations.xml")
    #expect(text.matches(of: /<track id="(\d)"/).map { "\($0.1)" } == ["7", "8"])
    let again = try readAll(CVATXML(), [bench.folder.file("out/clip/annotations.xml")])
    #expect(again.frames.map { $0.faces.map(\.identity) } == [[7], [7, 7], [7]])
    #expect(!again.remarks.contains { $0.hasPrefix("lost:") })
  }

  @Test func `a frame at the end of a long track takes no longer than one at its start`() throws {
    var face = FaceLabel(box: BoundingBox(x: 1, y: 2, width: 30, height: 40), identity: 7)
    for number in 0..<30 { face.attributes["number\(number)"] = 1 / Double(number + 3) }
    let count = 4000
    let source = try bench.dataset(Array(repeating: [face], count: count), video: true)
    var plan = DatasetExport(CVATVideoExport(), isStrict: false)
    plan.writesImages = false
    var times: [ContinuousClock.Instant] = []
    _ = try plan.run(
      over: source, to: bench.folder.file("out"), advance: { _ in times.append(.now) },
      isInterrupted: { false })
    // The survey comes before. What else the machine does slows some hundreds of frames, and not all.
    let own = Array(times.suffix(count))
    func quickest(_ hundreds: Range<Int>) -> Duration? {
      hundreds.map { own[100 * $0 + 99] - own[100 * $0] }.min()
    }
    let first = try #require(quickest(1..<9))
    let last = try #require(quickest(32..<40))
    #expect(last < first * 3, "\(last) after \(first)")
  }

  @Test func `names of videos never lead out of the folder, and never to one folder twice`() throws
  {
    var made = MadeDataset()
    let names = ["../up", "a/b", "same", "Same", "", ".hidden", "clip.mp4"]
    made.frames = names.map { name in
      MadeDataset.Still(
        name: "x", faces: [MadeDataset.face()],
        begins: SequenceDescription(name: name, kind: .video, framesPerSecond: 25))
    }
    try made.write(to: bench.folder.file("a.h5"))
    let summary = try bench.export("mot", DatasetReader(bench.folder.file("a.h5")), strict: false)
    let losses = Dictionary(uniqueKeysWithValues: summary.losses.map { ($0.what, $0.count) })
    #expect(losses["names of videos that are not folder names"] == 5)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: bench.folder.file("out").path).sorted()
        == [
          "Same-3", "a-b", "clip.mp4", "same", "sequence-0", "sequence-4", "sequence-5",
        ])
    #expect(try bench.folder.names == ["a.h5", "out"])
  }

  @Test func `points that are not wanted are no loss`() throws {
    let source = try bench.dataset([[try ExportBench.face(0, missing: true)]])
    var plan = DatasetExport(CVATExport(), isStrict: true)
    (plan.writesPoints, plan.writesImages) = (false, false)
    let summary = try plan.run(
      over: source, to: bench.folder.file("out"), advance: { _ in }, isInterrupted: { false })
    #expect(summary.losses.isEmpty && summary.faces == 1 && summary.images == 0)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: bench.folder.file("out").path)
        == ["annotations.xml"])
    #expect(try bench.text("out/annotations.xml").contains("<points") == false)
  }

  @Test func `the lines between points join each of the scheme's own points`() throws {
    for (scheme, count) in [(LandmarkScheme.ibug68, 63), (.mediapipe478, 132)] {
      let source = try bench.dataset([[try ExportBench.face(0, scheme: scheme)]])
      _ = try bench.export("coco", source)
      let file = try #require(
        try JSONSerialization.jsonObject(with: Data(bench.folder.bytes("out/labels.json")))
          as? [String: Any])
      let category = try #require((file["categories"] as? [[String: Any]])?.first)
      let edges = try #require(category["skeleton"] as? [[Int]])
      #expect(edges.count == count)
      #expect(edges.allSatisfy { $0.count == 2 && $0.allSatisfy((1...scheme.count).contains) })
      try FileManager.default.removeItem(at: bench.folder.file("out"))
    }
  }
}
