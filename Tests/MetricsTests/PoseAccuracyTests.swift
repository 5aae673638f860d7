import FaceCore
import Foundation
import Metrics
import Records
import Statistics
import TestSupport
import Testing

typealias Quaternion = SIMD4<Double>

private struct PoseOracle: Decodable {
  var nearest: [[Double]?]
}

/// Rows of the rotation of a quaternion w, x, y, z times its squared length: whole for whole numbers.
private func rows(_ q: Quaternion) -> [SIMD3<Double>] {
  let (w, x, y, z) = (q[0], q[1], q[2], q[3])
  return [
    SIMD3(w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)),
    SIMD3(2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)),
    SIMD3(2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z),
  ]
}

func pose(_ q: Quaternion) -> HeadPose {
  var matrix = SIMD16<Float>(repeating: 0)
  for (row, values) in rows(q).enumerated() {
    for column in 0..<3 { matrix[4 * row + column] = Float(values[column]) }
    matrix[4 * row + 3] = .nan
  }
  matrix[15] = 1
  return HeadPose(matrix: matrix)
}

private func product(_ a: Quaternion, _ b: Quaternion) -> Quaternion {
  let real = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
  let i = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
  let j = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1]
  let k = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]
  return Quaternion(real, i, j, k)
}

private func whole(_ stream: inout SplitMix64, _ reach: Int) -> Quaternion {
  var q = Quaternion()
  for lane in 0..<4 { q[lane] = Double(stream.below(2 * reach + 1) - reach) }
  return q
}

private func cases(_ number: Int) -> [LabelledFaceCase] {
  var stream = SplitMix64(seed: UInt64(7000 + number))
  let count = stream.below(16)
  let misses = stream.below(3) > 0
  let isExact = stream.below(8) == 0
  var turn = whole(&stream, 2)
  turn[0] = 6
  return (0..<count).map { _ in
    let reach = [1, 6][stream.below(2)]
    let label = whole(&stream, reach)
    var noise = whole(&stream, 1)
    noise[0] = 12
    var face = LabelledFaceCase(isFound: !(stream.below(6) == 0 && misses))
    face.label.pose = pose(label)
    face.face?.pose = pose(isExact ? label : product(product(label, turn), noise))
    return face
  }
}

private func accumulate(_ cases: [LabelledFaceCase]) throws -> PoseAccuracy {
  var accuracy = PoseAccuracy()
  for (frame, face) in cases.enumerated() {
    try accuracy.add(face.scored(frame))
  }
  return accuracy
}

private func turned(_ label: Quaternion, _ predicted: Quaternion?) -> LabelledFaceCase {
  var face = LabelledFaceCase(isFound: predicted != nil)
  face.label.pose = pose(label)
  face.face?.pose = predicted.map(pose)
  return face
}

@Suite("Head poses against labels")
struct PoseAccuracyTests {
  @Test(.tags(.oracle))
  func `all metrics of 150 random cases equal those of SciPy's Rotation`() throws {
    let oracle = try Oracles.read("pose_metrics", as: MetricCases.self)
    #expect(oracle.cases.count >= 100)
    for number in oracle.cases.indices {
      oracle.expect(try accumulate(cases(number)).summarize(), case: number)
    }
  }

