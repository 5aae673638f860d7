import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// Labels of several formats on the frames of clips that ffmpeg made.
@Suite(.enabled(if: Clip.isPossible, Clip.absence)) struct LabelledVideoTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A clip of 12 frames of 48 × 32 pixels at 25 a second.
  private func clip(_ name: String = "a.mov", seed: UInt64 = 1) throws -> URL {
    try Clip(12, seed: seed).write(to: folder.file(name), Clip.lossless)
    return folder.file(name)
  }

  private struct Imported {
    let dataset: DatasetReader
    let remarks: [String]

    var faces: [[FaceLabel]] { get throws { try dataset.labels(0..<dataset.frameCount) } }
    /// Left edges of the boxes of each frame; of an unlabelled one nil.
    var edges: [[Double]?] {
      get throws {
        try faces.map { $0.contains(where: \.isCrowd) ? nil : $0.map { $0.box.x.rounded() } }
      }
    }
  }

  private func importing(
    _ format: any DatasetFormat, _ sources: [String], on videos: [URL], key: FrameKey? = nil,
    offset: FrameOffset = .frames(0), firstNumber: Int? = nil, fps: Double? = nil,
    columns: String? = nil
  ) throws -> Imported {
    let output = folder.file("out.h5")
    var labels = LabelledVideo(format, on: videos, staging: folder.file("staging"))
    labels.key = key
    labels.offset = offset
    labels.firstNumber = firstNumber
    var options = ImportOptions(framesPerSecond: fps)
    options.columns = try columns.map { try ColumnMapping(text: $0) }
    let plan = DatasetImport(
      format: labels, sources: sources.map(folder.file), options: options, isStrict: false)
    let remarks = try plan.run(
      into: DatasetWriter(output, name: "a", replacing: true), advance: { _ in },
      isInterrupted: { false })
    #expect(!folder.file("staging").isThere)
    let dataset = try DatasetReader(output)
    let validation = try DatasetValidation(of: dataset)
    #expect(!validation.hasErrors, "\(validation.findings)")
    return Imported(
      dataset: dataset, remarks: remarks.map { ($0.isLoss ? "lost: " : "") + $0.text })
  }

  /// COCO with a box of x = 2 · the frame in each of some frames, whose names a closure makes.
  private func coco(
    _ frames: some Swift.Sequence<Int>, to name: String = "coco.json", named: (Int) -> String
  ) throws {
    let list = Array(frames)
    let images = list.map {
      "{\"id\":\($0),\"file_name\":\"\(named($0))\",\"width\":48,\"height\":32}"
    }
    let rows = list.map {
      "{\"id\":\($0),\"image_id\":\($0),\"category_id\":1,\"bbox\":[\(2 * $0),3,8,9],\"track_id\":0}"
    }
    try folder.write(
      "{\"images\":[\(images.joined(separator: ","))],\"annotations\":[\(rows.joined(separator: ","))],"
        + "\"categories\":[{\"id\":1,\"name\":\"face\"}]}", to: name)
  }

  private static let all: [[Double]?] = (0..<12).map { [Double(2 * $0)] }

  @Test func `frames keep the clip's pixels, times and sequence, and get their labels`() throws {
    let file = try clip()
    try coco(0..<12) { "frame_00000\($0).jpg" }
    let read = try importing(COCOJSON(), ["coco.json"], on: [file])
    let bare = try ImportedClip([file], to: folder.file("bare.h5"))
    #expect(read.dataset.sequences == bare.dataset.sequences)
    #expect(try read.dataset.frames(0..<12) == bare.dataset.frames(0..<12))
    for frame in 0..<12 {
      guard case .encoded(let own) = try read.dataset.image(frame),
        case .encoded(let other) = try bare.dataset.image(frame)
      else {
        Issue.record("expected images as they came")
        return
      }
      #expect(Array(own) == Array(other))
    }
    #expect(try read.edges == Self.all)
    #expect(try read.faces.allSatisfy { $0[0].identity == 0 })
    #expect(read.dataset.isLabelled)
    #expect(
      read.remarks.contains(
        "labels joined to frames of the videos by number, one sequence, the first frame of a video being 0: "
          + "12 of 12 frames are labelled"))
  }

  @Test(arguments: [0, 1])
  func `numbers tell whether the first is 0 or 1`(base: Int) throws {
    let file = try clip()
    try coco(0..<12) { "img-\($0 + base)_jpg.rf.0a1b2c3d4.jpg" }
    let read = try importing(COCOJSON(), ["coco.json"], on: [file])
    #expect(try read.edges == Self.all)
    #expect(read.remarks.contains { $0.contains("the first frame of a video being \(base)") })
  }

  @Test func `numbers that do not tell the first one are refused, unless it is stated`() throws {
    let file = try clip()
    try coco([2, 4, 6]) { "\($0).png" }
    let error = #expect(throws: FileError.self) {
      try importing(COCOJSON(), ["coco.json"], on: [file])
    }
    #expect(error?.description.contains("found numbers from 2 to 6 (--first-number)") == true)
    for first in [0, 1] {
      let read = try importing(COCOJSON(), ["coco.json"], on: [file], firstNumber: first)
      #expect(try read.edges[2 - first] == [4])
      #expect(try read.edges.count { $0 == nil } == 9)
    }
    // Names like those of frames, but for the extension, may count from 1.
    try coco([2, 4, 6]) { "a/00000\($0).png" }
    #expect(throws: FileError.self) { try importing(COCOJSON(), ["coco.json"], on: [file]) }
    let named = try importing(COCOJSON(), ["coco.json"], on: [file], key: .name)
    #expect(try named.edges[2] == [4])
    // All of them have names of frames but the last, and each is one off.
    try coco(0..<12) { "a.mov/\($0 + 1).png" }
    let next = try importing(COCOJSON(), ["coco.json"], on: [file], key: .name)
    #expect(try next.edges[1] == [0])
    #expect(next.remarks.contains { $0.hasSuffix("(--join number)") })
    #expect(try importing(COCOJSON(), ["coco.json"], on: [file]).edges == Self.all)
    try coco([0, 40]) { "\($0).png" }
    #expect(throws: FileError.self) { try importing(COCOJSON(), ["coco.json"], on: [file]) }
  }

  @Test func `frames that the labels do not list do not count as empty, where they list images`()
    throws
  {
    let file = try clip()
    try coco([0, 5, 10]) { "a.mov/\($0).jpg" }
    let read = try importing(COCOJSON(), ["coco.json"], on: [file])
    #expect(try read.edges.enumerated().allSatisfy { ($1 == nil) != [0, 5, 10].contains($0) })
    let region = try read.faces[1]
    #expect(region.count == 1 && region[0].isIgnored && region[0].isCrowd)
    #expect(region[0].box == BoundingBox(x: -48, y: -32, width: 144, height: 96))
    #expect(
      read.remarks.contains {
        $0.hasPrefix("9 of 12 frames of the videos are not in the labels: they are not labelled")
      })
    #expect(read.remarks.contains { $0.contains("by names") || $0.contains("by whole names") })
  }

  @Test func `mot's frames without a row have nobody`() throws {
    let file = try clip()
    try folder.write("1,0,1,4,8,9,1,1,1\n3,0,5,4,8,9,1,1,1\n", to: "gt.txt")
    let read = try importing(MOTChallenge(), ["gt.txt"], on: [file])
    #expect(try read.edges == [[0], [], [4]] + Array(repeating: [], count: 9))
    #expect(read.remarks.contains { $0.hasSuffix("nobody is there, as mot lists every face") })
  }

  @Test func `text files of fractions and points need no images`() throws {
    let file = try clip()
    for number in [0, 11] {
      try folder.write(
        "0 \((Double(2 * number) + 4) / 48) 0.25 \(8.0 / 48) 0.25\n", to: "yolo/a_\(number).txt")
      try folder.write(
        "version: 1\nn_points: 5\n{\n"
          + [(1, 1), (9, 1), (5, 5), (2, 9), (8, 9)].map {
            "\($0.0 + 2 * number) \($0.1)\n"
          }.joined() + "}\n", to: "pts/a_\(number).pts")
    }
    #expect(YOLOText().recognises(folder.file("yolo")) != nil)
    let yolo = try importing(YOLOText(), ["yolo"], on: [file])
    #expect(try yolo.edges == [[0]] + Array(repeating: [], count: 10) + [[22]])
    let points = try importing(PointsFolder(), ["pts"], on: [file])
    #expect(try points.edges == [[0]] + Array(repeating: nil, count: 10) + [[22]])
  }

  @Test func `times place labels of another rate`() throws {
    let file = try clip()
    // Every fifth frame of 25 a second, numbered from 1 as ffmpeg writes images.
    try coco(0..<3) { "\($0 + 1).jpg" }
    let read = try importing(COCOJSON(), ["coco.json"], on: [file], key: .time, fps: 5)
    #expect(try read.edges[0] == [0] && read.edges[5] == [2] && read.edges[10] == [4])
    let moved = try importing(
      COCOJSON(), ["coco.json"], on: [file], key: .time, offset: .seconds(0.04), fps: 5)
    #expect(try moved.edges[1] == [0] && moved.edges[6] == [2])
    let error = #expect(throws: FileError.self) {
      try importing(COCOJSON(), ["coco.json"], on: [file], key: .time)
    }
    #expect(error?.description.contains("--fps") == true)
  }

  @Test func `fractions become pixels of the frames`() throws {
    let file = try clip()
    let rows = (0..<12).map { "\($0),\(Double(2 * $0) / 48),0.25,0.2,0.25\n" }
    try folder.write("n,x,y,w,h\n" + rows.joined(), to: "a.csv")
    let read = try importing(
      CSVColumns(), ["a.csv"], on: [file], columns: "frame=n,x=x,y=y,w=w,h=h,space=relative")
    #expect(try read.edges == Self.all)
    #expect(try read.faces[3][0].box.height == 8)
  }

  @Test func `the subject of the labels is that of the video`() throws {
    let file = try clip()
    let rows = (0..<12).map { "\($0),\(2 * $0),3,8,9,Ada\n" }
    try folder.write("n,x,y,w,h,who\n" + rows.joined(), to: "a.csv")
    let read = try importing(
      CSVColumns(), ["a.csv"], on: [file], columns: "frame=n,x=x,y=y,w=w,h=h,subject=who")
    #expect(try read.edges == Self.all)
    #expect(read.dataset.sequences.map(\.subject) == ["Ada"])
  }

  @Test func `labels that have times and no numbers are placed by them`() throws {
    let file = try clip()
    try folder.write("t,x,y,w,h\n0,0,3,8,9\n0.2,10,3,8,9\n0.4,20,3,8,9\n", to: "a.csv")
    let read = try importing(
      CSVColumns(), ["a.csv"], on: [file], columns: "time=t,x=x,y=y,w=w,h=h")
    #expect(try read.edges[0] == [0] && read.edges[5] == [10] && read.edges[10] == [20])
    #expect(try read.edges.count { $0 == nil } == 9)
    // Live Link writes 30 rows a second, of each second frame of a video of 60.
    let take = (0..<3).map { LiveLinkTests.row("10:20:30:\(10 + 12 * $0).000") }
    try folder.write(LiveLinkTests.text(take), to: "take.csv")
    let coefficients = try importing(LiveLinkCSV(), ["take.csv"], on: [file], fps: 60)
    let known = try coefficients.faces.map { $0.contains { $0.blendshapes != nil } }
    #expect(known.indices.filter { known[$0] } == [0, 5, 10])
  }

  @Test func `times in another unit are named, and put nothing on wrong frames`() throws {
    let file = try clip()
    let rows = (0..<12).map { "\(40 * $0),\(2 * $0),3,8,9\n" }
    try folder.write("t,x,y,w,h\n" + rows.joined(), to: "a.csv")
    let columns = "time=t,x=x,y=y,w=w,h=h"
    let error = #expect(throws: FileError.self) {
      try importing(CSVColumns(), ["a.csv"], on: [file], columns: columns)
    }
    #expect(error?.description.contains("time-unit=ms in --columns") == true)
    let read = try importing(
      CSVColumns(), ["a.csv"], on: [file], columns: columns + ",time-unit=ms")
    #expect(try read.edges == Self.all)
  }

  /// A task of Label Studio with a rectangle that moves from an edge to another, in percent.
  private func labelStudio(frames: Int, until frame: Int, _ x: Double) throws {
    func key(_ frame: Int, _ x: Double) -> String {
      "{\"frame\": \(frame), \"enabled\": true, \"x\": \(x * 100 / 48), \"y\": 10, "
        + "\"width\": 20, \"height\": 25}"
    }
    let value =
      "{\"framesCount\": \(frames), \"duration\": 0.48, \"labels\": [\"face\"], "
      + "\"sequence\": [\(key(1, 0)), \(key(frame, x))]}"
    try folder.write(
      "[{\"data\": {\"video\": \"a.mov\"}, \"annotations\": [{\"result\": ["
        + "{\"type\": \"videorectangle\", \"value\": \(value)}, "
        + "{\"type\": \"timelinelabels\", \"value\": \(value)}]}]}]", to: "ls.json")
  }

  @Test func `Label Studio's keyframes are at their times in the video, in its pixels`() throws {
    let file = try clip()
    try labelStudio(frames: 12, until: 12, 22)
    let same = try importing(LabelStudioJSON(), ["ls.json"], on: [file])
    #expect(try same.edges == Self.all)
    // 12.5 frames a second: the sixth is the video's eleventh, after which the rectangle stays.
    try labelStudio(frames: 6, until: 6, 20)
    let other = try importing(LabelStudioJSON(), ["ls.json"], on: [file])
    #expect(try other.edges == Array(Self.all.prefix(11)) + [[20]])
    #expect(
      other.remarks.contains { $0.contains("12.5 frames per second, and are put on the 25 of") })
  }

  @Test func `a turned rectangle of Label Studio is turned in pixels of the video`() throws {
    let file = try clip()
    try folder.write(
      "[{\"data\": {\"video\": \"a.mov\"}, \"annotations\": [{\"result\": ["
        + "{\"type\": \"videorectangle\", \"value\": {\"framesCount\": 12, \"duration\": 0.48, "
        + "\"labels\": [\"face\"], \"sequence\": [{\"frame\": 1, \"enabled\": true, \"x\": 50, "
        + "\"y\": 25, \"width\": 25, \"height\": 25, \"rotation\": 90}]}}]}]}]", to: "ls.json")
    let read = try importing(LabelStudioJSON(), ["ls.json"], on: [file])
    let boxes = try read.faces.compactMap { $0.first?.box }
    #expect(boxes.count == 12)
    // 12 by 8 pixels at 24, 8; stored as 32-bit numbers.
    for box in boxes {
      for (value, expected) in zip([box.x, box.y, box.width, box.height], [16.0, 8, 8, 12]) {
        #expect(abs(value - expected) < 1e-4)
      }
    }
    #expect(!read.remarks.contains { $0.contains("turned boxes") })
  }

  @Test func `names tell which of several videos labels are of`() throws {
    let files = [try clip("a.mov"), try clip("b.mov", seed: 2)]
    try coco(0..<25) { $0 < 12 ? "a/\($0).jpg" : $0 < 24 ? "b_\($0 - 12).jpg" : "c_0.jpg" }
    let read = try importing(COCOJSON(), ["coco.json"], on: files)
    #expect(try read.edges == (0..<24).map { [Double(2 * $0)] })
    #expect(read.dataset.sequences.map(\.name) == ["a.mov", "b.mov"])
    #expect(
      read.remarks.contains(
        "lost: 1 labelled frames left out whose names are of none of the videos, the first is 'c_0.jpg'"
      )
    )
    try coco(0..<24) { "x\($0 / 12)/\($0 % 12).jpg" }
    let error = #expect(throws: FileError.self) {
      try importing(COCOJSON(), ["coco.json"], on: files)
    }
    #expect(error?.description.contains("expected names with that of a video") == true)
  }

  @Test func `what is no video, and labels of nothing, are refused`() throws {
    try folder.write("x", to: "a.txt")
    #expect(throws: FileError.self) { try LabelledVideo.videos(in: [folder.file("a.txt")]) }
    #expect(throws: FileError.self) { try LabelledVideo.videos(in: [folder.file("none.mp4")]) }
    let file = try clip("deep.mov")
    #expect(try LabelledVideo.videos(in: [folder.url]).map(\.lastPathComponent) == ["deep.mov"])
    try coco([0]) { _ in "nobody.jpg" }
    let error = #expect(throws: FileError.self) {
      try importing(COCOJSON(), ["coco.json"], on: [file])
    }
    #expect(error?.description.contains("expected a number in each name (or --join)") == true)
    #expect(!folder.file("out.h5").isThere && !folder.file("staging").isThere)
  }
}
