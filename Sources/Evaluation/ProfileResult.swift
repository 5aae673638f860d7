internal import FacePipeline
internal import Foundation
internal import Metrics
internal import Profiling
internal import Records

/// All that a timing run measured, and how it becomes a record.
struct ProfileResult {
  let plan: ProfilePlan
  let start: ProfileRun.Start
  let steady: ProfilePass.Steady
  let overheadRatios: [Double]
  /// Steady frames that there would be without a time limit.
  let wantedFrames: Int
  let machine: Record.Profile.Machine
  let operators: OperatorTiming
  /// Over the steps of all nets with their kernels.
  let planSHA256: String
  /// Whether a gate is on one population, which then has figures even if there is no other.
  var judgesPopulations = false

  /// Puts figures, series and the profile into a record; returns the samples behind the percentiles.
  func fill(_ record: inout Record) throws(MetricError) -> StageLatency {
    var scoring = LatencyScoring(
      stages: PipelineStage.names, others: plan.schedule == .paced ? ["response"] : [])
    var number = 0
    for lane in steady.lanes {
      for row in 0..<lane.samples.count {
        let ran = lane.samples.detectorRan[row]
        try scoring.add(
          frame: number, detectorRan: ran, stageNanoseconds: lane.samples.stages[row])
        if plan.schedule == .paced {
          try scoring.latency.add(
            frame: number, stage: "response", nanoseconds: Int64(clamping: lane.responses[row]),
            population: ran ? .detectorRan : .tracked)
        }
        number += 1
      }
    }
    let latency = scoring.latency
    record.measurements = latency.summarize(withSlices: judgesPopulations).map { figure in
      var figure = figure
      if let interval = latency.interval(of: figure) { figure.interval = interval }
      return figure
    }
    let frames = inOrder
    let budget = FrameBudget(nanoseconds: plan.budgetNanoseconds, frames: frames)
    let stutter = plan.schedule == .offline ? nil : budget.stutter
    record.measurements +=
      singleFigures(budget: budget) + allocationFigures + operators.figures
    record.series = series(latency, budget)
    record.profile = Record.Profile(
      schedule: plan.schedule.rawValue, framesPerSecond: plan.framesPerSecond,
      workers: steady.lanes.count, warmUpFrames: start.warmUp.count, steadyFrames: number,
      samples: rawSamples(latency), stutterPeriodFrames: stutter?.periodFrames,
      stutterReason: stutter == nil ? noStutter(budget) : nil, planSHA256: planSHA256,
      machine: machine)
    record.notes += notes(frames: number)
    return latency
  }

  /// What a reader must know first.
  private func notes(frames: Int) -> [String] {
    var notes = machine.noise.map { "The machine was noisy: \($0)." }
    if frames < wantedFrames {
      notes.append("The time limit ended the run after \(frames) of \(wantedFrames) frames.")
    }
    if plan.schedule == .offline, steady.lanes.contains(where: { $0.samples.count == 0 }) {
      notes.append(
        "Some of \(steady.lanes.count) workers had nothing to do: there are fewer videos or stills "
          + "than workers (--repeats gives more).")
    }
    if HostFacts.tool.build == "debug" {
      notes.append("This is a debug build, which says nothing of the speed of a release build.")
    }
    return notes
  }

  /// What the budget judges, in the order of the frames: response in a paced run, else total; empty offline.
  var inOrder: [Int64] {
    switch plan.schedule {
    case .closed: steady.lanes.flatMap { lane in (0..<lane.samples.count).map(lane.samples.total) }
    case .paced: steady.lanes.flatMap { $0.responses.map { Int64(clamping: $0) } }
    case .offline: []
    }
  }

  private func noStutter(_ budget: FrameBudget) -> String {
    if plan.schedule == .offline { return "an offline run has no frame budget" }
    let misses = budget.misses.count { $0 }
    return misses < 4
      ? "\(misses) of \(budget.frames.count) frames missed the budget, and a period takes 4"
      : "the frames that missed the budget do not come back regularly"
  }

  private func rawSamples(_ latency: StageLatency) -> [Record.Profile.Samples] {
    latency.stages.flatMap { stage in
      StageLatency.Population.allCases.compactMap { population in
        let times = latency.nanoseconds(stage: stage, population: population)
        return times.isEmpty
          ? nil
          : Record.Profile.Samples(stage: stage, slice: population.rawValue, nanoseconds: times)
      }
    }
  }

  private func singleFigures(budget: FrameBudget) -> [Records.Measurement] {
    func milliseconds(_ definition: MetricDefinition, _ nanoseconds: UInt64?, n: Int = 1)
      -> Records.Measurement
    {
      nanoseconds.map { definition.measurement(Double($0) / 1e6, n: n) }
        ?? definition.undefined("the system does not say", n: 0)
    }
    let warm = (0..<start.warmUp.count).map(start.warmUp.total).sorted()
    var figures = [
      milliseconds(ProfileFigure.processStart, start.processNanoseconds),
      milliseconds(ProfileFigure.modelLoad, start.load.end &- start.load.begin),
      milliseconds(ProfileFigure.firstFrame, UInt64(start.firstFrame.total(0))),
      NearestRank.percentile(50, ofSorted: warm).map {
        milliseconds(ProfileFigure.warmUp, UInt64($0), n: warm.count)
      } ?? ProfileFigure.warmUp.undefined("there was no warm-up", n: 0),
    ]
    let frames = steady.lanes.reduce(0) { $0 + $1.samples.count }
    figures.append(
      steady.nanoseconds > 0 && plan.schedule != .paced
        ? ProfileFigure.throughput.measurement(
          Double(frames) / (Double(steady.nanoseconds) / 1e9), n: frames)
        : ProfileFigure.throughput.undefined("a paced run has the rate that it is given", n: frames)
    )
    if plan.schedule == .offline {
      figures += FrameBudget.definitions.map {
        $0.undefined("an offline run has no frame budget", n: frames)
      }
    } else {
      figures += budget.summarize()
    }
    return figures + [unaccounted(frames), overhead]
  }

  private func unaccounted(_ frames: Int) -> Records.Measurement {
    var total: UInt64 = 0
    var stages: UInt64 = 0
    for row in steady.lanes.flatMap(\.samples.stages) {
      total += row[PipelineStage.total.rawValue] ?? 0
      for stage in PipelineStage.allCases where stage != .total {
        stages += row[stage.rawValue] ?? 0
      }
    }
    let share = 1 - Double(stages) / Double(max(total, 1))
    return frames > 0
      ? ProfileFigure.unaccounted.measurement(share, n: frames)
      : ProfileFigure.unaccounted.undefined("no frame was timed", needs: 1, n: 0)
  }

  private var overhead: Records.Measurement {
    let sorted = overheadRatios.sorted()
    guard !sorted.isEmpty else {
      return ProfileFigure.overhead.undefined("it was not measured", needs: 1, n: 0)
    }
    var figure = ProfileFigure.overhead.measurement(
      expm1(sorted[(sorted.count - 1) / 2]), n: sorted.count)
    figure.interval =
      OrderStatistics.ranks(ofPercentile: 50, count: sorted.count).map {
        Interval(
          low: expm1(sorted[$0.lowerBound - 1]), high: expm1(sorted[$0.upperBound - 1]),
          method: "order statistics")
      } ?? .none("too few pairs")
    return figure
  }
}
