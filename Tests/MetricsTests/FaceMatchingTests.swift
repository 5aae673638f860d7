import FaceCore
import Metrics
import Statistics
import TestSupport
import Testing

private struct MatchingCases: Decodable {
  struct Case: Decodable {
    var matches: [[Int]]
    var total: Double
    var missed: [Int]
    var unmatched: [Int]
    var ignored: [Int]
  }
  var cases: [Case]
  /// The largest sum of IoUs of each crowd.
  var crowds: [Double]
}

private func boxes(_ stream: inout SplitMix64, crowded: Bool) -> [BoundingBox] {
  (0..<stream.below(8)).map { _ in
    let center = Double(60 * stream.below(crowded ? 3 : 7))
    let x = center + stream.between(0, 16)
    let y = stream.between(0, 16)
    let width = stream.below(12) > 0 ? stream.between(36, 60) : 0
    return BoundingBox(x: x, y: y, width: width, height: stream.between(36, 60))
  }
}

private func crowd(of count: Int, _ stream: inout SplitMix64) -> [BoundingBox] {
  (0..<count).map { _ in
    let (x, y) = (stream.between(0, 24), stream.between(0, 24))
    return BoundingBox(x: x, y: y, width: stream.between(36, 60), height: stream.between(36, 60))
  }
}

private func square(_ x: Double, side: Double = 40) -> BoundingBox {
  BoundingBox(x: x, y: 0, width: side, height: side)
}

private func match(_ labels: [FaceLabel], _ faces: [BoundingBox]) throws -> FaceMatching {
  try FaceMatching(frame: 0, labels: labels, faces: faces.map { FacePrediction(box: $0) })
}

@Suite("Matching labelled and predicted faces")
struct FaceMatchingTests {
  @Test(.tags(.oracle))
  func `pairs, misses and strays of 300 random images equal scipy's assignment`() throws {
    let cases = try Oracles.read("face_matching", as: MatchingCases.self).cases
    #expect(cases.count >= 100)
    #expect(cases.contains { $0.matches.count >= 4 } && cases.contains { !$0.ignored.isEmpty })
    for (number, expected) in cases.enumerated() {
      var stream = SplitMix64(seed: UInt64(number))
      let labelBoxes = boxes(&stream, crowded: number % 2 == 0)
      let faces = boxes(&stream, crowded: number % 2 == 0)
      let labels = labelBoxes.map { box in
        let kind = stream.below(8)
        return FaceLabel(box: box, isIgnored: kind == 6, isCrowd: kind == 7)
      }
      let matching = try match(labels, faces)
      #expect(matching.matches.map { [$0.label, $0.face] } == expected.matches, "case \(number)")
      let gap = abs(matching.matches.reduce(0) { $0 + ($1.iou ?? 0) } - expected.total)
      OracleTable.note("matching (sum of IoU)", "scipy 1.17.1", gap)
      #expect(gap <= 1e-9)
      #expect(matching.matches.allSatisfy { $0.iou.map { $0 >= 0.5 } == true })
      #expect(matching.missed == expected.missed, "case \(number)")
      #expect(matching.unmatched == expected.unmatched, "case \(number)")
      #expect(matching.ignored == expected.ignored, "case \(number)")
    }
  }

  @Test(.tags(.oracle)) func `sums of IoUs in crowds equal scipy's largest`() throws {
    let crowds = try Oracles.read("face_matching", as: MatchingCases.self).crowds
    #expect(!crowds.isEmpty)
    for (number, expected) in crowds.enumerated() {
      var stream = SplitMix64(seed: UInt64(300 + number))
      let (labels, faces) = (crowd(of: 300, &stream), crowd(of: 250, &stream))
      let matching = try match(labels.map { FaceLabel(box: $0) }, faces)
      #expect(Set(matching.matches.map(\.face)).count == matching.matches.count)
      let sum = matching.matches.reduce(0) { $0 + ($1.iou ?? 0) }
      #expect(abs(sum - expected) <= 1e-9, "crowd \(number)")
    }
  }

