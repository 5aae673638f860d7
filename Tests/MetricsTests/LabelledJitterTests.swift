import FaceCore
import Metrics
import Records
import Statistics
import TestSupport
import Testing

private struct Shot {
  var frame: Frame
  var isVideo: Bool
  var isAnalysed: Bool
  var labels: [FaceLabel]
  var faces: [FacePrediction]

  func scored(after previous: LabelledJitter.Sight? = nil) throws -> ScoredFrame {
    try ScoredFrame(
      frame, isVideo: isVideo, labels: labels,
      prediction: isAnalysed
        ? FramePrediction(frame.index, faces: faces)
        : FramePrediction(frame: frame.index, notAnalysed: .broken),
      previous: previous)
  }
}

/// The same as `sequence` in Tests/Oracles/labelled_jitter.py, in the order of its draws.
private func sequence(_ stream: inout SplitMix64, index: Int, first: Int) throws -> [Shot] {
  let isVideo = stream.below(6) > 0
  let isFlat = stream.below(12) == 0
  let length = [0, 1, 8, 25][stream.below(4)]
  let people = 1 + stream.below(2)
  let noise = stream.below(6)
  func point(_ reach: Int) -> Point {
    let x = stream.between(-reach, reach)
    return Point(x: x, y: stream.between(-reach, reach))
  }
  let origin = Point(x: 0, y: 0)
  let shapes = (0..<people).map { _ in (0..<68).map { _ in isFlat ? origin : point(60) } }
  return try (0..<length).map { offset in
    let isAnalysed = stream.below(25) > 0
    var labels: [FaceLabel] = []
    var faces: [FacePrediction] = []
    for (person, shape) in shapes.enumerated() {
      let shift = point(5)
      let growth = 1 + Double(offset) / 64
      let points = shape.map {
        Point(
          x: $0.x * growth + Double(200 + 700 * person) + shift.x, y: $0.y * growth + 300 + shift.y)
      }
      let visibility = try (0..<68).map { _ in
        try #require(PointVisibility(rawValue: UInt8(min(stream.below(12), 2))))
      }
      let offsets = (0..<68).map { _ in noise > 0 ? point(noise) : origin }
      let isThere = stream.below(9) > 0
      let isFound = stream.below(9) > 0 && !isFlat
      guard isThere else { continue }
      let box = try #require(BoundingBox(around: points))
      labels.append(
        FaceLabel(
          box: box, identity: person,
          landmarks: [
            try #require(Landmarks(scheme: .ibug68, points: points, visibility: visibility))
          ]))
      guard isFound else { continue }
      faces.insert(
        FacePrediction(
          scheme: .ibug68,
          points: zip(points, offsets).map { Point(x: $0.x + $1.x, y: $0.y + $1.y) }), at: 0)
    }
    return Shot(
      frame: Frame(first + offset, sequence: index, at: Int64(offset)), isVideo: isVideo,
      isAnalysed: isAnalysed, labels: labels, faces: faces)
  }
}

private func clips(_ number: Int) throws -> [Shot] {
  var stream = SplitMix64(seed: UInt64(7000 + number))
  var shots: [Shot] = []
  for index in 0..<stream.below(4) {
    shots += try sequence(&stream, index: index, first: shots.count)
  }
  return shots
}

extension LabelledJitter {
  fileprivate mutating func add(_ index: Int, of shots: [Shot]) throws {
    let shot = shots[index]
    let before = index > 0 ? shots[index - 1] : nil
    try add(
      shot.scored(
        after: before?.frame.sequence == shot.frame.sequence ? before?.scored().sight : nil))
  }
}

private func accumulate(_ shots: [Shot]) throws -> LabelledJitter {
  var jitter = LabelledJitter()
  for index in shots.indices { try jitter.add(index, of: shots) }
  return jitter
}

/// A face of 256 by 256 pixels whose label moves by `motion` and whose points are off by `errors`.
private func clip(_ errors: [Double], motion: Double = 0, identities: [Int?]? = nil) throws
  -> [Shot]
{
  try errors.enumerated().map { frame, error in
    let left = motion * Double(frame)
    let points = (0..<68).map { index -> Point in
      Point(x: index % 2 == 0 ? left : left + 256, y: index % 4 < 2 ? 0 : 256)
    }
    let landmarks = try #require(Landmarks(scheme: .ibug68, points: points))
    let box = try #require(BoundingBox(around: points))
    return Shot(
      frame: Frame(frame, at: Int64(frame)), isVideo: true, isAnalysed: true,
      labels: [FaceLabel(box: box, identity: identities?[frame], landmarks: [landmarks])],
      faces: [
        FacePrediction(scheme: .ibug68, points: points.map { Point(x: $0.x + error, y: $0.y) })
      ])
  }
}

