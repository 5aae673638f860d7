import FaceCore
import Metrics
import Records
import Statistics
import TestSupport
import Testing

/// A frame with its labels and what was predicted.
private struct Sight {
  var frame: Frame
  var isVideo: Bool
  var labels: [FaceLabel]
  var prediction: FramePrediction
  var before: FramePrediction?
}

private func square(_ position: Int) -> BoundingBox {
  BoundingBox(x: Double(100 * position), y: 0, width: 40, height: 40)
}

private func sequence(_ stream: inout SplitMix64, index: Int, first: Int) -> [Sight] {
  let isVideo = stream.below(5) > 0
  let isLabelled = stream.below(2) == 1
  let hasIdentity = stream.below(2) == 1
  let standsStill = stream.below(10) == 0
  let often = 2 + stream.below(9)
  var time: Int64 = 0
  var there = [true, true]
  var found = [stream.below(2) == 1, true]
  var before: FramePrediction?
  return (0..<stream.below(90)).map { offset in
    let status = stream.below(14)
    let ran = stream.below(3) == 0
    for face in 0..<2 {
      if stream.below(often) == 0 { found[face].toggle() }
      if stream.below(10) == 0 { there[face].toggle() }
    }
    let labelled = isLabelled ? [0, 1].filter { there[$0] } : []
    let given = isLabelled ? labelled.filter { found[$0] } : found[0] ? [0] : []
    let frame = first + offset
    let prediction =
      status < 2
      ? FramePrediction(frame: frame, notAnalysed: status == 0 ? .dropped : .broken)
      : FramePrediction(
        frame, faces: given.reversed().map { FacePrediction(box: square($0)) }, detectorRan: ran)
    defer {
      before = prediction
      if !standsStill { time += 30_000 + Int64(stream.below(5_000)) }
    }
    return Sight(
      frame: Frame(frame, sequence: index, at: time), isVideo: isVideo,
      labels: labelled.map { FaceLabel(box: square($0), identity: hasIdentity ? 7 - $0 : nil) },
      prediction: prediction, before: before)
  }
}

private func clips(_ number: Int) -> (framesOfLoss: Int, sights: [Sight]) {
  var stream = SplitMix64(seed: UInt64(2000 + number))
  let framesOfLoss = 1 + stream.below(4)
  var sights: [Sight] = []
  for index in 0..<stream.below(7) {
    sights += sequence(&stream, index: index, first: sights.count)
  }
  return (framesOfLoss, sights)
}

extension FaceTracking {
  fileprivate mutating func add(_ sight: Sight) throws {
    try add(
      sight.frame, isVideo: sight.isVideo, prediction: sight.prediction, labels: sight.labels,
      matching: FaceMatching(
        frame: sight.frame.index, labels: sight.labels, faces: sight.prediction.faces),
      previous: sight.before)
  }
}

private func accumulate(_ sights: [Sight], framesOfLoss: Int = 3) throws -> FaceTracking {
  var tracking = FaceTracking(framesOfLoss: framesOfLoss)
  for sight in sights { try tracking.add(sight) }
  return tracking
}

/// One sequence at 100 ms a frame: `#` has a face, `.` has none, `d` was dropped, `b` is broken.
private func unlabelled(_ text: String, sequence: Int = 0, first: Int = 0) -> [Sight] {
  text.enumerated().map { offset, mark in
    let frame = first + offset
    let prediction =
      switch mark {
      case "d": FramePrediction(frame: frame, notAnalysed: .dropped)
      case "b": FramePrediction(frame: frame, notAnalysed: .broken)
      default:
        FramePrediction(
          frame, faces: mark == "#" ? [FacePrediction(box: square(0))] : [],
          detectorRan: mark == ".")
      }
    return Sight(
      frame: Frame(frame, sequence: sequence, at: Int64(offset) * 100_000), isVideo: true,
      labels: [], prediction: prediction)
  }
}

