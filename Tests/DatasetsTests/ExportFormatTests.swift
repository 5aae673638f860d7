import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// Labels and a tracker's output go out in each format, and come back the same.
@Suite struct ExportFormatTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let size = ImageSize(width: 100, height: 80)
  private static let awkward = [0.1, 7.25, 33.333332, -3.5, 1.0 / 3]

  /// A face with numbers that are not round, and a point without a label where the format can tell.
  private static func face(
    _ number: Int, scheme: LandmarkScheme? = .ibug68, missing: Bool = false
  ) throws -> FaceLabel {
    var face = FaceLabel(
      box: BoundingBox(
        x: awkward[number % 5], y: awkward[(number + 1) % 5] + 20 * Double(number % 3),
        width: 20.1, height: 33.7))
    guard let scheme else { return face }
    let states = (0..<scheme.count).map { index -> PointVisibility in
      missing && index % 9 == 4 ? .notLabelled : missing && index % 7 == 2 ? .occluded : .visible
    }
    let points = (0..<scheme.count).map { index in
      states[index] == .notLabelled
        ? Point(x: .nan, y: .nan)
        : Point(x: face.box.x + Double(index) / 7, y: face.box.y + awkward[index % 5] + 4)
    }
    face.landmarks = [
      try #require(Landmarks(scheme: scheme, points: points, visibility: states))
    ]
    return face
  }

  private func dataset(_ faces: [[FaceLabel]], video: Bool = false) throws -> DatasetReader {
    var made = MadeDataset()
    made.frames = faces.enumerated().map { index, faces in
      var frame = MadeDataset.Still(
        name: ["a.png", "sub/b.png", "ü 顔.png", "q'\"<&>.png"][index % 4], faces: faces)
      if video {
        frame.name = "clip/\(String(repeating: "0", count: 5))\(index + 1).png"
        frame.microseconds = Int64(index) * 40_000
        frame.begins =
          index == 0
          ? SequenceDescription(name: "clip", kind: .video, framesPerSecond: 25) : nil
      }
      return frame
    }
    try made.write(to: folder.file("a.h5"))
    return try DatasetReader(folder.file("a.h5"))
  }

  private func predictions(
    _ faces: [[FacePrediction]], of dataset: DatasetReader
  ) throws -> PredictionsReader {
    let writer = try PredictionsWriter(
      folder.file("p.h5"),
      header: PredictionsHeader(
        datasetName: dataset.name, datasetSHA256: "00", datasetPath: "", mode: "image", models: [],
        candidateFloor: 0, stages: ["total"], options: ["tracker": "theirs"],
        facts: [.detectorBoxes]))
    for (index, faces) in faces.enumerated() {
      try writer.add(
        FramePrediction(
          frame: index, size: Self.size, stageNanoseconds: [nil], detections: [], candidates: [],
          faces: faces))
    }
    try writer.finish()
    return try PredictionsReader(folder.file("p.h5"))
  }

  private static func given(
    _ number: Int, scheme: LandmarkScheme? = .ibug68, identity: Int? = nil
  ) throws -> FacePrediction {
    let label = try face(number, scheme: scheme)
    return FacePrediction(
      region: nil, isTracked: false, detectionScore: 0.9 - Float(number) / 32, presence: nil,
      scheme: scheme,
      points: label.landmarks.first?.points.map { SIMD3(Float($0.x), Float($0.y), .nan) } ?? [],
      ownBox: scheme == nil
        ? BoundingBox(
          x: Double(Float(label.box.x)), y: Double(Float(label.box.y)), width: 20, height: 33.5)
        : nil, identity: identity)
  }

  private func export(
    _ name: String, _ dataset: DatasetReader, _ predictions: PredictionsReader? = nil,
    strict: Bool = true
  ) throws -> DatasetExport.Summary {
    let format = try #require(DatasetExporters.named(name))
    return try DatasetExport(format, isStrict: strict).run(
      over: dataset, predictions, to: folder.file("out"), advance: { _ in },
      isInterrupted: { false })
  }

  private func importing(
    _ name: String, _ files: [String], images: String? = nil, scheme: String? = nil
  ) throws -> DatasetSnapshot {
    var options = ImportOptions(imageFolder: images.map { folder.file($0) })
    options.pointOrder = scheme.flatMap(PointOrder.named)
    _ = try DatasetImport(
      format: try #require(DatasetFormats.named(name)), sources: files.map { folder.file($0) },
      options: options, isStrict: true
    ).run(
      into: DatasetWriter(folder.file("b.h5"), name: "made", replacing: true),
      advance: { _ in }, isInterrupted: { false })
    return try DatasetSnapshot(folder.file("b.h5"))
  }

  /// The faces that come back as predictions.
  private func faces(
    _ name: String, _ files: [String], of dataset: DatasetReader, images: String? = nil
  ) throws -> [[FacePrediction]] {
    _ = try PredictionsImport(
      format: try #require(DatasetFormats.named(name)), sources: files.map { folder.file($0) },
      options: ImportOptions(imageFolder: images.map { folder.file($0) }), isStrict: true
    ).run(
      for: dataset, sha256: "00", into: folder.file("back.h5"), replacing: true,
      advance: { _ in }, isInterrupted: { false })
    let reader = try PredictionsReader(folder.file("back.h5"))
    return try reader.predictions(0..<reader.frameCount).map(\.faces)
  }

  private func text(_ file: String) throws -> String {
    String(decoding: try folder.bytes(file), as: UTF8.self)
  }

  @Test func `CVAT has boxes, points, flags, identities and numbers`() throws {
    var faces = try (0..<4).map { [try Self.face($0)] }
    // CVAT says of every shape whether it is occluded.
    for index in faces.indices { faces[index][0].attributes = ["occluded": Double(index % 2)] }
    faces[1][0].isIgnored = true
    faces[2][0].isCrowd = true
    faces[2][0].identity = 12
    faces[3][0].attributes["blur"] = 0.1
    faces[3].append(FaceLabel(box: BoundingBox(x: 60, y: 1, width: 9, height: 9), category: 2))
    faces[3][1].attributes = ["occluded": 0]
    let source = try dataset(faces)
    #expect(try export("cvat", source).losses.isEmpty)
    let again = try importing("cvat", ["out/annotations.xml"])
    let first = try DatasetSnapshot(source)
    #expect(again.names == first.names && again.images == first.images)
    for (one, two) in zip(first.faces, again.faces) { #expect(one == two) }
  }

  @Test func `points of which some have no label have no place in CVAT, and are counted`() throws {
    let source = try dataset([[try Self.face(0, missing: true)]])
    let summary = try export("cvat", source, strict: false)
    #expect(
      summary.losses.map { "\($0.what): \($0.count)" } == [
        "landmarks of ibug68 of which some have no label: 1"
      ])
    #expect(try text("out/annotations.xml").contains("<points") == false)
  }

  @Test func `YOLO has boxes and points with flags, and data yaml tells what they are`() throws {
    let faces = try (0..<4).map { [try Self.face($0, scheme: .five, missing: true)] }
    var more = faces
    more[1] = []
    more[2].append(FaceLabel(box: BoundingBox(x: 60, y: 1, width: 9, height: 9), category: 2))
    more[3][0].landmarks = []
    let source = try dataset(more)
    #expect(try export("yolo", source).losses.isEmpty)
    #expect(
      try text("out/data.yaml") == """
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
    #expect(try folder.bytes("out/labels/sub/b.txt").isEmpty)
    let again = try importing("yolo", ["out"], images: "out/images")
    let first = try DatasetSnapshot(source)
    let order = first.names.indices.sorted { first.names[$0] < first.names[$1] }
    #expect(Set(again.names) == Set(first.names))
    for (position, name) in again.names.enumerated() {
      let own = try #require(order.first { first.names[$0] == name })
      #expect(first.faces[own] == again.faces[position])
    }
  }

  @Test func `images of one name and two endings get label files of their own`() throws {
    var made = MadeDataset()
    made.frames = ["a.png", "A.png", "a/b.png", "a.x.png", "a.png"].enumerated().map {
      MadeDataset.Still(
        name: $1, faces: [FaceLabel(box: BoundingBox(x: Double($0), y: 1, width: 5, height: 5))])
    }
    try made.write(to: folder.file("a.h5"))
    _ = try export("yolo", DatasetReader(folder.file("a.h5")), strict: false)
    let labels = try FileManager.default.subpathsOfDirectory(
      atPath: folder.file("out/labels").path
    ).filter { $0.hasSuffix(".txt") }
    #expect(
      labels.sorted() == ["A.txt", "a.txt", "a.x.txt", "a/b.txt", "frame-000004.txt"])
  }

  @Test func `Label Studio gets percents, named points and flags, and pre-labels with scores`()
    throws
  {
    var labels = [[try Self.face(0, scheme: .five)], []]
    labels[0][0].isIgnored = true
    labels[0][0].identity = 3
    let source = try dataset(labels)
    #expect(try export("label-studio", source).losses.isEmpty)
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
    #expect(box["x"] as? Double == stored.box.x / 100 * 100)
    #expect(box["height"] as? Double == stored.box.height / 80 * 100)
    #expect((results[1]["value"] as? [String: Any])?["choices"] as? [String] == ["ignore"])
    #expect((results[2]["value"] as? [String: Any])?["number"] as? Int == 3)
    let nose = try #require(results[5]["value"] as? [String: Any])
    #expect(nose["keypointlabels"] as? [String] == ["nose"])
    #expect(nose["y"] as? Double == stored.landmarks[0].points[2].y / 80 * 100)
    #expect(results[5]["parentID"] as? String == results[0]["id"] as? String)
    #expect(try text("out/interface.xml").contains("<Label value=\"right_mouth\"/>"))
    try FileManager.default.removeItem(at: folder.file("out"))

    let given = try predictions(
      [[Self.given(0, scheme: nil), Self.given(1, scheme: nil)], []], of: source)
    #expect(try export("label-studio", source, given).losses.isEmpty)
    let works = try #require(try self.tasks()[0]["predictions"] as? [[String: Any]])
    #expect(works.first?["model_version"] as? String == "theirs")
    let scores = try #require(works.first?["result"] as? [[String: Any]]).compactMap {
      $0["score"] as? Double
    }
    #expect(scores.map { Float($0) } == [0.9, 0.9 - 1 / 32])
  }

  private func tasks() throws -> [[String: Any]] {
    try #require(
      try JSONSerialization.jsonObject(with: Data(folder.bytes("out/tasks.json")))
        as? [[String: Any]])
  }

  @Test func `MOT has videos as folders with their rate, images and ground truth`() throws {
    var faces = try (0..<4).map { [try Self.face($0, scheme: nil)] }
    for index in faces.indices {
      faces[index][0].identity = index % 2
      faces[index][0].isIgnored = index == 2
    }
    faces[1].append(FaceLabel(box: BoundingBox(x: 60, y: 1, width: 9, height: 9), identity: 5))
    faces[3][0].attributes["visibility"] = 0.25
    let source = try dataset(faces, video: true)
    #expect(try export("mot", source).losses.isEmpty)
    #expect(
      try text("out/clip/seqinfo.ini") == """
        [Sequence]
        name=clip
        frameRate=25
        seqLength=4
        imDir=img1
        imWidth=100
        imHeight=80
        imExt=.png

        """)
    #expect(try text("out/clip/gt/gt.txt").hasPrefix("1,0,1.1"))
    let again = try importing("mot", ["out/clip/gt/gt.txt"])
    let first = try DatasetSnapshot(source)
    #expect(again.images == first.images && again.times == first.times)
    #expect(again.sequences == first.sequences && again.names == first.names)
    for (one, two) in zip(first.faces, again.faces) { #expect(one == two) }
  }

  @Test func `CVAT for video has a track per identity that ends where the face is gone`() throws {
    var faces = try (0..<6).map { [try Self.face($0, scheme: nil)] }
    for index in faces.indices { faces[index][0].identity = 7 }
    faces[2] = []
    faces[5] = []
    faces[3].append(FaceLabel(box: BoundingBox(x: 60, y: 1, width: 9, height: 9)))
    let source = try dataset(faces, video: true)
    let summary = try export("cvat-video", source, strict: false)
    #expect(
      summary.losses.map { "\($0.what): \($0.count)" } == [
        "faces without an identity, each a track of one frame: 1"
      ])
    let text = try text("out/clip/annotations.xml")
    let boxes = text.matches(of: /<box frame="(\d)" outside="(\d)"/).map { "\($0.1)\($0.2)" }
    #expect(boxes == ["00", "10", "21", "30", "40", "51", "30", "41"])
    #expect(text.matches(of: /<track id="(\d)"/).map { "\($0.1)" } == ["0", "1"])
    #expect(text.matches(of: /<attribute name="track_id">7</).count == 4)
    #expect(try folder.bytes("out/clip/img1/000001.png") == MadeDataset.image(0))
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
    try made.write(to: folder.file("a.h5"))
    let summary = try export("mot", DatasetReader(folder.file("a.h5")), strict: false)
    let losses = Dictionary(uniqueKeysWithValues: summary.losses.map { ($0.what, $0.count) })
    #expect(losses["names of videos that are not folder names"] == 5)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.file("out").path).sorted() == [
        "Same-3", "a-b", "clip.mp4", "same", "sequence-0", "sequence-4", "sequence-5",
      ])
    #expect(try folder.names == ["a.h5", "out"])
  }

  @Test(arguments: [
    ("coco", ["results.json", "images.json"]), ("wider-detections", [""]), ("yolo", [""]),
    ("mot", ["clip.txt"]),
  ])
  func `a tracker's output goes out and comes back the same`(
    name: String, files: [String]
  ) throws {
    let scheme: LandmarkScheme? = ["coco", "yolo"].contains(name) ? .ibug68 : nil
    let source = try dataset([[], [], [], []], video: name == "mot")
    var faces = try (0..<4).map { index in
      [
        try Self.given(index, scheme: scheme, identity: name == "wider-detections" ? nil : index),
        try Self.given(
          index + 4, scheme: scheme, identity: name == "wider-detections" ? nil : index + 2),
      ]
    }
    faces[2] = []
    let given = try predictions(faces, of: source)
    let summary = try export(name, source, given)
    #expect(summary.losses.isEmpty, "\(summary.losses)")
    #expect(summary.faces == 6 && summary.frames == 4)
    #expect(summary.images == (name == "yolo" ? 4 : 0))
    let again = try self.faces(
      name, files.map { $0.isEmpty ? "out" : "out/\($0)" }, of: source,
      images: name == "yolo" ? "out/images" : nil)
    for (one, two) in zip(faces, again) {
      #expect(one.count == two.count)
      for (own, other) in zip(one, two) {
        #expect(own.box == other.box)
        #expect(own.detectionScore == other.detectionScore && own.identity == other.identity)
        #expect(own.points.map { [$0.x, $0.y] } == other.points.map { [$0.x, $0.y] })
      }
    }
  }

  @Test func `what predictions have besides faces is counted, and refused when strict`() throws {
    let source = try dataset([[], []])
    var face = try Self.given(0, scheme: nil)
    face.presence = 0.25
    face.blendshapes = Array(repeating: 0.5, count: 52)
    var bare = try Self.given(1, scheme: nil)
    bare.detectionScore = nil
    let given = try predictions([[face], [bare]], of: source)
    let refusal = #expect(throws: FileError.self) { try export("coco", source, given) }
    #expect(refusal?.kind == .wrongData)
    let summary = try export("coco", source, given, strict: false)
    #expect(
      summary.losses.map { "\($0.what): \($0.count)" } == [
        "attributes 'presence': 1", "blendshapes: 1", "faces without a score, which get 1: 1",
      ])
    #expect(try text("out/results.json").contains("\"score\":1}"))
  }

  @Test func `points that are not wanted are no loss`() throws {
    let source = try dataset([[try Self.face(0, missing: true)]])
    var plan = DatasetExport(CVATExport(), isStrict: true)
    (plan.writesPoints, plan.writesImages) = (false, false)
    let summary = try plan.run(
      over: source, to: folder.file("out"), advance: { _ in }, isInterrupted: { false })
    #expect(summary.losses.isEmpty && summary.faces == 1 && summary.images == 0)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.file("out").path)
        == ["annotations.xml"])
    #expect(try text("out/annotations.xml").contains("<points") == false)
  }

  @Test func `what a format has no place for is refused in a line`() throws {
    let source = try dataset([[MadeDataset.face()]])
    let stills = #expect(throws: FileError.self) { try export("mot", source) }
    #expect(stills?.description.hasSuffix("which is what the format holds, found stills") == true)
    let labels = #expect(throws: FileError.self) { try export("wider-detections", source) }
    #expect(labels?.description.contains("expected a tracker's output") == true)
    let other = try predictions([[], []], of: source)
    let count = #expect(throws: FileError.self) { try export("coco", source, other) }
    #expect(count?.description.hasSuffix("found 2") == true)
    #expect(try folder.names == ["a.h5", "p.h5"])
  }

  @Test func `the lines between points join each of the scheme's own points`() throws {
    for (scheme, count) in [(LandmarkScheme.ibug68, 63), (.mediapipe478, 132)] {
      let source = try dataset([[try Self.face(0, scheme: scheme)]])
      _ = try export("coco", source)
      let file = try #require(
        try JSONSerialization.jsonObject(with: Data(folder.bytes("out/labels.json")))
          as? [String: Any])
      let category = try #require((file["categories"] as? [[String: Any]])?.first)
      let edges = try #require(category["skeleton"] as? [[Int]])
      #expect(edges.count == count)
      #expect(edges.allSatisfy { $0.count == 2 && $0.allSatisfy((1...scheme.count).contains) })
      try FileManager.default.removeItem(at: folder.file("out"))
    }
  }
}
