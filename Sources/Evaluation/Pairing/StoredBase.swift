internal import FaceCore
package import Foundation
internal import Metrics
internal import Profiling
package import Records

/// A run of `profile` from another day as the base of a relative gate: slower to err, quicker to have.
package struct StoredBase {
  private let record: Record
  /// Where it is.
  package let name: String

  /// Reads a run's folder or its record; throws `.wrongData` for a run that is no profile with a reference.
  package init(_ url: URL) throws(EvaluationError) {
    do {
      let file =
        url.pathExtension == "json" ? url : url.appendingPathComponent("record.json")
      record = try Record(json: try InputFile.bytes(of: file), source: file.relativePath)
    } catch {
      throw EvaluationError(error)
    }
    name = url.relativePath
    guard record.profile != nil, record.measurement("profiler.reference")?.value != nil else {
      throw EvaluationError(
        .wrongData,
        "cannot time against \(name): expected a run of 'facegauge profile' with the figure "
          + "profiler.reference, found another")
    }
  }

  /// Adds the table of normalised ratios; and, unless it is advisory, a gate for each stage and population.
  package func judge(_ record: inout Record, tolerance: Double, isAdvisory: Bool) {
    guard let base = self.record.profile, let candidate = record.profile,
      let baseReference = self.record.measurement("profiler.reference")?.value,
      let reference = record.measurement("profiler.reference")?.value
    else { return }
    let (earlier, later) = (self.record, record)
    let others = [
      ("dataset", earlier.dataset.sha256 != later.dataset.sha256),
      ("processor", earlier.host.cpu != later.host.cpu),
      ("kind of build", earlier.tool.build != later.tool.build),
      ("schedule", earlier.options["schedule"] != later.options["schedule"]),
      ("mode", earlier.options["mode"] != later.options["mode"]),
    ].filter(\.1).map(\.0)
    if !others.isEmpty {
      record.notes.append(
        "The stored run \(name) is of another \(others.joined(separator: " and ")): the reference "
          + "kernel does not make up for that.")
    }
    record.notes.append(
      "Against the stored run \(name): medians over those of the reference kernel "
        + String(format: "(%.3f ms there, %.3f ms here)", baseReference, reference)
        + "; what the machine did in one of the runs alone is in no interval.")
    var generator = SplitMix64(seed: 1)
    var judged: [GateResult] = []
    var rows: [[String]] = []
    let total = candidate.nanoseconds(stage: "total", slice: nil).sorted()
    let whole = NearestRank.percentile(50, ofSorted: total) ?? 0
    for samples in candidate.samples {
      let earlier = base.nanoseconds(stage: samples.stage, slice: samples.slice)
      guard
        let ratio = SeparateRatio(
          base: earlier, baseReference: baseReference, candidate: samples.nanoseconds,
          candidateReference: reference, using: &generator)
      else { continue }
      let middle = NearestRank.percentile(50, ofSorted: samples.nanoseconds.sorted()) ?? 0
      let isJudged = middle * 100 >= whole && min(earlier.count, samples.nanoseconds.count) >= 30
      let limit = log(1 + tolerance)
      let verdict: Verdict =
        ratio.low > limit ? .fail : ratio.high < limit ? .pass : .inconclusive
      func percent(_ value: Double) -> String { String(format: "%+.1f %%", 100 * (exp(value) - 1)) }
      let text =
        "\(percent(ratio.estimate)) (\(percent(ratio.low)) to \(percent(ratio.high)))"
      rows.append([
        samples.stage, samples.slice, "\(earlier.count)", "\(samples.nanoseconds.count)",
        percent(ratio.estimate), "\(percent(ratio.low)) to \(percent(ratio.high))",
        isJudged ? verdict.rawValue : "not judged",
      ])
      guard isJudged else { continue }
      judged.append(
        GateResult(
          gate: Gate(
            metric: "latency.\(samples.stage).p50", slice: samples.slice, direction: .atMost,
            maxRelativeWorsening: tolerance, judgedBy: .interval), stage: samples.stage,
          verdict: verdict, value: Double(middle) / 1e6,
          base: NearestRank.percentile(50, ofSorted: earlier.sorted()).map { Double($0) / 1e6 },
          message: "\(samples.stage) takes \(text) longer than in \(name), by normalised medians."))
    }
    if !isAdvisory {
      record.gates += others.isEmpty ? judged : []
      if judged.isEmpty || !others.isEmpty {
        record.gates.append(
          GateResult(
            gate: Gate(
              metric: "latency.total.p50", direction: .atMost, maxRelativeWorsening: tolerance),
            stage: "total", verdict: .inconclusive, value: nil,
            message: others.isEmpty
              ? "No stage ran in 30 frames of both runs."
              : "\(name) cannot judge this run: it is of another "
                + "\(others.joined(separator: " and "))."))
      }
    }
    record.series.append(
      Series(
        name: "paired.stored",
        title: "Normalised time of each stage against \(name)" + (isAdvisory ? ", advisory" : ""),
        content: .table(
          Series.Table(
            columns: [
              "Stage", "Frames", "n base", "n here", "Longer by", "95 % interval", "Verdict",
            ], rows: rows))))
  }
}
