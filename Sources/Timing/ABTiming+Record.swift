internal import Foundation
internal import Metrics
internal import Profiling
package import Records

extension GateResult {
  /// Where nothing could be evaluated: no verdict at all would pass.
  static func undecided(tolerance: Double?, message: String) -> GateResult {
    GateResult(
      gate: Gate(
        metric: StageLatency.medianTotal, direction: .atMost, maxRelativeWorsening: tolerance),
      stage: StageLatency.total, verdict: .inconclusive, value: nil, message: message)
  }
}

extension ABTiming.Outcome {
  /// Adds a gate for each stage that was evaluated, the table of all of them, and what a reader must know.
  ///
  /// A tail that is inconclusive is in the table alone, since it decides nothing.
  package func add(to record: inout Record, against name: String) {
    let evaluated = findings.filter { $0.percent == nil || $0.verdict != .inconclusive }
    record.gates += evaluated.compactMap { Self.result(of: $0) }
    if !evaluated.contains(where: { $0.verdict != nil }) {
      record.gates.append(
        .undecided(
          tolerance: findings.map(\.tolerance).min(),
          message: "No stage ran in enough pairs to be evaluated."))
    }
    record.notes.append(
      "Timed against \(name) (\(base)) in \(pairs) pairs of frames, with \(starts) starts of the "
        + "processes.")
    record.notes += notes
    record.series.append(
      Series(
        name: "paired.stages", title: "Time of each stage against \(name), frame by frame",
        content: .table(table)))
  }

  /// What was found of each stage, a row each.
  package var table: Series.Table {
    Series.Table(
      columns: [
        "Stage", "Base", "Candidate", "Longer by", "95 % interval", "Hodges-Lehmann", "Noise σ",
        "Allowed δ", "Pairs", "p (Holm)", "Verdict",
      ], rows: findings.map(Self.row))
  }

  static func result(of finding: RelativeFinding) -> GateResult? {
    guard let verdict = finding.verdict else { return nil }
    let metric =
      finding.percent == nil ? "latency.\(finding.stage).p50" : "latency.\(finding.stage)"
    let base = finding.baseNanoseconds / 1e6
    return GateResult(
      gate: Gate(
        metric: metric, direction: .atMost,
        maxRelativeWorsening: (finding.tolerance * 1e4).rounded() / 1e4,
        evaluatedBy: .interval),
      stage: finding.percent.map { String(finding.stage.dropLast(".p\($0)".count)) }
        ?? finding.stage,
      verdict: Verdict(rawValue: verdict.rawValue) ?? .inconclusive,
      value: finding.candidateNanoseconds / 1e6, base: base,
      difference: Interval(
        low: base * finding.lowSlowDown, high: base * finding.highSlowDown,
        method: "block bootstrap of \(finding.pairs) pairs"),
      message: message(finding, verdict))
  }

  private static func message(
    _ finding: RelativeFinding, _ verdict: RelativeFinding.Verdict
  ) -> String {
    let found =
      "\(finding.stage) takes \(percent(abs(finding.slowDown), isSigned: false)) "
      + "\(finding.slowDown < 0 ? "less" : "longer") than the base "
      + "(\(percent(finding.lowSlowDown)) to \(percent(finding.highSlowDown)))"
    let allowed =
      "the \(percent(finding.tolerance, isSigned: false)) allowed"
      + (finding.tolerance > finding.asked
        ? " (\(percent(finding.asked, isSigned: false)) asked, more by noise)" : "")
    return switch verdict {
    case .pass: "\(found), within \(allowed)."
    case .fail: "\(found), more than \(allowed)."
    case .inconclusive:
      finding.isTooNoisy
        ? "\(found), which noise hides: it allows \(percent(finding.tolerance, isSigned: false)), over "
          + "twice the \(percent(finding.asked, isSigned: false)) asked."
        : "\(found), which does not decide whether it is within \(allowed)."
    }
  }

  private static func row(_ finding: RelativeFinding) -> [String] {
    [
      finding.stage, milliseconds(finding.baseNanoseconds),
      milliseconds(finding.candidateNanoseconds), percent(finding.slowDown),
      "\(percent(finding.lowSlowDown)) to \(percent(finding.highSlowDown))",
      finding.hodgesLehmann.map { percent(exp($0) - 1) } ?? "–",
      percent(finding.sigma, isSigned: false), percent(finding.tolerance, isSigned: false),
      "\(finding.pairs)", finding.adjustedP.map { String(format: "%.4f", $0) } ?? "–",
      finding.verdict?.rawValue ?? "not evaluated: \(finding.untestedReason ?? "")",
    ]
  }

  private static func milliseconds(_ nanoseconds: Double) -> String {
    String(format: "%.3f ms", nanoseconds / 1e6)
  }

  private static func percent(_ share: Double, isSigned: Bool = true) -> String {
    String(format: isSigned ? "%+.2f %%" : "%.2f %%", 100 * share)
  }
}
