internal import FaceCore
package import Foundation
package import Platform

/// Faces that Apple's Vision observed, one JSON object per image or frame.
package struct VisionObservations: DatasetFormat {
  package let name = "vision"
  package let summary = "Apple Vision's face observations as JSON: boxes, eyes, mouth, angles"
  package let numbersTracks = true
  package let settings = ImportSetting.ofPoints

  package init() {}

  private static let schema = "facegauge.vision"

  /// A JSON file whose first bytes name the schema.
  package func recognises(_ source: URL) -> String? {
    JSONLines.recognises(source, schema: Self.schema)
  }

  /// Reads each file as stills, whose images are relative to it, or as one video without images.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var remarks: [ImportRemark] = [
      .assumed(
        "normalised coordinates from the bottom left become pixels from the top left of images "
          + "that are not mirrored")
    ]
    var (withPoints, withoutFive, regions) = (0, 0, Set<String>())
    let titles = SourceFiles.Titles(sources)
    for source in sources {
      var file = try JSONLines(source, schema: Self.schema)
      let title = file.header.name ?? titles[source]
      let isVideo = file.header.kind == .video
      let folder = options.imageFolder ?? source.deletingLastPathComponent()
      var times = FrameTimes()
      let tracks = try VisionTracks(file)
      var begins = isVideo
      while let observed = try file.next(Observed.self) {
        let size = try file.size(observed.width, observed.height)
        var faces: [FaceLabel] = []
        for face in observed.faces {
          var label = try face.label(width: size.width, height: size.height, in: file)
          label.identity = tracks.identity(of: face.uuid)
          if let landmarks = face.landmarks {
            withPoints += 1
            if label.landmarks.isEmpty { withoutFive += 1 }
            regions.formUnion(landmarks.regions.keys)
          }
          faces.append(label)
        }
        var frame = ImportedFrame(
          name: observed.name,
          image: isVideo ? .none : .file(folder.appending(path: observed.name)), faces: faces)
        frame.statedSize = ImageSize(width: observed.width, height: observed.height)
        frame.number = observed.number
        frame.nanoseconds = observed.nanoseconds
        if isVideo {
          guard let seconds = observed.timestamp,
            let time = FrameTimes.microseconds(ofSeconds: seconds)
          else { throw file.wrong("expected a timestamp in a video") }
          guard times.accepts(time) else { continue }
          frame.timestampMicroseconds = time
          if begins { frame.begins = .video(title, at: file.header.fps ?? 0) }
          begins = false
        }
        try sink(frame)
      }
      try times.requireSeconds(atStated: file.header.fps, in: file.name)
      remarks.assume("\(title): frames have labels and no images", if: isVideo)
      remarks += times.remarks(title)
      remarks.assume(
        "\(title): a uuid that occurs more than once is a track and an identity: \(tracks.count)",
        if: tracks.faces > 0)
    }
    remarks.drop(
      "points of \(withPoints) faces left out except eyes and mouth corners, which become four "
        + "points of the scheme five (regions: \(regions.sorted().joined(separator: ", ")))",
      if: withPoints > 0)
    remarks.drop(withoutFive, "of them have no leftEye, rightEye or outerLips and no points")
    return remarks
  }
}

/// Maps the observations' identifiers to identities; only a uuid that occurs more than once is a track.
private struct VisionTracks {
  private struct Frame: Decodable {
    struct Face: Decodable { var uuid: String? }
    var faces: [Face]
  }

  private var seen: Set<String> = []
  private var identities: [String: Int] = [:]

  /// Number of faces with a uuid, and of uuids that occur more than once.
  private(set) var faces = 0
  var count: Int { identities.count }

  /// Reads the identifiers of a file.
  init(_ file: JSONLines) throws(FileError) {
    var file = file
    while let frame = try file.next(Frame.self) {
      for case let uuid? in frame.faces.map(\.uuid) {
        faces += 1
        if !seen.insert(uuid).inserted, identities[uuid] == nil {
          identities[uuid] = identities.count
        }
      }
    }
  }

