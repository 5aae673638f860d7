internal import FacePipeline
internal import Foundation
internal import Metrics
internal import Profiling
internal import Records
internal import Running
internal import Statistics

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
  /// Over the steps of all models with their kernels.
  let planSHA256: String
  /// Whether a gate is on one population, which then has metrics even if there is no other.
  var gatesPopulations = false

  /// Puts metrics, series and the profile into a record; returns the samples of the percentiles.
  func fill(_ record: inout Record) throws(MetricError) -> StageLatency {
    var latency = StageLatency(
      timing: PipelineStage.names, others: plan.schedule == .paced ? [StageLatency.response] : [])
    var clusters = FrameClusters()
    var number = 0
    for lane in steady.lanes {
      for row in 0..<lane.samples.count {
        let ran = lane.samples.detectorRan[row]
        clusters.add(number, sequence: lane.samples.clusters[row], subject: "", isVideo: true)
        try latency.add(frame: number, detectorRan: ran, stageNanoseconds: lane.samples.stages[row])
        if plan.schedule == .paced {
          try latency.add(
            frame: number, stage: StageLatency.response,
            nanoseconds: Int64(clamping: lane.responses[row]),
            population: ran ? .detectorRan : .tracked)
        }
        number += 1
      }
    }
    record.measurements = latency.summarize(withSlices: gatesPopulations)
    let intervals = latency.intervals(of: record.measurements, in: clusters)
    for (index, interval) in intervals.enumerated() {
      if let interval { record.measurements[index].interval = interval }
    }
    let frames = inOrder
    let budget = FrameBudget(nanoseconds: plan.budgetNanoseconds, frames: frames)
    let stutter = plan.schedule == .offline ? nil : budget.stutter
    record.measurements +=
      singleMetrics(budget: budget, clusters) + allocationMetrics + operators.metrics
    record.series = series(latency, budget)
    record.profile = Record.Profile(
      schedule: plan.schedule, framesPerSecond: plan.framesPerSecond,
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
    if HostFacts.tool.isDebug {
      notes.append("This is a debug build: its times do not apply to a release build.")
    }
    return notes
  }

  /// What the budget evaluates, in the order of the frames; empty offline.
  ///
  /// In a paced run it is the response, else the time without decoding files: an app decodes none.
  var inOrder: [Int64] {
    switch plan.schedule {
    case .closed:
      steady.lanes.flatMap { lane in (0..<lane.samples.count).map(lane.samples.withoutDecoding) }
    case .paced: steady.lanes.flatMap { $0.responses.map { Int64(clamping: $0) } }
    case .offline: []
    }
  }

  private func noStutter(_ budget: FrameBudget) -> String {
    if plan.schedule == .offline { return "an offline run has no frame budget" }
    let misses = budget.misses.count { $0 }
    return misses < 4
      ? "\(misses) of \(budget.frames.count) frames missed the budget; a period needs at least 4"
      : "the frames that missed the budget do not recur at regular intervals"
  }

  private func rawSamples(_ latency: StageLatency) -> [Record.Profile.Samples] {
    latency.stages.flatMap { stage in
      FramePopulation.allCases.compactMap { population in
        let times = latency.nanoseconds(stage: stage, population: population)
        return times.isEmpty
          ? nil
          : Record.Profile.Samples(stage: stage, slice: population, nanoseconds: times)
      }
    }
  }

  private func singleMetrics(
    budget: FrameBudget, _ clusters: FrameClusters
  ) -> [Records.Measurement] {
    func milliseconds(_ definition: MetricDefinition, _ nanoseconds: UInt64?, n: Int = 1)
      -> Records.Measurement
    {
      nanoseconds.map { definition.measurement(Double($0) / 1e6, n: n) }
        ?? definition.undefined("the system does not report it", n: 0)
    }
    let warm = (0..<start.warmUp.count).map(start.warmUp.total).sorted()
    var metrics = [
      milliseconds(ProfileMetrics.processStart, start.processNanoseconds),
      milliseconds(ProfileMetrics.modelLoad, start.load.end &- start.load.begin),
      milliseconds(ProfileMetrics.firstFrame, UInt64(start.firstFrame.total(0))),
      NearestRank.percentile(50, ofSorted: warm).map {
        milliseconds(ProfileMetrics.warmUp, UInt64($0), n: warm.count)
      } ?? ProfileMetrics.warmUp.undefined("there was no warm-up", n: 0),
    ]
    let frames = steady.lanes.reduce(0) { $0 + $1.samples.count }
    metrics.append(
      steady.nanoseconds > 0 && plan.schedule != .paced
        ? ProfileMetrics.throughput.measurement(
          Double(frames) / (Double(steady.nanoseconds) / 1e9), n: frames)
        : ProfileMetrics.throughput.undefined("a paced run has the given frame rate", n: frames)
    )
    if plan.schedule == .offline {
      metrics += FrameBudget.definitions.map {
        $0.undefined("an offline run has no frame budget", n: frames)
      }
    } else {
      metrics += budget.summarize(in: clusters)
    }
    return metrics + [unaccounted(frames), overhead]
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
      ? ProfileMetrics.unaccounted.measurement(share, n: frames)
      : ProfileMetrics.unaccounted.undefined("no frame was timed", needs: 1, n: 0)
  }

  private var overhead: Records.Measurement {
    let sorted = overheadRatios.sorted()
    guard !sorted.isEmpty else {
      return ProfileMetrics.overhead.undefined("it was not measured", needs: 1, n: 0)
    }
    var metric = ProfileMetrics.overhead.measurement(
      expm1(sorted[(sorted.count - 1) / 2]), n: sorted.count)
    metric.interval =
      OrderStatistics.ranks(ofPercentile: 50, count: sorted.count).map {
        Interval(
          low: expm1(sorted[$0.lowerBound - 1]), high: expm1(sorted[$0.upperBound - 1]),
          method: "order statistics")
      } ?? .none("too few pairs")
    return metric
  }
}

