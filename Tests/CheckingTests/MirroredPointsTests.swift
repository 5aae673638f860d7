import Checking
import FaceCore
import Records
import Testing

/// Points in the middle of an image, where boxes agree with their mirrored selves.
struct MirroredPointsTests {
  private static let size = ImageSize(width: 400, height: 400)

  private func sample(
    around middle: Double = 200, count: Int = 12, every step: Int = 1,
    _ predict: ([Point]) -> [Point]
  ) throws -> JoinedSample {
    let frames = try (0..<count).map { index -> JoinedFrame in
      let (x, y) = (middle + Double(index % 5) * 3 - 6, 190 + Double(index % 4) * 4)
      let points = [(-40, -30), (40, -30), (0, 0), (-25, 40), (25, 40)].map {
        Point(x: x + Double($0.0), y: y + Double($0.1))
      }
      let label = FaceLabel(
        box: BoundingBox(x: x - 60, y: y - 70, width: 120, height: 140),
        landmarks: [try #require(Landmarks(scheme: .five, points: points))])
      let seen = (index % step == 0 ? predict(points) : points).map {
        SIMD3(Float($0.x), Float($0.y), .nan)
      }
      return PlacedFaces.frame(
        index, size: Self.size, isVideo: false, labels: [label],
        faces: [
          FacePrediction(
            region: nil, isTracked: false, detectionScore: nil, presence: nil, scheme: .five,
            points: seen)
        ])
    }
    return JoinedSample(
      frames: frames, isWhole: true, format: "labels", scheme: .five, hasScores: false)
  }

  @Test func `mirrored points of faces in the middle are told from exchanged names`() throws {
    let mirrored = try sample { $0.map { Point(x: 400 - $0.x, y: $0.y) } }
    let finding = try #require(CoordinatesCheck.findings(in: mirrored).first)
    #expect(finding.remedy == "Import the predictions again with --repair from-right.")
    #expect(try #require(finding.after) < 0.01)
    let exchanged = try sample { [$0[1], $0[0], $0[2], $0[4], $0[3]] }
    #expect(CoordinatesCheck.findings(in: exchanged).isEmpty)
  }

  @Test func `points of an image that was mirrored need their names exchanged too`() throws {
    let sample = try sample(around: 120) { points in
      [1, 0, 2, 4, 3].map { Point(x: 400 - points[$0].x, y: points[$0].y) }
    }
    let finding = try #require(CoordinatesCheck.findings(in: sample).first)
    #expect(
      finding.remedy
        == "Import the predictions again with --repair from-right --repair exchange-sides.")
  }

  @Test func `points of half of the faces are not mended by one option for all`() throws {
    let mirrored = try sample(count: 40, every: 2) { $0.map { Point(x: 400 - $0.x, y: $0.y) } }
    let finding = try #require(CoordinatesCheck.findings(in: mirrored).first)
    #expect(finding.name == "coordinates.points")
    #expect(finding.summary.hasPrefix("Points agree in 20 of 40 faces of the sample if they are"))
    let remedy = try #require(finding.remedy)
    #expect(remedy.contains("--repair from-right on all would turn the others wrong"), "\(remedy)")
    let exchanged = try sample(count: 40, every: 2) { [$0[1], $0[0], $0[2], $0[4], $0[3]] }
    #expect(CoordinatesCheck.findings(in: exchanged).isEmpty)
    let sides = try #require(PointsCheck.findings(in: exchanged).first)
    #expect(sides.name == "points.sides")
    #expect(sides.summary.contains("in 20 of 40 faces of the sample if left and right"))
    #expect(PointsCheck.findings(in: try sample(count: 40) { $0 }).isEmpty)
  }
}
