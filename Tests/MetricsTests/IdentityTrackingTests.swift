import FaceCore
import Foundation
import Metrics
import Records
import Statistics
import TestSupport
import Testing

/// A frame with who is labelled and who is given out.
private struct Sight {
  var frame: Frame
  var labels: [FaceLabel]
  var faces: [FacePrediction]
}

extension FacePrediction {
  /// A face of which only box, identity and confidence matter.
  init(box: BoundingBox, identity: Int?, confidence: Float? = nil) {
    self.init(
      region: nil, isTracked: false, detectionScore: nil, presence: confidence, scheme: nil,
      points: [], ownBox: box, identity: identity)
  }
}

/// The same as `sequence` in Tests/Oracles/multiple_object_tracking.py, in the order of its draws.
private func sequence(_ stream: inout SplitMix64, index: Int, first: Int) -> [Sight] {
  let people = stream.below(5)
  let length = [0, 1, 5, 20, 40][stream.below(5)]
  let spread = Double([0, 30, 60][stream.below(3)])
  let noise = 1 + stream.below(12)
  let often = 2 + stream.below(12)
  let isNamed = stream.below(4) > 0
  var position = (0..<people).map { _ in
    let x = stream.between(0, 200)
    return Point(x: x, y: stream.between(0, 100))
  }
  var track = Array(0..<people)
  var there = [Bool](repeating: true, count: people)
  var found = there
  var fresh = 10
  return (0..<length).map { offset in
    var labels: [FaceLabel] = []
    var faces: [(identity: Int?, box: BoundingBox)] = []
    for person in 0..<people {
      position[person].x += stream.between(-4, 4)
      position[person].y += stream.between(-4, 4)
      if stream.below(12) == 0 { there[person].toggle() }
      if stream.below(often) == 0 { found[person].toggle() }
      let change = stream.below(often * 2)
      if change == 0 {
        track[person] = fresh
        fresh += 1
      } else if change == 1 {
        track.swapAt(person, stream.below(people))
      }
    }
    for person in 0..<people {
      let by = (0..<4).map { _ in stream.between(-noise, noise) }
      let box = BoundingBox(
        x: position[person].x + spread * Double(person), y: position[person].y,
        width: Double(40 + person), height: 40)
      if there[person] { labels.append(FaceLabel(box: box, identity: person)) }
      let given = BoundingBox(
        x: box.x + by[0], y: box.y + by[1], width: box.width + by[2] / 2,
        height: box.height + by[3] / 2)
      if found[person] { faces.append((track[person], given)) }
    }
    if stream.below(5) == 0 {
      let identity = 900 + stream.below(3)
      let x = stream.between(0, 300)
      let box = BoundingBox(x: x, y: stream.between(0, 100), width: 40, height: 40)
      faces.append((identity, box))
    }
    if !isNamed {
      for face in faces.indices where stream.below(3) == 0 { faces[face].identity = nil }
    }
    return Sight(
      frame: Frame(first + offset, sequence: index, at: Int64(offset)), labels: labels,
      faces: faces.map { FacePrediction(box: $0.box, identity: $0.identity) })
  }
}

private func clips(_ number: Int) -> [Sight] {
  var stream = SplitMix64(seed: UInt64(5000 + number))
  var sights: [Sight] = []
  for index in 0..<(stream.below(3) + 1) {
    sights += sequence(&stream, index: index, first: sights.count)
  }
  return sights
}

extension IdentityTracking {
  fileprivate mutating func add(_ sight: Sight, isVideo: Bool = true) throws {
    try add(
      ScoredFrame(
        sight.frame, isVideo: isVideo, labels: sight.labels,
        prediction: FramePrediction(sight.frame.index, faces: sight.faces)))
  }
}

private func accumulate(_ sights: [Sight]) throws -> IdentityTracking {
  var tracking = IdentityTracking()
  for sight in sights { try tracking.add(sight) }
  return tracking
}

private func values(_ tracking: IdentityTracking) -> [String: Double?] {
  Dictionary(
    uniqueKeysWithValues: tracking.summarize().map { (String($0.name.dropFirst(9)), $0.value) })
}

