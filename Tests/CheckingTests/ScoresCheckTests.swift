import Checking
import FaceCore
import Records
import Testing

/// Scores that are missing, equal, cut off or on another scale; and those of honest trackers.
@Suite struct ScoresCheckTests {
  /// A detection of one frame: its score, and whether it is on the labelled face.
  private typealias Given = (score: Double, isRight: Bool)

  private static let face = BoundingBox(x: 10, y: 10, width: 40, height: 40)
  private static let other = BoundingBox(x: 100, y: 10, width: 40, height: 40)

  /// One frame a detection, and `missed` labelled frames without one.
  private func findings(
    _ given: [Given], missed: Int = 0, ignored: FaceLabel? = nil,
    overlapping: (Int) -> Double = { _ in 0 },
    format: String? = "coco", hasScores: Bool = true
  ) -> [Finding] {
    let frames = (0..<given.count + missed).map { index -> JoinedFrame in
      let size = ImageSize(width: 200, height: 100)
      let isRight = index >= given.count || given[index].isRight
      var box = isRight ? Self.face : Self.other
      box.x += overlapping(index)
      return JoinedFrame(
        frame: Frame(
          index: index, name: "\(index)", sequence: 0, timestampMicroseconds: 0, size: size),
        isVideo: false, labels: isRight ? [FaceLabel(box: Self.face)] : [],
        prediction: FramePrediction(
          frame: index, size: size, stageNanoseconds: [nil],
          detections: index < given.count
            ? [FaceDetection(box: box, score: given[index].score, keypoints: [])] : [],
          candidates: []), ignored: ignored.map { isRight ? [] : [$0] } ?? [])
    }
    return ScoresCheck.findings(
      in: JoinedSample(
        frames: frames, isWhole: true, format: format, scheme: nil, hasScores: hasScores))
  }

  private func spread(_ count: Int, from low: Double, to high: Double, isRight: Bool) -> [Given] {
    (0..<count).map { index -> Given in
      (low + (high - low) * Double(index) / Double(count), isRight)
    }
  }

  /// A detector that is often sure: right scores of .55 to .99, wrong ones of .05 to .6.
  private func detector(right: Int = 60, wrong: Int = 30) -> [Given] {
    spread(right, from: 0.55, to: 0.99, isRight: true)
      + spread(wrong, from: 0.05, to: 0.6, isRight: false)
  }

  private func mapped(_ given: [Given], _ map: (Double) -> Double) -> [Given] {
    given.map { (map($0.score), $0.isRight) }
  }

  @Test func `rows that begin with the score are suspect, fractions with percent are not`() {
    func found(_ box: BoundingBox, label: BoundingBox = Self.face) -> [Finding] {
      let size = ImageSize(width: 200, height: 100)
      let frames = (0..<20).map { index in
        JoinedFrame(
          frame: Frame(
            index: index, name: "\(index)", sequence: 0, timestampMicroseconds: 0, size: size),
          isVideo: false, labels: [FaceLabel(box: label)],
          prediction: FramePrediction(
            frame: index, size: size, stageNanoseconds: [nil],
            detections: [FaceDetection(box: box, score: 40 + Double(index))], candidates: []))
      }
      return ScoresCheck.findings(
        in: JoinedSample(
          frames: frames, isWhole: true, format: "fddb", scheme: nil, hasScores: true))
    }
    let rows = found(BoundingBox(x: 0.75, y: 10, width: 10, height: 40))
    #expect(rows.map(\.name) == ["scores.first"])
    #expect(rows.first?.severity == .suspect)
    let fractions = found(BoundingBox(x: 0.75, y: 0.5, width: 0.1, height: 0.25))
    #expect(fractions.map(\.name) == ["scores.scale"])
    // Faces that fill their images, with scores of percent.
    let edge = BoundingBox(x: 0.5, y: 1, width: 90, height: 95)
    #expect(!found(edge, label: edge).contains { $0.name == "scores.first" })
  }

  @Test(arguments: [(60, 30), (60, 0), (500, 9), (12, 200), (0, 40), (1, 0)])
  func `an honest detector that keeps its low scores is silent`(right: Int, wrong: Int) {
    let given = detector(right: right, wrong: wrong)
    let low: [Given] = wrong == 0 ? [(0.02, true)] : []
    #expect(findings(given + low, missed: 10).isEmpty)
  }

  @Test(arguments: [true, false])
  func `surer detections of ignored faces and crowds are not wrong`(isCrowd: Bool) {
    let right = spread(60, from: 0.2, to: 0.6, isRight: true)
    let ignored = spread(30, from: 0.9, to: 0.99, isRight: false)
    let low: [Given] = [(0.02, true)]
    let label = FaceLabel(box: Self.other, isIgnored: !isCrowd, isCrowd: isCrowd)
    #expect(findings(right + ignored + low, ignored: label).isEmpty)
    #expect(findings(right + ignored + low).map(\.name) == ["scores.falling"])
  }

  @Test func `our own pipeline is ranked by its candidates, and not looked at`() {
    #expect(findings(mapped(detector()) { 1 - $0 }, format: nil).isEmpty)
  }

