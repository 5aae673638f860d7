import Records
import Reporting
import Testing

/// Changes of a result against that of a base run.
@Suite struct VerdictsSectionTests {
  private func change(_ metric: String, unit: String, by value: Double) -> ResultVerdicts.Change {
    let interval = Interval(low: value - 1, high: value + 1, method: "made up")
    return ResultVerdicts.Change(
      metric: metric, slice: nil, unit: unit, value: 40 + value, base: 40,
      difference: Response.Estimate(value, interval))
  }

  @Test func `changes are told with their unit`() {
    let verdicts = ResultVerdicts(
      base: "main",
      changes: [
        change("response.delay", unit: "ms", by: 7), change("response.gain", unit: "1", by: 3),
      ], gates: [])
    #expect(verdicts.sentence.contains("response.delay by 7 ms (6 to 8)"))
    #expect(verdicts.sentence.contains("response.gain by 3 (2 to 4)"))
  }
}
