import Datasets
import FaceCore
import Foundation
import Imaging
import Platform
import Statistics
import TestSupport
import Testing

@Suite struct DegradationTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// What Tests/Oracles/degradations.py writes.
  private struct Expected: Decodable {
    struct Frame: Decodable {
      var name: String
      var size: [Int]
      var boxes: [[Double]]
      var points: [[Double]]
      var states: [String]
      var ignored: [Bool]
    }

    struct Pixels: Decodable {
      var length, radians, gain, offset: Double?
      var pixels: [Double]
    }

    var seed: UInt64
    var longestSide: Int
    var frames: [Frame]
    var motion: [Pixels]
    var light: [Pixels]
  }

  /// The labels of case `index`, as the script makes them.
  private func face(of stream: inout SplitMix64, in size: ImageSize) throws -> FaceLabel {
    let (x, y) = (stream.between(-20, size.width - 60), stream.between(-20, size.height - 60))
    let (width, height) = (stream.between(40, 160), stream.between(40, 160))
    let points = (0..<29).map { _ in
      let across = stream.between(0, 1)
      return Point(x: x + width * across, y: y + height * stream.between(0, 1))
    }
    var states = try (0..<29).map { _ in
      try #require(PointVisibility(rawValue: UInt8(min(stream.below(5), 2))))
    }
    (states[8], states[9]) = (.visible, .visible)
    var face = FaceLabel(
      box: BoundingBox(x: x, y: y, width: width, height: height),
      landmarks: [
        try #require(Landmarks(scheme: .cofw29, points: points, visibility: states))
      ])
    face.isIgnored = stream.below(6) == 0
    return face
  }

  private func suite(
    of source: URL, by names: [String], seed: UInt64 = 1, longestSide: Int = 640,
    name: String = "suite.h5"
  ) throws -> (dataset: DatasetReader, summary: DegradationSuite.Summary) {
    let writer = try DatasetWriter(folder.file(name), name: "suite", replacing: true)
    let plan = DegradationSuite(
      degradations: names.compactMap { Degradations.named($0) }, seed: seed,
      longestSide: longestSide)
    let summary = try plan.run(
      over: DatasetReader(source), into: writer, advance: { _ in }, isInterrupted: { false })
    try writer.finish()
    return (try DatasetReader(folder.file(name)), summary)
  }

  @Test func `labels of crop, resolution and occluder are those of the oracle`() throws {
    let expected = try Oracles.read("degradations", as: Expected.self)
    let source = try DatasetWriter(folder.file("cases.h5"), name: "cases", replacing: true)
    for index in 0..<5 {
      var stream = SplitMix64(seed: UInt64(1000 + index))
      let width = 200 + stream.below(400)
      let size = ImageSize(width: width, height: 200 + stream.below(400))
      var faces = try (0..<1 + stream.below(2)).map { _ in try face(of: &stream, in: size) }
      faces[0].isIgnored = false
      let image = PixelBuffer(width: size.width, height: size.height, color: RGB(128, 128, 128))
      try source.add(name: "\(index).png", image: try image.pngBytes(), size: size, faces: faces)
    }
    try source.finish()
    let made = try suite(
      of: folder.file("cases.h5"), by: ["resolution", "occluder", "crop"], seed: expected.seed,
      longestSide: expected.longestSide
    ).dataset
    #expect(made.frameCount == expected.frames.count)
    let frames = try made.frames(0..<made.frameCount)
    for (frame, want) in zip(frames, expected.frames) {
      let labels = try made.labels(frame.index..<frame.index + 1)[0]
      #expect(frame.name == want.name)
      #expect([frame.size.width, frame.size.height] == want.size, "\(want.name)")
      #expect(labels.map(\.isIgnored) == want.ignored, "\(want.name)")
      #expect(
        labels.map { $0.landmarks[0].visibility.map { "\($0.rawValue)" }.joined() } == want.states,
        "\(want.name)")
      // f32 at coordinates up to 640, and four decimals of the script.
      let tolerance = 1e-4
      for (label, (box, points)) in zip(labels, zip(want.boxes, want.points)) {
        let own = [label.box.x, label.box.y, label.box.width, label.box.height]
        #expect(zip(own, box).allSatisfy { abs($0 - $1) < tolerance }, "\(want.name)")
        for (index, point) in label.landmarks[0].points.enumerated()
        where label.landmarks[0].visibility[index] != .notLabelled {
          #expect(abs(point.x - points[2 * index]) < tolerance, "\(want.name)")
          #expect(abs(point.y - points[2 * index + 1]) < tolerance, "\(want.name)")
        }
      }
    }
  }

  private static func randomImage() throws -> PixelBuffer {
    var stream = SplitMix64(seed: 5)
    let bytes = (0..<17 * 23 * 3).map { _ in UInt8(stream.below(256)) }
    return try #require(PixelBuffer(width: 23, height: 17, bytes: bytes))
  }

  /// The largest difference of 8-bit values from numbers before rounding.
  private func difference(_ image: PixelBuffer, _ expected: [Double]) -> Double {
    zip(image.bytes, expected).map { abs(Double($0) - $1) }.max() ?? .infinity
  }

  @Test func `motion blur and light are those of SciPy and NumPy`() throws {
    let expected = try Oracles.read("degradations", as: Expected.self)
    let image = try Self.randomImage()
    for one in expected.motion {
      let blurred = image.motionBlurred(length: one.length ?? 0, radians: one.radians ?? 0)
      // Half a level of rounding, and that of sums of floats.
      #expect(difference(blurred, one.pixels) < 0.502)
    }
    for one in expected.light {
      var lit = image
      lit.mapLight { _, _, light in (one.gain ?? 0) * light + (one.offset ?? 0) }
      #expect(difference(lit, one.pixels) < 0.502)
    }
    #expect(image.motionBlurred(length: 0, radians: 1) == image)
  }

  /// A pattern with detail at two scales, labelled with a box.
  private func writePattern(
    to url: URL, names: [String] = ["a.png"], attributes: [String: Double] = ["light": 7]
  ) throws {
    let size = ImageSize(width: 256, height: 192)
    // Blocks of random light, 16 and 5 pixels wide: a periodic pattern may come back under a motion.
    var stream = SplitMix64(seed: 9)
    let coarse = (0..<200).map { _ in Double(stream.next() % 110) }
    let fine = (0..<2100).map { _ in Double(stream.next() % 80) }
    var bytes: [UInt8] = []
    for y in 0..<size.height {
      for x in 0..<size.width {
        let value = 30 + coarse[y / 16 * 16 + x / 16] + fine[y / 5 * 52 + x / 5]
        bytes += [UInt8(value), UInt8(value * 0.9), UInt8(255 - value)]
      }
    }
    let image = try #require(PixelBuffer(width: size.width, height: size.height, bytes: bytes))
    let writer = try DatasetWriter(url, name: "pattern", replacing: true)
    for name in names {
      try writer.add(
        name: name, image: try image.pngBytes(), size: size,
        faces: [FaceLabel(box: BoundingBox(x: 80, y: 40, width: 90, height: 100))],
        context: FrameContext(
          intrinsics: [200, 0, 128, 0, 200, 96, 0, 0, 1], attributes: attributes))
    }
    try writer.addSplit("test", frames: [0])
    try writer.finish()
  }

  /// Structural similarity of two images of equal size: mean over windows of 7 by 7 and channels (Wang et al. 2004).
  private func ssim(_ first: PixelBuffer, _ second: PixelBuffer) -> Double {
    let (c1, c2) = (pow(0.01 * 255, 2.0), pow(0.03 * 255, 2.0))
    var (sum, count) = (0.0, 0.0)
    for y in stride(from: 3, to: first.height - 3, by: 2) {
      for x in stride(from: 3, to: first.width - 3, by: 2) {
        for channel in 0..<3 {
          var (a, b, aa, bb, ab) = (0.0, 0.0, 0.0, 0.0, 0.0)
          for dy in -3...3 {
            for dx in -3...3 {
              let at = ((y + dy) * first.width + x + dx) * 3 + channel
              let (p, q) = (Double(first.bytes[at]), Double(second.bytes[at]))
              (a, b, aa, bb, ab) = (a + p, b + q, aa + p * p, bb + q * q, ab + p * q)
            }
          }
          (a, b) = (a / 49, b / 49)
          let (va, vb, cov) = (aa / 49 - a * a, bb / 49 - b * b, ab / 49 - a * b)
          sum += (2 * a * b + c1) * (2 * cov + c2) / ((a * a + b * b + c1) * (va + vb + c2))
          count += 1
        }
      }
    }
    return sum / count
  }

  @Test(
    arguments: ["blur", "motion-blur", "noise", "dark", "backlight", "jpeg", "occluder"])
  func `each severity is less like the clean image than the one before`(name: String) throws {
    try writePattern(to: folder.file("pattern.h5"))
    let (made, _) = try suite(of: folder.file("pattern.h5"), by: [name])
    #expect(made.frameCount == 6)
    let images = try (0..<6).map { try made.image($0).decoded() }
    let likeness = images.map { ssim(images[0], $0) }
    #expect(likeness[0] == 1)
    #expect(zip(likeness, likeness.dropFirst()).allSatisfy { $0 > $1 }, "\(name) \(likeness)")
  }

  @Test func `sizes shrink with resolution and crop`() throws {
    let captured = ["cameraWidth": 256.0, "cameraHeight": 192]
    try writePattern(to: folder.file("pattern.h5"), attributes: captured)
    let (made, _) = try suite(of: folder.file("pattern.h5"), by: ["resolution", "crop"])
    let frames = try made.frames(0..<11)
    let areas = frames.map { $0.size.width * $0.size.height }
    #expect(zip(areas[0...5], areas[1...5]).allSatisfy { $0 > $1 })
    #expect(zip([areas[0]] + areas[6...10], areas[6...10]).allSatisfy { $0 > $1 })
    // 47.4 pixels, half of √(90 · 100), become 32: 256 · 32 / 47.43 = 172.7.
    #expect(frames[1].size.width == 173)
    let camera = try #require(try made.contexts(1..<2)[0].intrinsics)
    #expect(abs(camera[0] - 200 * 173 / 256) < 1e-9 && abs(camera[2] - 128 * 173 / 256) < 1e-9)
    for (frame, context) in try zip(frames, made.contexts(0..<11)) {
      #expect(context.attributes["cameraWidth"] == Double(frame.size.width))
      #expect(context.attributes["cameraHeight"] == Double(frame.size.height))
    }
  }

  @Test func `attributes hold the severity, splits and subjects keep versions together`() throws {
    try writePattern(to: folder.file("pattern.h5"), names: ["a.png", "b.png"])
    let (made, summary) = try suite(of: folder.file("pattern.h5"), by: ["blur", "jpeg"])
    #expect(summary.sources == 2 && summary.withoutFace == 0)
    let contexts = try made.contexts(0..<22)
    #expect(contexts[0].attributes == ["severity.blur": 0, "severity.jpeg": 0, "light": 7])
    #expect(contexts[3].attributes.filter { !$0.value.isNaN } == ["severity.blur": 3, "light": 7])
    #expect(contexts[10].attributes.filter { !$0.value.isNaN } == ["severity.jpeg": 5, "light": 7])
    #expect(try made.split("test") == Array(0..<11))
    // Both stills have the same bytes: they are one photo, and so one subject.
    #expect(Set(made.sequences.map(\.subject)) == ["a"])
    #expect(made.sequences[12].name == "b/blur-1")
    #expect(try !DatasetValidation(of: made).hasErrors)
  }

  @Test func `the same seed gives the same bytes, another seed other noise`() throws {
    try writePattern(to: folder.file("pattern.h5"))
    func images(_ seed: UInt64) throws -> [PixelBuffer] {
      let (made, _) = try suite(
        of: folder.file("pattern.h5"), by: ["noise", "dark", "motion-blur", "occluder"],
        seed: seed, name: "\(seed).h5")
      return try (0..<21).map { try made.image($0).decoded() }
    }
    let (first, again, other) = (try images(1), try images(1), try images(2))
    #expect(first == again)
    #expect(first[0] == other[0])
    #expect((1..<21).allSatisfy { first[$0] != other[$0] })
  }

  @Test func `noise has the stated deviation`() throws {
    let size = ImageSize(width: 128, height: 128)
    let image = PixelBuffer(width: 128, height: 128, color: RGB(128, 128, 128))
    let writer = try DatasetWriter(folder.file("grey.h5"), name: "grey", replacing: true)
    try writer.add(
      name: "grey.png", image: try image.pngBytes(), size: size,
      faces: [FaceLabel(box: BoundingBox(x: 10, y: 10, width: 90, height: 100))])
    try writer.finish()
    let (made, _) = try suite(of: folder.file("grey.h5"), by: ["noise"])
    let noisy = try made.image(2).decoded()
    let errors = noisy.bytes.map { Double($0) - 128 }
    let deviation = (errors.reduce(0) { $0 + $1 * $1 } / Double(errors.count)).squareRoot()
    // 16 levels, ± 3 standard errors of 49,152 values. The stored JPEG of quality 95 adds the rounding of its
    // coefficients, whose steps are 12 at most in Y and 10 in Cb, which has the gain 1.772 in blue.
    let standardError: Double = 16 / (2 * Double(errors.count)).squareRoot()
    let (luma, blue): (Double, Double) = (12 * 12, 1.772 * 1.772 * 10 * 10)
    let rounding = (luma + blue) / 12
    #expect(deviation > 16 - 3 * standardError)
    let most = (16 * 16 + rounding).squareRoot() + 3 * standardError
    #expect(deviation < most)
  }

  @Test func `a video keeps its frames, times and one window of the crop`() throws {
    let writer = try DatasetWriter(folder.file("clip.h5"), name: "clip", replacing: true)
    let image = PixelBuffer(width: 120, height: 90, color: RGB(90, 120, 200))
    writer.beginSequence(
      SequenceDescription(name: "walk", kind: .video, framesPerSecond: 25))
    for step in 0..<3 {
      try writer.add(
        name: "\(step)", image: try image.pngBytes(), size: image.size,
        timestampMicroseconds: Int64(step) * 40_000,
        faces: [
          FaceLabel(box: BoundingBox(x: 40 + Double(step), y: 20, width: 40, height: 50))
        ])
    }
    try writer.finish()
    let (made, _) = try suite(of: folder.file("clip.h5"), by: ["crop"])
    #expect(made.frameCount == 18)
    #expect(made.sequences.map(\.count) == [3, 3, 3, 3, 3, 3])
    #expect(made.sequences.allSatisfy { $0.kind == .video && $0.subject == "walk" })
    let frames = try made.frames(0..<18)
    #expect(frames[3..<6].map(\.timestampMicroseconds) == [0, 40_000, 80_000])
    #expect(Set(frames[15..<18].map(\.size)).count == 1)
    let boxes = try made.labels(15..<18).map { $0[0].box.x }
    #expect(boxes[1] - boxes[0] == 1 && boxes[2] - boxes[1] == 1)
  }

  @Test func `a frame whose faces are not labelled stays one where crop cuts it`() throws {
    let writer = try DatasetWriter(folder.file("keys.h5"), name: "keys", replacing: true)
    let image = PixelBuffer(width: 320, height: 240, color: RGB(90, 120, 200))
    writer.beginSequence(
      SequenceDescription(name: "walk", kind: .video, framesPerSecond: 25))
    let faces: [FaceLabel] = [
      FaceLabel(box: BoundingBox(x: 110, y: 75, width: 100, height: 90)), .unlabelled(image.size),
    ]
    for (step, face) in faces.enumerated() {
      try writer.add(
        name: "\(step)", image: try image.pngBytes(), size: image.size,
        timestampMicroseconds: Int64(step) * 40_000, faces: [face])
    }
    try writer.finish()
    let made = try suite(of: folder.file("keys.h5"), by: ["crop"]).dataset
    #expect(made.frameCount == 12)
    let labels = try made.labels(0..<made.frameCount)
    for frame in try made.frames(0..<made.frameCount) {
      let isUnlabelled = labels[frame.index].leaveOut(frame.size)
      #expect(isUnlabelled == (frame.index % 2 == 1), "\(frame.name)")
    }
  }

  @Test func `degraded images are not degraded again, and images without a face are left out`()
    throws
  {
    try writePattern(to: folder.file("pattern.h5"))
    _ = try suite(of: folder.file("pattern.h5"), by: ["blur"])
    #expect(throws: FileError.self) {
      _ = try suite(of: folder.file("suite.h5"), by: ["jpeg"], name: "again.h5")
    }
    let writer = try DatasetWriter(folder.file("empty.h5"), name: "empty", replacing: true)
    let image = PixelBuffer(width: 20, height: 20)
    try writer.add(name: "0", image: try image.pngBytes(), size: image.size, faces: [])
    try writer.finish()
    let (made, summary) = try suite(of: folder.file("empty.h5"), by: ["blur"], name: "none.h5")
    #expect(made.frameCount == 0 && summary.withoutFace == 1)
  }
}
