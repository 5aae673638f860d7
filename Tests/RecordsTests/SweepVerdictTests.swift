import Records
import Testing

@Suite struct SweepVerdictTests {
  private func verdict(
    _ conclusion: Sweep.Gain.Conclusion?, setting: Int? = 1, interval: Interval = .none("few")
  ) -> Sweep.Verdict? {
    var sweep = fullSweep
    var advice = sweep.advice[0]
    advice.setting = setting
    advice.gain = conclusion.map { Sweep.Gain(value: 0.1, interval: interval, conclusion: $0) }
    sweep.advice = [advice]
    return sweep.verdict(of: advice)
  }

  @Test func `the default is kept unless another setting is shown to be better`() throws {
    let range = Interval(low: 0.02, high: 0.18, method: "m")
    let better = try #require(verdict(.better, interval: range))
    #expect(better.setting == 1 && !better.keepsDefault)
    #expect(
      better.text == "use threshold 0.5, cutoff 2 Hz: better than the default (threshold 0.3, "
        + "cutoff 2 Hz) in f1 by 0.100 (95 %: 0.0200 to 0.180)")
    for conclusion in [Sweep.Gain.Conclusion.noEvidence, .unknown] {
      let kept = try #require(verdict(conclusion))
      #expect(kept.setting == 0 && kept.keepsDefault)
      #expect(kept.text.hasPrefix("keep the default (threshold 0.3, cutoff 2 Hz): "))
      #expect(kept.text.hasSuffix("the best on this data, threshold 0.5, cutoff 2 Hz, gains 0.100"))
    }
    #expect(verdict(.noEvidence)?.text.contains("no evidence that another") == true)
    #expect(verdict(.unknown)?.text.contains("not tested, few;") == true)
    #expect(verdict(.isDefault)?.setting == 0)
    let broken = try #require(verdict(.defaultBreaksLimit))
    #expect(broken.setting == 1 && broken.text.hasSuffix("breaks a limit"))
    #expect(verdict(nil)?.setting == 1)
    #expect(verdict(.better, setting: nil) == nil)
  }

  @Test func `a setting that is better and finds fewer faces keeps the default`() throws {
    var sweep = fullSweep
    var advice = sweep.advice[0]
    advice.setting = 1
    advice.gain = Sweep.Gain(value: 0.1, interval: .none("few"), conclusion: .losesFaces)
    sweep.columns["recall"] = [0.8, 0.137]
    let kept = try #require(sweep.verdict(of: advice))
    #expect(kept.setting == 0 && kept.keepsDefault)
    #expect(kept.text.hasSuffix("and finds fewer faces: recall falls from 0.800 to 0.137"))
    advice.gain?.conclusion = .defaultBreaksLimit
    let broken = try #require(sweep.verdict(of: advice))
    #expect(broken.setting == 1)
    #expect(broken.text.hasSuffix("breaks a limit; recall falls from 0.800 to 0.137"))
    sweep.columns["recall"] = [0.8, 0.9]
    #expect(sweep.verdict(of: advice)?.text.hasSuffix("breaks a limit") == true)
  }

  @Test func `a parameter is effective where it moves the metric of the objective or of a limit`() {
    var sweep = fullSweep
    let advice = sweep.advice[0]
    #expect(sweep.isEffective(0, for: advice) == true)
    #expect(sweep.isEffective(1, for: advice) == nil)
    sweep.columns["f1"] = [0.9, 0.9]
    #expect(sweep.isEffective(0, for: advice) == true)
    sweep.columns["nme"] = [0.125, 0.125]
    #expect(sweep.isEffective(0, for: advice) == false)
    #expect(sweep.verdict(of: advice)?.text.contains("threshold 0.5 (no effect)") == true)
  }
}
