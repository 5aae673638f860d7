import FaceCore
import Testing

@Suite("Stretches in which a recording repeats its values")
struct FrozenStretchTests {
  private func coefficients(_ number: Int) -> FaceFingerprint? {
    FaceFingerprint(
      coefficients: (0..<52).map { Float(number) / 100 + Float($0) / 77 }, pose: nil)
  }

  /// Stretches of frames with the values of some numbers, nil for no face.
  private func stretches(_ numbers: [Int?], microseconds step: Int64) -> [FrozenStretch] {
    var frozen = FrozenStretches()
    for (index, number) in numbers.enumerated() {
      frozen.add(index, time: Int64(index) * step, values: number.flatMap(coefficients))
    }
    frozen.endVideo()
    return frozen.all
  }

  @Test func `a stretch begins after the first equal frame and ends with the last`() {
    let found = stretches([0, 1, 2] + Array(repeating: 3, count: 10) + [4], microseconds: 40_000)
    #expect(found.map(\.frames) == [4..<13] && found.map(\.microseconds) == [360_000])
    #expect(stretches(Array(repeating: 1, count: 10), microseconds: 40_000).count == 1)
  }

  @Test func `0.2 s, three frames, a frame without a face, and another video end it`() {
    #expect(stretches(Array(repeating: 1, count: 6), microseconds: 40_000).isEmpty)
    #expect(stretches(Array(repeating: 1, count: 7), microseconds: 40_000).count == 1)
    #expect(stretches([1, 1, 1], microseconds: 500_000).isEmpty)
    #expect(stretches([1, 1, 1, 1], microseconds: 500_000).count == 1)
    #expect(
      stretches([1, 1, 1, 1, nil, 1, 1, 1, 1], microseconds: 60_000).isEmpty)
    var frozen = FrozenStretches()
    for index in 0..<8 {
      if index == 4 { frozen.endVideo() }
      frozen.add(index, time: Int64(index % 4) * 60_000, values: coefficients(1))
    }
    frozen.endVideo()
    #expect(frozen.all.isEmpty)
  }

  @Test func `a fingerprint is of the first that is measured, and changes with a bit`() throws {
    let values = (0..<52).map { Float($0) / 77 }
    let pose = HeadPose(
      matrix: SIMD16(0.9, 0.1, 0.2, 1, -0.1, 0.8, 0.3, 2, 0.2, 0.15, 0.7, 3, 0, 0, 0, 1))
    let own = try #require(FaceFingerprint(coefficients: values, pose: pose))
    #expect(own.part == .coefficients)
    var changed = values
    changed[51] = values[51].nextUp
    #expect(FaceFingerprint(coefficients: changed, pose: pose) != own)
    // Values that a person set, and 0, say nothing.
    let set = (0..<52).map { Float($0 % 3) / 2 }
    #expect(FaceFingerprint(coefficients: set, pose: pose)?.part == .pose)
    #expect(FaceFingerprint(coefficients: set, pose: nil) == nil)
    let points = (0..<5).map { Point(x: Double($0) + 0.3, y: 2.5) }
    #expect(FaceFingerprint(coefficients: nil, pose: nil, points: points)?.part == .points)
    let whole = points.map { Point(x: $0.x.rounded(), y: 2) }
    #expect(FaceFingerprint(coefficients: nil, pose: nil, points: whole) == nil)
  }

  /// Frames at 25 per second, 10 with a face, then 10 of zeros, where the head had some yaw before.
  private func zeros(afterYaw yaw: Double) -> [Range<Int>] {
    let ahead = ["headYaw": 0.0, "headPitch": 0.0, "headRoll": 0.0]
    var turned = ahead
    turned["headYaw"] = yaw
    let none = [Float](repeating: 0, count: 52)
    var frozen = FrozenStretches()
    for index in 0..<20 {
      let values = (0..<52).map { Float(index) / 100 + Float($0) / 77 }
      let own = FaceFingerprint(
        coefficients: index < 10 ? values : none, pose: nil,
        attributes: index < 10 ? turned : ahead)
      frozen.add(index, time: Int64(index) * 40_000, values: own)
    }
    frozen.endVideo()
    return frozen.all.map(\.frames)
  }

  @Test func `coefficients and angles that are all 0 are a lost face, and no resting voice`() {
    #expect(zeros(afterYaw: 0.2) == [10..<20])
    #expect(zeros(afterYaw: 0).isEmpty)
    let none = [Float](repeating: 0, count: 52)
    #expect(FaceFingerprint(coefficients: none, pose: nil) == nil)
    let turned = ["headYaw": 0.1, "headPitch": 0.0, "headRoll": 0.0]
    #expect(FaceFingerprint(coefficients: none, pose: nil, attributes: turned) == nil)
  }

  @Test func `a frame has one only if all of its faces have`() {
    let (first, second) = (coefficients(1), coefficients(2))
    #expect(FaceFingerprint([first, second]) != FaceFingerprint([second, first]))
    #expect(FaceFingerprint([first, second]) == FaceFingerprint([first, second]))
    #expect(FaceFingerprint([first, nil]) == nil && FaceFingerprint([]) == nil)
  }
}
