import FaceCore
import Metrics
import TestSupport
import Testing

private func label(_ x: Double, side: Double = 40, isIgnored: Bool = false) -> FaceLabel {
  let box = BoundingBox(x: x, y: 0, width: side, height: side)
  return FaceLabel(
    box: box, isIgnored: isIgnored,
    landmarks: [
      Landmarks(scheme: .ibug68, points: square(x, side))
    ].compactMap { $0 })
}

/// 68 points on the diagonal of a square.
private func square(_ x: Double, _ side: Double) -> [Point] {
  (0..<68).map { Point(x: x + side * Double($0) / 67, y: side * Double($0) / 67) }
}

private func face(_ x: Double, side: Double = 40) -> FacePrediction {
  FacePrediction(scheme: .ibug68, points: square(x, side))
}

private func pairs(
  _ labels: [FaceLabel], _ faces: [FacePrediction], distance: Double = 0.3
) throws -> FaceMatching {
  try FaceMatching(frame: 0, labels: labels, faces: faces).paired(
    by: FacePairing(rule: .nearest, distance: distance), labels: labels, faces: faces, frame: 0)
}

@Suite("Pairing labelled faces with predictions by what is there")
struct FacePairingTests {
  @Test func `the only face goes with the only prediction, however far`() throws {
    let found = try pairs([label(0)], [face(400)])
    #expect(found.matches.map(\.basis) == [.only])
    #expect(found.missed.isEmpty && found.unmatched.isEmpty)
    let overlap = try FaceMatching(frame: 0, labels: [label(0)], faces: [face(400)])
    let same = try overlap.paired(by: .overlap, labels: [label(0)], faces: [face(400)], frame: 0)
    #expect(same == overlap)
    #expect(overlap.missed == [0])
  }

  @Test
  func `two predictions, a second label or an ignored one leave nothing that is the only one`()
    throws
  {
    #expect(try pairs([label(0)], [face(400), face(800)]).missed == [0])
    #expect(try pairs([label(0), label(200)], [face(400)]).missed == [0, 1])
    #expect(try pairs([label(0), label(400, isIgnored: true)], [face(800)]).missed == [0])
  }

  @Test
  func `overlapping boxes come first, then the labelled box, then points within the distance`()
    throws
  {
    // The label's box is twice as wide as its points: face 1 has IoU .50 with it, and .25 with the points.
    var wide = label(100, side: 20)
    wide.box = BoundingBox(x: 100, y: 0, width: 40, height: 20)
    wide.area = wide.box.area
    let box = FacePrediction(
      scheme: .ibug68,
      points: square(100, 20).map { Point(x: 100 + ($0.x - 100) * 2, y: $0.y) })
    // Shifted by 10 of 40 both ways: IoU .39, and 14.1 / 40 = .35 of the box.
    let near = FacePrediction(
      scheme: .ibug68, points: square(300, 40).map { Point(x: $0.x + 10, y: $0.y + 10) })
    let labels = [label(0), wide, label(300)]
    let found = try pairs(labels, [face(2), box, near], distance: 0.36)
    #expect(found.matches.map(\.face) == [0, 1, 2])
    #expect(found.matches.map(\.basis) == [.overlap, .overlap, .points])
    #expect(try pairs(labels, [face(2), box, near], distance: 0.35).missed == [2])
    #expect(try pairs(labels, [face(2), box, near], distance: 0).missed == [2])
  }

  @Test func `a prediction that fills the labelled box pairs with it though its points do not`()
    throws
  {
    var wide = label(100, side: 20)
    wide.box = BoundingBox(x: 80, y: 0, width: 60, height: 40)
    let box = FacePrediction(
      region: nil, isTracked: false, detectionScore: nil, presence: nil, scheme: nil, points: [],
      ownBox: wide.box)
    let found = try pairs([wide, label(900)], [box])
    #expect(found.matches.map(\.basis) == [.box] && found.missed == [1])
  }

  @Test func `points are given so that what is left of the distance adds up to the most`() throws {
    // Both faces are within reach of the first label, one alone of the second.
    func moved(_ x: Double, _ by: Double) -> FacePrediction {
      FacePrediction(
        scheme: .ibug68, points: square(x, 40).map { Point(x: $0.x + by, y: $0.y + by) })
    }
    let labels = [label(0), label(34)]
    let found = try pairs(labels, [moved(10, 12), moved(-8, 14)], distance: 0.6)
    #expect(found.matches.count == 2)
    #expect(Set(found.matches.map(\.face)) == [0, 1])
  }

  @Test func `a label without a position is the only prediction's, and of no other`() throws {
    let nowhere = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 0, height: 0))
    let faces = [FacePrediction(box: BoundingBox(x: 0, y: 0, width: 0, height: 0))]
    let found = try FaceMatching(frame: 0, labels: [nowhere], faces: faces)
    #expect(found.matches.map(\.basis) == [.only] && found.missed.isEmpty)
    #expect(found.matches.map(\.iou) == [nil])
    #expect(
      try FaceMatching(frame: 0, labels: [nowhere], faces: faces + faces).missed == [0])
    #expect(try FaceMatching(frame: 0, labels: [nowhere], faces: []).missed == [0])
  }

  @Test func `several labels without a position count neither way where a face may be any of them`()
    throws
  {
    let nowhere = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 0, height: 0))
    let labels = [nowhere, label(100), nowhere]
    let found = try FaceMatching(frame: 0, labels: labels, faces: [face(100), face(300)])
    #expect(found.matches.map(\.label) == [1] && found.undecided == [0, 2])
    #expect(found.missed.isEmpty && found.unmatched.isEmpty && found.ignored == [1])
    #expect(found.labelled == 1)
    let explained = try FaceMatching(frame: 0, labels: labels, faces: [face(100)])
    #expect(explained.missed == [0, 2], "no face can be theirs")
    #expect(found.restricted { $0 != 2 }.undecided == [0])
  }

  @Test func `where no prediction has a position the only one of a frame is the only label's`()
    throws
  {
    let nowhere = FacePrediction(
      region: nil, isTracked: false, detectionScore: nil, presence: nil, scheme: nil, points: [])
    func match(
      _ labels: [FaceLabel], _ faces: [FacePrediction], havePositions: Bool = false
    ) throws -> FaceMatching {
      try FaceMatching(
        frame: 0, labels: labels, faces: faces, facesHavePositions: havePositions)
    }
    let found = try match([label(0)], [nowhere])
    #expect(found.matches.map(\.basis) == [.only] && found.matches.map(\.iou) == [nil])
    #expect(found.missed.isEmpty && found.unmatched.isEmpty)
    // A tracker that says elsewhere where faces are says nothing of this one.
    let silent = try match([label(0)], [nowhere], havePositions: true)
    #expect(silent.missed == [0] && silent.unmatched == [0])
    #expect(try match([label(0)], []).missed == [0])
    #expect(try match([], [nowhere]).unmatched == [0])
    for (labels, faces) in [
      ([label(0), label(100)], [nowhere]), ([label(0)], [nowhere, nowhere]),
      ([label(0), label(100, isIgnored: true)], [nowhere]),
    ] {
      let open = try match(labels, faces)
      #expect(open.matches.isEmpty && open.missed.isEmpty && open.unmatched.isEmpty)
      #expect(open.ignored == Array(faces.indices))
      #expect(open.undecided == labels.indices.filter { !labels[$0].isIgnored })
    }
    #expect(found.restricted { _ in false }.facesHavePositions == false)
  }
}
