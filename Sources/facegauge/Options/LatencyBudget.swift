import CommandSyntax
import FacePipeline
import Metrics
import Platform
import Records

/// A limit on a latency percentile of a stage, such as `tracked:landmark.infer.p95=4ms` on the command line.
struct LatencyBudget: Sendable {
  /// The population; nil means all frames.
  var slice: String?
  /// Such as `latency.total.p95`.
  var metric: String
  var milliseconds: Double

  /// The limit as a gate that counts frames.
  func gate(confidence: Double) -> Gate {
    Gate(
      metric: metric, slice: slice, direction: .atMost, limit: milliseconds, evaluatedBy: .binomial,
      confidence: confidence)
  }
}

extension ValueSyntax<LatencyBudget> {
  /// `[SLICE:]STAGE.pNN=LIMIT` with a unit of us, ms or s.
  static var latencyBudget: Self {
    Self(summary: "[slice:]stage.p50|p90|p95|p99=limit in us, ms or s") {
      word throws(ValueMismatch) in
      let sides = word.split(separator: "=", omittingEmptySubsequences: false)
      guard sides.count == 2, let milliseconds = milliseconds(sides[1]) else {
        throw ValueMismatch(expected: "a budget such as total.p95=4ms")
      }
      let subject = sides[0].split(separator: ":", omittingEmptySubsequences: false)
      let slice = subject.count == 2 ? String(subject[0]) : nil
      let slices = FramePopulation.allCases.map(\.rawValue)
      guard subject.count <= 2, slice.map(slices.contains) ?? true else {
        throw ValueMismatch(
          expected: "one of the slices \(slices.joined(separator: ", ")) before the colon"
            + Suggestion.clause(for: String(subject[0]), among: slices))
      }
      let metric = String(subject[subject.count - 1])
      let metrics = (PipelineStage.names + StageLatency.reserved).flatMap { stage in
        ["p50", "p90", "p95", "p99"].map { "\(stage).\($0)" }
      }
      guard metrics.contains(metric) else {
        throw ValueMismatch(
          expected: "a percentile of a stage such as total.p95"
            + Suggestion.clause(for: metric, among: metrics))
      }
      return LatencyBudget(slice: slice, metric: "latency.\(metric)", milliseconds: milliseconds)
    } write: {
      ($0.slice.map { "\($0):" } ?? "") + "\($0.metric.dropFirst(8))=\($0.milliseconds)ms"
    }
  }

  private static func milliseconds(_ text: Substring) -> Double? {
    for (unit, factor) in [("us", 0.001), ("ms", 1), ("s", 1000)] where text.hasSuffix(unit) {
      let number = text.dropLast(unit.count)
      guard number.allSatisfy({ "0123456789.".contains($0) }), let value = Double(number),
        value > 0, value.isFinite
      else { continue }
      return value * factor
    }
    return nil
  }
}