/// One person at the origin and what is given out on them, a track a frame; nil for none.
private func person(_ tracks: [Int?]) -> [Sight] {
  let box = BoundingBox(x: 0, y: 0, width: 10, height: 10)
  return tracks.enumerated().map { frame, track in
    Sight(
      frame: Frame(frame, at: Int64(frame)), labels: [FaceLabel(box: box, identity: 1)],
      faces: track.map { [FacePrediction(box: box, identity: $0)] } ?? [])
  }
}

@Suite("Who is who over time: CLEAR-MOT and ID measures")
struct IdentityTrackingTests {
  @Test(
    .tags(.oracle))
  func `all 19 metrics of 140 random cases equal motmetrics' and a NumPy version of HOTA`() throws {
    let oracle = try Oracles.read("multiple_object_tracking", as: MetricCases.self)
    #expect(oracle.cases.count >= 100)
    for number in oracle.cases.indices {
      oracle.expect(try accumulate(clips(number)).summarize(), case: number)
    }
  }

  @Test func `any split and any order of faces merge to the same bits`() throws {
    var generator = SplitMix64(seed: 17)
    for number in 0..<60 {
      let sights = clips(number)
      let whole = try accumulate(sights)
      var parts = [IdentityTracking](repeating: IdentityTracking(), count: 4)
      for var sight in sights.shuffled(using: &generator) {
        sight.labels.shuffle(using: &generator)
        if sight.faces.allSatisfy({ $0.identity != nil }) {
          sight.faces.shuffle(using: &generator)
        }
        try parts[Int.random(in: 0..<4, using: &generator)].add(sight)
      }
      var merged = IdentityTracking()
      for part in parts.shuffled(using: &generator) { try merged.merge(part) }
      #expect(merged == whole)
      #expect(merged.summarize() == whole.summarize())
    }
  }

  /// The same faces as labels and as predictions, all without boxes and points; each list is a frame's identities.
  private func recording(_ frames: [[Int]]) -> [Sight] {
    let nowhere = BoundingBox(x: 0, y: 0, width: 0, height: 0)
    return frames.enumerated().map { frame, identities in
      Sight(
        frame: Frame(frame, at: Int64(frame)),
        labels: identities.map { FaceLabel(box: nowhere, identity: $0) },
        faces: identities.map { FacePrediction(box: nowhere, identity: $0) })
    }
  }

  @Test func `a recording without boxes is itself, and nothing says where its faces are`() throws {
    let metrics = values(try accumulate(recording([[1], [1], [], [1]])))
    for name in ["mota", "idf1", "idp", "idr", "recall", "precision", "hota", "deta", "assa"] {
      #expect(metrics[name] == 1.0, "\(name)")
    }
    #expect(metrics["misses"] == 0.0 && metrics["false_positives"] == 0.0)
    let undefined = try accumulate(recording([[1]])).summarize().filter { $0.value == nil }
    #expect(undefined.map(\.name) == ["tracking.motp", "tracking.loca"])
    let reason = "no labelled face with a track has a position"
    #expect(undefined.allSatisfy { $0.reason == reason })
    var switched = recording([[1], [1], [1], [1]])
    for index in 2..<4 { switched[index].faces[0].identity = 2 }
    let other = values(try accumulate(switched))
    #expect(other["id_switches"] == 1.0 && other["idf1"] == 0.5 && other["mota"] == 0.75)
    #expect(other["deta"] == 1.0 && other["assa"] == 0.5)
  }

  @Test func `pairs without a position leave the mean overlap of the others alone`() throws {
    var sights = person([1, 1])
    for index in sights.indices {
      sights[index].faces[0].ownBox = BoundingBox(x: 0, y: 0, width: 10, height: 8)
    }
    let alone = values(try accumulate(sights))
    var unlocated = recording([[1], [1]])
    for index in unlocated.indices {
      unlocated[index].frame = Frame(2 + index, at: Int64(2 + index))
    }
    let both = values(try accumulate(sights + unlocated))
    let distance = try #require(alone["motp"].flatMap { $0 })
    #expect(abs(distance - 0.2) < 1e-12)
    #expect(both["motp"] == alone["motp"] && both["loca"] == alone["loca"])
    #expect(both["mota"] == 1.0)
  }