  @Test(.tags(.oracle))
  func `the rotation nearest to a noisy matrix is that of SciPy's align_vectors`() throws {
    let oracle = try Oracles.read("pose_metrics", as: PoseOracle.self)
    #expect(oracle.nearest.count { $0 != nil } >= 100)
    for (number, expected) in oracle.nearest.enumerated() {
      var stream = SplitMix64(seed: UInt64(8000 + number))
      let q = whole(&stream, 8)
      guard q != Quaternion() else { continue }
      var matrix = rows(q).map { $0 * 16 }
      for row in 0..<3 {
        for column in 0..<3 { matrix[row][column] += Double(stream.below(67) - 33) }
      }
      let found = Rotation(nearest: matrix)
      #expect((found == nil) == (expected == nil), "case \(number)")
      guard let found, let expected else { continue }
      let cosine =
        found.w * expected[0] + found.x * expected[1] + found.y * expected[2]
        + found.z * expected[3]
      let sign: Double = cosine < 0 ? -1 : 1
      let own = [found.w, found.x, found.y, found.z]
      for (value, expected) in zip(own, expected) { #expect(abs(value - sign * expected) <= 1e-9) }
      OracleTable.note(
        "nearest rotation", "scipy 1.17.1",
        zip(own, expected).map { abs($0 - sign * $1) }.max() ?? 0)
    }
  }

  @Test func `any split merges to the same bits, the table included`() throws {
    var generator = SplitMix64(seed: 4)
    for number in 0..<60 {
      let faces = cases(number)
      let whole = try accumulate(faces)
      let merged = try PoseAccuracy.inParts(
        Array(faces.enumerated()), using: &generator, empty: PoseAccuracy()
      ) { part, item in
        try part.add(item.element.scored(item.offset))
      }
      #expect(merged == whole)
      #expect(merged.summarize() == whole.summarize())
      #expect(merged.yawTable() == whole.yawTable())
    }
  }

  @Test
  func
    `the angle equals the clamped arccos of the trace, and is 0 for the same and 180 for opposite`()
    throws
  {
    var stream = SplitMix64(seed: 5)
    for _ in 0..<200 {
      guard let first = Rotation(nearest: rows(whole(&stream, 9))),
        let second = Rotation(nearest: rows(whole(&stream, 9)))
      else { continue }
      let trace = zip(first.rows, second.rows).reduce(0) { $0 + ($1.0 * $1.1).sum() }
      let expected = acos(min(1, max(-1, (trace - 1) / 2))) * 180 / .pi
      // arccos has only half of its digits at 0 and 180.
      #expect(abs(first.degrees(to: second) - expected) < 1e-5)
      #expect(first.degrees(to: first) < 1e-12)
    }
    let half = try #require(Rotation(nearest: rows(Quaternion(0, 0, 1, 0))))
    #expect(abs(Rotation.identity.degrees(to: half) - 180) < 1e-12)
  }

  @Test
  func `one constant rotation is taken away whole, and the differences go the shorter way round`()
    throws
  {
    let heads: [Quaternion] = [[5, 1, 0, 0], [5, 0, 1, 0], [5, 0, 0, 1], [5, 1, 1, 1]]
    let accuracy = try accumulate(
      heads.map { turned($0, product($0, Quaternion(3, 1, 0, 0))) })
    let metrics = accuracy.summarize()
    func value(_ name: String) throws -> Double {
      try #require(metrics.first { $0.name == "pose.\(name)" }?.value)
    }
    #expect(try abs(value("geodesic") - 2 * atan2(1, 3) * 180 / .pi) < 1e-9)
    #expect(try value("geodesic.aligned") < 1e-9)
    #expect(HeadAngles.difference(179, -179) == 2)
    #expect(HeadAngles.difference(-351, 9) == 0)
  }

  @Test
  func `labels beyond 99° are left out of the angles and counted, and missed faces are no success`()
    throws
  {
    let metrics = try accumulate([
      turned(Quaternion(1, 0, 3, 0), Quaternion(1, 0, 0, 0)),
      turned(Quaternion(1, 0, 0, 0), Quaternion(1, 0, 0, 0)),
      turned(Quaternion(1, 0, 0, 0), nil),
    ]).summarize()
    let values = Dictionary(uniqueKeysWithValues: metrics.map { ($0.name, $0.value) })
    #expect(values["pose.excluded"] == 1.0)
    #expect(values["pose.mae.yaw"] == .some(nil))
    #expect(values["pose.mae.yaw.conditional"] == 0.0)
    #expect(values["pose.found_share"] == 2.0 / 3)
    #expect(
      metrics.first { $0.name == "pose.geodesic" }?.reason
        == "1 of 3 labelled faces have no such prediction; pose.geodesic.conditional is of the others"
    )
  }

