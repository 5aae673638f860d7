import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

@Suite struct AFLW2000Tests {
  let folder: TemporaryFolder
  private let sample = MATSample()

  init() throws { folder = try TemporaryFolder() }

  /// Points on a circle around (10, 10), counted from 1.
  private func points(_ shift: Double = 0) -> [UInt8] {
    var values: [Double] = []
    for index in 0..<68 {
      let angle = Double(index)
      values += [10 + cos(angle) + shift, 10 + sin(angle), angle]
    }
    return sample.doubles("pt3d_68", 3, 68, values)
  }

  private func file(
    _ angles: [Double], shift: Double = 0, _ more: [UInt8] = []
  ) -> [UInt8] {
    sample.file(points(shift), sample.doubles("Pose_Para", 1, 7, angles + [1, 2, 3, 0.5]), more)
  }

  @Test func `pose is in radians, and a yaw of -351 degrees is one of 9`() throws {
    try folder.write(file([0.1, -351 * .pi / 180, 0.2]), to: "set/a.mat")
    try folder.write(Sample.png(30, 30), to: "set/a.png")
    let read = try readAll(AFLW2000(), [folder.file("set")])
    let face = try #require(read.frames.first?.faces.first)
    // A double of radians: 1e-12 is far below any label's precision.
    let yaw = try #require(face.attributes["yaw"])
    let nine = 9 * Double.pi / 180
    #expect(abs(yaw - nine) < 1e-12)
    #expect(face.attributes["pitch"] == 0.1 && face.attributes["roll"] == 0.2)
    #expect(face.attributes["pose_scale"] == 0.5)
    #expect(
      read.remarks.contains("1 angles beyond half a turn are wrapped: the rotation is the same"))
    let points = try #require(face.landmarks.first)
    #expect(points.points[0] == Point(x: 10, y: 9))
    #expect(points.depths?[67] == 67)
    let pose = try #require(face.pose)
    #expect(pose.matrix[3].isNaN && pose.matrix[7].isNaN && pose.matrix[11].isNaN)
  }

  @Test func `points far outside of the image are kept and counted`() throws {
    try folder.write(file([0, 0, 0], shift: 500), to: "set/a.mat")
    try folder.write(Sample.png(30, 30), to: "set/a.png")
    let read = try readAll(AFLW2000(), [folder.file("set")])
    #expect(read.frames.first?.faces.first?.box.x ?? 0 > 500)
    #expect(read.remarks.contains("1 faces have points outside of their image, which are kept"))
    #expect(
      read.remarks.contains(
        "1 of these have points farther outside than the size of the image: check them"))
  }

  @Test func `a point at -1, -1 is not labelled, and the box is around the others`() throws {
    let values: [Double] = [-1, -1] + (2..<136).map { Double($0 + 1) }
    let flat = sample.doubles("pt2d", 2, 68, values)
    let pose = sample.doubles("Pose_Para", 1, 7, Array(repeating: 0, count: 7))
    try folder.write(sample.file(flat, pose), to: "set/a.mat")
    try folder.write(Sample.png(150, 150), to: "set/a.png")
    let read = try readAll(AFLW2000(), [folder.file("set")], ImportOptions(indexBase: 0))
    let face = try #require(read.frames.first?.faces.first)
    #expect(face.landmarks.first?.visibility[0] == .notLabelled)
    #expect(face.box == BoundingBox(x: 3, y: 4, width: 132, height: 132))
    #expect(!read.remarks.contains { $0.contains("outside of their image") })
  }

  @Test func `300W-LP has flat points in pt2d and repeats them in landmarks`() throws {
    let flat = sample.doubles("pt2d", 2, 68, (0..<136).map { Double($0 + 1) })
    let angles: [Double] = [0, 0, 0, 1, 2, 3, 4]
    let pose = sample.doubles("Pose_Para", 1, 7, angles)
    try folder.write(sample.file(flat, pose), to: "set/AFW/AFW_1_0.mat")
    try folder.write(Sample.jpeg(9, 9), to: "set/AFW/AFW_1_0.jpg")
    try folder.write(sample.file(flat), to: "set/landmarks/AFW/AFW_1_0_pts.mat")
    let read = try readAll(AFLW2000(), [folder.file("set")], ImportOptions(indexBase: 0))
    #expect(read.frames.map(\.name) == ["AFW/AFW_1_0.jpg"])
    let points = try #require(read.frames.first?.faces.first?.landmarks.first)
    #expect(points.points[1] == Point(x: 3, y: 4) && points.depths == nil)
    #expect(
      read.remarks.suffix(1) == [
        "lost: 1 files of landmarks/ left out, which repeat the points"
      ])
  }

  @Test func `a MAT-file without an image is an error`() throws {
    try folder.write(file([0, 0, 0]), to: "set/a.mat")
    let error = #expect(throws: FileError.self) {
      try readAll(AFLW2000(), [folder.file("set")])
    }
    #expect(
      error?.line(from: folder)
        == "cannot import set/a.mat: expected one image of that name, found none")
  }

  @Test(.enabled(if: Shared.isAvailable, "FACEGAUGE_SHARED names no folder of data"))
  func `AFLW2000's rotations turn its own points back to a face that looks ahead`() throws {
    let read = try readAll(AFLW2000(), [Shared.data("aflw2000-prnet")])
    #expect(read.frames.count == 16)
    for face in read.frames.flatMap(\.faces) {
      let set = try #require(face.landmarks.first)
      let pose = try #require(face.pose)
      let depths = try #require(set.depths)
      // x right, y up, z towards the camera, then turned back by the transposed rotation.
      let seen = zip(set.points, depths).map { SIMD3($0.x, -$0.y, $1) }
      func turnedBack(_ point: SIMD3<Double>) -> SIMD3<Double> {
        func column(_ index: Int) -> Double {
          (0..<3).reduce(0) { $0 + Double(pose.matrix[4 * $1 + index]) * point[$1] }
        }
        return SIMD3(column(0), column(1), column(2))
      }
      let frontal = seen.map(turnedBack)
      let width = frontal[16].x - frontal[0].x
      let middle = (frontal[36] + frontal[45]) / 2
      // Real faces are not quite symmetric: 8 % of the jaw's width covers all 16.
      #expect(abs(frontal[30].x - middle.x) < 0.08 * width)
      #expect(abs(frontal[45].y - frontal[36].y) < 0.08 * width)
      #expect(frontal[30].z - middle.z > 0.25 * width)
      #expect(frontal[8].y < frontal[30].y && frontal[30].y < middle.y)
      // A clear yaw moves the nose in the image to the side that the rotated nose points at.
      let yaw = try #require(face.attributes["yaw"])
      if abs(yaw) > 0.15 {
        let nose = set.points[30].x - (set.points[36].x + set.points[45].x) / 2
        #expect((nose < 0) == (yaw > 0))
        #expect((Double(pose.matrix[2]) < 0) == (yaw > 0))
      }
    }
  }
}
