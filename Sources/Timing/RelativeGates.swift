package import Foundation
internal import Metrics
internal import Platform
package import Profiling
package import Records
package import Running
internal import Scoring
internal import Statistics

/// The gates of a file on how much longer a candidate may take than a base, when both are timed alternating.
package struct RelativeGates: Sendable, Hashable {
  /// The gates in the order of the file, each with `maxRelativeWorsening` alone.
  package let gates: [Gate]

  /// The percentiles of a frame's times that can be compared.
  private static let percents = [50, 90, 95]

  /// Reads a gates file; `stages` are those that both programs time.
  ///
  /// Throws `.wrongData` for a metric that is no latency, a limit, a slice, or a change in milliseconds.
  package init(_ file: URL, stages: [String]) throws(EvaluationError) {
    gates = try EvaluationError.wrapping { try GateInputs.gates(of: file, stages: stages) }
    for (index, gate) in gates.enumerated() {
      let name = "gates[\(index)]"
      guard let problem = Self.problem(of: gate) else { continue }
      throw EvaluationError.wrongData(
        "cannot time by '\(name)' in \(file.relativePath): \(problem)")
    }
  }

  private static func problem(of gate: Gate) -> String? {
    guard finding(of: gate) != nil else {
      return "expected latency.STAGE.p50, .p90 or .p95, found \(gate.metric) ('evaluate' and "
        + "'compare' evaluate other metrics)"
    }
    guard gate.maxRelativeWorsening != nil, gate.limit == nil, gate.maxWorsening == nil,
      gate.slice == nil
    else { return "expected max_relative_worsening alone, found another limit or a slice" }
    guard gate.evaluatedBy == nil || gate.evaluatedBy == .interval else {
      return "expected \"evaluated_by\": \"interval\" or none, found "
        + "\"\(gate.evaluatedBy?.rawValue ?? "")\""
    }
    return nil
  }

  /// The finding that a gate asks for: `total` for the median, `total.p95` for a tail; nil for no latency.
  static func finding(of gate: Gate) -> String? {
    let prefix = "latency."
    guard gate.metric.hasPrefix(prefix), let percent = Gate.percentile(of: gate.metric),
      percents.contains(percent)
    else { return nil }
    let name = gate.metric.dropFirst(prefix.count)
    return percent == 50 ? String(name.dropLast(".p50".count)) : String(name)
  }

  /// The slow-down that each finding may have, as a share.
  var tolerances: [String: Double] {
    Dictionary(
      gates.compactMap { gate in
        Self.finding(of: gate).map { ($0, gate.maxRelativeWorsening ?? 0) }
      }, uniquingKeysWith: min)
  }
}

extension RelativeGates {
  /// A verdict for each gate by times that were measured alternating, in its order.
  package func results(of stages: [StagePairs], seed: UInt64 = 1) -> [GateResult] {
    var gate = RelativeGate()
    gate.asked = tolerances
    var generator = SplitMix64(seed: seed)
    return results(of: gate.evaluate(stages, using: &generator))
  }

  /// A verdict for each gate, in its order.
  ///
  /// A gate on a stage that both programs timed in no frame fails; one on a stage that could not be evaluated, as after
  /// too few starts, is inconclusive.
  package func results(of findings: [RelativeFinding]) -> [GateResult] {
    gates.map { gate in
      let name = Self.finding(of: gate) ?? gate.metric
      let stage = gate.metric.split(separator: ".").dropFirst().dropLast().joined(separator: ".")
      guard let finding = findings.first(where: { $0.stage == name }) else {
        return GateResult(
          gate: gate, stage: stage, verdict: .fail, value: nil,
          message: "\(name) was timed by both programs in no frame"
            + (stage == MetricName.pipeline
              ? ": no frame was decoded from a file, so the total has no decoding." : "."))
      }
      guard var result = ABTiming.Outcome.result(of: finding) else {
        return GateResult(
          gate: gate, stage: stage, verdict: .inconclusive,
          value: finding.candidateNanoseconds / 1e6, base: finding.baseNanoseconds / 1e6,
          message: "\(name) \(finding.untestedReason ?? "was not evaluated").")
      }
      result.gate = gate
      return result
    }
  }
}

extension ABTiming {
  /// Lets the gates of a file decide, and nothing else.
  package mutating func ask(for gates: RelativeGates) {
    gate.asked = gates.tolerances
  }
}
