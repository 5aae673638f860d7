import FaceCore
import Foundation
import Metrics
import Records
import Statistics
import TestSupport
import Testing

/// A frame with its labels and every face; those of a confidence of 0.25 or more count as given out.
private struct Sight {
  var frame: Frame
  var isVideo = true
  var isAnalysed = true
  var labels: [FaceLabel]
  var all: [FacePrediction]

  var faces: [FacePrediction] { all.filter { $0.presence.map { $0 >= 0.25 } ?? true } }

  var prediction: FramePrediction {
    isAnalysed
      ? FramePrediction(frame.index, faces: faces)
      : FramePrediction(frame: frame.index, notAnalysed: .dropped)
  }
}

/// The same as `sequence` in Tests/Oracles/single_object_tracking.py, in the order of its draws.
private func sequence(_ stream: inout SplitMix64, givesScores: Bool, index: Int, first: Int)
  -> [Sight]
{
  let isVideo = stream.below(6) > 0
  let hasSecond = stream.below(8) == 0
  let length = [0, 1, 15, 60, 130][stream.below(5)]
  let noise = 1 + stream.below(25)
  let isCoarse = stream.below(3) == 0
  let often = 3 + stream.below(10)
  var position = Point(x: 100, y: 100)
  var (isThere, isFound) = (true, true)
  var time: Int64 = 0
  return (0..<length).map { offset in
    time += 30_000 + Int64(stream.below(5_000))
    let isAnalysed = stream.below(30) > 0
    if stream.below(often) == 0 { isThere.toggle() }
    if stream.below(often) == 0 { isFound.toggle() }
    let isIgnored = isThere && stream.below(20) == 0
    position.x += stream.between(-4, 4)
    position.y += stream.between(-4, 4)
    let by = (0..<4).map { _ in stream.between(-noise, noise) }
    let box = BoundingBox(x: position.x, y: position.y, width: 40, height: 50)
    let given = BoundingBox(
      x: box.x + by[0], y: box.y + by[1], width: 40 + by[2] / 2, height: 50 + by[3] / 2)
    let score =
      isCoarse ? Float(stream.below(4)) / 4 : Float(stream.below(1 << 20)) / Float(1 << 20)
    var all =
      isFound
      ? [FacePrediction(box: given, identity: nil, confidence: givesScores ? score : nil)] : []
    if hasSecond {
      let away = BoundingBox(x: 5000, y: 5000, width: 9, height: 9)
      all.append(FacePrediction(box: away, identity: nil, confidence: givesScores ? 1 : nil))
    }
    return Sight(
      frame: Frame(first + offset, sequence: index, at: time), isVideo: isVideo,
      isAnalysed: isAnalysed, labels: isThere ? [FaceLabel(box: box, isIgnored: isIgnored)] : [],
      all: all)
  }
}

private func clips(_ number: Int) -> [Sight] {
  var stream = SplitMix64(seed: UInt64(6000 + number))
  let givesScores = stream.below(4) > 0
  var sights: [Sight] = []
  for index in 0..<(1 + stream.below(3)) {
    sights += sequence(&stream, givesScores: givesScores, index: index, first: sights.count)
  }
  return sights
}

/// Both accumulators over the same frames.
private struct Both: Equatable {
  var target = SingleObjectTracking()
  var falseTracks = FaceErrorTime()

  init(_ sights: [Sight] = []) throws {
    for sight in sights { try add(sight) }
  }

  mutating func add(_ sight: Sight) throws {
    try target.add(
      sight.frame, isVideo: sight.isVideo, status: sight.prediction.status, labels: sight.labels,
      faces: sight.prediction.faces, all: sight.isAnalysed ? sight.all : [])
    try falseTracks.add(
      ScoredFrame(
        sight.frame, isVideo: sight.isVideo, labels: sight.labels, prediction: sight.prediction))
  }

  mutating func merge(_ other: Both) throws {
    try target.merge(other.target)
    try falseTracks.merge(other.falseTracks)
  }

  func summarize() -> [Records.Measurement] { target.summarize() + falseTracks.summarize() }

  func value(_ name: String) -> Double? {
    summarize().first { $0.name == "tracking.\(name)" }?.value
  }
}

private func box(_ x: Double) -> BoundingBox { BoundingBox(x: x, y: 0, width: 100, height: 40) }

