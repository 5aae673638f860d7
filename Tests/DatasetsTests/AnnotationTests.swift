import Datasets
import FaceCore
import Foundation
import Imaging
import TestSupport
import Testing

@Suite struct AnnotationTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// What Tests/Oracles/face_annotations.py writes.
  private struct Expected: Decodable {
    struct Case: Decodable {
      var size, steps: [Int]
      var levels: [[Int]]
      var box: [Double]
      var points: [[Double]]?
      var luminance, contrast, sharpness: Double
      var skinTone: Double?

      /// The triangle waves of the script.
      func image() throws -> PixelBuffer {
        var bytes: [UInt8] = []
        for y in 0..<size[1] {
          for x in 0..<size[0] {
            for channel in 0..<3 {
              let (low, span) = (levels[channel][0], levels[channel][1])
              let phase = steps[channel] * (2 * x + 3 * y) % (2 * span)
              bytes.append(UInt8(low + abs(phase - span)))
            }
          }
        }
        return try #require(PixelBuffer(width: size[0], height: size[1], bytes: bytes))
      }

      func label() throws -> FaceLabel {
        var label = FaceLabel(
          box: BoundingBox(x: box[0], y: box[1], width: box[2], height: box[3]))
        if let points {
          label.landmarks = [
            try #require(
              Landmarks(scheme: .five, points: points.map { Point(x: $0[0], y: $0[1]) }))
          ]
        }
        return label
      }
    }

    var cases: [Case]
  }

  private func annotated(
    _ labels: [(image: PixelBuffer, faces: [FaceLabel])], _ plan: DatasetAnnotation
  ) throws -> (faces: [[FaceLabel]], summary: DatasetAnnotation.Summary) {
    let source = try DatasetWriter(folder.file("source.h5"), name: "source", replacing: true)
    for (index, one) in labels.enumerated() {
      source.beginSequence(SequenceDescription(name: "\(index)", kind: .still))
      try source.add(
        name: "\(index)", image: one.image.pngBytes(), size: one.image.size, faces: one.faces)
    }
    try source.addSplit("test", frames: [0])
    try source.finish()
    let reader = try DatasetReader(folder.file("source.h5"))
    let writer = try DatasetWriter(folder.file("out.h5"), name: "out", replacing: true)
    let summary = try plan.run(
      over: reader, into: writer, advance: { _ in }, isInterrupted: { false })
    try writer.finish()
    let made = try DatasetReader(folder.file("out.h5"))
    #expect(try made.split("test") == [0])
    #expect(
      try (0..<labels.count).allSatisfy {
        try made.image($0).decoded() == reader.image($0).decoded()
      },
      "images do not change")
    return (try made.labels(0..<labels.count), summary)
  }

  /// Pixels that are made smaller or larger are rounded to 8 bits, which moves a deviation by less than .05.
  @Test func `attributes are those of scikit-image and OpenCV`() throws {
    let expected = try Oracles.read("face_annotations", as: Expected.self).cases
    let plan = DatasetAnnotation([.luminance, .contrast, .sharpness, .skinTone])
    let (faces, summary) = try annotated(
      expected.map { (try $0.image(), [try $0.label()]) }, plan)
    #expect(expected.contains { $0.skinTone != nil } && expected.contains { $0.skinTone == nil })
    for (own, theirs) in zip(faces.map(\.[0].attributes), expected) {
      let size = theirs.size
      #expect(abs((own["computed.luminance"] ?? .nan) - theirs.luminance) < 1e-2, "\(size)")
      #expect(abs((own["computed.contrast"] ?? .nan) - theirs.contrast) < 1e-2, "\(size)")
      #expect(abs((own["computed.sharpness"] ?? .nan) - theirs.sharpness) < 0.05, "\(size)")
      #expect((own["computed.skin-tone"] == nil) == (theirs.skinTone == nil), "\(size)")
      if let tone = theirs.skinTone {
        #expect(abs((own["computed.skin-tone"] ?? .nan) - tone) < 1e-6, "\(size)")
      }
    }
    #expect(summary.faces == expected.count)
    #expect(
      summary.slices.map { $0.reduce(0, +) } == [5, 5, 5, expected.count { $0.skinTone != nil }])
  }

  @Test func `faces that do not count or are too small have none, and old values go`() throws {
    let image = PixelBuffer(width: 60, height: 60, color: RGB(200, 150, 120))
    var ignored = FaceLabel(box: BoundingBox(x: 5, y: 5, width: 40, height: 40))
    ignored.isIgnored = true
    ignored.attributes = ["computed.luminance": 3, "blur": 2]
    var small = FaceLabel(box: BoundingBox(x: 50, y: 50, width: 40, height: 40))
    small.attributes = ["computed.luminance": 3]
    let plain = FaceLabel(box: BoundingBox(x: 5, y: 5, width: 40, height: 40))
    let (faces, summary) = try annotated(
      [(image, [ignored, small, plain])], DatasetAnnotation([.luminance, .contrast, .yaw]))
    #expect(faces[0][0].attributes == ["blur": 2])
    #expect(faces[0][1].attributes.isEmpty)
    #expect(faces[0][2].attributes.keys.sorted() == ["computed.contrast", "computed.luminance"])
    #expect(faces[0][2].attributes["computed.contrast"].map { $0 < 1e-9 } == true)
    #expect(summary.faces == 2)
    #expect(summary.slices.map { $0.reduce(0, +) } == [1, 1, 0])
  }

  @Test func `copies with other pixels leave them out, and say so`() throws {
    let image = PixelBuffer(width: 60, height: 60, color: RGB(200, 150, 120))
    var face = FaceLabel(box: BoundingBox(x: 5, y: 5, width: 40, height: 40))
    face.attributes = ["blur": 2]
    _ = try annotated([(image, [face])], DatasetAnnotation([.luminance]))
    let source = try DatasetReader(folder.file("out.h5"))
    #expect(source.attributeNames == ["blur", "computed.luminance"])
    let suite = try DatasetWriter(folder.file("suite.h5"), name: "suite", replacing: true)
    let degraded = try DegradationSuite(degradations: [try #require(Degradations.named("dark"))])
      .run(
        over: source, into: suite, advance: { _ in }, isInterrupted: { false })
    try suite.finish()
    let clips = try DatasetWriter(folder.file("clips.h5"), name: "clips", replacing: true)
    let animated = try ClipMaker(motions: [.pan], framesPerClip: 2).run(
      over: source, into: clips, advance: { _ in }, isInterrupted: { false })
    try clips.finish()
    for (file, remarks) in [("suite.h5", degraded.remarks), ("clips.h5", animated.remarks)] {
      #expect(try DatasetReader(folder.file(file)).attributeNames == ["blur"], "\(file)")
      #expect(remarks.contains { $0.isLoss && $0.text.contains("computed.luminance") }, "\(file)")
    }
  }

  @Test func `points and yaw of a landmark model serve where labels have none`() throws {
    let image = PixelBuffer(width: 100, height: 100, color: RGB(200, 150, 120))
    let label = FaceLabel(box: BoundingBox(x: 10, y: 10, width: 80, height: 80))
    let points = [(30.0, 35.0), (70, 35), (50, 50), (35, 70), (65, 70)]
    var labelled = label
    labelled.landmarks = [
      try #require(Landmarks(scheme: .five, points: points.map { Point(x: $0.0, y: $0.1) }))
    ]
    let seen = try #require(labelled.landmarks.first)
    var plan = DatasetAnnotation([.skinTone, .yaw])
    plan.look = { label, _ in
      label.box.x > 5 ? DatasetAnnotation.Sight(points: seen, yaw: -42) : nil
    }
    var unseen = label
    unseen.box.x = 2
    let (faces, _) = try annotated([(image, [label, labelled, unseen])], plan)
    #expect(faces[0][0].attributes == faces[0][1].attributes)
    #expect(faces[0][0].attributes["computed.yaw"] == -42)
    #expect(faces[0][2].attributes.isEmpty)
    #expect(ComputedAttribute.yaw.slice(of: -42) == 1)
  }

  @Test func `every attribute but yaw is measured from pixels, and slices cover all numbers`() {
    #expect(
      FaceMeasures.all.map(\.attribute) == ComputedAttribute.all.filter { $0 != .yaw })
    for attribute in ComputedAttribute.all {
      #expect(attribute.edges == attribute.edges.sorted())
      #expect(attribute.slice(of: -.greatestFiniteMagnitude) >= 0)
      #expect(attribute.slice(of: .greatestFiniteMagnitude) == attribute.sliceNames.count - 1)
      for (index, edge) in attribute.edges.enumerated() {
        #expect(attribute.slice(of: Double(edge)) == index + 1)
        #expect(attribute.slice(of: Double(edge).nextDown) == index)
      }
    }
    #expect(ComputedAttribute.skinTone.sliceNames[0] == "..-30")
    #expect(ComputedAttribute.yaw.sliceNames == ["0-30", "30-60", "60-"])
  }
}
