internal import FaceCore
package import Foundation
package import Platform

/// A recorded session of ARKit's face tracking, one JSON object per frame.
package struct ARKitSession: DatasetFormat {
  package let name = "arkit"
  package let summary = "ARKit face tracking as JSON: coefficients, pose, mesh, camera, depth"
  package let numbersTracks = true
  /// Frames are identified by their time in the session.
  package let joins = FrameKey.time
  /// A table of points names vertices of the mesh, whose indices are its points.
  package let settings: Set<ImportSetting> = [.points]

  package init() {}

  private static let schema = "facegauge.arkit"

  /// A JSON file whose first bytes name the schema.
  package func recognises(_ source: URL) -> String? {
    JSONLines.recognises(source, schema: Self.schema)
  }

  /// Reads each file as one video, whose images and depth maps are relative to it.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var remarks: [ImportRemark] = [
      .assumed(
        "head poses are the face's transform in camera coordinates (x right and y up in the "
          + "captured landscape image, the camera looks along -z), in centimetres, with ARKit's "
          + "origin of the face")
    ]
    let titles = SourceFiles.Titles(sources)
    for source in sources {
      var file = try JSONLines(source, schema: Self.schema)
      let title = file.header.name ?? titles[source]
      let folder = options.imageFolder ?? source.deletingLastPathComponent()
      var session = ARKitSessionReader(
        folder: folder,
        points: try options.points?.order(
          names: nil, count: DatasetLayout.arkitVertices, in: file.name))
      var times = FrameTimes()
      var origin: Double?
      while let recorded = try file.next(SessionFrame.self) {
        let start = origin ?? recorded.timestamp
        guard let time = FrameTimes.microseconds(ofSeconds: recorded.timestamp - start),
          FrameTimes.microseconds(ofSeconds: recorded.timestamp) != nil
        else { throw file.wrong("expected a timestamp in seconds, found \(recorded.timestamp)") }
        guard times.accepts(time) else { continue }
        var frame = try session.frame(recorded, of: file)
        frame.name = "\(title)/\(session.frames - 1)"
        frame.timestampMicroseconds = time
        if origin == nil { frame.begins = .video(title, at: file.header.fps ?? 0) }
        origin = start
        try sink(frame)
      }
      guard let origin else {
        throw FileError.wrongData("cannot read \(file.name): expected frames, found none")
      }
      try times.requireSeconds(atStated: file.header.fps, in: file.name)
      remarks.assume(
        "\(title): times count from its first frame, at \(origin) s of the session, which "
          + "attribute sessionSeconds of the frames keeps")
      remarks += session.remarks(title) + times.remarks(title)
    }
    return remarks
  }
}

/// Converts the frames of one session and counts irregularities.
private struct ARKitSessionReader {
  let folder: URL
  /// Which vertices of the mesh are points, and of what scheme.
  private let points: PointOrder?
  private(set) var frames = 0
  private var identities: [String: Int] = [:]
  private var unknown: Set<String> = []
  private var (untracked, unplaced, projected, unboxed, meshless) = (0, 0, 0, 0, 0)
  private var (images, depths, otherDepths, outside) = (0, 0, 0, 0)
  private var depthSize: (width: Int, height: Int)?
  private var facts = ARKitSessionFacts()
  private var withPoints = 0

  init(folder: URL, points: PointOrder?) { (self.folder, self.points) = (folder, points) }

  mutating func frame(
    _ recorded: SessionFrame, of file: JSONLines
  ) throws(FileError) -> ImportedFrame {
    frames += 1
    var frame = ImportedFrame(
      name: "", image: recorded.image.map { .file(folder.appending(path: $0)) } ?? .none,
      faces: [])
    frame.number = frames - 1
    if let sides = recorded.camera?.resolution, sides.count == 2 {
      frame.statedSize = ImageSize(width: sides[0], height: sides[1])
    }
    if recorded.image != nil { images += 1 }
    frame.context.attributes["sessionSeconds"] = recorded.timestamp
    let camera = try camera(recorded, of: file, into: &frame.context)
    if let camera, facts.add(camera, at: recorded.timestamp, frame: frames - 1) {
      frame.context.attributes["worldJump"] = 1
    }
    try addLight(recorded.light, of: file, to: &frame.context)
    frame.depth = try depth(recorded.depth, of: file)
    if frame.depth != nil {
      facts.addDepth(of: recorded.depth?.timestamp, frame: recorded.timestamp)
    }
    if let seconds = recorded.depth?.timestamp, frame.depth != nil {
      frame.context.attributes["depthSeconds"] = try file.numbers([seconds], count: 1, "depth")[0]
    }
    var stale = 0
    for face in recorded.faces {
      if face.isTracked {
        frame.faces.append(try label(face, camera, of: frame, in: file))
      } else {
        stale += 1
      }
    }
    untracked += stale
    frame.context.attributes["facesNotTracked"] = Double(stale)
    return frame
  }

