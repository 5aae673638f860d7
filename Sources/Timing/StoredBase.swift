internal import FaceCore
package import Foundation
internal import Metrics
internal import Platform
internal import Profiling
package import Records
package import Running
internal import Scoring
internal import Statistics

/// A run of `profile` from another day as the base of a relative gate: slower to err, quicker to have.
package struct StoredBase {
  private let record: Record
  /// Where it is.
  package let name: String

  /// Reads a run's folder or its record; throws `.wrongData` for a run that is no profile with a reference.
  package init(_ url: URL) throws(EvaluationError) {
    record = try EvaluationError.wrapping {
      let file = url.pathExtension == "json" ? url : url.appendingPathComponent("record.json")
      return try Record(file: file)
    }
    name = url.relativePath
    guard record.profile != nil, record.measurement(ProfileMetrics.reference.name)?.value != nil
    else {
      throw EvaluationError.wrongData(
        "cannot time against \(name): expected a run of 'facegauge profile' with the metric "
          + "\(ProfileMetrics.reference.name), found another")
    }
  }

  /// Adds the table of normalised ratios; and, unless it is advisory, a gate for each stage and population.
  ///
  /// A gate that cannot evaluate, because the runs are of different kinds or too short, is inconclusive, and so are all
  /// where the machine was noisy in either run.
  package func evaluate(_ record: inout Record, tolerance: Double, isAdvisory: Bool) {
    let others = differences(from: record)
    if !others.isEmpty {
      record.notes.append(
        "The stored run \(name) is of another \(others): the reference kernel does not compensate "
          + "for that.")
    }
    record.notes += changes(to: record)
    let noise = noise(with: record)
    let pairs = compared(with: record, tolerance: tolerance, noise: noise)
    if let reference = self.record.measurement(ProfileMetrics.reference.name)?.value,
      let own = record.measurement(ProfileMetrics.reference.name)?.value
    {
      record.notes.append(
        "Against the stored run \(name): medians over those of the reference kernel "
          + String(format: "(%.3f ms there, %.3f ms here)", reference, own)
          + ". No interval includes load on the machine during only one of the runs.")
    }
    if !isAdvisory {
      let evaluated = others.isEmpty ? pairs.compactMap(\.gate) : []
      record.gates += evaluated
      if evaluated.isEmpty {
        record.gates.append(
          .undecided(
            tolerance: tolerance,
            message: others.isEmpty
              ? "No stage ran in 30 frames of both runs."
              : "\(name) cannot evaluate this run: it is of another \(others)."))
      }
    }
    record.series.append(
      Series(
        name: "paired.stored",
        title: "Normalised time of each stage against \(name)" + (isAdvisory ? ", advisory" : ""),
        columns: [
          "Stage", "Frames", "n base", "n here", "Longer by", "95 % interval", "Verdict",
        ], rows: pairs.map(\.row)))
  }

  /// What makes another run one that this cannot evaluate, in words; empty where nothing does.
  private func differences(from other: Record) -> String {
    func differing(_ option: String) -> (String, Bool) {
      (option, record.options[option] != other.options[option])
    }
    return [
      ("dataset", record.dataset.sha256 != other.dataset.sha256),
      ("number of frames", Self.frameCount(of: record) != Self.frameCount(of: other)),
      ("processor", record.host.cpu != other.host.cpu),
      ("BLAS core", record.host.blasCore != other.host.blasCore),
      ("instruction set of kernels", usesOtherKernels(than: other)),
      ("kind of build", record.tool.build != other.tool.build),
      differing(RunOption.schedule), differing(RunOption.mode),
    ].filter(\.1).map(\.0).joined(separator: " and ")
  }

  /// The option that says how many of the first frames are timed.
  private static let frames = "frames"

  /// How many different frames a run times: the first ones of its dataset, or all.
  private static func frameCount(of record: Record) -> Int {
    min(record.options[frames].flatMap { Int($0) } ?? .max, record.dataset.frames)
  }

  /// Options that say how much is timed and evaluated, or that `differences` tells.
  private static let otherOptions: Set<String> = [
    RunOption.against, RunOption.schedule, RunOption.mode, frames, "warm-up", "repeats",
    "time-limit", "confidence", "overhead-pairs", "operator-runs",
  ]

  /// What else differs in another run, a sentence each: its settings, and stages that only one of both has.
  private func changes(to other: Record) -> [String] {
    func options(_ record: Record) -> [String: String] {
      record.options.filter { !Self.otherOptions.contains($0.key) }
    }
    func stages(_ record: Record) -> Set<String> {
      Set(record.profile.map { $0.samples.map(\.stage) } ?? [])
    }
    var notes: [String] = []
    if let changed = OptionChanges.text(from: options(record), to: options(other)) {
      notes.append("Options differ from those of \(name): \(changed).")
    }
    let lone = stages(record).symmetricDifference(stages(other)).sorted()
    if !lone.isEmpty {
      notes.append("Only one of the two runs timed \(lone.joined(separator: ", ")): not compared.")
    }
    return notes
  }

  /// Whether both runs name their kernels, and they differ.
  private func usesOtherKernels(than other: Record) -> Bool {
    guard let own = record.host.kernels, let theirs = other.host.kernels else { return false }
    return own != theirs
  }

  /// Why the machine was noisy in one of the runs; nil where it was not.
  private func noise(with other: Record) -> String? {
    let runs = [(name, record), ("this run", other)].compactMap { name, record in
      let noise = record.profile?.machine.noise ?? []
      return noise.isEmpty
        ? nil : "the machine was noisy in \(name): \(noise.joined(separator: "; "))"
    }
    return runs.isEmpty ? nil : runs.joined(separator: "; ")
  }

  /// A row of the table for each stage and population that both ran, and its gate where there are frames enough.
  private func compared(
    with other: Record, tolerance: Double, noise: String?
  ) -> [(row: [String], gate: GateResult?)] {
    guard let base = record.profile, let candidate = other.profile,
      let baseReference = record.measurement(ProfileMetrics.reference.name)?.value,
      let reference = other.measurement(ProfileMetrics.reference.name)?.value
    else { return [] }
    func median(_ nanoseconds: [Int64]) -> Int64 {
      NearestRank.percentile(50, ofSorted: nanoseconds.sorted()) ?? 0
    }
    func percent(_ value: Double) -> String { String(format: "%+.1f %%", 100 * (exp(value) - 1)) }
    var generator = SplitMix64(seed: 1)
    let whole = median(candidate.nanoseconds(stage: StageLatency.total, slice: nil))
    return candidate.samples.compactMap { samples in
      let earlier = base.nanoseconds(stage: samples.stage, slice: samples.slice)
      guard
        let ratio = SeparateRatio(
          base: earlier, baseReference: baseReference, candidate: samples.nanoseconds,
          candidateReference: reference, using: &generator)
      else { return nil }
      let middle = median(samples.nanoseconds)
      let isTested = middle * 100 >= whole && min(earlier.count, samples.nanoseconds.count) >= 30
      let limit = log(1 + tolerance)
      let verdict: Verdict =
        noise != nil
        ? .inconclusive : ratio.low > limit ? .fail : ratio.high < limit ? .pass : .inconclusive
      let interval = "\(percent(ratio.low)) to \(percent(ratio.high))"
      let gate = GateResult(
        gate: Gate(
          metric: "latency.\(samples.stage).p50", slice: samples.slice.rawValue, direction: .atMost,
          maxRelativeWorsening: tolerance, evaluatedBy: .interval), stage: samples.stage,
        verdict: verdict, value: Double(middle) / 1e6, base: Double(median(earlier)) / 1e6,
        message: "\(samples.stage) takes \(percent(ratio.estimate).dropFirst()) "
          + "\(ratio.estimate < 0 ? "less" : "longer") than in \(name) (\(interval)), by normalised medians"
          + (noise.map { ", which decides nothing: \($0)." } ?? "."))
      let row = [
        samples.stage, samples.slice.rawValue, "\(earlier.count)", "\(samples.nanoseconds.count)",
        percent(ratio.estimate), interval, isTested ? verdict.rawValue : "not evaluated",
      ]
      return (row, isTested ? gate : nil)
    }
  }
}
