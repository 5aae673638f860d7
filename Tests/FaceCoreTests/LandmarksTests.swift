import FaceCore
import Testing

@Suite struct LandmarksTests {
  static let points = (0..<68).map { Point(x: Double($0), y: Double(2 * $0)) }

  @Test(arguments: [0, 1, 67, 69, 136]) func `another number of points is refused`(count: Int) {
    let points = (0..<count).map { Point(x: Double($0), y: 0) }
    #expect(Landmarks(scheme: .ibug68, points: points) == nil)
  }

  @Test func `another number of states is refused`() {
    let states = [PointVisibility](repeating: .visible, count: 67)
    #expect(Landmarks(scheme: .ibug68, points: Self.points, visibility: states) == nil)
  }

  @Test func `points without states are visible`() throws {
    let landmarks = try #require(Landmarks(scheme: .ibug68, points: Self.points))
    #expect(landmarks.visibility == Array(repeating: .visible, count: 68))
    #expect(landmarks.labelled == Self.points)
  }

  @Test func `hidden points have a label and unlabelled ones have none`() throws {
    let states = (0..<68).map { [PointVisibility.notLabelled, .occluded, .visible][$0 % 3] }
    let landmarks = try #require(
      Landmarks(scheme: .ibug68, points: Self.points, visibility: states))
    #expect(landmarks.labelled == Self.points.enumerated().filter { $0.0 % 3 != 0 }.map(\.1))
  }

  @Test func `states have the numbers of the file format`() {
    #expect(
      (0...3).map { PointVisibility(rawValue: $0) } == [.notLabelled, .occluded, .visible, nil])
  }

  @Test func `schemes are found by name and by count`() {
    #expect(LandmarkScheme.named("ibug68") == .ibug68)
    #expect(LandmarkScheme.withCount(68) == [.ibug68])
    #expect(LandmarkScheme.named("IBUG68") == nil)
    #expect(LandmarkScheme.withCount(67).isEmpty)
    #expect(Set(LandmarkScheme.all.map(\.name)).count == LandmarkScheme.all.count)
  }

  @Test func `a label's area is its box's unless it is given`() {
    let box = BoundingBox(x: 1, y: 2, width: 3, height: 4)
    #expect(FaceLabel(box: box).area == 12)
    #expect(FaceLabel(box: box, area: 7).area == 7)
    #expect(FaceLabel(box: box).category == 1)
  }
}
