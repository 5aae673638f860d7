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

  /// A response of one coefficient, which moves with the head too.
  private func response(_ verdicts: ResultVerdicts? = nil) -> Response {
    let interval = Interval(low: 0.1, high: 0.3, method: "made up")
    let slope = Leakage.Slope(0.2, interval)
    let gain = Response.Estimate(0.2, interval)
    var response = Response(
      tool: Sample.record.tool, created: "2026-01-02T03:04:05Z", source: "predictions of run on a",
      frames: 12, faces: 12, missed: 0, resampled: "clips", units: 12, resamples: 100, seed: 1,
      meanGain: gain, meanOwnShare: gain, channels: [],
      matrix: Leakage.Matrix(
        rows: ["jawOpen"], columns: ["jawOpen", "headYaw"], slopes: [[slope, slope]]),
      images: [], leftOut: [], notes: [])
    response.verdicts = verdicts
    return response
  }

  /// The first table of a section.
  private func table(_ section: String, of response: Response) -> Table? {
    let blocks = ResponseReport(response).document.sections.first { $0.id == section }?.blocks
    for case .table(let table) in blocks ?? [] { return table }
    return nil
  }

  @Test func `an interval of a slope stands without the value`() {
    let row = table("matrix", of: response())?.rows.first
    #expect(row?.last == .text("0.100 to 0.300"))
  }

  @Test func `gates are told in the unit of their metric`() {
    let gate = Gate(metric: "response.delay", slice: "a", direction: .atMost, limit: 40)
    let late = GateResult(
      gate: gate, stage: "response", verdict: .fail, value: 47.5, message: "It is late.")
    let verdicts = ResultVerdicts(
      base: nil, changes: [], gates: [late], units: ["response.delay": "ms"])
    let row = table("verdicts", of: response(verdicts))?.rows.first
    #expect(row?[3] == .text("47.5 ms") && row?[4] == .text("at most 40 ms"))
  }
}