  @Test func `scores that are missing, or the same for all, are noted`() throws {
    let ones = mapped(detector()) { _ in 1 }
    let missing = findings(ones, hasScores: false)
    #expect(missing.map(\.name) == ["scores.missing"] && missing[0].severity == .note)
    #expect(missing[0].n == 90)
    let same = findings(mapped(detector()) { _ in 0.75 })
    #expect(same.map(\.name) == ["scores.constant"] && same[0].severity == .note)
    #expect(same[0].summary.contains("0.75"))
    #expect(findings([(0.75, true)]).isEmpty, "one score is no constant")
    #expect(findings([], hasScores: false).isEmpty)
  }

  @Test func `percent is found with its repair, and another scale is noted`() throws {
    let percent = findings(mapped(detector()) { $0 * 100 })
    #expect(percent.map(\.name) == ["scores.percent"] && percent[0].severity == .suspect)
    #expect(percent[0].remedy?.contains("--repair percent") == true)
    #expect(try #require(percent[0].after) < 0.25 && percent[0].before == nil)
    for scale in [
      mapped(detector()) { 8 * $0 - 3 }, mapped(detector()) { $0 * 40 },
      mapped(detector()) { $0 * 300 }, mapped(detector()) { 100 - 60 * $0 },
    ] {
      let found = findings(scale)
      #expect(found.first?.name == "scores.scale" && found.first?.severity == .note)
    }
  }

  /// Row numbers as scores are in 1 to 100, and say nothing about who is right.
  @Test func `numbers up to 100 that are no chances are not percent`() {
    let rows: [Given] = (1...100).map { (Double($0), true) }
    #expect(findings(rows).map(\.name) == ["scores.scale"])
  }

  @Test(arguments: [(60, 30), (60, 10), (20, 0), (300, 9), (12, 200)])
  func `scores that fall with quality are found with their repair`(right: Int, wrong: Int) throws {
    let sure = detector(right: right, wrong: wrong).map { given -> Given in
      (given.isRight ? 0.85 + (given.score - 0.55) / 4 : given.score, given.isRight)
    }
    #expect(!findings(sure, missed: 5).contains { $0.severity == .suspect })
    let found = findings(mapped(sure) { 1 - $0 }, missed: 5)
    #expect(found.map(\.name) == ["scores.falling"] && found[0].severity == .suspect)
    #expect(found[0].remedy?.contains("--repair falling-scores") == true)
    let (before, after) = (try #require(found[0].before), try #require(found[0].after))
    #expect(before < 0.2 && after >= 0.8)
  }

  @Test func `scores without a relation to what is right are not falling`() {
    let mixed = (0..<60).map { index -> Given in (Double(index * 37 % 60) / 60, index % 4 < 2) }
    #expect(!findings(mixed).contains { $0.severity == .suspect })
    let few =
      spread(4, from: 0.1, to: 0.2, isRight: true) + spread(8, from: 0.8, to: 0.9, isRight: false)
    #expect(!findings(few).contains { $0.severity == .suspect }, "too few to tell")
  }

  /// A tracker of low scores whose better boxes have the higher ones.
  @Test func `low scores that rise with the fit of boxes are not falling`() {
    let low = spread(40, from: 0.02, to: 0.12, isRight: true)
    #expect(findings(low, overlapping: { 8 - Double($0) / 5 }).isEmpty)
    #expect(findings(low, overlapping: { Double($0) / 5 }).map(\.name) == ["scores.falling"])
  }

  @Test func `a list that was cut off says where`() throws {
    let cut = detector().filter { $0.score >= 0.6 }
    let found = findings(cut, missed: 30)
    #expect(found.map(\.name) == ["scores.cut-off"] && found[0].severity == .note)
    let recall = Double(cut.count(where: \.isRight)) / Double(cut.count(where: \.isRight) + 30)
    #expect(found[0].before == recall && found[0].frames.count == 5)
    let lowest = try #require(cut.map(\.score).min())
    #expect(found[0].summary.contains("The lowest score is 0.6") && lowest < 0.61)
    #expect(findings(cut).isEmpty, "nothing is missed")
    #expect(findings(detector(), missed: 30).isEmpty, "scores go down to .05")
    let vague =
      spread(10, from: 0.3, to: 0.7, isRight: true)
      + spread(30, from: 0.31, to: 0.71, isRight: false)
    #expect(findings(vague, missed: 5).isEmpty, "precision is low at the end")
  }

  @Test func `equal scores of right and wrong detections give the range of AP`() throws {
    let coarse = mapped(detector(right: 40, wrong: 40)) { ($0 * 2).rounded(.up) / 2 }
    let found = try #require(findings(coarse + [(0.01, false)]).first)
    #expect(found.name == "scores.ties" && found.severity == .note)
    let (worst, best) = (try #require(found.before), try #require(found.after))
    #expect(worst < best && found.n > 0)
    let fine = detector(right: 40, wrong: 40)
    #expect(!findings(fine).contains { $0.name == "scores.ties" })
  }
}
