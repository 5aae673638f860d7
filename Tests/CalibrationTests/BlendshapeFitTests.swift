import Calibration
import FaceCore
import Foundation
import Statistics
import TestSupport
import Testing

private struct Expected: Decodable {
  var cases: [[String: [Double]?]]
}

private let shapes: [Blendshape] = [.eyeBlinkLeft, .eyeBlinkRight, .jawOpen]

/// 52 coefficients, NaN but for eyelids and jaw.
private func face(_ values: [Double]) -> [Float] {
  var face = [Float](repeating: .nan, count: Blendshape.allCases.count)
  for (shape, value) in zip(shapes, values) { face[shape.index] = Float(value) }
  return face
}

/// The same cases as in the oracle's script.
private func randomCase(
  _ seed: Int
) throws -> (pairs: [BlendshapePair], rest: [Double], ridge: Double) {
  var stream = SplitMix64(seed: UInt64(seed))
  let count = 15 + stream.below(60)
  let kind = stream.below(8)
  let ridge = [0.0, 1e-3, 0.1][stream.below(3)]
  let gains = (0..<3).map { _ in Double(1 + stream.below(2048)) / 1024 }
  let cross = (0..<2).map { _ in Double(stream.below(512)) / 1024 }
  let rest = (0..<3).map { _ in Double(stream.below(128)) / 1024 }
  let pairs = try (0..<count).map { row in
    var values = (0..<3).map { _ in Double(stream.below(1024)) / 1024 }
    let noise = (0..<3).map { _ in Double(stream.below(64)) / 1024 }
    if kind == 1 { values[1] = values[0] }
    if kind == 2 { values[2] = 0.5 }
    var mixed = [
      gains[0] * values[0] + cross[0] * values[1], gains[1] * values[1] + cross[1] * values[0],
      gains[2] * values[2],
    ]
    if kind == 3 { mixed[2] = -mixed[2] }
    var predicted = (0..<3).map { (1024 * mixed[$0]).rounded(.down) / 1024 + rest[$0] + noise[$0] }
    if kind == 4 { predicted[1] = 0.25 }
    if kind == 5, row % 5 == 0 { values[stream.below(3)] = .nan }
    if kind == 6, row % 7 == 0 { predicted[stream.below(3)] = .nan }
    return try #require(
      BlendshapePair(labelled: face(values), predicted: face(predicted), cluster: row / 5))
  }
  return (pairs, rest, ridge)
}

@Suite("Corrections of blendshapes")
struct BlendshapeFitTests {
  @Test(.tags(.oracle))
  func `equal NumPy's ridge regressions on 150 cases`() throws {
    let expected = try Oracles.read("blendshape_corrections", as: Expected.self).cases
    #expect(expected.count == 150)
    var worst = 0.0
    for (seed, wanted) in expected.enumerated() {
      let (pairs, rest, ridge) = try randomCase(seed)
      let names = Dictionary(uniqueKeysWithValues: zip(shapes.map(\.rawValue), rest))
      let channels =
        (try? BlendshapeFit.correction(of: pairs, rest: names, ridge: ridge))?.channels ?? [:]
      for shape in shapes {
        let channel = channels[shape.rawValue].map { [$0.offset, $0.gain, $0.crosstalk] }
        let values = wanted[shape.rawValue] ?? nil
        #expect((channel == nil) == (values == nil), "case \(seed), \(shape)")
        guard let channel, let values else { continue }
        let scale = values.reduce(1) { max($0, abs($1)) }
        worst = max(worst, largestDifference(channel, values) / scale)
      }
    }
    #expect(worst <= 1e-9)
  }

