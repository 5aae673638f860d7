import Metrics
import Statistics
import TestSupport
import Testing

private func table(_ entries: [(Int, Int)]) throws -> FrameTable<Int> {
  var table = FrameTable<Int>()
  for (key, entry) in entries { try table.add(entry, for: key, in: "a metric") }
  return table
}

private func pairs(_ table: FrameTable<Int>) -> [[Int]] {
  zip(table.keys, table.entries).map { [$0, $1] }
}

/// Keys with entries that differ between tables.
private func random(_ stream: inout SplitMix64, tag: Int) -> [(Int, Int)] {
  (0..<60).filter { _ in stream.below(3) > 0 }.map { ($0, 1000 * tag + $0) }
}

@Suite("Tables of frames")
struct FrameTableTests {
  @Test func `any order of adding and any split gives the same table, ascending`() throws {
    var stream = SplitMix64(seed: 1)
    for _ in 0..<100 {
      let entries = random(&stream, tag: 1)
      let whole = try table(entries)
      #expect(Array(whole.keys) == entries.map(\.0) && Array(whole.entries) == entries.map(\.1))
      #expect(try table(entries.shuffled(using: &stream)) == whole)
      let parts = Dictionary(grouping: entries) { _ in stream.below(4) }
      var merged = FrameTable<Int>()
      for part in parts.values.shuffled(using: &stream) {
        try merged.merge(table(part.shuffled(using: &stream)), in: "a metric")
      }
      #expect(merged == whole)
    }
  }

  @Test
  func `a frame that is there already is refused by adding and by merging, and nothing is taken`()
    throws
  {
    var own = try table([(3, 1), (5, 1)])
    let before = own
    let adding = #expect(throws: MetricError.self) { try own.add(2, for: 3, in: "a metric") }
    let other = try table([(1, 2), (5, 2)])
    let merging = #expect(throws: MetricError.self) { try own.merge(other, in: "a metric") }
    #expect(
      adding?.description.contains("3") == true && adding?.description.contains("a metric") == true)
    #expect(merging?.description.contains("5") == true)
    #expect(own == before)
  }

  @Test
  func `frames of a drawn stretch stay neighbours, and two stretches never become neighbours`()
    throws
  {
    var stream = SplitMix64(seed: 2)
    for _ in 0..<100 {
      let whole = try table(random(&stream, tag: 0))
      var draw = FrameDraw()
      var expected: [[Int]] = []
      var key = 0
      for _ in 0..<stream.below(8) {
        let first = stream.below(50)
        let frames = first..<first + 1 + stream.below(12)
        draw.take(frames)
        expected += whole.keys.filter(frames.contains).map { [$0 - first + key, $0] }
        key += frames.count + 1
      }
      #expect(pairs(whole.drawn(by: draw)) == expected)
    }
    var twice = FrameDraw()
    twice.take(4..<6)
    twice.take(4..<6)
    twice.take(6..<7)
    let drawn = try table([(4, 40), (5, 50), (6, 60)]).drawn(by: twice)
    #expect(drawn.keys == [0, 1, 3, 4, 6] && Array(drawn.entries) == [40, 50, 40, 50, 60])
  }

  @Test func `a choice keeps the chosen frames under their own keys`() throws {
    let whole = try table((0..<20).map { ($0, $0) })
    let chosen = whole.drawn(by: FrameDraw(FrameRuns((0..<20).filter { $0 % 5 > 1 })))
    let expected = (0..<20).filter { $0 % 5 > 1 }
    #expect(Array(chosen.keys) == expected && Array(chosen.entries) == expected)
  }

  @Test func `a swap of frames is a choice for each frame, and a second one undoes it`() throws {
    var stream = SplitMix64(seed: 3)
    for _ in 0..<100 {
      let (first, second) = (random(&stream, tag: 1), random(&stream, tag: 2))
      let isChosen = (0..<60).map { _ in stream.below(2) == 0 }
      var (own, other) = (try table(first), try table(second))
      let before = (own, other)
      own.swapFrames(with: &other) { isChosen[$0] }
      let expected = (first.filter { !isChosen[$0.0] } + second.filter { isChosen[$0.0] })
        .sorted { $0.0 < $1.0 }
      #expect(pairs(own) == expected.map { [$0.0, $0.1] })
      let rest = (second.filter { !isChosen[$0.0] } + first.filter { isChosen[$0.0] })
        .sorted { $0.0 < $1.0 }
      #expect(pairs(other) == rest.map { [$0.0, $0.1] })
      own.swapFrames(with: &other) { isChosen[$0] }
      #expect((own, other) == before)
    }
  }
}