  private func camera(
    _ recorded: SessionFrame, of file: JSONLines, into context: inout FrameContext
  ) throws(FileError) -> RigidTransform? {
    guard let camera = recorded.camera else { return nil }
    if let columns = camera.intrinsics {
      guard columns.count == 3, columns.allSatisfy({ $0.count == 3 }),
        columns.allSatisfy({ $0.allSatisfy { Float($0).isFinite } }),
        zip(columns, [0, 0, 1]).allSatisfy({ $0[2] == $1 }), columns[0][0] > 0, columns[1][1] > 0
      else {
        throw file.wrong(
          "expected intrinsics as 3 columns, whose last numbers are 0, 0, 1 and whose focal lengths "
            + "are above 0")
      }
      context.intrinsics = (0..<9).map { columns[$0 % 3][$0 / 3] }
    }
    if let resolution = camera.resolution {
      guard resolution.count == 2 else {
        throw file.wrong("expected 2 numbers in resolution, found \(resolution.count)")
      }
      let size = try file.size(resolution[0], resolution[1])
      context.attributes["cameraWidth"] = size.width
      context.attributes["cameraHeight"] = size.height
    }
    guard let columns = camera.transform else { return nil }
    let transform = try transform(columns, "the camera's transform", of: file)
    context.cameraTransform = transform.rows
    return transform
  }

  private func transform(
    _ columns: [[Double]], _ what: String, of file: JSONLines
  ) throws(FileError) -> RigidTransform {
    guard let transform = RigidTransform(columns: columns) else {
      throw file.wrong(
        "expected \(what) as 4 columns of a rotation and a translation, whose last numbers are 0, 0, "
          + "0, 1, found \(columns.map { $0.last ?? .nan })")
    }
    return transform
  }

  private func addLight(
    _ light: SessionFrame.Light?, of file: JSONLines, to context: inout FrameContext
  ) throws(FileError) {
    guard let light else { return }
    var values = [
      ("ambientIntensity", light.ambientIntensity),
      ("ambientColorTemperature", light.ambientColorTemperature),
      ("primaryLightIntensity", light.primaryLightIntensity),
    ]
    if let direction = light.primaryLightDirection {
      let own = try file.numbers(direction, count: 3, "primaryLightDirection")
      values += zip(["X", "Y", "Z"], own).map { ("primaryLightDirection\($0)", $1) }
    }
    for case (let name, let value?) in values {
      context.attributes[name] = try file.numbers([value], count: 1, name)[0]
    }
  }

  private mutating func depth(
    _ recorded: SessionFrame.Depth?, of file: JSONLines
  ) throws(FileError) -> DepthMap? {
    guard let recorded else { return nil }
    let bytes: [UInt8]
    if let name = recorded.file {
      bytes = try SourceFiles.bytes(of: folder.appending(path: name), limit: 64 << 20)
    } else {
      bytes = Array(recorded.metres ?? Data())
    }
    guard (1...8192).contains(recorded.width), (1...8192).contains(recorded.height),
      bytes.count == 4 * recorded.width * recorded.height
    else {
      throw file.wrong(
        "expected a depth map of \(recorded.width)x\(recorded.height) floats, found "
          + "\(bytes.count) bytes")
    }
    let size = depthSize ?? (recorded.width, recorded.height)
    guard size == (recorded.width, recorded.height) else {
      otherDepths += 1
      return nil
    }
    depthSize = size
    depths += 1
    return DepthMap(
      width: size.width, height: size.height,
      metres: floats(bytes).map { $0.isFinite ? $0 : .nan })
  }

