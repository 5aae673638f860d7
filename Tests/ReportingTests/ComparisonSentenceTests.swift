import Records
import Reporting
import Testing

@Suite struct ComparisonSentenceTests {
  private func sentence(_ outcomes: [Comparison.Outcome]) -> String {
    let record = Sample.record
    var comparison = Comparison(
      tool: record.tool, created: record.created, dataset: record.dataset,
      base: Comparison.Side(name: "a", record: record),
      candidate: Comparison.Side(name: "b", record: record),
      method: Comparison.Method(
        clusters: 9, resamples: 10, permutations: 10, seed: 1, level: 0.95, significance: 0.05))
    comparison.differences = outcomes.enumerated().map { index, outcome in
      let metric = Measurement(
        name: "m\(index)", title: "Metric \(index)", stage: "detection", value: 1, unit: "1",
        better: .higher, n: 9)
      var difference = Comparison.Difference(base: metric, candidate: metric)
      difference.outcome = outcome
      difference.interval = .none("9 clusters, 10 are needed")
      return difference
    }
    return ComparisonReport(comparison: comparison).sentence
  }

  @Test func `what was not tested is not reported as the same`() {
    #expect(
      sentence([.notTested, .notTested])
        == "Not tested (9 clusters, 10 are needed): m0, m1.")
    #expect(
      sentence([.notTested, .notDecisive, .equal])
        == "Not decisive: none of 2 metrics differs by more than the choice of frames explains: "
        + "m1, m2; not tested: m0.")
    #expect(
      sentence([.worse, .notTested, .equal])
        == "b against a is worse: m0; not decisive or equal: m2; not tested: m1.")
    #expect(sentence([.equal, .equal]) == "The runs are equal in m0, m1.")
  }
}
