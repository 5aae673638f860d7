import Calibration
import FaceCore
import Foundation
import Metrics
import Platform
import Records
import Statistics
import TestSupport
import Testing

/// A sketch of frames with evenly spread digests.
private func sketch(of frames: Range<Int>) -> FrameSketch {
  var sketch = FrameSketch()
  for frame in frames { sketch.add(UInt64(frame) &* 0x9E37_79B9_7F4A_7C15) }
  return sketch.settled
}

/// A file in which everything is there.
func fullCalibration() throws -> CalibrationFile {
  var stream = SplitMix64(seed: 2)
  let cases = (0..<400).map { index in
    let score = stream.share()
    return ScoredCase(
      score: score, isPositive: stream.share() < score * score, cluster: index % 40)
  }
  var file = CalibrationFile(
    tool: .init(
      name: "facegauge", version: "1", build: "release", commit: String(repeating: "c", count: 40)),
    created: "2026-01-01T00:00:00Z",
    dataset: .init(
      name: "faces", sha256: String(repeating: "a", count: 64), frames: 400,
      sketch: sketch(of: 0..<400)),
    tracker: nil,
    models: [
      .init(
        name: "blazeface-short-range", stage: "detection", sha256: "b", remark: "an own model"),
      .init(name: "face-landmarks-v2", stage: "landmarks", sha256: "c"),
    ], options: ["mode": "image", "compatibility": "standard", "detector": "short-range"])
  file.scores = try [
    (ScoreKind.detection, CalibrationChoice.platt), (.presence, .isotonic),
    (.expression("happy"), .beta), (.expression("sad"), .histogram),
    (.expression("angry"), .temperature),
  ].map { try ScoreFit(of: $0, cases: cases, by: $1).calibration }
  let rule = ExpressionRule("happy", .coefficient(.jawOpen))
  let outcomes = cases.enumerated().map {
    ScoredOutcome(frame: $0, score: $1.score, share: $1.positive)
  }
  file.thresholds = [
    try ExpressionThreshold(
      rule, outcomes: outcomes, cluster: { $0 },
      search: ThresholdSearch(Objective(parsing: "max f1 where recall >= 0.1")),
      bootstrap: ClusterBootstrap(resamples: 100))
  ]
  file.detectionThreshold = try ScoreThreshold(
    of: .detection, cases: cases, present: 0.5,
    search: ThresholdSearch(Objective(parsing: "max recall where precision >= 0.3 with 95 %")),
    bootstrap: ClusterBootstrap(resamples: 100))
  var conditions = FaceConditions.Counts()
  conditions.add(
    FacePrediction(
      region: nil, isTracked: false, detectionScore: nil, presence: 1, scheme: nil, points: [],
      ownBox: BoundingBox(x: 0, y: 0, width: 90, height: 90),
      pose: HeadPose(matrix: SIMD16(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -40, 0, 0, 0, 1))))
  file.sessions = [
    PromptedSession(
      name: "take", subject: "anna", rest: ["jawOpen": [0.1, 0.12]], prompted: ["jawOpen": [0.8]],
      conditions: conditions.conditions)
  ]
  file.blendshapes = BlendshapeCalibration(
    resting: BlendshapeCorrection(rest: ["jawOpen": 0.1]),
    subjects: [
      "anna": BlendshapeCorrection(
        channels: ["eyeBlinkLeft": .init(offset: 0, gain: 2, crosstalk: -0.1)], rest: [:])
    ], faces: 90)
  file.timeOffsets = ["clip": TimeOffset(given: 1.5)]
  file.settings = RecommendedSettings(
    values: [
      "num-faces": 2, "min-face-detection-confidence": 0.42, "min-face-presence-confidence": 0.5,
      "min-tracking-confidence": 0.5, "min-suppression-threshold": 0.5,
      "smoothing-min-cutoff": 0.05, "smoothing-beta": 80, "smoothing-derivative-cutoff": 1,
      "expression:happy": -0.25,
    ], swept: ["min-face-detection-confidence", "expression:happy"],
    expressions: [
      .init(
        name: "happy", value: "mouthSmileLeft - mouthFrownLeft", side: "above", threshold: -0.25)
    ], objective: "max f1", verdict: "use it",
    warnings: ["it is flat"], metric: 0.9,
    interval: .init(low: 0.88, high: 0.92, method: "m"),
    reached: [
      .init(
        .init(name: "f1", title: "F1", unit: "1", better: .higher),
        here: .init(value: 0.9, interval: .init(low: 0.88, high: 0.92, method: "m")),
        atDefault: .init(value: nil, interval: .none("few")), isDefault: false),
      .init(
        .init(name: "lag", title: "Lag", unit: "ms", better: .closest, target: 0),
        here: .init(value: 5, interval: .none("few")), atDefault: nil, isDefault: false),
    ], dataset: .init(name: "swept", sha256: String(repeating: "b", count: 64), frames: 7))
  file.notes = ["A note."]
  return file
}