private func values(_ tracking: FaceTracking) -> [String: Double?] {
  Dictionary(
    uniqueKeysWithValues: tracking.summarize().map { (String($0.name.dropFirst(9)), $0.value) })
}

@Suite("Tracking faces through clips")
struct FaceTrackingTests {
  /// Faces by their left edge and size, frame by frame; identities where given.
  @Test(
    arguments: [
      ([[(0, 40), (99, 30)], [(2, 38), (99, 41)], [(2, 40), (99, 42)]], [], 0.5),
      ([[(0, 40), (99, 30)], [(2, 40)], [(2, 40)]], [], 0),
      ([[(0, 40)], [(99, 40)], [(0, 40)]], [], nil),
      ([[(0, 40), (99, 30)], [(30, 40), (99, 30)]], [[1, 2], [1, 2]], 0),
      ([[(0, 40), (99, 30)], [(0, 40), (99, 30)]], [[1, 2], [3, 2]], 1),
      ([[(0, 40), (99, 30)], [(30, 40), (99, 30)]], [], 1),
    ] as [([[(x: Double, side: Double)]], [[Int]], Double?)])
  func `the largest face is followed by identity, else by overlap`(
    frames: [[(x: Double, side: Double)]], identities: [[Int]], share: Double?
  ) throws {
    var tracking = FaceTracking()
    var before: FramePrediction?
    for (index, squares) in frames.enumerated() {
      var faces = squares.map {
        FacePrediction(box: BoundingBox(x: $0.x, y: 0, width: $0.side, height: $0.side))
      }
      for position in faces.indices where !identities.isEmpty {
        faces[position].identity = identities[index][position]
      }
      let prediction = FramePrediction(index, faces: faces)
      try tracking.add(
        Frame(index, at: Int64(index) * 33_333), isVideo: true, prediction: prediction, labels: [],
        matching: FaceMatching(frame: index, labels: [], faces: faces), previous: before)
      before = prediction
    }
    #expect(values(tracking)["largest_change_share"].flatMap { $0 } == share)
  }

  @Test func `frames that are not labelled are no time without a face, nor the end of a loss`()
    throws
  {
    // Every third of 30 frames is labelled; the face is lost in the labelled frames 9 to 18.
    var tracking = FaceTracking()
    var errors = FaceErrorTime()
    for index in 0..<30 {
      let frame = Frame(index, at: Int64(index) * 100_000)
      let isFound = index < 9 || index > 18
      let faces = isFound ? [FacePrediction(box: square(0))] : []
      let label = FaceLabel(box: square(0))
      let labels = index % 3 == 0 ? [label] : [FaceLabel.unlabelled(frame.size)]
      let prediction = FramePrediction(index, faces: faces)
      let scored = try ScoredFrame(frame, isVideo: true, labels: labels, prediction: prediction)
      #expect(scored.isUnlabelled == (index % 3 > 0))
      try errors.add(scored)
      try tracking.add(scored)
    }
    let found = values(tracking)
    #expect(found["tracked_share"] == 0.6)
    #expect(found["losses"] == 1)
    // From frame 9 to 21, in the 2.7 s of the labelled frames and .2 s after them.
    #expect(found["longest_gap_ms"] == 1200)
    let rate = try #require(found["losses_per_minute"].flatMap { $0 })
    #expect(abs(rate - 60 / 2.9) < 1e-9)
    // Four of ten labelled frames, of 100 ms each.
    let times = errors.summarize()
    #expect(times.map(\.value) == [24, 0])
    #expect(times.map(\.n) == [10, 10])
  }

