import FaceCore
import Metrics
import Testing

/// What is compared of the faces of transformed images.
@Suite struct EquivarianceFitTests {
  private static let mesh = (0..<468).map { Point(x: Double($0 % 22) * 8, y: Double($0 / 22) * 8) }

  /// The distance over faces that are a pixel farther to the right from one to the next, with points after the mesh.
  private func fit(rest: Point, transformedRest: Point? = nil) throws -> EquivarianceFit {
    var sums = EquivarianceSums()
    for person in 0..<3 {
      let moved = Self.mesh.map { Point(x: $0.x + Double(person), y: $0.y) }
      let irises = [Point](repeating: rest, count: 10)
      let others = [Point](repeating: transformedRest ?? rest, count: 10)
      sums.count(pairs: 1, lost: 0, gained: 0, cluster: person)
      sums.add(
        FacePrediction(scheme: .mediapipe478, points: Self.mesh + irises),
        FacePrediction(scheme: .mediapipe478, points: moved + others), cluster: person)
    }
    return try EquivarianceFit(sums, of: "shift", bootstrap: ClusterBootstrap(resamples: 0))
  }

  @Test func `points that a tracker never gives are left out, and others compared`() throws {
    let none = Point(x: .nan, y: .nan)
    let meshAlone = try fit(rest: none)
    let distance = try #require(meshAlone.distance.value)
    #expect(distance > 0 && meshAlone.points.count == 468)
    #expect(meshAlone.points.allSatisfy { abs($0.distance - distance) < 1e-9 })
    #expect(try fit(rest: Point(x: 1, y: 1)).points.count == 478)
    // A point that is gone in the transformed image makes no face better.
    #expect(try fit(rest: Point(x: 1, y: 1), transformedRest: none).distance.value == nil)
  }
}