@Suite("calibration.json")
struct CalibrationFileTests {
  @Test func `reads what was written, to the same bytes, and keeps the schema`() throws {
    let file = try fullCalibration()
    let json = try file.json()
    let again = try CalibrationFile(json: json, source: "c.json")
    #expect(again == file)
    #expect(try again.json() == json)
    let schema = try Schema("calibration")
    schema.unseen = Set(schema.propertyPaths)
    let object = try JSONSerialization.jsonObject(with: Data(json))
    #expect(schema.problems(in: object) == [])
    // Only a fit to labels has metrics before and after, and only an offset that was found a rate; CalibrateTests
    // has both.
    #expect(
      schema.unseen == [
        "agreement.meanAbsoluteError", "agreement.concordance", "blendshapes.before",
        "blendshapes.after", "timeOffset.rate", "timeOffset.rateStandardError",
      ])
    #expect(file.stages == [.detection, .landmarks, .blendshapes])
    #expect(file.scores.last?.kind == .expression("angry"))
  }

  @Test(arguments: [
    (0..<500, 0..<500), (100..<200, 0..<500), (400..<900, 0..<500), (500..<600, 0..<500),
  ])
  func `frames that two datasets share are counted where all are known`(
    own: Range<Int>, fitted: Range<Int>
  ) {
    let overlap = sketch(of: own).overlap(with: sketch(of: fitted))
    #expect(overlap.isWhole && overlap.sampled == own.count)
    #expect(overlap.shared == own.clamped(to: fitted).count)
  }

  @Test func `of many frames a sample tells what share of them is known`() {
    let overlap = sketch(of: 0..<20_000).overlap(with: sketch(of: 10_000..<40_000))
    #expect(!overlap.isWhole && overlap.sampled > 300)
    // Half are shared; three standard errors of a share of so many.
    let error = 3 * (0.25 / Double(overlap.sampled)).squareRoot()
    #expect(abs(Double(overlap.shared) / Double(overlap.sampled) - 0.5) < error)
    #expect(sketch(of: 0..<20_000).overlap(with: sketch(of: 20_000..<40_000)).shared == 0)
  }

  private static let broken: [(change: [(String, String)], message: String)] = [
    ([("facegauge.calibration", "facegauge.record")], "expected \"facegauge.calibration\""),
    ([("\"version\" : 2\n}", "\"version\" : 3\n}")], "expected 2, found 3"),
    ([("\"scores\" : [", "\"scored\" : [")], "expected the key \"scores\""),
    (
      [("\"of\" : \"presence\"", "\"of\" : \"detection\"")],
      "'scores[1].of' in c.json: expected each"
    ),
    (
      [("\"of\" : \"presence\"", "\"of\" : \"other\"")],
      "'scores[1].of' in c.json: expected detection"
    ),
    ([("\"method\" : \"platt\"", "\"method\" : \"magic\"")], "scores[0].calibrator"),
    ([("\"slope\" : ", "\"slope\" : true, \"x\" : ")], "scores[0].calibrator.slope"),
    ([("\"slope\" : ", "\"slope\" : 1e999, \"x\" : ")], "expected a number that a double can hold"),
    ([("\"value\" : \"jawOpen\"", "\"value\" : \"jawOpn\"")], "'thresholds[0]' in c.json"),
    ([("\"side\" : \"above\"", "\"side\" : \"under\"")], "'thresholds[0]' in c.json"),
    ([("\"name\" : \"happy\"", "\"name\" : \"a b\"")], "'thresholds[0]' in c.json"),
    ([("\"gain\" : 2", "\"gain\" : 2e9")], "blendshapes.subjects.anna"),
    ([("\"eyeBlinkLeft\"", "\"jawOpen\"")], "which has no other side"),
    ([("\"eyeBlinkLeft\"", "\"_neutral\"")], "found \"_neutral\""),
    ([("\"min-face-detection-confidence\" : 0.42", "\"x\" : -1")], "'settings.values.x' in c.json"),
  ]

  @Test(arguments: broken.indices)
  func `is refused in one line where it is broken`(index: Int) throws {
    let (changes, message) = Self.broken[index]
    var text = String(decoding: try fullCalibration().json(), as: UTF8.self)
    for (from, to) in changes {
      try #require(text.contains(from), "\(from)")
      text = text.replacing(from, with: to)
    }
    let error = #expect(throws: FileError.self) {
      _ = try CalibrationFile(json: Array(text.utf8), source: "c.json")
    }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    #expect(error?.description.contains("\n") == false)
  }

  @Test func `is refused where it is cut anywhere, and where it is something else`() throws {
    let json = try fullCalibration().json()
    for length in stride(from: 0, to: json.count - 2, by: 199) {
      #expect(throws: FileError.self) {
        _ = try CalibrationFile(json: Array(json.prefix(length)), source: "c.json")
      }
    }
    for text in ["", "[]", "7", "{}", "null", "{\"schema\":\"facegauge.calibration\"}"] {
      #expect(throws: FileError.self) {
        _ = try CalibrationFile(json: Array(text.utf8), source: "c.json")
      }
    }
  }
}