@Suite("Clusters of frames")
struct FrameClustersTests {
  @Test func `a subject goes before a video, and a video before single stills`() {
    var clusters = FrameClusters()
    let frames: [(sequence: Int, subject: String, isVideo: Bool)] = [
      (0, "", false), (0, "", false), (1, "", true), (1, "", true), (2, "anna", true),
      (3, "ben", false), (4, "anna", false), (5, "", true), (1, "", true), (6, "anna", true),
    ]
    for (frame, position) in frames.enumerated() {
      clusters.add(
        frame, sequence: position.sequence, subject: position.subject, isVideo: position.isVideo)
    }
    #expect(frames.indices.map { clusters.cluster(of: $0) } == [0, 1, 2, 2, 3, 4, 3, 5, 2, 3])
    #expect(clusters.cluster(of: 10) == nil && clusters.cluster(of: -1) == nil)
    #expect(clusters.count == 6)
    #expect(clusters.sizes(of: [4, 6, 9, 77]).count == 1)
    #expect(clusters.sizes(of: [0, 1, 2, 8]).count == 3)
  }

  @Test func `stills of one photo are one cluster, unless they are of a subject`() {
    var clusters = FrameClusters(photos: [1: 1, 3: 1, 4: 4, 5: 4])
    for (frame, subject) in ["", "", "", "", "anna", ""].enumerated() {
      clusters.add(frame, sequence: frame, subject: subject, isVideo: false)
    }
    #expect((0..<6).map { clusters.cluster(of: $0) } == [0, 1, 2, 1, 3, 4])
    #expect(clusters.count == 5)
  }

  @Test func `a drawn cluster comes whole, stretch by stretch, as often as drawn`() throws {
    var clusters = FrameClusters()
    for frame in 0..<6 {
      clusters.add(frame, sequence: frame / 2, subject: ["a", "b", "a"][frame / 2], isVideo: true)
    }
    #expect(clusters.count == 2)
    let table = try table((0..<6).map { ($0, $0) })
    let drawn = table.drawn(by: clusters.draw([2, 0]))
    #expect(Array(drawn.entries) == [0, 1, 4, 5, 0, 1, 4, 5])
    #expect(drawn.keys == [0, 1, 3, 4, 6, 7, 9, 10])
    #expect(table.drawn(by: clusters.draw([0, 0])).keys.isEmpty)
  }
}

@Suite("Ranks by score")
struct ScoreOrderTests {
  @Test func `scores fall, and equal ones, both zeros among them, keep their order`() {
    var stream = SplitMix64(seed: 4)
    for round in 0..<300 {
      let scores = (0..<stream.below(400)).map { _ -> Double in
        switch (round + stream.below(2)) % 4 {
        case 0: Double(stream.below(5)) / 4 * (stream.below(2) == 0 ? 1 : -1)
        case 1: Double(bitPattern: stream.next() & 0xFFEF_FFFF_FFFF_FFFF)
        case 2: stream.between(-2, 2)
        default: Double.random(in: 0...1, using: &stream)
        }
      }
      let expected = scores.indices.sorted {
        scores[$0] > scores[$1] || (scores[$0] == scores[$1] && $0 < $1)
      }
      #expect(ScoreOrder.descending(scores) == expected)
    }
    #expect(ScoreOrder.descending([]).isEmpty)
  }
}
