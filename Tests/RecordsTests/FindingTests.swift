import Records
import Testing

struct FindingTests {
  private static let suspect = Finding(
    "boxes.corners", .suspect, "Boxes agree with the labels as corners.",
    statistic: "share of faces found", before: 0.25, after: 0.75, n: 1200,
    remedy: "Import the predictions again with --repair corners.",
    frames: (0..<9).map { Finding.Frame(index: $0, name: "\($0).jpg") })
  private static let note = Finding(
    "scores.ties", .note, "Scores are equal.", statistic: "share of ties", n: 3)
  private static let gate = GateResult(
    gate: Gate(metric: "detection.ap50", direction: .atLeast, limit: 0.5), stage: "detection",
    verdict: .pass, value: 0.9, message: "It is 0.9.")

  @Test(arguments: [Verdict.pass, .fail, .inconclusive])
  func `no gate decides on a suspect input`(verdict: Verdict) throws {
    var gate = Self.gate
    gate.verdict = verdict
    let result = try #require([gate].withheld(by: [Self.note, Self.suspect]).first)
    #expect(result.verdict == .inconclusive)
    #expect(
      result.message
        == "It is 0.9. The input is suspect (boxes.corners): Boxes agree with the labels as corners. "
        + "Repair it, or accept it with --accept boxes.corners.")
  }

  @Test func `notes, accepted findings and a run that nobody checked leave gates alone`() {
    for findings in [
      nil, [], [Self.note], [Self.suspect, Self.note].accepting(["boxes.corners"]),
    ] as [[Finding]?] {
      #expect([Self.gate].withheld(by: findings) == [Self.gate])
    }
    #expect([Self.suspect].accepting(["boxes.center"]).objection != nil)
  }

  @Test(
    arguments: [
      (nil, 0.1, 0.85, Verdict.pass, Verdict.inconclusive),
      (nil, 0.1, 0.7, .fail, .inconclusive), (0.5, 0.1, 0.85, .pass, .inconclusive),
      (0.5, 0.1, 0.7, .fail, .inconclusive), (0.75, 0.1, 0.7, .fail, .fail),
      (0.5, 0.1, nil, .fail, .fail), (0.5, nil, 0.85, .pass, .pass),
    ] as [(Double?, Double?, Double?, Verdict, Verdict)])
  func `a change against a suspect base is not decided, and a limit is`(
    limit: Double?, worsening: Double?, value: Double?, verdict: Verdict, expected: Verdict
  ) throws {
    func measurement(_ value: Double?) -> Records.Measurement {
      Records.Measurement(
        name: "detection.ap50", stage: "detection", value: value, unit: "1", better: .higher,
        n: 100)
    }
    let gate = Gate(
      metric: "detection.ap50", direction: .atLeast, limit: limit, maxWorsening: worsening
    ).evaluate(measurement(value), base: measurement(0.9))
    #expect(gate.verdict == verdict)
    let objection = [Self.suspect].objection(accepting: "evaluate the base again with")
    let result = try #require([gate].withheld(forBase: objection).first)
    #expect(result.verdict == expected && result.isWithheld == (expected == .inconclusive))
    let end = "Repair it, or evaluate the base again with --accept boxes.corners."
    #expect(result.message.hasSuffix(end) == (expected == .inconclusive))
    #expect([gate].withheld(forBase: nil) == [gate])
  }

  @Test(
    arguments: [
      ("base", nil, Verdict.pass), ("base", 0.1, .inconclusive), ("candidate", nil, .inconclusive),
    ] as [(String, Double?, Verdict)])
  func `of two compared runs a suspect base leaves gates without a change alone`(
    run: String, worsening: Double?, expected: Verdict
  ) {
    var finding = Self.suspect
    finding.run = run
    var gate = Self.gate
    gate.gate.maxWorsening = worsening
    #expect([gate].withheld(by: [finding], base: "base").map(\.verdict) == [expected])
    finding.isAccepted = true
    #expect([gate].withheld(by: [finding], base: "base") == [gate])
  }

  @Test func `at most five frames are named`() {
    #expect(Self.suspect.frames.map(\.index) == [0, 1, 2, 3, 4])
  }

  @Test func `coordinates without bounds give values that can be shown and written`() {
    for value in [Double.infinity, -.infinity, .nan, 1e300, -1e19] {
      let finding = Finding("a.b", .note, "A.", statistic: "distance", before: value, n: 3)
      #expect(finding.before == (value.isFinite ? value : nil))
      #expect(finding.evidence.hasPrefix("distance") && finding.evidence.hasSuffix(", n = 3"))
    }
  }

  @Test func `the evidence has both values and what they rest on`() {
    #expect(
      Self.suspect.evidence == "share of faces found: 0.250, 0.750 with the remedy, n = 1,200")
    #expect(Self.note.evidence == "share of ties, n = 3")
  }
}
