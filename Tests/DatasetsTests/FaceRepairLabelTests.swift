import Datasets
import FaceCore
import Foundation
import Testing

@Suite("Repairs of labelled faces")
struct FaceRepairLabelTests {
  private static let size = ImageSize(width: 200, height: 100)

  /// Five points, of which the fourth has no label, a box, and 52 coefficients that count from 0.
  private static func face() throws -> FaceLabel {
    var face = FaceLabel(box: BoundingBox(x: 20, y: 10, width: 60, height: 40))
    let points = [(30, 20), (60, 20), (45, 30), (0, 0), (55, 40)].map { Point(x: $0, y: $1) }
    face.landmarks = [
      try #require(
        Landmarks(
          scheme: .five, points: points,
          visibility: [.visible, .occluded, .visible, .notLabelled, .visible],
          depths: [1, 2, 3, .nan, 5]))
    ]
    face.blendshapes = (0..<52).map { Float($0) }
    face.score = 0.25
    return face
  }

  private static func repaired(
    _ repair: FaceRepair, _ face: FaceLabel? = nil
  ) throws -> FaceLabel { repair.label(try face ?? Self.face(), in: size) }

  private static let placed: [(FaceRepair, BoundingBox, Point)] = [
    (.scale(x: 2, y: 3), BoundingBox(x: 40, y: 30, width: 120, height: 120), Point(x: 60, y: 60)),
    (.exchangedAxes, BoundingBox(x: 10, y: 20, width: 40, height: 60), Point(x: 20, y: 30)),
    (.fromBelow, BoundingBox(x: 20, y: 50, width: 60, height: 40), Point(x: 30, y: 80)),
    (.fromRight, BoundingBox(x: 120, y: 10, width: 60, height: 40), Point(x: 170, y: 20)),
    (.move(x: -5, y: 2), BoundingBox(x: 15, y: 12, width: 60, height: 40), Point(x: 25, y: 22)),
    (.corners, BoundingBox(x: 20, y: 10, width: 40, height: 30), Point(x: 30, y: 20)),
    (.center, BoundingBox(x: -10, y: -10, width: 60, height: 40), Point(x: 30, y: 20)),
  ]

  @Test(arguments: placed)
  func `box, its area and labelled points move together`(
    repair: FaceRepair, box: BoundingBox, first: Point
  ) throws {
    let face = try Self.repaired(repair)
    #expect(face.box == box && face.area == box.area)
    let points = try #require(face.landmarks.first)
    #expect(points.points[0] == first && points.points[3] == Point(x: 0, y: 0))
    #expect(try points.visibility == Self.face().landmarks[0].visibility)
    #expect(try face.blendshapes == Self.face().blendshapes && face.score == 0.25)
  }

  @Test func `fractions become pixels, and depths in widths too`() throws {
    var face = FaceLabel(box: BoundingBox(x: 0.1, y: 0.25, width: 0.5, height: 0.5), area: 0.125)
    face.landmarks = [
      try #require(
        Landmarks(
          scheme: .five, points: [Point](repeating: Point(x: 0.5, y: 0.5), count: 5),
          depths: [0.01, 0, 0, 0, 0]))
    ]
    let pixels = try Self.repaired(.fractions, face)
    #expect(pixels.box == BoundingBox(x: 20, y: 25, width: 100, height: 50))
    // The area is not the box's: a segment's, in the unit of the image's.
    #expect(pixels.area == 2500)
    #expect(pixels.landmarks[0].points[4] == Point(x: 100, y: 50))
    #expect(pixels.landmarks[0].depths?[0] == 2)
  }

  @Test func `a face without a box gets none, and a box of its points is in no convention`() throws
  {
    let none = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 0, height: 0))
    #expect(try Self.repaired(.fromBelow, none) == none)
    var tight = try Self.face()
    tight.box = try #require(BoundingBox(around: tight.landmarks[0].labelled))
    tight.area = tight.box.area
    #expect(try Self.repaired(.corners, tight).box == tight.box)
    #expect(try Self.repaired(.center, tight).box == tight.box)
  }

  @Test func `points and coefficients of left and right are exchanged with their states`() throws {
    let face = try Self.repaired(.sides)
    let (old, new) = (try Self.face().landmarks[0], face.landmarks[0])
    #expect(new.points == [1, 0, 2, 4, 3].map { old.points[$0] })
    #expect(new.visibility == [.occluded, .visible, .visible, .visible, .notLabelled])
    #expect(new.depths?.prefix(3) == [2, 1, 3] && new.depths?[3] == 5)
    let shapes = try #require(face.blendshapes)
    for (one, other) in [
      (Blendshape.eyeBlinkLeft, Blendshape.eyeBlinkRight), (.jawLeft, .jawRight),
      (.jawOpen, .jawOpen), (.neutral, .neutral),
    ] {
      #expect(shapes[one.index] == Float(other.index) && shapes[other.index] == Float(one.index))
    }
    #expect(try Self.repaired(.sides, face).blendshapes == Self.face().blendshapes)
    #expect(try face.box == Self.face().box)
  }

  @Test(arguments: [1, -3])
  func `coefficients are moved in their list, and none is made up`(count: Int) throws {
    let shapes = try #require(Self.repaired(.slots(count)).blendshapes)
    for (index, value) in shapes.enumerated() {
      let source = index + count
      #expect((0..<52).contains(source) ? value == Float(source) : value.isNaN)
    }
  }

  @Test func `percent become fractions, and falling scores rise`() throws {
    let face = try Self.repaired(.percent)
    #expect(face.blendshapes?[50] == 0.5 && face.score == 0.0025)
    #expect(try Self.repaired(.scoresFalling).score == 0.75)
  }

  @Test(arguments: [(80, 0.8), (1.5, 1.5), (0.8, 0.8), (0, 0)] as [(Float, Float)])
  func `of mixed percent those of faces that reach beyond 1.5 are divided`(
    highest: Float, expected: Float
  ) throws {
    var face = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 1, height: 1))
    face.blendshapes = [Float.nan, highest, highest / 2]
    face.score = 75
    let repaired = try Self.repaired(.mixedPercent, face)
    #expect(repaired.blendshapes?[1] == expected && repaired.blendshapes?[2] == expected / 2)
    #expect(repaired.score == 75)
  }

  @Test func `units change angles of head, eyes and gaze, and no other number`() throws {
    var face = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 1, height: 1))
    face.attributes = [
      "headYaw": 180, "leftEyePitch": 90, "gaze_angle_x": 45, "AU01_r": 3, "computed.yaw": 90,
    ]
    let radians = try Self.repaired(.degrees, face)
    #expect(radians.attributes["headYaw"] == .pi && radians.attributes["leftEyePitch"] == .pi / 2)
    #expect(radians.attributes["gaze_angle_x"] == .pi / 4 && radians.attributes["AU01_r"] == 3)
    // What is computed of points is in degrees in any case.
    #expect(radians.attributes["computed.yaw"] == 90)
    let degrees = try Self.repaired(.radians, radians).attributes
    #expect(try abs(#require(degrees["headYaw"]) - 180) < 1e-9)
  }

  @Test func `signs and order of angles change in the pose, in its place and scale`() throws {
    func pose(_ pitch: Double, _ yaw: Double, _ roll: Double) -> HeadPose {
      let rows = HeadRotation.rows(
        [pitch, yaw, roll].enumerated().map { (axis: $0, radians: -$1 * .pi / 180) })
      var pose = HeadPose(matrix: SIMD16(repeating: 0))
      for (index, row) in rows.enumerated() {
        for column in 0..<3 { pose.matrix[4 * index + column] = Float(2 * row[column]) }
        pose.matrix[4 * index + 3] = Float(index) - 40
      }
      pose.matrix[15] = 1
      return pose
    }
    var face = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 1, height: 1))
    face.pose = pose(10, -25, 5)
    face.attributes = ["headPitch": 0.1, "headYaw": 0.2, "headRoll": 0.3, "leftEyeYaw": 0.4]
    for (repair, expected, attributes) in [
      (
        FaceRepair.negated(["yaw", "roll"]), pose(10, 25, -5),
        ["headPitch": 0.1, "headYaw": -0.2, "headRoll": -0.3, "leftEyeYaw": 0.4]
      ),
      (
        .exchangedAngles, pose(-25, 10, 5),
        ["headPitch": 0.2, "headYaw": 0.1, "headRoll": 0.3, "leftEyeYaw": 0.4]
      ),
    ] {
      let turned = try Self.repaired(repair, face)
      let found = try #require(turned.pose)
      for index in 0..<16 {
        // Single precision, times a scale of 2.
        #expect(abs(found.matrix[index] - expected.matrix[index]) < 1e-6)
      }
      #expect(turned.attributes == attributes)
    }
  }
}
