import Datasets
import FaceCore
import Foundation
import Imaging
import Platform
import TestSupport
import Testing

@Suite struct ClipMakerTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `the motion of a clip is told by its name`() {
    #expect(Motion.ofClip("anna/bar") == .bar && Motion.ofClip("people/anna/leave") == .leave)
    for name in ["bar", "anna/", "anna/bar/1", "anna/talk", ""] {
      #expect(Motion.ofClip(name) == nil, "\(name)")
    }
  }

  /// A grey image with a bright spot at each labelled point, which lie between pixel centres.
  static let size = ImageSize(width: 320, height: 240)
  static let box = BoundingBox(x: 120, y: 80, width: 80, height: 90)
  static let spots = [
    Point(x: 140.3, y: 100.7), Point(x: 181.8, y: 99.5), Point(x: 160, y: 125.2),
    Point(x: 146.1, y: 150.9), Point(x: 177.4, y: 148),
  ]

  static func landmarks() throws -> Landmarks {
    let states = (0..<68).map { $0 < spots.count ? PointVisibility.visible : .notLabelled }
    let points = (0..<68).map { $0 < spots.count ? spots[$0] : Point(x: .nan, y: .nan) }
    return try #require(Landmarks(scheme: .ibug68, points: points, visibility: states))
  }

  static func image(scaledBy scale: Double = 1) throws -> PixelBuffer {
    let (width, height) = (Int(Double(size.width) * scale), Int(Double(size.height) * scale))
    var bytes: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let light = spots.reduce(40.0) { light, spot in
          let dx = (Double(x) + 0.5) / scale - spot.x
          let dy = (Double(y) + 0.5) / scale - spot.y
          return light + 180 * exp(-(dx * dx + dy * dy) / (2 * 2.2 * 2.2))
        }
        bytes += Array(repeating: UInt8(min(light, 255).rounded()), count: 3)
      }
    }
    return try #require(PixelBuffer(width: width, height: height, bytes: bytes))
  }

  /// The clips of one labelled image, read again.
  private func clips(
    _ motions: [Motion], frames: Int, label: FaceLabel? = nil, image: PixelBuffer? = nil,
    longestSide: Int = 640, framesPerSecond: Double = 30, name: String = "clips.h5"
  ) throws -> DatasetReader {
    let image = try image ?? Self.image()
    let still = folder.file("still-\(name)")
    let source = try DatasetWriter(still, name: "still", replacing: true)
    try source.add(
      name: "face.png", image: try image.pngBytes(), size: image.size,
      faces: [label ?? FaceLabel(box: Self.box, identity: 5, landmarks: [try Self.landmarks()])])
    try source.finish()
    let writer = try DatasetWriter(folder.file(name), name: "clips", replacing: true)
    let summary = try ClipMaker(
      motions: motions, framesPerClip: frames, framesPerSecond: framesPerSecond,
      longestSide: longestSide
    ).run(
      over: DatasetReader(still), into: writer, advance: { _ in }, isInterrupted: { false })
    #expect(summary.clips == motions.count)
    try writer.finish()
    return try DatasetReader(folder.file(name))
  }

  private func pixels(_ dataset: DatasetReader, _ frame: Int) throws -> PixelBuffer {
    guard case .encoded(let bytes) = try dataset.image(frame) else {
      Issue.record("frame \(frame) is not encoded")
      return PixelBuffer()
    }
    return try PixelBuffer(decoding: bytes[...])
  }

  @Test func `frames, names, times and sequences are those of the plan`() throws {
    let dataset = try clips([.still, .roll], frames: 4, framesPerSecond: 29.97)
    #expect(dataset.frameCount == 8)
    #expect(
      dataset.sequences == [
        SequenceDescription(
          name: "face/still", kind: .video, subject: "5", framesPerSecond: 29.97, first: 0,
          count: 4),
        SequenceDescription(
          name: "face/roll", kind: .video, subject: "5", framesPerSecond: 29.97, first: 4,
          count: 4),
      ])
    let frames = try dataset.frames(0..<8)
    #expect(frames.map(\.name).prefix(2) == ["face/still/0", "face/still/1"])
    #expect(frames.map(\.sequence) == [0, 0, 0, 0, 1, 1, 1, 1])
    #expect(frames[4..<8].map(\.timestampMicroseconds) == [0, 33_367, 66_733, 100_100])
    #expect(frames.allSatisfy { $0.size == Self.size })
    #expect(try !DatasetValidation(of: dataset).hasErrors)
  }

  @Test func `where nothing moves the image and its labels are the source's`() throws {
    let dataset = try clips([.still], frames: 2)
    let source = try Self.image().jpegBytes(quality: 92)
    for frame in 0..<2 {
      guard case .encoded(let bytes) = try dataset.image(frame) else { continue }
      #expect(Array(bytes) == source)
      let label = try dataset.labels(frame..<frame + 1)[0][0]
      #expect(label.box == Self.box)
      for (point, spot) in zip(label.landmarks[0].labelled, Self.spots) {
        // Points are stored as f32.
        #expect(abs(point.x - spot.x) < 1e-5 && abs(point.y - spot.y) < 1e-5)
      }
    }
  }

  /// Centre of the face, about which the poses turn and grow.
  static let centre = Point(x: 160, y: 125)

  /// Where a position goes at an extreme of a motion, from the description of the motions alone:
  /// phase, motion, and the map written out.
  static let extremes: [(motion: Motion, quarter: Int, map: @Sendable (Point) -> Point)] = [
    (.zoom, 1, { Point(x: 160 + 1.5 * ($0.x - 160), y: 125 + 1.5 * ($0.y - 125)) }),
    (.zoom, 2, { Point(x: 160 + 2 * ($0.x - 160), y: 125 + 2 * ($0.y - 125)) }),
    (.roll, 1, { turned($0, by: Double.pi / 6) }),
    (.roll, 2, { $0 }),
    (.roll, 3, { turned($0, by: -Double.pi / 6) }),
    (.pan, 1, { Point(x: 160 + 1.2 * ($0.x - 160) + 25.6, y: 125 + 1.2 * ($0.y - 125)) }),
    (.pan, 3, { Point(x: 160 + 1.2 * ($0.x - 160) - 25.6, y: 125 + 1.2 * ($0.y - 125)) }),
    (.brightness, 1, { $0 }), (.blur, 2, { $0 }), (.bar, 2, { $0 }), (.leave, 0, { $0 }),
  ]

  /// Clockwise as seen, y being down.
  static func turned(_ point: Point, by angle: Double) -> Point {
    let (x, y) = (point.x - 160, point.y - 125)
    return Point(
      x: 160 + x * cos(angle) - y * sin(angle), y: 125 + x * sin(angle) + y * cos(angle))
  }

  @Test(arguments: extremes.indices)
  func `labels follow the motion's description`(index: Int) throws {
    let (motion, quarter, map) = Self.extremes[index]
    let dataset = try clips([motion], frames: 4)
    let label = try #require(try dataset.labels(quarter..<quarter + 1)[0].first)
    for (point, spot) in zip(label.landmarks[0].labelled, Self.spots) {
      let expected = map(spot)
      // f32 at coordinates up to 320.
      #expect(abs(point.x - expected.x) < 2e-5 && abs(point.y - expected.y) < 2e-5, "\(motion)")
    }
    // The box is not tight around its points: its centre follows, it grows, and it does not turn.
    let centre = map(Self.centre)
    let scale = map(Point(x: 161, y: 125)).x - map(Self.centre).x
    let growth = motion == .roll ? 1 : scale
    #expect(abs(label.box.x + label.box.width / 2 - centre.x) < 2e-5)
    #expect(abs(label.box.y + label.box.height / 2 - centre.y) < 2e-5)
    #expect(abs(label.box.width - growth * 80) < 2e-5)
    #expect(abs(label.box.height - growth * 90) < 2e-5)
    #expect(abs(label.area - growth * growth * 7200) < 1e-2)
  }

  @Test(arguments: [Motion.still, .pan, .zoom, .roll, .blur])
  func `the pixels are at their labels`(motion: Motion) throws {
    let dataset = try clips([motion], frames: 12)
    try expectSpots(dataset, frames: 12, spread: 2.2, within: 0.1)
  }

  @Test func `the pixels of a reduced image are at their labels`() throws {
    var label = FaceLabel(
      box: BoundingBox(x: 300, y: 200, width: 200, height: 225),
      landmarks: [try Self.landmarks()])
    for index in Self.spots.indices {
      label.landmarks[0].points[index] = Point(
        x: 2.5 * Self.spots[index].x, y: 2.5 * Self.spots[index].y)
    }
    let dataset = try clips(
      [.zoom, .roll], frames: 8, label: label, image: try Self.image(scaledBy: 2.5),
      longestSide: 320)
    #expect(try dataset.frames(0..<1)[0].size == Self.size)
    try expectSpots(dataset, frames: 16, spread: 2.2, within: 0.1)
  }

  /// Compares each label with the centroid of the light around it, pixel centres being at halves.
  ///
  /// A half-pixel mistake in the convention would show as 0.5 pixels times what the scale differs from 1, or as
  /// 0.2 to 0.3 at a turn of 30°. Rounding to 8 bits and JPEG move the centroid by less than 0.1.
  private func expectSpots(
    _ dataset: DatasetReader, frames: Int, spread: Double, within tolerance: Double
  ) throws {
    var worst = 0.0
    for frame in 0..<frames {
      let image = try pixels(dataset, frame)
      let label = try #require(try dataset.labels(frame..<frame + 1)[0].first)
      for point in label.landmarks[0].labelled {
        let (sumX, sumY, sum) = Self.light(in: image, around: point, radius: 9)
        try #require(sum > 500, "no spot at \(point) of frame \(frame)")
        worst = max(worst, abs(sumX / sum - point.x), abs(sumY / sum - point.y))
      }
    }
    #expect(worst < tolerance, "\(worst)")
  }

  private static func light(
    in image: PixelBuffer, around point: Point, radius: Double
  ) -> (Double, Double, Double) {
    var (sumX, sumY, sum) = (0.0, 0.0, 0.0)
    for y in Int(point.y - radius)...Int(point.y + radius) {
      for x in Int(point.x - radius)...Int(point.x + radius) {
        let (px, py) = (Double(x) + 0.5, Double(y) + 0.5)
        guard hypot(px - point.x, py - point.y) <= radius else { continue }
        let weight = max(Double(image[x, y].green) - 46, 0)
        sumX += weight * px
        sumY += weight * py
        sum += weight
      }
    }
    return (sumX, sumY, sum)
  }

  @Test func `a face that leaves is first ignored and then absent`() throws {
    let dataset = try clips([.leave], frames: 40)
    var seen: Set<String> = []
    for (frame, faces) in try dataset.labels(0..<40).enumerated() {
      // From the description: away runs smoothly from 0 to 1 between phases 0.1 and 0.35.
      let phase = Double(frame) / 40
      let away = min(max((0.5 - abs(phase - 0.5)) * 4 - 0.4, 0), 1)
      let left = 120 + 1.1 * away * away * (3 - 2 * away) * 320
      let inside = min(max((320 - left) / 80, 0), 1)
      if inside < 0.1 {
        #expect(faces.isEmpty, "frame \(frame)")
        seen.insert("absent")
      } else {
        #expect(faces.count == 1, "frame \(frame)")
        #expect(faces.first?.isIgnored == (inside < 0.5), "frame \(frame)")
        seen.insert(inside < 0.5 ? "ignored" : "there")
        for (index, point) in (faces.first?.landmarks[0].points ?? []).prefix(5).enumerated() {
          #expect(
            faces[0].landmarks[0].visibility[index] == (point.x < 320 ? .visible : .occluded))
        }
      }
    }
    #expect(seen == ["there", "ignored", "absent"])
    #expect(try dataset.labels(0..<1)[0].first?.box == Self.box)
  }

  @Test func `a bar hides the points it covers and no others`() throws {
    let dataset = try clips([.bar], frames: 20)
    var hidden = 0
    for frame in 0..<20 {
      let left = 120 + (-0.25 + 1.5 * Double(frame) / 20) * 80 - 10
      let set = try dataset.labels(frame..<frame + 1)[0][0].landmarks[0]
      let image = try pixels(dataset, frame)
      for (index, spot) in Self.spots.enumerated() {
        let isCovered = spot.x >= left && spot.x < left + 20
        hidden += isCovered ? 1 : 0
        #expect(set.visibility[index] == (isCovered ? .occluded : .visible), "frame \(frame)")
        // A spot's middle is bright; away from the bar's edges, where JPEG rings, the bar is 60.
        if min(abs(spot.x - left), abs(spot.x - left - 20)) > 3 {
          let light = Int(image[Int(spot.x), Int(spot.y)].green)
          #expect(isCovered ? abs(light - 60) < 12 : light > 150, "frame \(frame): \(light)")
        }
      }
      #expect(set.visibility[5...].allSatisfy { $0 == .notLabelled })
    }
    #expect(hidden > 5)
  }

  @Test func `light changes and the labels do not`() throws {
    let dataset = try clips([.brightness], frames: 4)
    let greys = try (0..<4).map { Double(try pixels(dataset, $0)[20, 20].green) }
    // 40 at first, times 1.6 and 0.35 at the extremes; JPEG rounds by a level.
    for (grey, expected) in zip(greys, [40, 64, 40, 14.0]) {
      #expect(abs(grey - expected) <= 1.5)
    }
    let labels = try dataset.labels(0..<4)
    #expect(labels.allSatisfy { $0[0].box == Self.box })
  }

  @Test func `a tight box stays tight while the face turns`() throws {
    let spots = Self.spots
    let tight = try #require(BoundingBox(around: spots))
    let label = FaceLabel(box: tight, landmarks: [try Self.landmarks()])
    let dataset = try clips([.roll], frames: 4, label: label)
    for (frame, angle) in [0, Double.pi / 6, 0, -Double.pi / 6].enumerated() {
      let centre = Point(x: tight.x + tight.width / 2, y: tight.y + tight.height / 2)
      let turned = spots.map { spot in
        let (x, y) = (spot.x - centre.x, spot.y - centre.y)
        return Point(
          x: centre.x + x * cos(angle) - y * sin(angle),
          y: centre.y + x * sin(angle) + y * cos(angle))
      }
      let expected = try #require(BoundingBox(around: turned))
      let box = try dataset.labels(frame..<frame + 1)[0][0].box
      for (a, b) in [
        (box.x, expected.x), (box.y, expected.y), (box.maxX, expected.maxX),
        (box.maxY, expected.maxY),
      ] {
        // Sums of two f32 numbers.
        #expect(abs(a - b) < 1e-4)
      }
    }
  }

  @Test func `a nearly tight box stays as it is where nothing moves`() throws {
    var box = try #require(BoundingBox(around: Self.spots))
    box.x -= 0.25
    box.width += 0.5
    let label = FaceLabel(box: box, landmarks: [try Self.landmarks()])
    let read = try clips([.blur], frames: 2, label: label).labels(0..<2)
    for faces in read {
      #expect(abs(faces[0].box.x - box.x) < 1e-5 && abs(faces[0].box.width - box.width) < 1e-5)
    }
  }

  @Test func `images without a face to follow are counted and left out`() throws {
    let source = folder.file("none.h5")
    let still = try DatasetWriter(source, name: "none", replacing: false)
    let image = Sample.png(12, 8)
    let size = ImageSize(width: 12, height: 8)
    let box = BoundingBox(x: 1, y: 1, width: 4, height: 4)
    for faces in [
      [], [FaceLabel(box: box, isIgnored: true)], [FaceLabel(box: box, isCrowd: true)],
      [FaceLabel(box: BoundingBox(x: 1, y: 1, width: 0, height: 4))],
      [FaceLabel(box: box, category: 2)], [FaceLabel(box: box)],
    ] {
      try still.add(name: "a", image: image, size: size, faces: faces)
    }
    try still.finish()
    let writer = try DatasetWriter(folder.file("clips.h5"), name: "clips", replacing: false)
    var advanced = 0
    let summary = try ClipMaker(motions: [.still, .pan], framesPerClip: 2).run(
      over: DatasetReader(source), into: writer, advance: { advanced += $0 },
      isInterrupted: { false })
    #expect(summary.withoutFace == 5)
    #expect(summary.clips == 2)
    // What has no face has no frames.
    #expect(advanced == 2 * 2)
  }

  @Test func `an interruption leaves nothing`() throws {
    let source = folder.file("still.h5")
    try PlainDataset().write(to: source)
    var made = 0
    let error = #expect(throws: FileError.self) {
      let writer = try DatasetWriter(folder.file("clips.h5"), name: "clips", replacing: false)
      _ = try ClipMaker().run(
        over: DatasetReader(source), into: writer, advance: { made += $0 },
        isInterrupted: { made == 7 })
      try writer.finish()
    }
    #expect(error?.kind == .interrupted)
    #expect(error?.description == "interrupted after 7 frames; nothing was written")
    #expect(try folder.names == ["still.h5"])
  }

  @Test func `a broken image names its frame`() throws {
    var plain = PlainDataset()
    plain.images[2] = Array(repeating: 9, count: plain.images[2].count)
    let source = folder.file("broken.h5")
    try plain.write(to: source)
    let writer = try DatasetWriter(folder.file("clips.h5"), name: "clips", replacing: false)
    let error = #expect(throws: FileError.self) {
      try ClipMaker(motions: [.still], framesPerClip: 2).run(
        over: DatasetReader(source), into: writer, advance: { _ in }, isInterrupted: { false })
    }
    #expect(
      error?.description == "cannot animate frame 2 'frame 2' of \(source.relativePath): "
        + "cannot decode image: expected the first bytes of a JPEG or PNG, found 0x09090909")
  }
}