  /// Predictions of a linear map of labels, so that the inverse map is known.
  private func planted(_ count: Int, clusters: Int, subject: (Int) -> String = { _ in "" }) throws
    -> [BlendshapePair]
  {
    var stream = SplitMix64(seed: 8)
    return try (0..<count).map { row in
      let isAtRest = row % 4 == 0
      let labels = (0..<3).map { _ in isAtRest ? 0.05 * stream.share() : stream.share() }
      let predicted = [
        0.1 + 0.6 * labels[0] + 0.2 * labels[1], 0.05 + 0.5 * labels[1] + 0.1 * labels[0],
        0.2 + 0.4 * labels[2],
      ]
      return try #require(
        BlendshapePair(
          labelled: face(labels), predicted: face(predicted), cluster: row * clusters / count,
          subject: subject(row)))
    }
  }

  /// The inverse of [[.6, .2], [.1, .5]] is [[.5, −.2], [−.1, .6]] / .28.
  @Test func `gain, crosstalk and rest that were planted come back, and held-out errors vanish`()
    throws
  {
    let fit = try BlendshapeFit(planted(400, clusters: 10), ridge: 0)
    let channels = try #require(fit.calibration.shared?.channels)
    let left = try #require(channels["eyeBlinkLeft"])
    let right = try #require(channels["eyeBlinkRight"])
    let jaw = try #require(channels["jawOpen"])
    let found = [left.gain, left.crosstalk, right.gain, right.crosstalk, jaw.gain]
    let wanted = [0.5 / 0.28, -0.2 / 0.28, 0.6 / 0.28, -0.1 / 0.28, 2.5]
    #expect(largestDifference(found, wanted) < 1e-5)
    // The mean label of faces at rest is .025.
    #expect(
      largestDifference([left.offset, right.offset, jaw.offset], [0.025, 0.025, 0.025]) < 2e-3)
    let rest = try #require(fit.calibration.shared?.rest["jawOpen"])
    let (before, after) = (
      try #require(fit.calibration.before), try #require(fit.calibration.after)
    )
    #expect(abs(rest - 0.21) < 2e-3)
    #expect(after.meanAbsoluteError < 1e-6 && before.meanAbsoluteError > 0.1)
    #expect(fit.channels.map(\.blendshape) == shapes)
  }

  @Test func `faces of a subject with a rest of its own are held out with that`() throws {
    let pairs = try planted(400, clusters: 10) { $0 % 2 == 0 ? "anna" : "ben" }
    let plain = try BlendshapeFit(pairs)
    let fit = try BlendshapeFit(pairs, restOfSubjects: ["anna": ["jawOpen": 0.31]])
    #expect(fit.calibration.shared == plain.calibration.shared)
    let jaw = Blendshape.jawOpen.index
    var compared = 0
    for (row, pair) in pairs.enumerated() {
      let (own, shared) = (fit.heldOut[row][jaw], plain.heldOut[row][jaw])
      guard pair.subject == "anna", own > 0, shared < 1 else { continue }
      compared += 1
      // The jaw is at .21 in faces that are labelled at rest, and rises by .4.
      #expect(abs(Double(shared - own) - 0.1 / 0.4) < 0.01)
    }
    #expect(compared > 50)
    for (row, pair) in pairs.enumerated() where pair.subject == "ben" {
      #expect(fit.heldOut[row][jaw] == plain.heldOut[row][jaw])
    }
  }

  @Test
  func `no face is corrected by a map that saw its cluster, or its stretch of its subject's time`()
    throws
  {
    for scope in BlendshapeCalibration.Scope.allCases {
      let pairs = try planted(400, clusters: 10) { $0 % 2 == 0 ? "anna" : "ben" }
      let fit = try BlendshapeFit(pairs, scope: scope)
      // The first tenth is cluster 0, and within the first fifth of both subjects.
      let turned = try pairs.enumerated().map { row, pair in
        try #require(
          row >= 40
            ? pair
            : BlendshapePair(
              labelled: pair.labelled.map { 1 - $0 }, predicted: pair.predicted,
              cluster: pair.cluster, subject: pair.subject))
      }
      let again = try BlendshapeFit(turned, scope: scope)
      for row in 0..<40 {
        #expect(
          largestDifference(
            shapes.map { Double(fit.heldOut[row][$0.index]) },
            shapes.map {
              Double(again.heldOut[row][$0.index])
            }) == 0)
      }
      #expect(again.calibration != fit.calibration)
      #expect((fit.calibration.shared == nil) == (scope == .subject))
      #expect(fit.calibration.subjects.keys.sorted() == (scope == .subject ? ["anna", "ben"] : []))
    }
  }

  @Test func `a face at rest alone takes it to 0, leaves 1 at 1, and keeps what is no rest`() {
    var rest = [Float](repeating: 0.1, count: 52)
    rest[Blendshape.jawOpen.index] = 0.6
    let found = RestingFace.rest(of: Array(repeating: rest, count: 10))
    #expect(found.count == 51 && RestingFace.rest(of: Array(repeating: rest, count: 9)).isEmpty)
    let correction = BlendshapeCorrection(rest: found)
    let corrected = correction.corrected(rest)
    #expect(abs(corrected[Blendshape.eyeBlinkLeft.index]) < 1e-6)
    #expect(corrected[Blendshape.jawOpen.index] == 0.6)
    #expect(corrected[Blendshape.neutral.index] == 0.1)
    let full = correction.corrected([Float](repeating: 1, count: 52))
    #expect(full.allSatisfy { abs($0 - 1) < 1e-6 })
    #expect(correction.corrected([Float](repeating: 0, count: 52)).min() == 0)
    #expect(correction.corrected([Float](repeating: .nan, count: 52)).allSatisfy { $0.isNaN })
    #expect(correction.corrected([1, 2]) == [1, 2])
  }

  @Test func `what cannot be corrected is refused with the reason`() throws {
    let pairs = try planted(100, clusters: 3)
    let dead = pairs.compactMap {
      BlendshapePair(labelled: face([0.5, 0.5, 0.5]), predicted: $0.predicted, cluster: $0.cluster)
    }
    let cases: [(pairs: [BlendshapePair], folds: Int, ridge: Double, reason: String)] = [
      (pairs, 5, 1e-3, "as folds (5), found 3 (--folds 3); for one"),
      (dead, 3, 1e-3, "varies on both sides"),
      (pairs, 3, .nan, "found nan"),
    ]
    for (pairs, folds, ridge, reason) in cases {
      let error = #expect(throws: CalibrationError.self) {
        _ = try BlendshapeFit(pairs, folds: folds, ridge: ridge)
      }
      #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }
    let error = #expect(throws: CalibrationError.self) {
      _ = try BlendshapeFit(pairs, scope: .subject, folds: 9)
    }
    #expect(error?.description.contains("9 of 100 in all") == true)
    #expect(BlendshapePair(labelled: [1], predicted: [1]) == nil)
  }

  @Test(arguments: [(0.5, 0.6, true), (0.5, 0.5, false), (0.5, 0.1, false)])
  func `a correction that makes held-out coefficients worse says so`(
    before: Double, after: Double, isWorse: Bool
  ) throws {
    let text = """
      {"scope": "shared", "subjects": {}, "faces": 5, "folds": 5, "heldOut": "stretches of time",
       "before": {"meanAbsoluteError": \(before), "concordance": 0},
       "after": {"meanAbsoluteError": \(after), "concordance": 0}}
      """
    let calibration = try JSONDecoder().decode(BlendshapeCalibration.self, from: Data(text.utf8))
    #expect((calibration.worsening != nil) == isWorse)
    #expect(calibration.worsening?.contains("from 0.5 to 0.6") ?? true)
  }
}