  /// Little-endian floats, four bytes each.
  private func floats(_ bytes: [UInt8]) -> [Float] {
    stride(from: 0, to: bytes.count - 3, by: 4).map { start in
      Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[start + $1]) << (8 * $1) })
    }
  }

  private mutating func label(
    _ face: SessionFrame.Face, _ camera: RigidTransform?, of frame: ImportedFrame,
    in file: JSONLines
  ) throws(FileError) -> FaceLabel {
    var label = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 0, height: 0))
    label.identity = identities[face.identifier, default: identities.count]
    identities[face.identifier] = label.identity
    let (shapes, others) = try file.blendshapes(face.blendShapes)
    label.blendshapes = shapes
    outside += face.blendShapes.values.count { !(0...1).contains($0) }
    label.attributes["tongueOut"] = others["tongueOut"]
    facts.add(shapes, hasTongue: others["tongueOut"] != nil)
    unknown.formUnion(others.keys.filter { $0 != "tongueOut" })
    let position = try transform(face.transform, "a face's transform", of: file)
    let pose = camera.map { $0.inverse.after(position) }
    label.pose = pose?.headPose
    if pose == nil { unplaced += 1 }
    if let mesh = face.vertices {
      let numbers = floats(Array(mesh))
      guard mesh.count == 12 * DatasetLayout.arkitVertices, numbers.allSatisfy(\.isFinite) else {
        throw file.wrong(
          "expected \(DatasetLayout.arkitVertices) vertices of 3 finite floats, found \(mesh.count) "
            + "bytes")
      }
      label.arkitMesh = stride(from: 0, to: numbers.count, by: 3).map {
        SIMD3(numbers[$0], numbers[$0 + 1], numbers[$0 + 2])
      }
    } else {
      meshless += 1
    }
    var hasBox = false
    if let mesh = label.arkitMesh, let pose, let intrinsics = frame.context.intrinsics {
      let placed = mesh.map { pose.apply($0) }
      let pixels = placed.map { Self.project($0, intrinsics) }
      if let set = points?.landmarks(pixels.map { $0.x.isFinite ? $0 : nil }) {
        label.landmarks = [set]
        withPoints += 1
      }
      if pixels.allSatisfy({ $0.x.isFinite && $0.y.isFinite }),
        let box = BoundingBox(around: pixels), box.isWellFormed
      {
        label.box = box
        label.area = box.area
        hasBox = true
      }
      let (width, height) = (
        frame.context.attributes["cameraWidth"], frame.context.attributes["cameraHeight"]
      )
      if let map = frame.depth, let width, let height,
        let found = facts.compare(placed, at: pixels, with: map, of: (width, height))
      {
        label.attributes["depthAtMesh"] = found.depth
        label.attributes["depthLessMesh"] = found.difference
      }
    }
    if hasBox { projected += 1 } else { unboxed += 1 }
    try addEyes(of: face, in: file, to: &label)
    return label
  }

  /// Projects a point in front of the camera to pixels; the result for other points is not finite.
  private static func project(_ point: SIMD3<Double>, _ intrinsics: [Double]) -> Point {
    guard point.z < 0 else { return Point(x: .nan, y: .nan) }
    return Point(
      x: intrinsics[2] + intrinsics[0] * point.x / -point.z,
      y: intrinsics[5] - intrinsics[4] * point.y / -point.z)
  }

  private func addEyes(
    of face: SessionFrame.Face, in file: JSONLines, to label: inout FaceLabel
  ) throws(FileError) {
    for (name, columns) in [
      ("leftEye", face.leftEyeTransform), ("rightEye", face.rightEyeTransform),
    ] {
      guard let columns else { continue }
      let eye = try transform(columns, "\(name)Transform", of: file).rows
      for (axis, index) in [("X", 3), ("Y", 7), ("Z", 11)] {
        label.attributes[name + axis] = eye[index]
      }
      label.attributes[name + "Yaw"] = atan2(eye[2], eye[10])
      label.attributes[name + "Pitch"] = asin(min(max(-eye[6], -1), 1))
    }
    if let point = face.lookAtPoint {
      for (axis, value) in zip(["X", "Y", "Z"], try file.numbers(point, count: 3, "lookAtPoint")) {
        label.attributes["lookAt" + axis] = value
      }
    }
  }

  func remarks(_ title: String) -> [ImportRemark] {
    var remarks: [ImportRemark] = []
    remarks.assume(frames - images, "frames have labels and no image")
    remarks.assume(
      untracked, "faces with isTracked false are left out: anchors remain when a face is lost")
    remarks.assume(projected, "boxes are the tight boxes of the projected mesh")
    if let points {
      remarks.assume(
        withPoints, "faces have points of \(points.name) at vertices of the mesh (--points)")
    }
    remarks.assume(
      unboxed, "faces have no box: a mesh, intrinsics or a camera transform is missing")
    remarks.assume(outside, "coefficients outside 0 to 1 are kept")
    remarks += facts.remarks(frames: frames, depths: depths)
    remarks.drop(unplaced, "faces without a camera transform lose their pose, which is the world's")
    remarks.drop(otherDepths, "depth maps of another size than the first left out")
    remarks.drop(
      unknown.count,
      "unknown coefficients left out: " + unknown.sorted().prefix(8).joined(separator: ", "))
    return remarks.map { $0.about(title) }
  }
}

private struct SessionFrame: Decodable {
  struct Camera: Decodable {
    var intrinsics: [[Double]]?
    var transform: [[Double]]?
    var resolution: [Int]?
  }

  struct Light: Decodable {
    var ambientIntensity: Double?
    var ambientColorTemperature: Double?
    var primaryLightIntensity: Double?
    var primaryLightDirection: [Double]?
  }

  struct Depth: Decodable {
    var width: Int
    var height: Int
    var timestamp: Double?
    var file: String?
    var metres: Data?
  }

  struct Face: Decodable {
    var identifier: String
    var isTracked: Bool
    var transform: [[Double]]
    var blendShapes: [String: Double]
    var vertices: Data?
    var leftEyeTransform: [[Double]]?
    var rightEyeTransform: [[Double]]?
    var lookAtPoint: [Double]?
  }

  var timestamp: Double
  var image: String?
  var camera: Camera?
  var light: Light?
  var depth: Depth?
  var faces: [Face]
}