@Suite("Jitter against the labels")
struct LabelledJitterTests {
  @Test(.tags(.oracle))
  func `the metric of 240 random cases equals NumPy's from the definition`() throws {
    let oracle = try Oracles.read("labelled_jitter", as: MetricCases.self)
    let defined = oracle.cases.filter { $0[0] != nil }
    #expect(defined.count >= 100)
    for number in oracle.cases.indices {
      oracle.expect(try accumulate(clips(number)).summarize(), case: number)
    }
  }

  @Test func `the metric rests on frames that a labelled face goes on to`() throws {
    let jitter = try accumulate(clip([0, 1, 2]))
    #expect(Array(jitter.countedFrames) == [1, 2])
  }

  @Test func `any split merges to the same bits`() throws {
    var generator = SplitMix64(seed: 41)
    for number in 0..<40 {
      let shots = try clips(number)
      let whole = try accumulate(shots)
      var parts = [LabelledJitter](repeating: LabelledJitter(), count: 3)
      for index in shots.indices.shuffled(using: &generator) {
        try parts[Int.random(in: 0..<3, using: &generator)].add(index, of: shots)
      }
      var merged = LabelledJitter()
      for part in parts.shuffled(using: &generator) { try merged.merge(part) }
      #expect(merged == whole)
      #expect(merged.summarize() == whole.summarize())
    }
  }

  @Test
  func `a change of the error by a pixel of a 256-pixel face is 100, the label's motion is none`()
    throws
  {
    let cases: [(errors: [Double], motion: Double, value: Double)] = [
      ([0, 1, 1, 0], 0, (2e4 / 3).squareRoot()), ([3, 3, 3], 5, 0), ([0, 2], 0, 200),
    ]
    for (errors, motion, value) in cases {
      let metric = try accumulate(clip(errors, motion: motion)).summarize()[0]
      #expect(metric.value == value)
    }
  }

  @Test func `labels of 68 points have those of a tracker of five`() throws {
    let shots = try clip([0, 2])
    for schemes in [nil, [.five]] as [[LandmarkScheme]?] {
      for tracker in [LandmarkScheme.five, .ibug68] where tracker == .five || schemes != nil {
        let compared = try shots.enumerated().map { index, shot in
          var shot = shot
          shot.labels[0].comparedSchemes = schemes
          guard tracker == .five else { return shot }
          let own = try #require(LandmarkCorrespondence.target(of: shot.labels[0], for: .five))
          var face = FacePrediction(
            scheme: .five,
            points: own.landmarks.points.map { Point(x: $0.x + 2 * Double(index), y: $0.y) })
          face.ownBox = shot.labels[0].box
          shot.faces = [face]
          return shot
        }
        // Eyes, nose and mouth of these labels lie in 128 by 256 pixels.
        let value = try #require(try accumulate(compared).summarize()[0].value)
        #expect(abs(value - 8e4.squareRoot()) < 1e-3, "\(tracker.name)")
      }
    }
  }

  @Test func `another identity, a gap and a point that is not finite are not compared`() throws {
    let others = try accumulate(clip([0, 5, 9], identities: [1, 2, 3]))
    #expect(!others.isPresent && others.summarize()[0].value == nil)
    var gap = try clip([0, 5, 9])
    gap[1].isAnalysed = false
    #expect(try accumulate(gap).summarize()[0].value == nil)
    var missed = try clip([0, 5])
    missed[1].faces = []
    let lost = try accumulate(missed)
    #expect(lost.isPresent)
    #expect(
      lost.summarize()[0].reason == "no labelled face is found in two frames one after the other")
    var unlike = try clip([0, 2])
    unlike[1].labels[0].landmarks[0].points[5].x = .nan
    #expect(try accumulate(unlike).summarize()[0].value == 200)
    var jitter = try accumulate(unlike)
    let copy = jitter
    #expect(throws: MetricError.self) { try jitter.merge(copy) }
  }
}
