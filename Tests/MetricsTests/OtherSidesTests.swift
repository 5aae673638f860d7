import FaceCore
import Metrics
import Testing

@Suite("The other sides of landmark schemes")
struct OtherSidesTests {
  @Test(arguments: [
    LandmarkScheme.ibug68, .wflw98, .cofw29, .five, .lapa106, .aflw21, .aflw19, .mediapipe478,
  ])
  func `two exchanges change nothing, and eyes and corners change their sides`(
    scheme: LandmarkScheme
  ) throws {
    let others = try #require(scheme.otherSides)
    #expect(others.count == scheme.count && others.map { others[$0] } == Array(0..<scheme.count))
    let layout = try #require(LandmarkLayout.of(scheme))
    #expect(Set(layout.leftEye.map { others[$0] }) == Set(layout.rightEye))
    #expect(layout.leftOuterCorner.map { others[$0] } == layout.rightOuterCorner)
  }

  @Test(arguments: [
    LandmarkCorrespondence.mediapipe478ToIBUG68, .mediapipe478ToWFLW98, .mediapipe478ToCOFW29,
    .mediapipe478ToFive,
  ])
  func `the other side of a point's mesh points are the mesh points of its other side`(
    table: LandmarkCorrespondence
  ) throws {
    let mesh = try #require(LandmarkScheme.mediapipe478.otherSides)
    let others = try #require(table.target.otherSides)
    for (point, sources) in table.indices.enumerated() {
      #expect(
        Set(sources.map { mesh[$0] }) == Set(table.indices[others[point]]),
        "point \(point) of \(table.target.name)")
    }
  }
}