  @Test func `more pairs than the faces of any image have are refused by name`() throws {
    let boxes = [BoundingBox](repeating: square(0), count: 2049)
    #expect {
      try match(boxes.map { FaceLabel(box: $0) }, boxes)
    } throws: {
      "\($0)".hasPrefix(
        "cannot match the faces of frame 0: expected at most 4194304 pairs of boxes")
    }
  }

  @Test func `a thousand equal boxes are all paired`() throws {
    let boxes = [BoundingBox](repeating: square(0), count: 1000)
    let matching = try match(boxes.map { FaceLabel(box: $0) }, boxes)
    #expect(matching.matches.count == 1000)
    #expect(Set(matching.matches.map(\.face)).count == 1000)
  }

  @Test func `the sum of overlaps decides, not the best pair`() throws {
    let labels = [square(0), square(10)].map { FaceLabel(box: $0) }
    let matching = try match(labels, [square(9), square(22)])
    #expect(matching.matches.map(\.face) == [0, 1])
    #expect(matching.matches.map(\.label) == [0, 1])
    let second = try #require(matching.matches[1].iou)
    #expect(second < labels[1].box.iou(with: square(9)))
  }

  @Test func `the labelled points' box counts from half of the points on, the labelled box below`()
    throws
  {
    let points = (0..<68).map { Point(x: Double($0 % 2) * 100, y: $0 < 34 ? 0 : 100) }
    let box = BoundingBox(x: 500, y: 500, width: 10, height: 10)
    func label(labelled: Range<Int>) throws -> FaceLabel {
      let states = (0..<68).map { labelled.contains($0) ? PointVisibility.occluded : .notLabelled }
      let landmarks = try #require(Landmarks(scheme: .ibug68, points: points, visibility: states))
      return FaceLabel(box: box, landmarks: [landmarks])
    }
    let tight = BoundingBox(x: 0, y: 0, width: 100, height: 100)
    let half = BoundingBox(x: 0, y: 0, width: 100, height: 50)
    #expect(try match([label(labelled: 0..<68)], [tight]).matches.map(\.iou) == [1])
    #expect(try match([label(labelled: 17..<51)], [tight]).matches.map(\.iou) == [1])
    #expect(try match([label(labelled: 17..<50)], [tight]).missed == [0])
    #expect(try match([label(labelled: 17..<50)], [box]).matches.map(\.iou) == [1])
    #expect(try match([label(labelled: 0..<34)], [half]).missed == [0])
    // The half that is seen, and the whole face's box.
    let upper = (0..<68).map { Point(x: Double($0 % 2) * 100, y: Double($0 / 2 % 2) * 25) }
    let states = (0..<68).map { $0 < 34 ? PointVisibility.visible : .notLabelled }
    let landmarks = try #require(Landmarks(scheme: .ibug68, points: upper, visibility: states))
    let seen = FaceLabel(box: tight, landmarks: [landmarks])
    #expect(try match([seen], [tight]).matches.map(\.iou) == [1])
    let part = BoundingBox(x: 0, y: 0, width: 100, height: 25)
    #expect(try match([seen], [part]).matches.map(\.iou) == [1])
    // A face behind another one: the box of the one in front decides nothing about the one behind.
    let front = BoundingBox(x: 0, y: 10, width: 100, height: 100)
    let thin = BoundingBox(x: 0, y: 0, width: 100, height: 15)
    let both = try match([seen, FaceLabel(box: front)], [thin, front])
    #expect(both.matches.map(\.face) == [0, 1])
    #expect(both.matches.map(\.iou) == [0.6, 1])
  }

  @Test func `a label without a half of the points is compared by the points that it has`() throws {
    let points = (0..<68).map { Point(x: Double($0 % 2) * 100, y: Double($0)) }
    let states = (0..<68).map { $0 < 30 ? PointVisibility.visible : .notLabelled }
    let landmarks = try #require(Landmarks(scheme: .ibug68, points: points, visibility: states))
    let half = BoundingBox(x: 0, y: 0, width: 100, height: 29)
    let label = FaceLabel(box: half, landmarks: [landmarks])
    let whole = FacePrediction(scheme: .ibug68, points: points)
    #expect(try FaceMatching(frame: 0, labels: [label], faces: [whole]).matches.map(\.iou) == [1])
    let lower = FacePrediction(
      scheme: .ibug68, points: points.map { Point(x: $0.x, y: $0.y + 20) })
    #expect(try FaceMatching(frame: 0, labels: [label], faces: [lower]).missed == [0])
    var without = whole
    without.points[3].x = .nan
    #expect(try FaceMatching(frame: 0, labels: [label], faces: [without]).missed == [0])
  }

  @Test(arguments: [LandmarkScheme.dlib5, .blazeface6])
  func `points of eyes, nose and mouth leave the boxes of both sides as they are`(
    scheme: LandmarkScheme
  ) throws {
    let points = (0..<scheme.count).map { Point(x: 20 + 10 * Double($0), y: 40 + Double($0 % 2)) }
    let landmarks = try #require(Landmarks(scheme: scheme, points: points))
    let whole = BoundingBox(x: 0, y: 0, width: 100, height: 100)
    let label = FaceLabel(box: whole, landmarks: [landmarks])
    #expect(try match([label], [whole]).matches.map(\.iou) == [1])
    let alone = FacePrediction(scheme: scheme, points: points)
    #expect(alone.hasBoxOfInnerPoints)
    let matching = try FaceMatching(frame: 0, labels: [label], faces: [alone])
    #expect(matching.matches.map(\.iou) == [1])
    var face = alone
    face.ownBox = whole
    let own = try FaceMatching(frame: 0, labels: [FaceLabel(box: whole)], faces: [face])
    #expect(own.matches.map(\.iou) == [1])
  }

  @Test func `five labelled points match five points only; a whole face matches the labelled box`()
    throws
  {
    let points = [(30.0, 40.0), (70, 40), (50, 60), (35, 80), (65, 80)].map { Point(x: $0, y: $1) }
    let landmarks = try #require(Landmarks(scheme: .five, points: points))
    let whole = BoundingBox(x: 0, y: 0, width: 100, height: 100)
    let label = FaceLabel(box: whole, landmarks: [landmarks])
    #expect(try match([label], [whole]).matches.map(\.iou) == [1])
    let five = FacePrediction(scheme: .five, points: points)
    let matching = try FaceMatching(frame: 0, labels: [label], faces: [five])
    #expect(matching.matches.map(\.iou) == [1])
  }

  @Test func `a detector's box counts before its five points, which count before other labels`()
    throws
  {
    let points = [(30.0, 40.0), (70, 40), (50, 60), (35, 80), (65, 80)].map { Point(x: $0, y: $1) }
    let whole = BoundingBox(x: 0, y: 0, width: 100, height: 100)
    let outline = (0..<68).map { Point(x: Double($0 % 2) * 100, y: Double($0 / 2 % 2) * 100) }
    let label = FaceLabel(
      box: whole,
      landmarks: [
        try #require(Landmarks(scheme: .ibug68, points: outline)),
        try #require(Landmarks(scheme: .five, points: points)),
      ])
    var five = FacePrediction(scheme: .five, points: points)
    #expect(try FaceMatching(frame: 0, labels: [label], faces: [five]).matches.map(\.iou) == [1])
    five.ownBox = BoundingBox(x: 0, y: 0, width: 100, height: 90)
    #expect(try FaceMatching(frame: 0, labels: [label], faces: [five]).matches.map(\.iou) == [0.9])
    let boxOnly = FaceLabel(box: whole, landmarks: [])
    #expect(
      try FaceMatching(frame: 0, labels: [boxOnly], faces: [five]).matches.map(\.iou) == [0.9])
  }

  @Test
  func `a face without a finite point or box matches nothing, nor do other things than faces`()
    throws
  {
    var broken = FacePrediction(box: square(0))
    broken.points.append(SIMD3(.nan, 0, 0))
    let partial = try FaceMatching(frame: 0, labels: [FaceLabel(box: square(0))], faces: [broken])
    #expect(partial.matches.map(\.face) == [0])
    // One point of a face says less of where it is than the tracker's own box.
    broken.points = [SIMD3(1, 1, 0), SIMD3(.nan, 0, 0), SIMD3(.nan, 0, 0)]
    broken.ownBox = square(0)
    let own = try FaceMatching(frame: 0, labels: [FaceLabel(box: square(0))], faces: [broken])
    #expect(own.matches.map(\.iou) == [1])
    broken.points = broken.points.map { _ in SIMD3(.nan, 0, 0) }
    broken.ownBox = nil
    let matching = try FaceMatching(frame: 0, labels: [FaceLabel(box: square(0))], faces: [broken])
    #expect(matching.missed == [0] && matching.unmatched == [0])
    let other = try match([FaceLabel(box: square(0), category: 2)], [square(0)])
    #expect(other.missed.isEmpty && other.unmatched == [0] && other.labelled == 0)
  }

  @Test func `a face keeps to its nearest of the frame before, in whatever order`() throws {
    let earlier = [square(0), square(200), square(400)].map { FacePrediction(box: $0) }
    let later = [square(205), square(3), square(300)].map { FacePrediction(box: $0) }
    let links = try FaceMatching.continuations(of: later, from: earlier, frame: 1)
    #expect(links == [0: 1, 1: 0])
  }
}