  @Test func `matrices that are no rotation have no pose`() throws {
    #expect(Rotation(nearest: [[1, 0, 0], [0, 1, 0], [0, 0, -1]]) == nil)
    #expect(Rotation(nearest: [[0, 0, 0], [0, 0, 0], [0, 0, 0]]) == nil)
    #expect(Rotation(nearest: [[.nan, 0, 0], [0, 1, 0], [0, 0, 1]]) == nil)
    #expect(Rotation(nearest: [[.infinity, 0, 0], [0, 1, 0], [0, 0, 1]]) == nil)
    #expect(Rotation(nearest: [[1, 0, 0], [0, 1, 0]]) == nil)
    #expect(Rotation.mean([]) == nil)
    let nothing = PoseAccuracy().summarize()
    #expect(nothing.allSatisfy { $0.value == nil && $0.reason != nil })
    let one = try accumulate([turned(Quaternion(1, 0, 0, 0), Quaternion(1, 0, 0, 0))])
    #expect(
      one.summarize().filter { $0.value == nil }.map(\.reason) == [
        "one pose is its own reference", "one pose is its own reference",
      ])
  }

  @Test(
    arguments: [-0.7, 1.4, 1.8, -2.5])
  func `angles are AFLW2000's: its importer's rows give its own numbers back, beyond 90° too`(
    yaw: Double
  ) throws {
    let (pitch, roll) = (0.3, 0.2)
    func turn(_ half: Double, _ lane: Int) -> Quaternion {
      var q = Quaternion(cos(half / 2), 0, 0, 0)
      q[lane] = sin(half / 2)
      return q
    }
    let q = product(product(turn(-pitch, 1), turn(-yaw, 2)), turn(-roll, 3))
    let angles = HeadAngles(try #require(Rotation(nearest: rows(q))))
    #expect(abs(angles.pitch - pitch * 180 / .pi) < 1e-12)
    #expect(abs(angles.yaw - yaw * 180 / .pi) < 1e-12)
    #expect(abs(angles.roll - roll * 180 / .pi) < 1e-12)
  }
}

@Suite("Yaw bins")
struct YawBinTests {
  @Test(
    arguments: [
      (0, .front), (30, .front), (-30, .front), (30.0001, .half), (60, .half), (-60.5, .side),
      (180, .side), (359, .front), (-351.2, .front), (720 + 45, .half), (.nan, nil),
      (30.00000001, .front), (30.001, .half), (-60.00000001, .half), (.infinity, nil),
    ] as [(Double, YawBin?)])
  func `a bin holds its upper end, and turns by 360° change nothing`(yaw: Double, bin: YawBin?) {
    #expect(YawBin(yawDegrees: yaw) == bin)
  }

  @Test(
    .enabled(if: Shared.isAvailable))
  func
    `AFLW2000's yaw has 1312, 383 and 305 faces as published; six are beyond 99°, one only wrapped round`()
    throws
  {
    let bytes = try [UInt8](
      Data(contentsOf: Shared.data("aflw2000-annots/3ddfa/AFLW2000-3D.pose.npy")))
    let header = 10 + Int(bytes[8]) + 256 * Int(bytes[9])
    let yaw = [UInt8](bytes[header...]).littleEndianFloats.map(Double.init)
    #expect(yaw.count == 2000)
    // As published, |yaw| as it stands: nothing wraps round.
    #expect(
      [0.0...30, 30.0.nextUp...60, 60.0.nextUp...360].map { bin in
        yaw.count { bin.contains(abs($0)) }
      } == [1312, 383, 305])
    #expect(yaw.count { abs($0) > 99 } == 6)
    #expect(
      YawBin.allCases.map { bin in yaw.count { YawBin(yawDegrees: $0) == bin } }
        == [1313, 383, 304])
  }
}