  @Test func `several people without boxes are undefined rather than lost`() throws {
    let two = try accumulate(recording([[1, 2], [1, 2]]))
    #expect(two.summarize().allSatisfy { $0.value == nil })
    let sometimes = values(try accumulate(recording([[1], [1, 2], [1]])))
    #expect(sometimes["mota"] == 1.0 && sometimes["people"] == 1.0)
  }

  @Test(.tags(.oracle))
  func `a person by hand: two breaks, one switch back and forth`() throws {
    let metrics = values(try accumulate(person([nil, 4, 4, nil, 4, 9, 9, nil, nil, 4])))
    #expect(metrics["misses"] == 4.0 && metrics["false_positives"] == 0.0)
    #expect(metrics["fragmentations"] == 2.0, "what is missed at the start is no break")
    #expect(metrics["id_switches"] == 2.0)
    #expect(metrics["mota"] == 1 - 6.0 / 10)
    #expect(metrics["idr"] == 4.0 / 10 && metrics["idp"] == 4.0 / 6)
    #expect(metrics["idf1"] == 8.0 / 16)
    #expect(metrics["motp"] == 0.0)
    #expect(metrics["partially_tracked"] == 1.0)
  }

  @Test func `80 % is mostly tracked and 20 % is not mostly lost`() throws {
    let cases: [([Int?], String)] = [
      ([1, 1, 1, 1, nil], "mostly_tracked"), ([1, nil, nil, nil, nil], "partially_tracked"),
      ([1, nil, nil, nil, nil, nil], "mostly_lost"),
    ]
    for (tracks, name) in cases {
      #expect(try values(accumulate(person(tracks)))[name] == 1.0, "\(name)")
    }
  }

  @Test func `ignored people, people without identity and second boxes of one do not count`() throws
  {
    func box(_ position: Int) -> BoundingBox {
      BoundingBox(x: Double(100 * position), y: 0, width: 10, height: 10)
    }
    let labels = [
      FaceLabel(box: box(0), identity: 1), FaceLabel(box: box(1), isIgnored: true, identity: 2),
      FaceLabel(box: box(2)), FaceLabel(box: box(3), identity: 1),
    ]
    let faces = (0..<4).map { FacePrediction(box: box($0), identity: $0) }
    let metrics = values(
      try accumulate([Sight(frame: Frame(0, at: 0), labels: labels, faces: faces)]))
    #expect(metrics["people"] == 1.0 && metrics["misses"] == 0.0)
    #expect(metrics["false_positives"] == 0.0 && metrics["mota"] == 1.0 && metrics["idf1"] == 1.0)
  }

  @Test func `the metrics rest on frames with somebody labelled or given out`() throws {
    var sights = person([1, nil, 1, 1])
    (sights[2].labels, sights[2].faces) = ([], [])
    sights[3].labels = []
    let tracking = try accumulate(sights)
    #expect(Array(tracking.countedFrames) == [0, 1, 3])
  }

  @Test func `faces without identity are tracks of one frame, and a second box of a track too`()
    throws
  {
    var sights = person([1, 1, 1])
    for index in sights.indices { sights[index].faces[0].identity = index == 0 ? 1 : nil }
    let metrics = values(try accumulate(sights))
    #expect(metrics["id_switches"] == 2.0 && metrics["idr"] == 1.0 / 3)
    var twice = person([1, 1])
    twice[1].faces.insert(
      FacePrediction(box: BoundingBox(x: 90, y: 0, width: 10, height: 10), identity: 1), at: 0)
    let second = values(try accumulate(twice))
    #expect(second["false_positives"] == 1.0 && second["id_switches"] == 1.0)
  }

