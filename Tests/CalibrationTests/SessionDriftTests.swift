import Calibration
import FaceCore
import Statistics
import TestSupport
import Testing

@Suite struct SessionDriftTests {
  /// What Tests/Oracles/session_drift.py writes.
  private struct Expected: Decodable {
    struct Case: Decodable {
      struct Test: Decodable {
        var difference, low, high, p: Double
      }

      var first, second: [String: [Double]]
      var tests: [String: Test]
    }

    var cases: [Case]
  }

  private func session(
    _ rest: [String: [Double]], _ prompted: [String: [Double]] = [:], subject: String = "a",
    name: String = "n"
  ) -> PromptedSession {
    PromptedSession(
      name: name, subject: subject, rest: rest, prompted: prompted,
      conditions: FaceConditions.Counts().conditions)
  }

  @Test func `differences, bounds and p are SciPy's`() throws {
    let expected = try Oracles.read("session_drift", as: Expected.self)
    #expect(expected.cases.count == 12)
    for one in expected.cases {
      let found = SessionDrift.tests([session(one.first), session(one.second)])
      #expect(found.count == one.tests.count)
      for test in found {
        let theirs = try #require(one.tests[test.coefficient])
        #expect(abs(test.difference - theirs.difference) < 1e-12)
        #expect(abs(test.low - theirs.low) < 1e-9 && abs(test.high - theirs.high) < 1e-9)
        #expect(abs(test.adjustedP - theirs.p) < 1e-9)
        #expect(test.state == .rest)
      }
    }
  }

  /// 51 coefficients at rest and 12 as asked for, five repetitions each, nothing differs.
  @Test func `of 400 pairs of equal sessions at most 5 % have a decisive difference`() {
    var stream = SplitMix64(seed: 3)
    func values(_ shapes: some Sequence<Blendshape>) -> [String: [Double]] {
      Dictionary(
        uniqueKeysWithValues: shapes.map { shape in
          (shape.rawValue, (0..<5).map { _ in 0.2 + 0.02 * stream.normalPair().0 })
        })
    }
    let all = Blendshape.allCases.filter { $0 != .neutral }
    var alarms = 0
    for _ in 0..<400 {
      let sessions = (0..<2).map { _ in session(values(all), values(all.prefix(12))) }
      if SessionDrift.tests(sessions).contains(where: \.isDecisive) { alarms += 1 }
    }
    // 20 are expected; more than 33 in 1 of 500 suites whose share is 5 %.
    #expect(alarms <= 33, "\(alarms)")
  }

  @Test func `a planted offset is found in its coefficient, in both states`() {
    var stream = SplitMix64(seed: 5)
    func values(_ offset: Double) -> [String: [Double]] {
      Dictionary(
        uniqueKeysWithValues: Blendshape.allCases.filter { $0 != .neutral }.map { shape in
          (
            shape.rawValue,
            (0..<5).map { _ in
              0.2 + (shape == .eyeBlinkLeft ? offset : 0) + 0.01 * stream.normalPair().0
            }
          )
        })
    }
    let found = SessionDrift.tests([
      session(values(0), values(0)), session(values(0.1), values(-0.1)),
    ]).filter(\.isDecisive)
    #expect(found.map(\.coefficient) == ["eyeBlinkLeft", "eyeBlinkLeft"])
    #expect(found.map(\.state) == [.rest, .prompted])
    #expect(found[0].low < 0.1 && 0.1 < found[0].high)
    #expect(found[1].low < -0.1 && -0.1 < found[1].high)
  }

  @Test func `single repetitions, no spread and other people are not tested`() {
    let plain = session(["jawOpen": [0.1, 0.1], "jawLeft": [0.1], "jawRight": [0.1, 0.2]])
    #expect(SessionDrift.tests([plain]).isEmpty)
    #expect(SessionDrift.tests([plain, plain]).map(\.coefficient) == ["jawRight"])
    let other = session(["jawRight": [0.1, 0.2]], subject: "b")
    #expect(SessionDrift.tests([plain, other]).isEmpty)
    let later = SessionDrift.tests([plain], against: [plain])
    #expect(later.map(\.earlier) == ["n (earlier)"] && later[0].adjustedP == 1)
  }

  @Test func `medians outside of all known ranges are named`() throws {
    func conditions(side: Double, count: Int = 20) throws -> FaceConditions {
      var counts = FaceConditions.Counts()
      for _ in 0..<count {
        counts.add(
          FacePrediction(
            region: nil, isTracked: false, detectionScore: nil, presence: 1, scheme: nil,
            points: [], ownBox: BoundingBox(x: 0, y: 0, width: side, height: side)))
      }
      return counts.conditions
    }
    let known = try conditions(side: 200)
    let size = try #require(known.size)
    #expect(abs(size.median - 200) < 2 && known.yaw == nil)
    #expect(try conditions(side: 180).differences(from: [known]).isEmpty)
    let far = try conditions(side: 60).differences(from: [known])
    #expect(
      far.count == 1 && far[0].hasPrefix("the size of faces is 60 px here (median), and was "))
    #expect(try conditions(side: 60).differences(from: [known, conditions(side: 60)]).isEmpty)
    #expect(try conditions(side: 60, count: 0).differences(from: [known]).isEmpty)
    #expect(try conditions(side: 60).differences(from: []).isEmpty)
  }
}
