internal import Platform
import Records

extension ReportSection {
  /// Each limit with its verdict and the sentence that explains it, worst first.
  package static let gates = ReportSection(
    id: "gates", title: "Gates", claims: { _ in false },
    blocks: { record in
      guard !record.gates.isEmpty else { return [] }
      return [
        .table(
          .verdicts(record.gates) { record.measurement($0.metric, in: $0.slice)?.unit })
      ]
    })
}

extension Table {
  /// Each gate with its verdict, its metrics in the unit of its metric, and why; worst first.
  static func verdicts(_ gates: [GateResult], unit: (Gate) -> String?) -> Table {
    let order: [Verdict] = [.fail, .inconclusive, .pass]
    let sorted = order.flatMap { verdict in gates.filter { $0.verdict == verdict } }
    let hasBase = sorted.contains { $0.base != nil }
    return Table(
      title: "Limits and values",
      columns: [
        .words("Verdict"), .words("Metric"), .words("Slice"), .numbers("Value"), .words("Limit"),
      ] + (hasBase ? [.numbers("Base"), .numbers("Change")] : []) + [.words("Why")],
      rows: sorted.map { row(of: $0, unit: unit($0.gate) ?? "1", hasBase: hasBase) }, isWide: true)
  }

  private static func row(of result: GateResult, unit: String, hasBase: Bool) -> [Cell] {
    let gate = result.gate
    func text(_ value: Double?) -> String {
      value.map { Measurement.text(of: $0, unit: unit) } ?? "–"
    }
    var change = "–"
    if let value = result.value, let base = result.base {
      change = (value > base ? "+" : "") + text(value - base)
    }
    return [
      .verdict(result.verdict), .code(gate.metric), .text(gate.slice ?? "all"),
      .text(text(result.value)), .text(gate.condition(unit: Measurement.unitSuffix(unit))),
    ] + (hasBase ? [.text(text(result.base)), .text(change)] : []) + [.text(result.message)]
  }
}
