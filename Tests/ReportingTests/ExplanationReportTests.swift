import FaceCore
import Records
import Reporting
import Testing

@Suite("The page of an explanation")
struct ExplanationReportTests {
  private var explanation: Explanation {
    var leader = Explanation.Candidate(
      number: 1, anchor: 3, score: 0.25, box: BoundingBox(x: 1, y: 2, width: 3, height: 4),
      outcome: .belowThreshold)
    leader.rank = 1
    leader.largestThreshold = 0.25
    leader.look = Explanation.Look(
      minFaceDetectionConfidence: 0.25, box: BoundingBox(x: 1, y: 2, width: 3, height: 4),
      averaged: 2, region: NormalizedRect(xCenter: 0.5, yCenter: 0.5, width: 0.25, height: 0.5),
      presence: 0.75, points: [Point(x: 1, y: 1)])
    var other = Explanation.Candidate(
      number: 2, anchor: 4, score: 0.125, box: BoundingBox(x: 1, y: 2, width: 3, height: 4.5),
      outcome: .suppressed)
    other.suppressor = 1
    other.overlap = 0.875
    return Explanation(
      source: "<script>alert(1)</script>.jpg", size: ImageSize(width: 100, height: 80),
      settings: Explanation.Settings(
        detector: "short-range", minFaceDetectionConfidence: 0.5, minFacePresenceConfidence: 0.5,
        minSuppressionThreshold: 0.5, numFaces: 1, rotationDegrees: 0),
      places: [],
      detectors: [
        Explanation.DetectorResult(
          detector: "short-range", answers: 896, candidates: [leader, other], detections: 0,
          faces: 0, places: []),
        Explanation.DetectorResult(
          detector: "full-range", answers: 2304, candidates: [], detections: 0, faces: 0,
          places: []),
      ], notes: ["A note."])
  }

  private var document: ReportDocument {
    ExplanationReport(
      explanation,
      image: Record.Image(file: "d.jpg", frame: "f", caption: "c", width: 10, height: 8)
    ).document
  }

  @Test func `a name cannot become an element, and the page is one well-formed file`() throws {
    let html = document.html(images: { _ in [0xFF, 0xD8, 0xFF] })
    #expect(!html.contains("<script>alert(1)"))
    let image = try #require(ParsedXML(html).elements("img").first)
    #expect(image["src"]?.hasPrefix("data:image/jpeg;base64,") == true)
  }

  @Test func `the tables have the numbers before and after suppression`() throws {
    let section = try #require(document.sections.first { $0.id == "short-range" })
    let tables = section.blocks.compactMap { block -> Table? in
      if case .table(let table) = block { table } else { nil }
    }
    #expect(
      tables.map { $0.rows.map { $0.prefix(9).map(\.content) } } == [
        [
          [
            .text("1"), .text("0.250"), .text("1.0, 2.0, 3.0, 4.0"), .text("1.0, 2.0, 3.0, 4.0"),
            .text("2"), .text("0.250000"), .text("50.0, 40.0, 25.0x40.0, turned 0.0°"),
            .text("0.750"), .text("1"),
          ]
        ],
        [[.text("2"), .text("0.125"), .text("1.0, 2.0, 3.0, 4.5"), .text("1"), .text("0.875")]],
      ])
    #expect(document.sections.map(\.id) == ["answer", "short-range", "full-range", "settings"])
  }
}