/// A target that stays where it is, and how far to the right of it the face is; nil for none.
private func still(_ offsets: [Double?], confidence: [Float?] = []) -> [Sight] {
  offsets.enumerated().map { frame, offset in
    let score = confidence.indices.contains(frame) ? confidence[frame] : nil
    return Sight(
      frame: Frame(frame, at: Int64(frame) * 1_000_000), labels: [FaceLabel(box: box(0))],
      all: offset.map { [FacePrediction(box: box($0), identity: nil, confidence: score)] } ?? [])
  }
}

@Suite("Following one target")
struct SingleObjectTrackingTests {
  @Test(.tags(.oracle))
  func `all metrics of 140 random cases equal NumPy's from the definitions`() throws {
    let oracle = try Oracles.read("single_object_tracking", as: MetricCases.self)
    #expect(oracle.cases.count >= 100)
    for number in oracle.cases.indices {
      oracle.expect(try Both(clips(number)).summarize(), case: number)
    }
  }

  @Test func `any split merges to the same bits`() throws {
    var generator = SplitMix64(seed: 31)
    for number in 0..<40 {
      let sights = clips(number)
      let whole = try Both(sights)
      var parts = [Both](repeating: try Both(), count: 4)
      for sight in sights.shuffled(using: &generator) {
        try parts[Int.random(in: 0..<4, using: &generator)].add(sight)
      }
      var merged = try Both()
      for part in parts.shuffled(using: &generator) { try merged.merge(part) }
      #expect(merged == whole)
      #expect(merged.summarize() == whole.summarize())
    }
  }

  @Test
  func `success is over the threshold, precision is up to 20 px, a frame without a face is a miss`()
    throws
  {
    // IoU of 1, 80/120, 0 and of none; the IoU of 1 is not over the last threshold.
    let both = try Both(still([0, 20, 200, nil]))
    let success = 34.0 / 21 / 4
    #expect(both.value("success_auc").map { abs($0 - success) < 1e-15 } == true)
    #expect(both.value("precision@20px") == 0.5)
    let overlap = 5.0 / 12
    #expect(both.value("mean_iou").map { abs($0 - overlap) < 1e-15 } == true)
    #expect(try Both(still([0, 20.001])).value("precision@20px") == 0.5)
  }

  @Test func `long-term F is at the confidence that leaves out what is wrong`() throws {
    var sights = still([0, 0, 0, 60, nil], confidence: [0.9, 0.8, 0.5, 0.5, nil])
    sights[3].labels = []
    let both = try Both(sights)
    #expect(both.value("vot.confidence") == 0.5, "3 of 4 and 3 of 4, not 1 and 2 of 4")
    #expect(both.value("vot.pr") == 0.75 && both.value("vot.re") == 0.75)
    #expect(both.value("vot.f") == 0.75)
    let away = try Both(still([300, 300], confidence: [0.9, 0.8]))
    #expect(away.value("vot.f") == 0 && away.value("vot.confidence") == nil)
    let low = try Both(still([0, 0], confidence: [0.1, 0.2]))
    #expect(low.value("vot.f") == 1, "below the tracker's threshold and yet in the sweep")
    #expect(low.value("mean_iou") == 0)
    #expect(try Both(still([0, 0], confidence: [0.5, nil])).value("vot.f") == nil)
    #expect(try Both(still([0, 0], confidence: [0.5, .nan])).value("vot.f") == nil)
    #expect(try Both(still([nil, nil])).value("vot.f") == nil)
  }

  @Test func `a label that lacks points is compared by those that it has`() throws {
    let points = (0..<68).map { Point(x: Double($0 % 2) * 100, y: 2 * Double($0)) }
    let states = (0..<68).map { $0 < 30 ? PointVisibility.visible : .notLabelled }
    let landmarks = try #require(Landmarks(scheme: .ibug68, points: points, visibility: states))
    // The whole face reaches to 134, and its middle is 38 px from that of the labelled part.
    let label = FaceLabel(
      box: BoundingBox(x: 0, y: 0, width: 100, height: 58), landmarks: [landmarks])
    let sights = [Float(0.9), 0.8].enumerated().map { frame, confidence in
      var face = FacePrediction(scheme: .ibug68, points: points)
      face.presence = confidence
      return Sight(
        frame: Frame(frame, at: Int64(frame) * 1_000_000), labels: [label], all: [face])
    }
    let both = try Both(sights)
    #expect(both.value("mean_iou") == 1)
    #expect(both.value("precision@20px") == 1)
    #expect(both.value("vot.f") == 1)
  }

