import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// Tracks of CVAT for video, made here.
@Suite struct CVATTrackTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func read(_ text: String, meta: String = "<size>6</size>") throws -> (
    frames: [ImportedFrame], remarks: [String]
  ) {
    let file = try folder.write(
      "<annotations><meta><task>\(meta)<source>clip.mp4</source><original_size><width>64</width>"
        + "<height>48</height></original_size></task></meta>\(text)</annotations>",
      to: "clip.xml")
    return try readAll(CVATXML(), [file])
  }

  private static func box(_ frame: Int, _ x: Double, isOutside: Bool = false) -> String {
    "<box frame=\"\(frame)\" keyframe=\"1\" outside=\"\(isOutside ? 1 : 0)\" occluded=\"0\" xtl=\"\(x)\" "
      + "ytl=\"2\" xbr=\"\(x + 10)\" ybr=\"22\"/>"
  }

  @Test func `boxes move between keyframes, leave outside, and the last one stays`() throws {
    let read = try read(
      "<track id=\"7\" label=\"face\">\(Self.box(0, 0))\(Self.box(2, 8))"
        + "\(Self.box(3, 8, isOutside: true))</track>"
        + "<track id=\"9\" label=\"face\">\(Self.box(4, 30))</track>")
    #expect(read.frames.map(\.number) == [0, 1, 2, 3, 4, 5])
    #expect(read.frames.map(\.name) == (0..<6).map { "clip.mp4/\($0)" })
    #expect(read.frames.map { $0.faces.map(\.box.x) } == [[0], [4], [8], [], [30], [30]])
    #expect(read.frames.map { $0.faces.map(\.identity) } == [[7], [7], [7], [], [9], [9]])
    #expect(read.frames[0].begins?.name == "clip.mp4" && read.frames[0].begins?.kind == .video)
    #expect(read.frames.dropFirst().allSatisfy { $0.begins == nil })
    #expect(read.frames.allSatisfy { $0.statedSize == ImageSize(width: 64, height: 48) })
    #expect(read.remarks.contains("clip.mp4: 2 shapes between those of the file are interpolated"))
    #expect(read.remarks.contains("tracks are identities"))
  }

  @Test func `a box of a track that has another one at the frame is counted as left out`() throws {
    let read = try read(
      "<track id=\"7\" label=\"face\">\(Self.box(0, 0))\(Self.box(0, 30))\(Self.box(1, 8))"
        + "\(Self.box(1, 8, isOutside: true))</track>", meta: "<size>2</size>")
    #expect(read.frames[0].faces.count == 1)
    #expect(
      read.remarks.filter { $0.contains("left out") } == [
        "lost: clip.mp4: 1 shapes left out, whose track has another one at the same frame"
      ])
  }

  @Test func `a clip without a track has frames without faces`() throws {
    let clip = "<size>3</size><mode>interpolation</mode>"
    let alone = try read("", meta: clip)
    #expect(alone.frames.map(\.name) == (0..<3).map { "clip.mp4/\($0)" })
    #expect(alone.frames.allSatisfy { $0.faces.isEmpty })
    #expect(alone.frames[0].begins?.name == "clip.mp4")
    let track = "<track id=\"0\" task_id=\"1\" label=\"face\">\(Self.box(0, 0))</track>"
    let both = try read(
      track,
      meta: "<id>1</id><name>one</name>\(clip)</task><task><id>2</id>\(clip)")
    #expect(both.frames.compactMap(\.begins?.name) == ["one", "clip.mp4"])
    #expect(both.frames.map(\.faces.count) == [1, 1, 1, 0, 0, 0])
    #expect(throws: FileError.self) {
      try read("", meta: "<size>3</size><mode>annotation</mode>")
    }
  }

  @Test func `the labels of all files tell which are faces, not those of each`() throws {
    func clip(_ name: String, _ labels: [String]) throws -> URL {
      let tracks = labels.enumerated().map { number, label in
        "<track id=\"\(number)\" label=\"\(label)\">\(Self.box(0, 0))</track>"
      }
      return try folder.write(
        "<annotations><meta><task><size>1</size></task></meta>\(tracks.joined())</annotations>",
        to: name)
    }
    let hands = try clip("hands.xml", ["hand"])
    let both = try clip("both.xml", ["face", "hand"])
    let objects = try readAll(CVATXML(), [hands, both])
    #expect(objects.frames.map { $0.faces.map { $0.category == 1 } } == [[false], [true, false]])
    #expect(objects.frames[0].faces[0].category == objects.frames[1].faces[1].category)
    #expect(objects.remarks.contains("of 2 labels 'face' is a face"))
    let error = #expect(throws: FileError.self) {
      try readAll(CVATXML(), [hands, try clip("people.xml", ["person"])])
    }
    #expect(error?.description.contains("found 1 'hand', 2 'person'") == true)
    let masks = try clip("masks.xml", ["mask"])
    let named = try readAll(
      CVATXML(), [masks, try clip("bare.xml", ["bare"])], ImportOptions(categories: ["mask"]))
    #expect(named.frames.map { $0.faces.map { $0.category == 1 } } == [[true], [false]])
  }

  @Test func `frames of a filtered task have the numbers of the clip`() throws {
    let read = try read(
      "<track id=\"0\" label=\"face\">\(Self.box(10, 0))\(Self.box(20, 10))</track>",
      meta:
        "<size>3</size><start_frame>10</start_frame><stop_frame>20</stop_frame><frame_filter>step=5</frame_filter>"
    )
    #expect(read.frames.map(\.number) == [10, 15, 20])
    #expect(read.frames.map { $0.faces.map(\.box.x) } == [[0], [5], [10]])
  }

  @Test func `points of a skeleton have names, move, and may be hidden or outside`() throws {
    let names = ["right_eye", "left_eye", "nose", "right_mouth", "left_mouth"]
    let places = [(20.0, 10.0), (30, 10), (25, 15), (21, 20), (29, 20)]
    func skeleton(_ frame: Int, move: Double) -> String {
      let points = zip(names, places).reversed().map { name, place in
        "<points label=\"\(name)\" outside=\"\(name == "nose" ? 1 : 0)\" "
          + "occluded=\"\(name == "left_eye" ? 1 : 0)\" points=\"\(place.0 + move),\(place.1)\"/>"
      }
      return "<skeleton frame=\"\(frame)\" keyframe=\"1\">\(points.joined())</skeleton>"
    }
    let read = try read(
      "<track id=\"1\" label=\"face\">\(skeleton(0, move: 0))\(skeleton(2, move: 4))</track>",
      meta: "<size>3</size>")
    let face = try #require(read.frames[1].faces.first)
    let set = try #require(face.landmarks.first)
    #expect(set.scheme == .five && face.identity == 1)
    #expect(set.visibility == [.visible, .occluded, .notLabelled, .visible, .visible])
    #expect(set.points[0] == Point(x: 22, y: 10) && set.points[4] == Point(x: 31, y: 20))
    #expect(face.box == BoundingBox(x: 22, y: 10, width: 10, height: 10))
  }

  @Test func `a small file of many tasks does not make many frames`() throws {
    let tasks = (0..<9).map {
      "<task><id>\($0)</id><size>1048576</size><mode>interpolation</mode></task>"
    }
    let tracks = (0..<9).map { number in
      "<track id=\"\(number)\" label=\"face\" task_id=\"\(number)\">\(Self.box(0, 0))</track>"
    }
    for shown in [tracks, []] {
      let file = try folder.write(
        "<annotations><meta>\(tasks.joined())</meta>\(shown.joined())</annotations>", to: "a.xml")
      let error = #expect(throws: FileError.self) {
        try CVATXML().read([file], options: ImportOptions()) { _ in }
      }
      #expect(
        error?.description.hasSuffix(
          "expected at most 8388608 frames of all tasks, found 9437184") == true)
    }
  }

  @Test func `a small file does not make many frames or shapes`() throws {
    let last = 2_000_000_000
    let track = "<track id=\"0\" label=\"face\">\(Self.box(0, 0))\(Self.box(last, 8))</track>"
    for (meta, message) in [
      ("", "expected at most 1048576 frames"), ("<size>1000000</size>", "interpolated shapes"),
    ] {
      let error = #expect(throws: FileError.self) { try read(track, meta: meta) }
      #expect(error?.description.contains(message) == true)
    }
  }
}