  @Test func `time with values that are those before it is missed as it is lost`() throws {
    var tracking = FaceTracking()
    var errors = FaceErrorTime()
    for index in 0..<11 {
      let prediction = FramePrediction(
        index, faces: [FacePrediction(box: square(0)), FacePrediction(box: square(500))])
      var scored = try ScoredFrame(
        Frame(index, at: Int64(index) * 100_000), isVideo: true,
        labels: [FaceLabel(box: square(0))], prediction: prediction)
      scored.isFrozen = index < 4
      try errors.add(scored)
      try tracking.add(scored)
    }
    #expect(values(tracking)["tracked_share"].flatMap { $0 } == 7.0 / 11)
    // Four of ten frames, of 100 ms each; the other face is in the way all the time.
    #expect(errors.summarize().map(\.value) == [24, 60])
  }

  @Test func `an identity of its own for each frame takes about as long as one for all`() throws {
    func tracking(_ identity: (Int) -> Int) throws -> FaceTracking {
      var tracking = FaceTracking()
      for number in 0..<16_000 {
        try tracking.add(
          Sight(
            frame: Frame(number, at: Int64(number) * 40_000), isVideo: true,
            labels: [FaceLabel(box: square(0), identity: identity(number))],
            prediction: FramePrediction(number, faces: [FacePrediction(box: square(0))])))
      }
      return tracking
    }
    let (one, each) = (try tracking { _ in 1 }, try tracking { $0 })
    let usual = ContinuousClock().measure { _ = values(one) }
    let time = ContinuousClock().measure { #expect(values(each)["tracked_share"] == 1.0) }
    #expect(time < usual * 20, "\(time), and \(usual)")
  }

  @Test(.tags(.oracle))
  func `all metrics of 160 random cases equal NumPy's from the definitions`() throws {
    let oracle = try Oracles.read("tracking_metrics", as: MetricCases.self)
    #expect(oracle.cases.count >= 100)
    for number in oracle.cases.indices {
      let (framesOfLoss, sights) = clips(number)
      oracle.expect(
        try accumulate(sights, framesOfLoss: framesOfLoss).summarize(), case: number)
    }
  }

  @Test func `any split merges to the same bits, the table included`() throws {
    var generator = SplitMix64(seed: 9)
    for number in 0..<60 {
      let (framesOfLoss, sights) = clips(number)
      let whole = try accumulate(sights, framesOfLoss: framesOfLoss)
      var parts = [FaceTracking](repeating: FaceTracking(framesOfLoss: framesOfLoss), count: 4)
      for sight in sights.shuffled(using: &generator) {
        try parts[Int.random(in: 0..<4, using: &generator)].add(sight)
      }
      var merged = FaceTracking(framesOfLoss: framesOfLoss)
      for part in parts.shuffled(using: &generator) { try merged.merge(part) }
      #expect(merged == whole)
      #expect(merged.summarize() == whole.summarize())
      #expect(merged.lossTable(names: [:]) == whole.lossTable(names: [:]))
    }
  }

  @Test
  func `an unlabelled clip by hand: what comes first is no gap, dropped frames are no occasions`()
    throws
  {
    let tracking = try accumulate(
      unlabelled("..##.#d...#b..d.") + unlabelled("###", sequence: 1, first: 16))
    let expected: [String: Double?] = [
      "tracked_share": 7.0 / 16, "losses": 2, "losses_per_minute": 2 / (1.7 / 60),
      "reacquire_ms.median": nil, "reacquire_ms.p95": nil, "longest_gap_ms": 300,
      "detector_rate": 9.0 / 16, "dropped_frames": 2,
    ]
    for (name, value) in expected {
      let measured = try #require(values(tracking)[name])
      #expect(
        (measured == nil) == (value == nil) && abs((measured ?? 0) - (value ?? 0)) < 1e-9,
        "\(name): \(measured as Any)")
    }
    guard case .table(let table)? = tracking.lossTable(names: [0: "clip"])?.content else {
      throw NoTable()
    }
    #expect(
      table.rows == [
        ["clip", "any", "7", "10", "300"], ["clip", "any", "12", "never", "300"],
      ])
    guard case .table(let short)? = tracking.lossTable(names: [:], limit: 1)?.content else {
      throw NoTable()
    }
    #expect(short.rows == [["0", "any", "7", "10", "300"]])
  }

  @Test func `a face that is labelled from the start and never found is lost at once`() throws {
    var sights = unlabelled("....####")
    for index in sights.indices {
      sights[index].labels = [FaceLabel(box: square(0), identity: 3)]
    }
    sights[6].labels = []
    let tracking = try accumulate(sights)
    #expect(values(tracking)["tracked_share"] == 3.0 / 7)
    #expect(values(tracking)["losses"] == 1.0)
    guard case .table(let table)? = tracking.lossTable(names: [:])?.content else {
      throw NoTable()
    }
    #expect(table.rows == [["0", "identity 3", "0", "4", "400"]])
  }

  @Test func `a frame whose values are those before has no face, labelled or not`() throws {
    for isLabelled in [false, true] {
      var sights = unlabelled("##########")
      for index in sights.indices where isLabelled {
        sights[index].labels = [FaceLabel(box: square(0), identity: 3)]
      }
      var tracking = FaceTracking()
      for (index, sight) in sights.enumerated() {
        try tracking.add(
          sight.frame, isVideo: true, prediction: sight.prediction, labels: sight.labels,
          matching: FaceMatching(
            frame: index, labels: sight.labels, faces: sight.prediction.faces),
          isFrozen: (4..<8).contains(index))
      }
      #expect(values(tracking)["tracked_share"] == 0.6)
      #expect(values(tracking)["losses"] == 1.0)
      #expect(values(tracking)["longest_gap_ms"] == 400.0)
    }
  }

  @Test
  func `without video, without analysed frames or without a face metrics are undefined, never 0`()
    throws
  {
    var stills = unlabelled("##")
    for index in stills.indices { stills[index].isVideo = false }
    let cases = [
      (stills, "no frame of a video sequence", 9),
      (unlabelled("dd"), "no frame of a video sequence was analysed", 8),
    ]
    for (sights, reason, count) in cases {
      let missing = try accumulate(sights).summarize().filter { $0.value == nil }
      #expect(missing.count == count)
      #expect(missing.allSatisfy { $0.reason == reason || $0.needs != nil })
    }
    let none = try accumulate(unlabelled("......"))
    #expect(values(none)["tracked_share"] == 0.0)
    #expect(values(none)["losses"] == .some(nil))
    #expect(values(none)["longest_gap_ms"] == .some(nil))
    #expect(none.lossTable(names: [:]) == nil)
    #expect(try values(accumulate(unlabelled("###")))["longest_gap_ms"] == 0.0)
  }

  @Test func `a clip of a labelled dataset without a labelled face is no occasion`() throws {
    let labelled = unlabelled("####").map { sight in
      var sight = sight
      sight.labels = [FaceLabel(box: square(0))]
      return sight
    }
    for given in ["....", "##.."] {
      let other = unlabelled(given, sequence: 1, first: 4)
      var tracking = FaceTracking()
      tracking.isLabelled = true
      for sight in labelled + other { try tracking.add(sight) }
      let share = tracking.summarize()[0]
      #expect(share.value == 1 && share.n == 4)
      #expect(values(tracking)["losses"] == 0.0)
      var alone = FaceTracking()
      alone.isLabelled = true
      for sight in other { try alone.add(sight) }
      let none = alone.summarize()[0]
      #expect(none.value == nil && none.reason == "no face of a video sequence is labelled")
    }
  }

  @Test func `repeated frames and losses of another length are refused`() throws {
    let sights = unlabelled("#")
    var tracking = try accumulate(sights)
    #expect(throws: MetricError.self) { try tracking.add(sights[0]) }
    let copy = tracking
    #expect(throws: MetricError.self) { try tracking.merge(copy) }
    let other = #expect(throws: MetricError.self) {
      try tracking.merge(FaceTracking(framesOfLoss: 5))
    }
    #expect(other?.description == "cannot merge tracking: expected losses of 3 frames, found 5")
  }
}

private struct NoTable: Error {}
