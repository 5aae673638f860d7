import FaceCore
import Foundation
import Metrics
import Records
import Statistics
import TestSupport
import Testing

private func pose(_ turn: Quaternion, at position: SIMD3<Double>) -> HeadPose {
  var placed = pose(turn)
  for row in 0..<3 { placed.matrix[4 * row + 3] = Float(position[row]) }
  return placed
}

private struct PlacedCase {
  var face: LabelledFaceCase
  var frame: Frame
  var isVideo: Bool
}

private func cases(_ number: Int) -> [PlacedCase] {
  var stream = SplitMix64(seed: UInt64(9000 + number))
  func between(_ low: Int, _ high: Int) -> Double {
    Double(low) + Double(stream.below((high - low) * 64)) / 64
  }
  let count = stream.below(24)
  let misses = stream.below(3) > 0
  let alike = stream.below(4) == 0
  return (0..<count).map { index in
    let isVideo = stream.below(4) > 0
    let (sequence, identity) = (stream.below(2), stream.below(3) - 1)
    let labelled = SIMD3(between(-20, 20), between(-15, 15), alike ? -40 : between(-90, -30))
    let told = SIMD3(
      labelled.x + between(-4, 4), labelled.y + between(-4, 4), labelled.z + between(-4, 4))
    var turn = Quaternion(6, 0, 0, 0)
    for lane in 1..<4 { turn[lane] = Double(stream.below(9) - 4) }
    var face = LabelledFaceCase(isFound: !(stream.below(6) == 0 && misses))
    face.label.pose = pose(turn, at: stream.below(12) == 0 ? SIMD3(0, .nan, 0) : labelled)
    face.label.identity = identity < 0 ? nil : identity
    face.face?.pose = pose(turn, at: told)
    return PlacedCase(
      face: face,
      frame: Frame(
        index: index, name: "\(index)", sequence: sequence,
        timestampMicroseconds: Int64(index) * 31_250, size: ImageSize(width: 8, height: 8)),
      isVideo: isVideo)
  }
}

extension HeadPosition {
  fileprivate mutating func add(_ placed: PlacedCase) throws(MetricError) {
    try add(placed.face.scored(placed.frame, isVideo: placed.isVideo))
  }
}

private func accumulate(_ cases: [PlacedCase]) throws -> HeadPosition {
  var positions = HeadPosition()
  for one in cases { try positions.add(one) }
  return positions
}

@Suite("Positions of heads against labels")
struct HeadPositionTests {
  /// Sums of at most 24 numbers of up to 100 in double precision.
  @Test(.tags(.oracle))
  func `all metrics of 150 random cases equal those of NumPy and SciPy`() throws {
    let oracle = try Oracles.read("position_metrics", as: MetricCases.self)
    #expect(oracle.cases.count == 150)
    for number in oracle.cases.indices {
      oracle.expect(try accumulate(cases(number)).summarize(), case: number)
    }
  }

  @Test func `any split merges to the same bits`() throws {
    var generator = SplitMix64(seed: 4)
    for number in 0..<40 {
      let faces = cases(number)
      let merged = try HeadPosition.inParts(faces, using: &generator, empty: HeadPosition()) {
        try $0.add($1)
      }
      #expect(
        try merged == accumulate(faces) && merged.summarize() == accumulate(faces).summarize())
    }
  }

  /// A tracker that tells 1.03 d + 2.1 cm, from an origin 5 cm behind, and drifts by 3 cm a minute.
  @Test func `a planted slope, offset, origin and drift are recovered`() throws {
    func metrics(
      _ told: (_ labelled: SIMD3<Double>, _ frame: Int) -> SIMD3<Double>, isVideo: Bool = false
    ) throws -> [String: Double] {
      var positions = HeadPosition()
      for frame in 0..<60 {
        let labelled = SIMD3(0, 0, -30 - Double(frame))
        // Whole matrices: turned by 90° and scaled, as `pose` scales them.
        let turn = frame % 2 == 0 ? Quaternion(2, 0, 0, 0) : Quaternion(1, 0, 1, 0)
        var face = LabelledFaceCase(isFound: true)
        face.label.pose = pose(turn, at: labelled)
        face.face?.pose = pose(turn, at: told(labelled, frame))
        try positions.add(
          PlacedCase(
            face: face,
            frame: Frame(
              index: frame, name: "", sequence: 0, timestampMicroseconds: Int64(frame) * 1_000_000,
              size: ImageSize(width: 8, height: 8)), isVideo: isVideo))
      }
      return Dictionary(
        positions.summarize().compactMap { one in one.value.map { (one.name, $0) } }
      ) { $1 }
    }
    let line = try metrics { labelled, _ in SIMD3(0, 0, labelled.z * 1.03 - 2.1) }
    #expect(try abs(#require(line["pose.distance.slope"]) - 1.03) < 1e-6)
    #expect(try abs(#require(line["pose.distance.offset"]) - 2.1) < 1e-4)
    #expect(line["pose.distance.drift"] == nil)
    let origin = try metrics { labelled, frame in
      labelled + (frame % 2 == 0 ? SIMD3(0, 0, -5) : SIMD3(-5, 0, 0))
    }
    #expect(try abs(#require(origin["pose.position"]) - 5) < 1e-6)
    #expect(try #require(origin["pose.position.aligned"]) < 1e-6)
    let drifting = try metrics(
      { labelled, frame in SIMD3(0, 0, labelled.z - Double(frame) / 20) }, isVideo: true)
    #expect(try abs(#require(drifting["pose.distance.drift"]) - 3) < 1e-4)
    // A tracker against itself.
    let same = try metrics({ labelled, _ in labelled }, isVideo: true)
    #expect(same["pose.position"] == 0 && same["pose.distance.slope"] == 1)
    #expect(same["pose.distance.drift"] == 0 && same["pose.distance.offset"] == 0)
  }

  @Test func `what is not known is undefined`() throws {
    let nothing = HeadPosition().summarize()
    #expect(nothing.allSatisfy { $0.value == nil && $0.reason != nil })
    #expect(!HeadPosition().isPresent)
  }
}
