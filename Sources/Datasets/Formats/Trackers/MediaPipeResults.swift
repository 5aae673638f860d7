internal import FaceCore
package import Foundation
package import Platform

/// Output of MediaPipe's Face Landmarker for images or a video, one JSON object per frame.
package struct MediaPipeResults: DatasetFormat {
  package let name = "mediapipe"
  package let summary = "MediaPipe FaceLandmarkerResult as JSON, of Python, JavaScript or Unity"
  package let settings = ImportSetting.ofPoints.union([.framesPerSecond])

  package init() {}

  private static let schema = "facegauge.mediapipe"

  /// A JSON file whose first bytes name the schema or have a key of results.
  package func recognises(_ source: URL) -> String? {
    JSONLines.recognises(source, schema: Self.schema) ?? MediaPipeDump.recognises(source)
  }

  /// Reads each file as stills, whose images are relative to it, or as one video without images.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var remarks: [ImportRemark] = []
    var unknown: Set<String> = []
    var hasPoints = false
    let titles = SourceFiles.Titles(sources)
    for source in sources {
      guard JSONLines.recognises(source, schema: Self.schema) != nil || !Self.isDump(source) else {
        var dump = try MediaPipeDump(source)
        remarks += try dump.send(
          title: titles[source],
          folder: options.imageFolder ?? source.deletingLastPathComponent(),
          framesPerSecond: options.framesPerSecond, to: sink)
        unknown.formUnion(dump.unknownBlendshapes)
        hasPoints = hasPoints || dump.hasPoints
        continue
      }
      hasPoints = true
      var file = try JSONLines(source, schema: Self.schema)
      let title = file.header.name ?? titles[source]
      let isVideo = file.header.kind == .video
      let folder = options.imageFolder ?? source.deletingLastPathComponent()
      var times = FrameTimes()
      var begins = isVideo
      while let result = try file.next(Result.self) {
        let faces = try result.faces.map { (face) throws(FileError) in
          try label(face, of: result, in: file, unknown: &unknown)
        }
        var frame = ImportedFrame(
          name: result.name, image: isVideo ? .none : .file(folder.appending(path: result.name)),
          faces: faces)
        frame.statedSize = ImageSize(stated: result.width, result.height, upTo: 65_535)
        frame.number = result.number
        frame.nanoseconds = result.nanoseconds
        if isVideo {
          guard let milliseconds = result.milliseconds,
            let time = FrameTimes.microseconds(ofSeconds: milliseconds / 1000)
          else { throw file.wrong("expected timestamp_ms in a video") }
          guard times.accepts(time) else { continue }
          frame.timestampMicroseconds = time
          if begins { frame.begins = .video(title, at: file.header.fps ?? 0) }
          begins = false
        }
        try sink(frame)
      }
      remarks.assume("\(title): frames have labels and no images", if: isVideo)
      remarks += times.remarks(title)
    }
    remarks.drop(
      unknown.count,
      "unknown blendshapes left out: " + unknown.sorted().prefix(8).joined(separator: ", "))
    let boxes = ImportRemark.assumed(
      hasPoints
        ? "boxes are the tight boxes of the points" : "no landmarks: faces are without a place")
    return [boxes] + remarks
  }

  private static func isDump(_ source: URL) -> Bool { MediaPipeDump.recognises(source) != nil }

  private func label(
    _ face: Face, of result: Result, in file: JSONLines, unknown: inout Set<String>
  ) throws(FileError) -> FaceLabel {
    let size = try file.size(result.width, result.height)
    let scheme = LandmarkScheme.mediapipe478
    var points: [Point] = []
    var depths: [Double] = []
    for landmark in face.landmarks {
      let own = try file.numbers(landmark, count: 3, "a landmark")
      points.append(Point(x: own[0] * size.width, y: own[1] * size.height))
      depths.append(own[2] * size.width)
    }
    guard let landmarks = Landmarks(scheme: scheme, points: points, depths: depths),
      let box = BoundingBox(around: points)
    else {
      throw file.wrong("expected \(scheme.count) landmarks, found \(face.landmarks.count)")
    }
    var label = FaceLabel(box: box, landmarks: [landmarks])
    if let shapes = face.blendshapes {
      let (known, others) = try file.blendshapes(shapes)
      label.blendshapes = known
      unknown.formUnion(others.keys)
    }
    if let rows = face.matrix {
      let matrix = try file.numbers(rows.flatMap { $0 }, count: 16, "matrix").map { Float($0) }
      let pose = HeadPose(matrix: SIMD16(matrix))
      guard rows.count == 4, pose.isWellFormed else {
        throw file.wrong(
          "expected a matrix by rows whose last is 0, 0, 0, 1, found \(matrix.suffix(4))")
      }
      label.pose = pose
    }
    return label
  }
}

private struct Result: Decodable {
  enum CodingKeys: String, CodingKey {
    case name, number, width, height, faces
    case milliseconds = "timestamp_ms"
    case nanoseconds = "latency_ns"
  }

  var name: String
  var number: Int?
  var milliseconds: Double?
  var width: Int
  var height: Int
  var nanoseconds: UInt64?
  var faces: [Face]
}

private struct Face: Decodable {
  var landmarks: [[Double]]
  var blendshapes: [String: Double]?
  var matrix: [[Double]]?
}