  @Test func `sequences of two targets or two faces are none of one target`() throws {
    var people = still([0, 0, 0])
    people[1].labels[0].identity = 1
    var faces = still([0, 0, 0])
    faces[2].all.append(FacePrediction(box: box(400), identity: nil))
    var labels = still([0, 0, 0])
    labels[0].labels.append(FaceLabel(box: box(400)))
    var stills = still([0, 0, 0])
    for index in stills.indices { stills[index].isVideo = false }
    for sights in [people, faces, labels, stills, []] {
      let target = try Both(sights).target
      #expect(!target.isPresent)
      #expect(target.summarize().allSatisfy { $0.value == nil && $0.reason != nil })
    }
    #expect(try Both(still([0])).target.isPresent)
  }

  /// Clips that say nothing would lend an interval the certainty of as many clusters.
  @Test func `the metrics rest on sequences of one target, and on labelled frames`() throws {
    var sights = still([0, 0])
    for (offset, sight) in still([0, 0, 0]).enumerated() {
      var other = sight
      other.frame = Frame(2 + offset, sequence: 1, at: Int64(offset) * 1_000_000)
      other.labels = [FaceLabel.unlabelled(other.frame.size)]
      sights.append(other)
    }
    let both = try Both(sights)
    #expect(Array(both.target.countedFrames) == [0, 1])
    #expect(Array(both.falseTracks.countedFrames) == [0, 1])
  }

  @Test func `false tracks last from frame to frame, each face for itself, also without any label`()
    throws
  {
    // The first is right, the second on nothing for a second, the third stands for no time.
    #expect(try Both(still([0, 90, 90])).value("false_track_s_per_minute") == 30)
    var empty = still([0, 0, nil])
    for index in empty.indices { empty[index].labels = [] }
    empty[0].all.append(FacePrediction(box: box(400), identity: nil))
    #expect(try Both(empty).value("false_track_s_per_minute") == 90)
    #expect(try Both(still([0])).value("false_track_s_per_minute") == nil)
    // Without a match the labelled face is missed for as long.
    #expect(try Both(still([0, 90, 90])).value("missed_s_per_minute") == 30)
    #expect(try Both(still([0, nil, 0])).value("missed_s_per_minute") == 30)
    #expect(try Both(empty).value("missed_s_per_minute") == 0)
    #expect(try Both(still([0])).value("missed_s_per_minute") == nil)
    let both = try Both(still([0, 0]))
    var copy = both
    #expect(throws: MetricError.self) { try copy.merge(both) }
    #expect(throws: MetricError.self) { try copy.falseTracks.merge(both.falseTracks) }
  }

  @Test(
    .tags(.oracle),
    .enabled(if: Shared.isAvailable, "FACEGAUGE_SHARED names no folder of data"),
    arguments: [("MEEM", 0.6740), ("MUSTer", 0.5107)])
  func `football1 gives the mean IoU of MEEM and of MUSTer`(tracker: String, mean: Double) throws {
    struct Run: Decodable {
      var res: [[Double]]
    }
    func box(_ row: [Double]) -> BoundingBox {
      BoundingBox(x: row[0], y: row[1], width: row[2], height: row[3])
    }
    let folder = Shared.folder.appending(path: "data/otb-sample")
    let truth = try String(
      contentsOf: folder.appending(path: "data/Football1/groundtruth_rect.txt"), encoding: .utf8
    ).split(whereSeparator: \.isNewline).map { line in
      line.split { ",\t ".contains($0) }.compactMap { Double($0) }
    }
    let file = folder.appending(path: "results/OPE/\(tracker)/Football1.json")
    let given = try JSONDecoder().decode([Run].self, from: Data(contentsOf: file))[0].res
    #expect(truth.count == 74 && given.count >= 74)
    let both = try Both(
      zip(truth, given).enumerated().map { frame, pair in
        Sight(
          frame: Frame(frame, at: Int64(frame) * 33_333), labels: [FaceLabel(box: box(pair.0))],
          all: [FacePrediction(box: box(pair.1), identity: nil)])
      })
    let measured = try #require(both.value("mean_iou"))
    #expect((measured * 10_000).rounded() / 10_000 == mean, "\(measured)")
    #expect(both.value("vot.f") == nil, "the results have no confidence")
  }
}
