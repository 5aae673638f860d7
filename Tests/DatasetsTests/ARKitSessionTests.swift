import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

@Suite struct ARKitSessionTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func read(
    _ text: String, _ options: ImportOptions = ImportOptions()
  ) throws -> (frames: [ImportedFrame], remarks: [String]) {
    try readAll(ARKitSession(), [folder.write(text, to: "take.json")], options)
  }

  private static let header = #"{"schema": "facegauge.arkit", "version": 1, "name": "t"}"#
  private static let identity = "[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]"

  private static func face(
    transform: String = identity, shapes: String = "{}", more: String = ""
  ) -> String {
    #"{"identifier": "A", "isTracked": true, "transform": \#(transform), "#
      + #""blendShapes": \#(shapes)\#(more)}"#
  }

  private static func frame(_ seconds: Double, faces: String = "", more: String = "") -> String {
    #"{"timestamp": \#(seconds), "faces": [\#(faces)]\#(more)}"#
  }

  @Test func `poses, box and mesh of a session are those that numpy computes`() throws {
    let expected = try TrackerOutputs.load().arkit
    let read = try read(expected.text)
    #expect(read.frames.count == 5)
    for (frame, matrix) in zip(read.frames, expected.poses) where frame.number != 2 {
      let pose = try #require(frame.faces.first?.pose)
      for lane in 0..<16 { #expect(abs(pose.matrix[lane] - matrix[lane]) < 1e-4) }
    }
    let face = try #require(read.frames[0].faces.first)
    let box = [face.box.x, face.box.y, face.box.width, face.box.height]
    for (own, other) in zip(box, expected.box) { #expect(abs(own - other) < 1e-3) }
    let sum = try #require(face.arkitMesh).reduce(0) {
      $0 + Double($1.x) + Double($1.y) + Double($1.z)
    }
    #expect(abs(sum - expected.mesh) < 1e-9)
    #expect(abs((face.attributes["leftEyeYaw"] ?? 0) - expected.eye[0]) < 1e-9)
    #expect(abs(face.attributes["leftEyePitch"] ?? 1) < 1e-9)
    #expect(face.attributes["leftEyeX"] == expected.eye[1] && face.attributes["lookAtZ"] == 0.3)
  }

  @Test func `isTracked false is no face of its frame, and a repeated time no frame`() throws {
    let read = try read(TrackerOutputs.load().arkit.text)
    #expect(read.frames.map(\.faces.count) == [1, 1, 0, 1, 1])
    #expect(
      read.frames.map { $0.context.attributes["facesNotTracked"] } == [0, 0, 1, 0, 0])
    #expect(
      read.remarks.dropFirst() == [
        "take: times count from its first frame, at 81234.5 s of the session, which attribute "
          + "sessionSeconds of the frames keeps",
        "take: 5 frames have labels and no image",
        "take: 1 faces with isTracked false are left out: anchors remain when a face is lost",
        "take: 1 boxes are the tight boxes of the projected mesh",
        "take: 3 faces have no box: a mesh, intrinsics or a camera transform is missing",
        "take: 2 of 5 frames have a depth map, one every 66.7 ms (median)",
        "take: at the vertices of the mesh depth maps are 21.7 cm farther than the mesh (median of 1 face)",
        "take: 3 of 51 coefficients are given, missing are browDownRight, browInnerUp, browOuterUpLeft, "
          + "browOuterUpRight, cheekPuff, cheekSquintLeft, cheekSquintRight, eyeBlinkLeft and 40 more",
        "take: tongueOut, ARKit's 52nd coefficient, is an attribute; _neutral, MediaPipe's 52nd, stays unlabelled",
        "lost: take: 1 frames whose time does not rise",
      ])
  }

  @Test func `times in milliseconds are refused, and those of a slow recording are not`() throws {
    func text(_ header: String, step: Double) -> String {
      let frames = (0..<40).map { Self.frame(81_234 + step * Double($0)) }
      return ([header] + frames).joined(separator: "\n")
    }
    func header(_ fps: String) -> String { Self.header.replacing("}", with: ", \"fps\": \(fps)}") }
    for line in [Self.header, header("60")] {
      let error = #expect(throws: FileError.self) { try read(text(line, step: 1000.0 / 60)) }
      #expect(
        error?.description.contains(
          "expected timestamps in seconds, found frames that are 16.7 s apart") == true)
      #expect(try read(text(line, step: 1.0 / 60)).frames.count == 40)
    }
    #expect(try read(text(header("0.1"), step: 10)).frames.count == 40)
  }

  @Test func `the anchors of different takes are different people`() throws {
    let take = [
      #"{"schema": "facegauge.arkit", "version": 1}"#,
      Self.frame(1, faces: Self.face(shapes: #"{"jawOpen": 0.5}"#)),
      Self.frame(1.25, faces: Self.face(shapes: #"{"jawOpen": 0.25}"#)),
    ]
    let sources = try ["one.json", "two.json"].map {
      try folder.write(take.joined(separator: "\n"), to: $0)
    }
    _ = try DatasetImport(
      format: ARKitSession(), sources: sources, options: ImportOptions(), isStrict: false
    ).run(
      into: DatasetWriter(folder.file("a.h5"), name: "a", replacing: false),
      advance: { _ in }, isInterrupted: { false })
    let labels = try DatasetReader(folder.file("a.h5")).labels(0..<4)
    #expect(labels.map { $0.map(\.identity) } == [[0], [0], [1], [1]])
  }

  @Test func `depth on every fourth frame, camera, light and mesh survive the file`() throws {
    let source = try folder.write(TrackerOutputs.load().arkit.text, to: "take.json")
    let url = folder.file("a.h5")
    let writer = try DatasetWriter(url, name: "a", replacing: false)
    _ = try DatasetImport(
      format: ARKitSession(), sources: [source], options: ImportOptions(), isStrict: false
    ).run(into: writer, advance: { _ in }, isInterrupted: { false })
    let dataset = try DatasetReader(url)
    let depth = try (0..<5).map { try dataset.depth($0) }
    #expect(depth.map { $0 != nil } == [true, false, false, false, true])
    let map = try #require(depth[4])
    #expect(map.width == 4 && map.height == 3 && map.metres[11] == 1.375 && map.metres[6].isNaN)
    let contexts = try dataset.contexts(0..<5)
    #expect(contexts[0].intrinsics == [1436.5, 0, 719.25, 0, 1436.5, 540.75, 0, 0, 1])
    #expect(contexts[1].cameraTransform?[3] == 0.01 && contexts[1].cameraTransform?[15] == 1)
    #expect(
      contexts[0].attributes == [
        "sessionSeconds": 81234.5, "ambientIntensity": 1000.5, "ambientColorTemperature": 5500,
        "cameraWidth": 1440, "cameraHeight": 1080, "facesNotTracked": 0,
      ])
    let labels = try dataset.labels(0..<5)
    #expect(
      try labels[0][0].arkitMesh == readAll(ARKitSession(), [source]).frames[0].faces[0].arkitMesh
    )
    #expect(labels[1][0].arkitMesh == nil)
    let shapes = try #require(labels[4][0].blendshapes)
    #expect(shapes[Blendshape.browDownLeft.index] == 0.25 && shapes[Blendshape.neutral.index].isNaN)
    #expect(
      shapes[Blendshape.jawOpen.index] == 0.4 && labels[4][0].attributes["tongueOut"] == 0.125)
    let text = try FileContents(of: url).text
    #expect(text.contains("depth_maps    2\n"))
    #expect(text.contains("frame_labels  camera intrinsics, camera transform, ambientColor"))
    #expect(try DatasetValidation(of: dataset).hasErrors == false)
    #expect(
      try dataset.frames(0..<5).map(\.timestampMicroseconds) == [0, 16667, 33333, 50000, 66667])
  }

  @Test func `a transform by rows is refused, because the translation is its last column`()
    throws
  {
    let byRows = "[[1,0,0,0.1],[0,1,0,0.2],[0,0,1,-0.4],[0,0,0,1]]"
    let error = #expect(throws: FileError.self) {
      try read(Self.header + "\n" + Self.frame(1, faces: Self.face(transform: byRows)))
    }
    #expect(
      error?.line(from: folder)
        == "cannot read take.json, line 2: expected a face's transform as 4 columns of a rotation and "
        + "a translation, whose last numbers are 0, 0, 0, 1, found [0.1, 0.2, -0.4, 1.0]")
  }

  @Test func `a face without a camera transform keeps its coefficients and loses its pose`() throws
  {
    let read = try read(
      Self.header + "\n"
        + Self.frame(1, faces: Self.face(shapes: #"{"eyeBlink_R": 1.25, "puff": 1}"#)))
    let face = try #require(read.frames[0].faces.first)
    #expect(face.pose == nil && face.blendshapes?[Blendshape.eyeBlinkRight.index] == 1.25)
    #expect(
      read.remarks.suffix(3) == [
        "t: 1 of 51 coefficients are given, missing are browDownLeft, browDownRight, browInnerUp, "
          + "browOuterUpLeft, browOuterUpRight, cheekPuff, cheekSquintLeft, cheekSquintRight and 42 more",
        "lost: t: 1 faces without a camera transform lose their pose, which is the world's",
        "lost: t: 1 unknown coefficients left out: puff",
      ])
  }

  @Test(arguments: ["tongueOut", "TongueOut", "tongue_out"])
  func `tongueOut is an attribute in any spelling`(name: String) throws {
    let face = Self.face(shapes: "{\"\(name)\": 0.5}")
    let take = try read(Self.header + "\n" + Self.frame(1, faces: face))
    #expect(take.frames[0].faces.first?.attributes["tongueOut"] == 0.5)
    let lost = take.remarks.filter { $0.contains("unknown coefficients") }
    #expect(lost.isEmpty)
  }

  /// A camera at the origin and a face 0.4 m before it, whose mesh is one point.
  private static func session(depth: [Float], cameras: [String]) -> String {
    let mesh = [Float](repeating: 0, count: 3 * 1220).flatMap { number in
      (0..<4).map { UInt8(truncatingIfNeeded: number.bitPattern >> (8 * $0)) }
    }
    let map = depth.flatMap { metres in
      (0..<4).map { UInt8(truncatingIfNeeded: metres.bitPattern >> (8 * $0)) }
    }
    let vertices = #", "vertices": "\#(Data(mesh).base64EncodedString())""#
    let place = "[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,-0.4,1]]"
    let frames = cameras.enumerated().map { index, camera in
      let time = 10 + Double(index) / 50
      let face = face(transform: place, more: vertices)
      return frame(
        time, faces: face,
        more: #", "camera": {"resolution": [40, 20], "transform": \#(camera), "#
          + #""intrinsics": [[30,0,0],[0,30,0],[30,15,1]]}, "depth": {"width": 4, "height": 2, "#
          + #""timestamp": \#(time - 0.004), "metres": "\#(Data(map).base64EncodedString())"}"#)
    }
    return ([header] + frames).joined(separator: "\n")
  }

  @Test func `depth at the mesh is that of the map's pixel, in the face's attributes`() throws {
    // The point is at pixel 30, 15 of 40 x 20: number 3, 1 of 4 x 2.
    let read = try read(
      Self.session(depth: [9, 9, 9, 9, 9, 9, 9, 0.43], cameras: [Self.identity, Self.identity]))
    let face = try #require(read.frames[0].faces.first)
    #expect(abs((face.attributes["depthAtMesh"] ?? 0) - 0.43) < 1e-6)
    #expect(abs((face.attributes["depthLessMesh"] ?? 0) - 0.03) < 1e-6)
    #expect(
      read.remarks.contains(
        "t: 2 of 2 frames have a depth map, one every 20.0 ms (median), captured up to 4.0 ms from "
          + "their frames"))
    #expect(
      read.remarks.contains(
        "t: at the vertices of the mesh depth maps are 3.0 cm farther than the mesh (median of 2 faces)"
      ))
    #expect(!read.remarks.contains { $0.contains("jumps") })
    let unknown = try self.read(
      Self.session(depth: [9, 9, 9, 9, 9, 9, 9, .nan], cameras: [Self.identity]))
    #expect(unknown.frames[0].faces[0].attributes["depthAtMesh"] == nil)
  }

  @Test func `a table of points makes landmarks of vertices`() throws {
    func mapping(_ vertex: Int) throws -> ImportOptions {
      let text =
        #"{"schema": "facegauge.points", "version": 1, "scheme": "five", "points": {"nose": 9, "0": "#
        + "\(vertex)}}"
      var options = ImportOptions()
      options.points = try PointMapping(json: Array(text.utf8), source: "mapping.json")
      return options
    }
    let text = Self.session(
      depth: [Float](repeating: 1, count: 8), cameras: [Self.identity, Self.identity])
    let read = try read(text, mapping(1064))
    let set = try #require(read.frames[1].faces.first?.landmarks.first)
    #expect(set.scheme == .five && set.points[2] == Point(x: 30, y: 15))
    #expect(
      set.visibility == [.visible, .notLabelled, .visible, .notLabelled, .notLabelled])
    #expect(
      read.remarks.contains("t: 2 faces have points of five at vertices of the mesh (--points)"))
    let error = #expect(throws: FileError.self) { try self.read(text, mapping(1220)) }
    #expect(
      error?.line(from: folder)
        == "cannot read take.json: expected point 1220 of --points, found 1220 points without names"
    )
  }

  /// At 50 frames per second 3 m/s are 60 mm a frame, and 720°/s 14.4°, under the least step of 15°.
  @Test(arguments: [
    ("[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0.059,0,0,1]]", false),
    ("[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0.061,0,0,1]]", true),
    ("[[0.9672,0.2540,0,0],[-0.2540,0.9672,0,0],[0,0,1,0],[0,0,0,1]]", false),
    ("[[0.9613,0.2756,0,0],[-0.2756,0.9613,0,0],[0,0,1,0],[0,0,0,1]]", true),
  ])
  func `a camera that moves faster than one can is a jump of the world's origin`(
    camera: String, jumps: Bool
  ) throws {
    let read = try read(
      Self.session(
        depth: [Float](repeating: 1, count: 8), cameras: [Self.identity, camera, camera]))
    #expect(read.frames.map { $0.context.attributes["worldJump"] } == [nil, jumps ? 1 : nil, nil])
    #expect(read.remarks.contains { $0.contains("jumps before frame ") } == jumps)
  }

  @Test func `depth maps and images may be files next to the session`() throws {
    try folder.write([0, 0, 0x80, 0x3F, 0, 0, 0xC0, 0x7F], to: "depth/0.f32")
    let read = try read(
      Self.header + "\n"
        + Self.frame(
          1,
          more:
            #", "image": "p/0.jpg", "depth": {"width": 2, "height": 1, "file": "depth/0.f32"}"#)
    )
    let map = try #require(read.frames[0].depth)
    #expect(map.metres[0] == 1 && map.metres[1].isNaN)
    #expect(read.frames[0].image.file?.path == folder.file("p/0.jpg").path)
  }

  static let broken: [(text: String, message: String)] = [
    ("", "take.json: expected a header of facegauge.arkit, found an empty file"),
    (
      "{",
      "take.json, line 1, column 2: expected a key in quotes, found the end of the file"
    ),
    (
      #"{"schema": "facegauge.arkit", "version": 2}"#,
      "'version' in take.json, line 1: expected 1, found 2"
    ),
    (header, "take.json: expected frames, found none"),
    (header + "\n[1]", "take.json, line 2: expected an object, found a list"),
    (
      header + "\n\n{\"faces\": []}",
      "take.json, line 3: expected the key \"timestamp\", found none"
    ),
    (
      header + "\n" + frame(1e300),
      "take.json, line 2: expected a timestamp in seconds, found 1e+300"
    ),
    (
      header + "\n"
        + frame(1, more: #", "camera": {"intrinsics": [[1, 0, 5], [0, 1, 5], [0, 0, 1]]}"#),
      "take.json, line 2: expected intrinsics as 3 columns, whose last numbers are 0, 0, 1 and whose focal "
        + "lengths are above 0"
    ),
    (
      header + "\n" + frame(1, more: #", "camera": {"resolution": [0, 9]}"#),
      "take.json, line 2: expected an image of 1 to 65535 pixels, found 0x9"
    ),
    (
      header + "\n" + frame(1, more: #", "camera": {"resolution": [9]}"#),
      "take.json, line 2: expected 2 numbers in resolution, found 1"
    ),
    (
      header + "\n" + frame(1, more: #", "depth": {"width": 99999999999, "height": 9}"#),
      "take.json, line 2: expected a depth map of 99999999999x9 floats, found 0 bytes"
    ),
    (
      header + "\n" + frame(1, more: #", "depth": {"width": 1, "height": 1, "metres": "AAA="}"#),
      "take.json, line 2: expected a depth map of 1x1 floats, found 2 bytes"
    ),
    (
      header + "\n" + frame(1, faces: face(more: #", "vertices": "AAAA""#)),
      "take.json, line 2: expected 1220 vertices of 3 finite floats, found 3 bytes"
    ),
    (
      header + "\n" + frame(1, faces: face(shapes: #"{"eyeBlink_L": 0, "eyeBlinkLeft": 0}"#)),
      "take.json, line 2: expected 'eyeBlinkLeft' once, found it twice"
    ),
    (
      header + "\n" + frame(1, faces: face(shapes: #"{"jawOpen": 1e200}"#)),
      "take.json, line 2: expected a finite number in 'jawOpen', found 1e+200"
    ),
    (
      header + "\n" + frame(1, faces: face(transform: "[[2,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]")),
      "take.json, line 2: expected a face's transform as 4 columns of a rotation and a translation, whose last "
        + "numbers are 0, 0, 0, 1, found [0.0, 0.0, 0.0, 1.0]"
    ),
    (
      header + "\n" + frame(1, faces: face(more: #", "lookAtPoint": [1]"#)),
      "take.json, line 2: expected 3 numbers in lookAtPoint, found 1"
    ),
  ]

  @Test(arguments: broken.indices)
  func `what is wrong is one line with its position`(index: Int) throws {
    let (text, message) = Self.broken[index]
    let error = #expect(throws: FileError.self, "\(message)") { try read(text) }
    #expect(error?.line(from: folder) == "cannot read \(message)")
    #expect(error?.kind == .wrongData)
  }
}
