internal import FacePipeline
internal import Foundation
internal import Metrics
internal import Platform
internal import Profiling
internal import Records
internal import Running
internal import Statistics
internal import TFLite
internal import Tensor

/// How long each step of the models takes, in runs of their own apart from the timed frames.
struct OperatorTiming: Sendable {
  /// One model's steps.
  struct ModelTiming: Sendable {
    var stage: PipelineStage
    var plan: [Model.StepSummary]
    var arenaBytes: Int
    /// The median of each step, in nanoseconds; empty where no run was timed.
    var steps: [Int64]
    /// The median of a whole run without a clock between its steps, in nanoseconds.
    var whole: Int64

    var multiplyAccumulates: Int { plan.reduce(0) { $0 + $1.multiplyAccumulates } }
  }

  let models: [ModelTiming]
  let runs: Int

  /// Times so many runs of each model over numbers in 0 ..< 1, after five runs that are not counted.
  init(_ models: FaceLandmarkerModels, runs: Int, monitor: RunMonitor) throws(EvaluationError) {
    self.runs = runs
    monitor.begin(.timingOperators, models.plannedModels.count)
    var timed: [ModelTiming] = []
    for (stage, model) in models.plannedModels {
      try monitor.check("while timing operators")
      timed.append(Self.time(stage, model, runs: runs))
      monitor.advance(by: 1)
    }
    self.models = timed
  }

  static func time(_ stage: PipelineStage, _ model: Model, runs: Int) -> ModelTiming {
    let plan = model.plan
    let session = Session(model)
    var steps = plan.map { _ in [Int64]() }
    var wholes: [Int64] = []
    for run in 0..<(runs == 0 ? 0 : runs + 5) {
      fill(session)
      let begin = MonotonicClock.nanoseconds()
      session.run()
      let whole = MonotonicClock.nanoseconds() &- begin
      fill(session)
      var durations = plan.map { _ in Duration.zero }
      session.run(addingTimesTo: &durations)
      guard run >= 5 else { continue }
      wholes.append(Int64(clamping: whole))
      for (index, duration) in durations.enumerated() {
        steps[index].append(duration.nanoseconds)
      }
    }
    return ModelTiming(
      stage: stage, plan: plan, arenaBytes: model.arenaBytes,
      steps: runs == 0
        ? [] : steps.map { NearestRank.percentile(50, ofSorted: $0.sorted()) ?? 0 },
      whole: NearestRank.percentile(50, ofSorted: wholes.sorted()) ?? 0)
  }

  /// A run may write over its inputs.
  private static func fill(_ session: Session) {
    var random = SplitMix64(seed: 1)
    for input in session.model.inputs.indices {
      session.withInput(input) { tensor in
        for index in tensor.indices { tensor[index] = Float.random(in: 0..<1, using: &random) }
      }
    }
  }

  /// Work, working memory and number of steps of each model.
  var metrics: [Records.Measurement] {
    models.flatMap { model in
      [
        (ProfileMetrics.multiplyAccumulates, model.multiplyAccumulates),
        (ProfileMetrics.arenaBytes, model.arenaBytes), (ProfileMetrics.operators, model.plan.count),
      ].map { definition, value in
        definition.at(stage: model.stage.name).measurement(Double(value), n: 1)
      }
    }
  }

  /// A table a model with a row a step, slowest first; none where no run was timed.
  var series: [Series] {
    runs == 0 ? [] : models.map(table)
  }

  private func table(_ model: ModelTiming) -> Series {
    let sum = max(model.steps.reduce(0, +), 1)
    let order = model.steps.indices.sorted { (model.steps[$1], $0) < (model.steps[$0], $1) }
    let rows = order.map { index -> [String] in
      let step = model.plan[index]
      let words = step.name.split(separator: " ", maxSplits: 1).map(String.init)
      let time = model.steps[index]
      let speed = Double(2 * step.multiplyAccumulates) / Double(max(time, 1))
      return [
        "\(index)", words[0], words.count > 1 ? words[1] : "–", "\(step.outputShape)",
        String(format: "%.1f", Double(time) / 1000),
        String(format: "%.1f", Double(time) / Double(sum) * 100),
        step.multiplyAccumulates == 0 ? "–" : "\(step.multiplyAccumulates)",
        step.multiplyAccumulates == 0 ? "–" : String(format: "%.1f", speed), "\(step.bytes)",
      ]
    }
    let whole = String(format: "%.3f", Double(model.whole) / 1e6)
    let speed = Double(2 * model.multiplyAccumulates) / Double(max(model.whole, 1))
    return Series(
      name: "profile.operators.\(model.stage.name)",
      title: "Operators of \(model.stage.name): \(whole) ms a run, "
        + String(format: "%.1f GF/s", speed) + ", medians of \(runs) runs",
      columns: [
        "Step", "Operator", "Kernel", "Output", "Time, µs", "Share, %", "MACs", "GF/s",
        "Bytes",
      ], rows: rows)
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
