import FaceCore
import Foundation
import Platform
import Records
import Testing

@Suite("Sentences of an explanation")
struct ExplanationWordsTests {
  private let settings = Explanation.Settings(
    detector: "short-range", minFaceDetectionConfidence: 0.5, minFacePresenceConfidence: 0.5,
    minSuppressionThreshold: 0.3, numFaces: 2, rotationDegrees: 0)
  private let box = BoundingBox(x: 10, y: 20, width: 30, height: 40)

  private func candidate(
    _ number: Int, score: Double, _ outcome: Explanation.Outcome, presence: Double? = nil,
    rank: Int? = nil, at threshold: Double = 0.5
  ) -> Explanation.Candidate {
    var one = Explanation.Candidate(
      number: number, anchor: 7, score: score, box: box, outcome: outcome)
    one.rank = rank
    if let presence {
      one.look = Explanation.Look(
        minFaceDetectionConfidence: threshold, box: box, averaged: 1, region: .whole,
        presence: presence, points: [])
    }
    return one
  }

  private func result(_ candidates: [Explanation.Candidate]) -> Explanation.DetectorResult {
    Explanation.DetectorResult(
      detector: "short-range", answers: 896, candidates: candidates, detections: 0, faces: 0,
      places: [])
  }

  private func sentence(_ candidate: Explanation.Candidate) -> String {
    ExplanationWords(settings, result([candidate])).sentence(of: candidate)
  }

  @Test func `a score below the minimum says at which one the face would be found`() {
    let low = candidate(3, score: 0.3149, .belowThreshold, presence: 0.97, rank: 1, at: 0.31)
    #expect(
      sentence(low)
        == "the detector gave 0.315, below min-face-detection-confidence 0.5; at 0.31 it would be found: "
        + "presence 0.97 is above min-face-presence-confidence 0.5")
    let empty = candidate(3, score: 0.3149, .belowThreshold, presence: 0.12, rank: 5, at: 0.31)
    #expect(
      sentence(empty).hasSuffix(
        "at 0.31 and num-faces 5 it would be detected and given up: presence 0.12 is not above "
          + "min-face-presence-confidence 0.5"))
    #expect(
      sentence(candidate(3, score: 0.02, .belowThreshold, rank: 1)).hasSuffix(
        "at 0.02 it would be detected"))
  }

  @Test func `a number next to its limit gets the digits that tell them apart`() {
    #expect(
      sentence(candidate(1, score: 0.49996, .belowThreshold, rank: 1)).hasPrefix(
        "the detector gave 0.49996, below min-face-detection-confidence 0.5;"))
    let equal = candidate(1, score: 0.5, .lowPresence, presence: 0.5, rank: 1)
    #expect(
      sentence(equal)
        == "detected and given up: score 0.5 reaches min-face-detection-confidence 0.5, presence 0.5 is "
        + "not above min-face-presence-confidence 0.5")
  }

  @Test func `a suppressed candidate names the one that suppresses it and their IoU`() {
    var worse = candidate(2, score: 0.8, .suppressed)
    worse.suppressor = 1
    worse.overlap = 0.62
    #expect(
      sentence(worse)
        == "suppressed by candidate 1: their IoU 0.62 is above min-suppression-threshold 0.3")
    let best = candidate(1, score: 0.9, .found, presence: 0.99, rank: 1)
    let words = ExplanationWords(settings, result([best, worse]))
    let text = words.sentence(ofPlace: .init(candidate: 2))
    #expect(text.hasPrefix("candidate 2: suppressed by candidate 1"))
    #expect(text.contains("; candidate 1: found: score 0.9 reaches"))
  }

  @Test func `faces beyond the number asked for, regions without a size and no landmark model`() {
    #expect(
      sentence(candidate(4, score: 0.7, .beyondNumFaces, presence: 0.9, rank: 3))
        == "score 0.7 reaches min-face-detection-confidence 0.5, but 2 detections have a higher one and "
        + "num-faces is 2; with num-faces 3 it would be found: presence 0.9 is above "
        + "min-face-presence-confidence 0.5")
    #expect(sentence(candidate(1, score: 0.7, .noRegion)).contains("no size"))
    #expect(sentence(candidate(1, score: 0.7, .detected)).contains("without a landmark model"))
    #expect(
      sentence(candidate(9, score: 0.7, .notReached)).hasPrefix("suppression ended before it"))
  }

  @Test func `a place without a candidate names the nearest`() {
    let near = candidate(17, score: 0.04, .belowThreshold, rank: 3)
    let words = ExplanationWords(settings, result([near]))
    #expect(
      words.sentence(ofPlace: .init(nearest: 17, overlap: 0.21))
        == "no candidate overlaps the box by an IoU of 0.5 or more; the largest score of one that touches "
        + "it is 0.04 (candidate 17, IoU 0.21)")
    #expect(
      words.sentence(ofPlace: .init(nearest: 17, distance: 12.5))
        == "no candidate's box holds the point; the closest centre is 12.5 pixels away, with a score of "
        + "0.04 (candidate 17)")
    #expect(words.sentence(ofPlace: .init()) == "no candidate is there or near")
  }

  @Test(arguments: [
    (0.3149, 0.314), (0.31, 0.31), (0.0675, 0.0675), (0.067_569, 0.0675), (0.00000123, 0.00000123),
  ])
  func `the threshold of three digits is the largest that the score reaches`(
    score: Double, expected: Double
  ) {
    let threshold = Explanation.threshold(reachedBy: Double(Float(score)))
    #expect(abs(threshold - expected) < 1e-12)
    #expect(Float(threshold) <= Float(score))
  }

  @Test func `JSON has every number and its sentence, and the same bytes each time`() throws {
    let explanation = Explanation(
      source: "a.jpg", size: ImageSize(width: 4, height: 3), settings: settings,
      places: [Explanation.Place("box", box: box)],
      detectors: [
        Explanation.DetectorResult(
          detector: "short-range", answers: 896,
          candidates: [candidate(1, score: 0.25, .belowThreshold, rank: 1)], detections: 0,
          faces: 0, places: [.init(candidate: 1, overlap: 0.75)])
      ], notes: ["n"])
    let text = try JSONEncoder.document.text(of: explanation)
    #expect(try JSONEncoder.document.text(of: explanation) == text)
    let root = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let detector = try #require((root["detectors"] as? [[String: Any]])?.first)
    let one = try #require((detector["candidates"] as? [[String: Any]])?.first)
    #expect(one["score"] as? Double == 0.25 && one["outcome"] as? String == "belowThreshold")
    #expect((one["sentence"] as? String)?.hasSuffix("at 0.25 it would be detected") == true)
    #expect((root["answers"] as? [String])?.count == 2)
  }
}