extension ProfileResult {
  /// Maximum number of points of a curve along the clip.
  private static let pointLimit = 1000

  /// The histograms of each population, frames against the budget, misses in a row, operators, allocations.
  func series(_ latency: StageLatency, _ budget: FrameBudget) -> [Series] {
    let histograms = [StageLatency.pipeline, StageLatency.total].flatMap { stage in
      FramePopulation.allCases.compactMap { latency.histogram(stage: stage, population: $0) }
    }
    let frames = plan.schedule == .offline ? [] : [alongClip(budget), misses(budget)]
    return histograms + (frames + [allocationTable]).compactMap { $0 } + operators.series
  }

  /// The time of each frame, or the slowest of a few in a row, with the budget.
  private func alongClip(_ budget: FrameBudget) -> Series? {
    let count = budget.frames.count
    guard count > 1 else { return nil }
    let width = (count + Self.pointLimit - 1) / Self.pointLimit
    let starts = Array(stride(from: 0, to: count, by: width))
    let slowest = starts.map { start in
      Double(budget.frames[start..<min(start + width, count)].max() ?? 0) / 1e6
    }
    let limit = budget.nanoseconds / 1e6
    let name = width == 1 ? "frame" : "slowest of \(width) frames"
    return Series(
      name: "budget.frames",
      title: plan.schedule == .paced
        ? "Response of frames along the run"
        : "Time of frames along the run, without decoding files",
      xLabel: "frame", yLabel: "ms",
      lines: [
        Series.Line(label: name, x: starts.map(Double.init), y: slowest),
        Series.Line(label: "budget", x: [0, Double(count - 1)], y: [limit, limit]),
      ])
  }

  /// The rows of misses, longest first.
  private func misses(_ budget: FrameBudget) -> Series? {
    var rows: [(first: Int, count: Int, worst: Int64)] = []
    var wasMiss = false
    for (frame, isMiss) in budget.misses.enumerated() {
      if isMiss {
        if !wasMiss { rows.append((frame, 0, 0)) }
        rows[rows.count - 1].count += 1
        rows[rows.count - 1].worst = max(rows[rows.count - 1].worst, budget.frames[frame])
      }
      wasMiss = isMiss
    }
    guard !rows.isEmpty else { return nil }
    let sorted = rows.sorted { ($1.count, $1.worst, $0.first) < ($0.count, $0.worst, $1.first) }
    return Series(
      name: "budget.misses", title: "Frames over budget, longest rows first",
      columns: ["First frame", "Frames in a row", "Slowest, ms"],
      rows: sorted.prefix(100).map {
        ["\($0.first)", "\($0.count)", String(format: "%.2f", Double($0.worst) / 1e6)]
      })
  }

  /// The median allocations of each stage in a steady frame, apart for the populations.
  private var allocationTable: Series? {
    guard AllocationCount.isAvailable else { return nil }
    let populations = [true, false].filter { ran in
      steady.lanes.contains { $0.samples.detectorRan.contains(ran) }
    }
    func median(_ stage: PipelineStage, _ detectorRan: Bool) -> String {
      var counts: [Int64] = []
      for samples in steady.lanes.map(\.samples) {
        for row in 0..<samples.count where samples.detectorRan[row] == detectorRan {
          counts.append(
            stage == .total
              ? Int64(clamping: samples.allocations[row].calls)
              : Int64(clamping: samples.stageAllocations[row][stage.rawValue]))
        }
      }
      return NearestRank.percentile(50, ofSorted: counts.sorted()).map { "\($0)" } ?? "–"
    }
    return Series(
      name: "profile.allocations", title: "Allocations of a steady frame, medians",
      columns: ["Stage"] + populations.map { $0 ? "Detector ran" : "Tracked" },
      rows: PipelineStage.allCases.map { stage in
        [stage.name] + populations.map { median(stage, $0) }
      })
  }

  /// Median calls and bytes of a steady frame, over all frames and, where there are both, each population.
  var allocationMetrics: [Records.Measurement] {
    var rows: [(ran: Bool, count: AllocationCount)] = []
    for samples in steady.lanes.map(\.samples) {
      for row in 0..<samples.count {
        rows.append((samples.detectorRan[row], samples.allocations[row]))
      }
    }
    func metrics(_ counts: [AllocationCount], slice: String?) -> [Records.Measurement] {
      [
        (ProfileMetrics.allocations, counts.map(\.calls)),
        (ProfileMetrics.allocatedBytes, counts.map(\.bytes)),
      ].map { definition, values in
        let sorted = values.map { Int64(clamping: $0) }.sorted()
        var metric: Records.Measurement =
          if !AllocationCount.isAvailable {
            definition.undefined("this build does not count allocations", n: 0)
          } else if let median = NearestRank.percentile(50, ofSorted: sorted) {
            definition.measurement(Double(median), n: sorted.count)
          } else {
            definition.undefined("no frame was timed", needs: 1, n: 0)
          }
        metric.slice = slice
        return metric
      }
    }
    let all = metrics(rows.map(\.count), slice: nil)
    let apart = FramePopulation.allCases.map { population in
      (population, rows.filter { $0.ran == (population == .detectorRan) }.map(\.count))
    }
    guard apart.allSatisfy({ !$0.1.isEmpty }) else { return all }
    return all + apart.flatMap { metrics($0.1, slice: $0.0.rawValue) }
  }
}
