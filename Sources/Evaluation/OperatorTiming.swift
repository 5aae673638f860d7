internal import FacePipeline
internal import Foundation
internal import Metrics
internal import Profiling
internal import Records
internal import TFLite

/// How long each step of the nets takes, in runs of their own apart from the timed frames.
struct OperatorTiming: Sendable {
  /// One net's steps.
  struct Net: Sendable {
    var stage: PipelineStage
    var plan: [Model.StepSummary]
    var arenaBytes: Int
    /// The median of each step, in nanoseconds; empty where no run was timed.
    var steps: [Int64]
    /// The median of a whole run without a clock between its steps, in nanoseconds.
    var whole: Int64

    var multiplyAccumulates: Int { plan.reduce(0) { $0 + $1.multiplyAccumulates } }
  }

  let nets: [Net]
  let runs: Int

  /// Times so many runs of each net over numbers in 0 ..< 1, after five runs that are not counted.
  init(_ nets: FaceLandmarkerNets, runs: Int, monitor: RunMonitor) throws(EvaluationError) {
    self.runs = runs
    monitor.begin("timing operators", nets.plannedNets.count)
    var timed: [Net] = []
    for (stage, model) in nets.plannedNets {
      try monitor.check("while timing operators")
      timed.append(Self.time(stage, model, runs: runs))
      monitor.advance(by: 1)
    }
    self.nets = timed
  }

  private static func time(_ stage: PipelineStage, _ model: Model, runs: Int) -> Net {
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
    return Net(
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

  /// Work, working memory and number of steps of each net.
  var figures: [Records.Measurement] {
    nets.flatMap { net in
      [
        (ProfileFigure.multiplyAccumulates, net.multiplyAccumulates),
        (ProfileFigure.arenaBytes, net.arenaBytes), (ProfileFigure.operators, net.plan.count),
      ].map { definition, value in
        definition.at(stage: net.stage.name).measurement(Double(value), n: 1)
      }
    }
  }

  /// A table a net with a row a step, slowest first; none where no run was timed.
  var series: [Series] {
    runs == 0 ? [] : nets.map(table)
  }

  private func table(_ net: Net) -> Series {
    let sum = max(net.steps.reduce(0, +), 1)
    let order = net.steps.indices.sorted { (net.steps[$1], $0) < (net.steps[$0], $1) }
    let rows = order.map { index -> [String] in
      let step = net.plan[index]
      let words = step.name.split(separator: " ", maxSplits: 1).map(String.init)
      let time = net.steps[index]
      let speed = Double(2 * step.multiplyAccumulates) / Double(max(time, 1))
      return [
        "\(index)", words[0], words.count > 1 ? words[1] : "–", "\(step.outputShape)",
        String(format: "%.1f", Double(time) / 1000),
        String(format: "%.1f", Double(time) / Double(sum) * 100),
        step.multiplyAccumulates == 0 ? "–" : "\(step.multiplyAccumulates)",
        step.multiplyAccumulates == 0 ? "–" : String(format: "%.1f", speed), "\(step.bytes)",
      ]
    }
    let whole = String(format: "%.3f", Double(net.whole) / 1e6)
    let speed = Double(2 * net.multiplyAccumulates) / Double(max(net.whole, 1))
    return Series(
      name: "profile.operators.\(net.stage.name)",
      title: "Operators of \(net.stage.name): \(whole) ms a run, "
        + String(format: "%.1f GF/s", speed) + ", medians of \(runs) runs",
      content: .table(
        Series.Table(
          columns: [
            "Step", "Operator", "Kernel", "Output", "Time, µs", "Share, %", "MACs", "GF/s",
            "Bytes",
          ], rows: rows)))
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
