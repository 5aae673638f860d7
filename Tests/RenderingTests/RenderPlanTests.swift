import Datasets
import FaceCore
import Foundation
import Imaging
import Platform
import Rendering
import TestSupport
import Testing

@Suite("Designs of rendered datasets")
struct RenderPlanTests {
  private static let camera = RenderCamera(
    size: ImageSize(width: 64, height: 48), verticalFieldOfViewDegrees: 63)

  private static func rendered(
    _ plan: RenderPlan, stopAfter limit: Int = .max
  ) throws -> (reader: DatasetReader, folder: TemporaryFolder) {
    let folder = try TemporaryFolder()
    let file = folder.file("faces.h5")
    let writer = try DatasetWriter(file, name: "rendered", replacing: false)
    var count = 0
    try plan.run(
      HeadRenderer(kit: PlainHead.kit, camera: camera), into: writer, advance: { count += $0 },
      isInterrupted: { count >= limit })
    try writer.finish()
    #expect(count == plan.frameCount(camera: camera))
    return (try DatasetReader(file), folder)
  }

  private static func rows(
    _ reader: DatasetReader
  ) throws -> [(name: String, label: FaceLabel, image: [UInt8])] {
    try (0..<reader.frameCount).map { index in
      let label = try #require(try reader.labels(index..<index + 1)[0].first)
      return (
        try reader.frames(index..<index + 1)[0].name, label,
        try reader.image(index).decoded().bytes
      )
    }
  }

  @Test func `response raises each coefficient alone, the closed mouth with an open jaw`() throws {
    let (reader, _) = try Self.rendered(RenderPlan(design: .response, people: 1))
    let rows = try Self.rows(reader)
    #expect(rows.count == 1 + 4 * 51)
    #expect(Set(rows.map(\.name)).count == rows.count)
    var levels: [Blendshape: [Float]] = [:]
    for row in rows {
      let raised = Blendshape.allCases.filter {
        (row.label.blendshapes?[$0.index] ?? 0) > 0
      }
      let key = raised == [.jawOpen, .mouthClose] ? [.mouthClose] : raised
      #expect(key.count == (row.name.hasSuffix("neutral") ? 0 : 1), "\(row.name)")
      for shape in key {
        levels[shape, default: []].append(row.label.blendshapes?[shape.index] ?? 0)
      }
    }
    #expect(levels.count == 51)
    #expect(levels.values.allSatisfy { $0 == [0.25, 0.5, 0.75, 1] })
  }

  @Test func `pose and distance reach as far as help says, and labels name the distance`() throws {
    let poses = try Self.rows(try Self.rendered(RenderPlan(design: .pose, people: 1)).reader)
    let angles = poses.compactMap { $0.label.pose.flatMap { Rotation($0) } }.map { HeadAngles($0) }
    #expect(abs((angles.map(\.yaw).max() ?? 0) - 60) < 1e-3)
    #expect(abs((angles.map(\.pitch).min() ?? 0) + 30) < 1e-3)
    #expect(abs((angles.map(\.roll).max() ?? 0) - 40) < 1e-3)
    let (reader, _) = try Self.rendered(RenderPlan(design: .distance, people: 2))
    let distances = try Self.rows(reader).compactMap { $0.label.pose?.matrix[11] }
    #expect(distances.max() == -25 && distances.min() == -200)
    #expect(Set(reader.sequences.map(\.subject)) == ["person 0", "person 1"])
    let contexts = try reader.contexts(0..<reader.frameCount)
    #expect(zip(contexts, distances).allSatisfy { $0.attributes["distance-cm"] == Double(-$1) })
  }

  @Test func `clips have rising times and curves that begin and end as they say`() throws {
    let plan = RenderPlan(design: .clips, people: 1, framesPerClip: 60, framesPerSecond: 30)
    let (reader, _) = try Self.rendered(plan)
    #expect(reader.sequences.count == 10)
    #expect(reader.sequences.allSatisfy { $0.kind == .video && $0.count == 60 })
    let rows = try Self.rows(reader)
    let blink = try #require(reader.sequences.first { $0.name.hasSuffix("/blink") })
    let levels = blink.frames.map {
      rows[$0].label.blendshapes?[Blendshape.eyeBlinkLeft.index] ?? .nan
    }
    #expect(levels.prefix(18).allSatisfy { $0 == 0 } && levels.max() == 1)
    #expect(levels.count { $0 > 0 } < 12)
    let times = try reader.frames(blink.frames).map(\.timestampMicroseconds)
    #expect(times.first == 0 && times.last == 1_966_667)
  }

  @Test func `random depends on its seed alone, and keeps coefficients within 0 and 1`() throws {
    func rows(people: Int, seed: UInt64) throws -> [(
      name: String, label: FaceLabel, image: [UInt8]
    )] {
      try Self.rows(
        try Self.rendered(
          RenderPlan(design: .random, people: people, seed: seed, imagesPerPerson: 12)
        ).reader)
    }
    let (one, two, other) = (
      try rows(people: 1, seed: 5), try rows(people: 2, seed: 5), try rows(people: 1, seed: 6)
    )
    #expect(one.map(\.image) == two.prefix(12).map(\.image))
    #expect(one.map(\.label.box) == two.prefix(12).map(\.label.box))
    #expect(one.map(\.label.box) != other.map(\.label.box))
    for row in two {
      let levels = (row.label.blendshapes ?? []).dropFirst()
      #expect(levels.allSatisfy { 0...1 ~= $0 } && levels.contains { $0 > 0 })
    }
  }

  @Test func `an interrupted rendering leaves no file`() throws {
    let folder = try TemporaryFolder()
    let writer = try DatasetWriter(folder.file("a.h5"), name: "a", replacing: false)
    var count = 0
    #expect {
      try RenderPlan(design: .pose, people: 1).run(
        HeadRenderer(kit: PlainHead.kit, camera: Self.camera), into: writer,
        advance: { count += $0 }, isInterrupted: { count >= 4 })
    } throws: { error in
      (error as? FileError)?.kind == .interrupted
    }
    #expect(!folder.file("a.h5").isThere)
  }
}
