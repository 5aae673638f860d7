import FaceCore
import FacePipeline
import Foundation
import TestSupport
import Testing

/// Regions and their association against MediaPipe's own calculators (face_regions.py, region_association.py).
///
/// The arithmetic is specified to the last bit, so results are compared with `==`.
struct RegionOracleTests {
  private struct Regions: Decodable {
    struct Detection: Decodable {
      var size: [Int]
      var box, region, squared: [Float]
      var eyes: [[Float]]
    }
    struct Face: Decodable {
      var size: [Int]
      var fill, region: [Float]
      var points: [String: [Float]]
    }
    var detections: [Detection]
    var faces: [Face]
  }

  private struct Associations: Decodable {
    struct Case: Decodable {
      var tracked, detected: [[Float]]
      var threshold: Double
      var kept: [Int]
    }
    var cases: [Case]
  }

  private struct Candidate {
    var index: Int
    var region: NormalizedRect
  }

  private func numbers(_ rect: NormalizedRect) -> [Float] {
    [rect.xCenter, rect.yCenter, rect.width, rect.height, rect.rotation]
  }

  /// Whether the box is MediaPipe's, and the angle but for its last bit.
  ///
  /// The C library's atan2f gives it, which rounds otherwise in glibc 2.41 than in that which MediaPipe ran with.
  private func agree(_ rect: NormalizedRect, _ expected: [Float]) -> Bool {
    let own = numbers(rect)
    return own.dropLast() == expected.dropLast() && abs(own[4] - expected[4]) <= expected[4].ulp
  }

  /// The candidate's box is set through its parts, because its decoder goes by way of the centre.
  private func detection(_ box: [Float], _ eyes: [[Float]]) throws -> NormalizedDetection {
    var made = try #require(
      NormalizedDetection(
        DetectorCandidate(anchor: 0, score: 1, regressors: SIMD16(repeating: 0)),
        anchors: [SIMD2()], inputSide: 1))
    (made.xmin, made.ymin, made.width, made.height) = (box[0], box[1], box[2], box[3])
    made.keypoints = eyes.map { SIMD2($0[0], $0[1]) }
    return made
  }

  @Test func `detections lead to MediaPipe's regions, as they are and squared`() throws {
    let oracle = try Oracles.read("face_regions", as: Regions.self)
    try #require(oracle.detections.count == 60)
    for entry in oracle.detections {
      let size = ImageSize(width: entry.size[0], height: entry.size[1])
      let face = try detection(entry.box, entry.eyes)
      #expect(agree(NormalizedRect(detection: face, size: size), entry.region))
      #expect(agree(NormalizedRect(detection: face, size: size, squared: true), entry.squared))
    }
  }

  /// A quarter of the faces lie wholly off the left and top, where MediaPipe's maxima start to matter.
  @Test func `landmarks lead to MediaPipe's next regions, wherever the face lies`() throws {
    let oracle = try Oracles.read("face_regions", as: Regions.self)
    try #require(oracle.faces.contains { $0.points.values.allSatisfy { $0[0] < 0 } })
    for entry in oracle.faces {
      var landmarks = [SIMD3<Float>](
        repeating: SIMD3(entry.fill[0], entry.fill[1], 0), count: 478)
      for (index, point) in entry.points {
        landmarks[try #require(Int(index))] = SIMD3(point[0], point[1], 0)
      }
      let size = ImageSize(width: entry.size[0], height: entry.size[1])
      #expect(agree(NormalizedRect(landmarks: landmarks, size: size), entry.region))
    }
  }

  @Test func `associations keep what MediaPipe's calculator keeps, in its order`() throws {
    let oracle = try Oracles.read("region_association", as: Associations.self)
    try #require(oracle.cases.count == 200)
    for (number, entry) in oracle.cases.enumerated() {
      let all = (entry.tracked + entry.detected).enumerated().map { index, r in
        Candidate(
          index: index,
          region: NormalizedRect(
            xCenter: r[0], yCenter: r[1], width: r[2], height: r[3], rotation: Float(index)))
      }
      for limit in [0, 1, 2, 9] {
        var kept = all
        RegionAssociation.merge(
          &kept, overlap: entry.threshold, limit: limit, region: \.region)
        #expect(kept.map(\.index) == Array(entry.kept.prefix(limit)), "case \(number)")
      }
    }
  }

  @Test(
    arguments: [
      // A detection replaces the tracked region that it overlaps, and goes to the end.
      ([0.2, 0.6], [0.21], 0.5, [1, 2]),
      // Tracked regions on one face leave the last of them.
      ([0.2, 0.21, 0.6], [], 0.5, [1, 2]),
      // One detection removes every tracked region that it overlaps.
      ([0.2, 0.26], [0.23], 0.5, [2]),
      // A region may be removed by one that goes itself.
      ([0.2, 0.24, 0.28], [], 0.5, [2]),
      // Nothing overlaps by more than 1, so duplicates stay.
      ([0.2], [0.2], 1, [0, 1]),
      // Touching is not overlapping.
      ([0.25], [0.5], 0, [0, 1]),
      ([], [], 0.5, []),
    ] as [([Float], [Float], Double, [Int])])
  func `later regions win`(
    tracked: [Float], detected: [Float], overlap: Double, kept: [Int]
  ) {
    let all = (tracked + detected).enumerated().map { index, x in
      Candidate(
        index: index,
        region: NormalizedRect(xCenter: x, yCenter: 0.5, width: 0.25, height: 0.25))
    }
    var merged = all
    RegionAssociation.merge(&merged, overlap: overlap, limit: 9, region: \.region)
    #expect(merged.map(\.index) == kept)
  }

  @Test func `too few landmarks turn no region and none make an empty one`() {
    let size = ImageSize(width: 100, height: 50)
    let few = NormalizedRect(
      landmarks: [SIMD3(0.25, 0.5, 0), SIMD3(0.75, 1, 0)], size: size)
    #expect(numbers(few) == [0.5, 0.75, 0.75, 1.5, 0])
    #expect(!(NormalizedRect(landmarks: [], size: size).width > 0))
  }
}
