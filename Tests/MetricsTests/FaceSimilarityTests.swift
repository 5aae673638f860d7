import FaceCore
import Metrics
import Records
import Statistics
import TestSupport
import Testing

private struct ShapeOracle: Decodable {
  var shapes: [[Double?]]
}

private func shapes(_ number: Int) -> (points: [[Point]], coefficients: [[Float]]) {
  var stream = SplitMix64(seed: UInt64(10_000 + number))
  let kind = stream.below(6)
  let count = 1 + stream.below(70)
  var (a, b): ([Point], [Point]) = ([], [])
  for _ in 0..<count {
    var (first, second) = (Point(x: 0, y: 0), Point(x: 0, y: 0))
    first.x = stream.between(-50, 50)
    second.x = stream.between(-50, 50)
    first.y = stream.between(-50, 50)
    second.y = stream.between(-50, 50)
    switch kind {
    case 1: second = Point(x: first.y * 2 + 7, y: first.x * 2 + 7)
    case 2: second = Point(x: first.x + second.x / 8, y: first.y * 2 + second.y / 8)
    case 3: second = Point(x: 5, y: 5)
    case 4: second = first
    default: break
    }
    a.append(first)
    b.append(second)
  }
  var lists = (0..<2).map { _ in (0..<52).map { _ in Float(stream.below(65)) / 64 } }
  for index in 0..<52 where stream.below(10) == 0 { lists[1][index] = .nan }
  if stream.below(12) == 0 { lists[0] = Array(repeating: 0, count: 52) }
  return ([a, b], lists)
}

private func pairs(_ number: Int) -> [(score: Double, belongs: Bool)] {
  var stream = SplitMix64(seed: UInt64(20_000 + number))
  let kind = stream.below(8)
  let count = stream.below([40, 400, 3000][stream.below(3)])
  let step = [1, 8, 64][stream.below(3)]
  return (0..<count).map { _ in
    let belongs = kind == 0 ? true : kind == 1 ? false : stream.below(3) == 0
    let raw = stream.below(256) + (belongs ? 96 : 0)
    return (Double(raw / step * step) / 256, belongs)
  }
}

private func accumulate(_ pairs: [(score: Double, belongs: Bool)]) throws -> FaceVerification {
  var verification = FaceVerification()
  for (number, pair) in pairs.enumerated() {
    try verification.add(pair: number, score: pair.score, belongs: pair.belongs)
  }
  return verification
}

@Suite("Similarity of faces")
struct FaceSimilarityTests {
  @Test(.tags(.oracle))
  func `Procrustes and cosine of 150 random cases equal SciPy's`() throws {
    let oracle = try Oracles.read("face_similarity", as: ShapeOracle.self)
    #expect(oracle.shapes.count >= 100)
    var largest = 0.0
    for (number, expected) in oracle.shapes.enumerated() {
      let (points, lists) = shapes(number)
      let values = [
        FaceSimilarity.procrustes(points[0], points[1], reflecting: true),
        FaceSimilarity.procrustes(points[0], points[1]),
        FaceSimilarity.blendshapeCosine(lists[0], lists[1]),
      ]
      for (value, expected) in zip(values, expected) {
        #expect((value == nil) == (expected == nil), "case \(number): \(values)")
        largest = max(largest, abs((value ?? 0) - (expected ?? 0)))
      }
      OracleTable.note(
        "Procrustes, blendshape cosine", "scipy 1.17.1",
        zip(values, expected).map { abs(($0 ?? 0) - ($1 ?? 0)) }.max() ?? 0)
    }
    #expect(largest <= 1e-9, "\(largest)")
  }

  @Test(.tags(.oracle))
  func `verification of 150 random sets of pairs equals scikit-learn's ROC`() throws {
    let oracle = try Oracles.read("face_similarity", as: MetricCases.self)
    #expect(oracle.cases.count >= 100)
    for number in oracle.cases.indices {
      oracle.expect(try accumulate(pairs(number)).summarize(), case: number)
    }
  }

  @Test func `any split merges to the same bits`() throws {
    var generator = SplitMix64(seed: 7)
    for number in 0..<40 {
      let pairs = pairs(number)
      let whole = try accumulate(pairs)
      let merged = try FaceVerification.inParts(
        Array(pairs.enumerated()), using: &generator, empty: FaceVerification()
      ) { part, item in
        try part.add(
          pair: item.offset, score: item.element.score, belongs: item.element.belongs)
      }
      #expect(merged == whole)
      #expect(merged.summarize() == whole.summarize())
    }
  }

  @Test
  func `moved, scaled and turned is the same shape; a mirror image only where that is asked for`()
    throws
  {
    let face = [(0, 0), (4, 1), (2, 5), (1, 3)].map { Point(x: $0.0, y: $0.1) }
    let turned = face.map { Point(x: 7 - 3 * $0.y, y: 3 * $0.x - 2) }
    let mirrored = face.map { Point(x: -$0.x, y: $0.y) }
    #expect(try #require(FaceSimilarity.procrustes(face, turned)) < 1e-12)
    #expect(try #require(FaceSimilarity.procrustes(face, mirrored)) > 0.1)
    #expect(try #require(FaceSimilarity.procrustes(face, mirrored, reflecting: true)) < 1e-12)
  }

  @Test func `shapes without extent, unlike lengths and numbers that are none have no distance`() {
    let dot = [Point(x: 3, y: 3), Point(x: 3, y: 3)]
    let line = [Point(x: 0, y: 0), Point(x: 1, y: 0)]
    #expect(FaceSimilarity.procrustes(dot, line) == nil)
    #expect(FaceSimilarity.procrustes([], []) == nil)
    #expect(FaceSimilarity.procrustes(line, [line[0]]) == nil)
    #expect(FaceSimilarity.procrustes(line, [line[0], Point(x: .nan, y: 0)]) == nil)
    #expect(FaceSimilarity.procrustes(line, [line[0], Point(x: .infinity, y: 0)]) == nil)
    #expect(FaceSimilarity.blendshapeCosine([1], [1]) == nil)
    let zero = [Float](repeating: 0, count: 52)
    #expect(FaceSimilarity.blendshapeCosine(zero, zero) == nil)
    #expect(FaceSimilarity.blendshapeCosine([Float](repeating: .nan, count: 52), zero) == nil)
  }

  @Test func `one kind of pair, repeated pairs and scores that are no numbers`() throws {
    let same = try accumulate([(0.5, true), (0.7, true)])
    #expect(same.summarize().allSatisfy { $0.value == nil && $0.reason != nil })
    #expect(same.summarize().first?.reason == "every pair belongs together")
    let few = try accumulate([(0.5, true), (0.1, false)]).summarize()
    #expect(few[0].value == 0 && few[1].value == 1)
    #expect(few[2].needs == 10)
    #expect(
      few[2].reason == "needs 10 pairs that do not belong together, there are 1")
    var verification = same
    #expect(throws: MetricError.self) {
      try verification.add(pair: 0, score: 1, belongs: true)
    }
    #expect(throws: MetricError.self) {
      try verification.add(pair: 9, score: .nan, belongs: true)
    }
    #expect(throws: MetricError.self) { try verification.merge(same) }
  }
}