  func identity(of uuid: String?) -> Int? { uuid.flatMap { identities[$0] } }
}

private struct Observed: Decodable {
  enum CodingKeys: String, CodingKey {
    case name, number, timestamp, width, height, faces
    case nanoseconds = "latency_ns"
  }

  var name: String
  var number: Int?
  var timestamp: Double?
  var width: Int
  var height: Int
  var nanoseconds: UInt64?
  var faces: [ObservedFace]
}

private struct ObservedFace: Decodable {
  struct Landmarks: Decodable {
    var space: String?
    var regions: [String: [[Double]]]
  }

  var uuid: String?
  var boundingBox: [Double]
  var confidence: Double?
  var roll: Double?
  var yaw: Double?
  var pitch: Double?
  var faceCaptureQuality: Double?
  var landmarks: Landmarks?

  func label(
    width: Double, height: Double, in file: JSONLines
  ) throws(FileError) -> FaceLabel {
    let sides = try file.numbers(boundingBox, count: 4, "boundingBox")
    let box = BoundingBox(
      x: sides[0] * width, y: (1 - sides[1] - sides[3]) * height, width: sides[2] * width,
      height: sides[3] * height)
    guard box.isWellFormed else {
      throw file.wrong("expected a boundingBox of non-negative size, found \(sides)")
    }
    var label = FaceLabel(box: box)
    label.score = confidence
    for case (let name, let value?) in [
      ("roll", roll), ("yaw", yaw), ("pitch", pitch), ("faceCaptureQuality", faceCaptureQuality),
    ] {
      label.attributes[name] = try file.numbers([value], count: 1, name)[0]
    }
    if let landmarks {
      let space = landmarks.space ?? "box"
      guard space == "box" || space == "image" else {
        throw file.wrong(
          "expected landmarks in the space box or image, found '\(space.prefix(60))'")
      }
      var points: [String: [Point]] = [:]
      for (name, pairs) in landmarks.regions {
        points[name] = []
        for pair in pairs {
          let own = try file.numbers(pair, count: 2, name)
          points[name]?.append(
            space == "image"
              ? Point(x: own[0] * width, y: (1 - own[1]) * height)
              : Point(x: box.x + own[0] * box.width, y: box.y + (1 - own[1]) * box.height))
        }
      }
      if let five = Self.five(points) { label.landmarks = [five] }
    }
    return label
  }

  /// Eyes and mouth corners: pupils (else eye centres) and the ends of the lips along the line of the eyes.
  ///
  /// The mouth, below the eyes, tells which eye is the subject's right: Vision does not document whose left it means.
  private static func five(_ regions: [String: [Point]]) -> FaceCore.Landmarks? {
    func centre(_ names: [String]) -> Point? {
      names.lazy.compactMap { regions[$0] }.first { !$0.isEmpty }?.centroid
    }
    guard var right = centre(["rightPupil", "rightEye"]),
      var left = centre(["leftPupil", "leftEye"]), let mouth = centre(["outerLips"]),
      let lips = regions["outerLips"]
    else { return nil }
    let down = Point(
      x: mouth.x - (left.x + right.x) / 2, y: mouth.y - (left.y + right.y) / 2)
    if (left.x - right.x) * down.y - (left.y - right.y) * down.x < 0 { swap(&left, &right) }
    func along(_ point: Point) -> Double {
      point.x * (left.x - right.x) + point.y * (left.y - right.y)
    }
    guard let rightCorner = lips.min(by: { along($0) < along($1) }),
      let leftCorner = lips.max(by: { along($0) < along($1) })
    else { return nil }
    return FaceCore.Landmarks(
      scheme: .five, points: [right, left, Point(x: .nan, y: .nan), rightCorner, leftCorner],
      visibility: [.visible, .visible, .notLabelled, .visible, .visible])
  }
}
