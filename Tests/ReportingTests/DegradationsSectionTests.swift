import FaceCore
import Records
import Reporting
import Testing

/// A share that must be at least 0.8, in the severities of blur and of dark.
private func record(
  _ values: [String: [(value: Double?, low: Double, high: Double)]], limit: Double? = 0.8
) -> Record {
  var record = Sample.empty
  var whole = Measurement(
    name: "detection.ap50", title: "AP50", stage: "detection", value: 0.7, unit: "1",
    better: .higher, n: 300)
  record.headlines = ["detection.ap50"]
  record.measurements = [whole]
  for (degradation, steps) in values.sorted(by: { $0.key < $1.key }) {
    for (severity, step) in steps.enumerated() {
      whole.value = step.value
      whole.reason = step.value == nil ? "no face was found" : nil
      whole.slice = "severity.\(degradation)=\(severity)"
      whole.interval =
        step.value == nil || step.high < step.low
        ? .none("9 clusters") : Interval(low: step.low, high: step.high, method: "bootstrap")
      record.measurements.append(whole)
    }
  }
  if let limit {
    record.gates = [
      GateResult(
        gate: Gate(metric: "detection.ap50", direction: .atLeast, limit: limit),
        stage: "detection", verdict: .fail, value: 0.7, message: "0.7 breaks the limit")
    ]
  }
  return record
}

@Suite("The section of degradations")
struct DegradationsSectionTests {
  private func rows(_ record: Record) -> [[String]] {
    let blocks = Report(record: record).document.sections.first { $0.id == "degradations" }?.blocks
    for case .table(let table) in blocks ?? [] where table.title == "Where limits break" {
      return table.rows.map { row in
        row.map { cell in
          if case .text(let text) = cell.content { text } else { "?" }
        }
      }
    }
    return []
  }

  @Test func `the severity that breaks a limit has an interval from the intervals of severities`() {
    let rows = rows(
      record([
        "blur": [
          (0.95, 0.9, 0.97), (0.92, 0.85, 0.95), (0.83, 0.75, 0.9), (0.78, 0.7, 0.85),
          (0.6, 0.5, 0.7), (0.1, 0.05, 0.2),
        ],
        "dark": [
          (0.95, 0.9, 0.97), (0.95, 0.9, 0.97), (0.95, 0.9, 0.97), (0.95, 0.9, 0.97),
          (0.9, 0.85, 0.95), (0.85, 0.78, 0.9),
        ],
        "jpeg": [
          (0.95, 0.9, 0.97), (0.95, 0.9, 0.97), (0.7, 0.6, 0.75), (0.6, 0.5, 0.7),
          (nil, 0, 0), (nil, 0, 0),
        ],
        "noise": [(0.79, 0.7, 0.9), (0.7, 0.6, 0.79)],
      ]))
    #expect(rows.map { $0[2] } == ["blur", "dark", "jpeg", "noise"])
    #expect(rows.map { $0[3] } == ["severity 3", "none up to 5", "severity 2", "clean images"])
    #expect(rows.map { $0[4] } == ["2 to 4", "5 to beyond 5", "2", "0 to 1"])
    #expect(rows.allSatisfy { $0[1] == "at least 0.8" })
  }

  @Test func `a severity without a value breaks the limit, and without intervals there is none`() {
    let undefined = rows(record(["blur": [(0.95, 0.9, 0.97), (nil, 0, 0)]]))
    #expect(undefined.map { $0[3...] } == [["severity 1 (no value)", "1"]])
    let few = rows(record(["blur": [(0.95, 1, 0), (0.7, 1, 0)]]))
    #expect(few.map { $0[3...] } == [["severity 1", "–"]])
    let nothing = rows(record(["blur": [(nil, 0, 0), (nil, 0, 0)]]))
    #expect(nothing.isEmpty)
  }

  @Test func `each headline metric is drawn with its limit, and without gates a sentence says how`()
  {
    let sliced = record(["blur": [(0.95, 0.9, 0.97), (0.7, 0.6, 0.79)]])
    let blocks = Report(record: sliced).document.sections.first { $0.id == "degradations" }?.blocks
    var charts: [SeverityChart] = []
    for case .figure(let figure) in blocks ?? [] {
      guard case .severities(let chart) = figure.chart else { continue }
      charts.append(chart)
      #expect(figure.limits.map(\.value) == [0.8])
    }
    #expect(charts.count == 1 && charts[0].groups.map(\.degradation) == ["blur"])
    #expect(charts[0].groups[0].steps.map(\.isBroken) == [false, true])
    let html = Report(record: sliced).html()
    #expect(html.contains("AP50 over severities. blur 0: 0.950, 1: 0.700"))
    let free = record(["blur": [(0.95, 0.9, 0.97), (0.7, 0.6, 0.79)]], limit: nil)
    #expect(rows(free).isEmpty)
    #expect(Report(record: free).markdown().contains("at which severity each is broken"))
    #expect(!Report(record: Sample.empty).markdown().contains("## Degradations"))
  }
}