  @Test func `without identities on both sides every metric is undefined, with a reason`() throws {
    var labelsOnly = person([1, 1])
    var facesOnly = labelsOnly
    for index in labelsOnly.indices {
      labelsOnly[index].faces[0].identity = nil
      facesOnly[index].labels[0].identity = nil
    }
    for sights in [labelsOnly, facesOnly, []] {
      let tracking = try accumulate(sights)
      #expect(!tracking.isPresent)
      #expect(tracking.summarize().allSatisfy { $0.value == nil && $0.reason != nil })
    }
    var stills = IdentityTracking()
    for sight in person([1, 1]) { try stills.add(sight, isVideo: false) }
    #expect(!stills.isPresent)
    var apart = person([nil, 1])
    apart[1].labels = []
    let metrics = values(try accumulate(apart))
    #expect(metrics["mota"] == -1.0 && metrics["motp"] == .some(nil) && metrics["idp"] == 0.0)
  }

  @Test func `boxes that are not finite match nobody, and a frame counts once`() throws {
    var sights = person([1])
    sights[0].faces[0].ownBox = BoundingBox(x: .nan, y: 0, width: 10, height: 10)
    var tracking = try accumulate(sights)
    #expect(values(tracking)["misses"] == 1.0 && values(tracking)["false_positives"] == 1.0)
    let copy = tracking
    #expect(throws: MetricError.self) { try tracking.merge(copy) }
    #expect(throws: MetricError.self) { try tracking.add(sights[0]) }
  }

  @Test func `an identity of its own for each frame takes about as long as one for all`() throws {
    let box = BoundingBox(x: 0, y: 0, width: 40, height: 40)
    func tracking(_ identity: (Int) -> Int) throws -> IdentityTracking {
      try accumulate(
        (0..<16_000).map { number in
          Sight(
            frame: Frame(number, at: Int64(number)),
            labels: [FaceLabel(box: box, identity: identity(number))],
            faces: [FacePrediction(box: box, identity: identity(number))])
        })
    }
    let (one, each) = (try tracking { _ in 1 }, try tracking { $0 })
    let usual = ContinuousClock().measure { _ = values(one) }
    let time = ContinuousClock().measure { #expect(values(each)["idf1"] == 1.0) }
    #expect(time < usual * 20, "\(time), and \(usual)")
  }

  @Test(
    .tags(.oracle),
    .enabled(if: Shared.isAvailable, "FACEGAUGE_SHARED names no folder of data"))
  func `TUD-Campus gives every published column`() throws {
    func rows(_ name: String) throws -> [[Double]] {
      let file = Shared.data("mot-tud/motmetrics/data/TUD-Campus/\(name).txt")
      return try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline)
        .map { line in line.split(separator: ",").compactMap { Double($0) } }
    }
    func box(_ row: [Double]) -> BoundingBox {
      BoundingBox(x: row[2], y: row[3], width: row[4], height: row[5])
    }
    let (truth, given) = (try rows("gt"), try rows("test"))
    #expect(truth.count == 359)
    let sights = (1...71).map { frame in
      Sight(
        frame: Frame(frame, at: Int64(frame)),
        labels: truth.filter { Int($0[0]) == frame }
          .map { FaceLabel(box: box($0), identity: Int($0[1])) },
        faces: given.filter { Int($0[0]) == frame }
          .map { FacePrediction(box: box($0), identity: Int($0[1])) })
    }
    let metrics = values(try accumulate(sights))
    let published: [(String, Double, digits: Double)] = [
      ("idf1", 0.558, 3), ("idp", 0.730, 3), ("idr", 0.451, 3), ("recall", 0.582, 3),
      ("precision", 0.941, 3), ("people", 8, 0), ("mostly_tracked", 1, 0),
      ("partially_tracked", 6, 0), ("mostly_lost", 1, 0), ("false_positives", 13, 0),
      ("misses", 150, 0), ("id_switches", 7, 0), ("fragmentations", 7, 0), ("mota", 0.526, 3),
      ("motp", 0.277, 3),
    ]
    // HOTA and its three parts came after these results.
    #expect(published.count == metrics.count - 4)
    for (name, expected, digits) in published {
      let value = try #require(metrics[name].flatMap { $0 })
      let scale = pow(10, digits)
      #expect((value * scale).rounded() / scale == expected, "\(name): \(value)")
    }
  }
}
