internal import FacePipeline
internal import Foundation
internal import Metrics
internal import Profiling
internal import Records

extension ProfileResult {
  /// Points of a curve along the clip at most.
  private static let pointLimit = 1000

  /// The histograms of each population, frames against the budget, misses in a row, operators, allocations.
  func series(_ latency: StageLatency, _ budget: FrameBudget) -> [Series] {
    let histograms = StageLatency.Population.allCases.compactMap {
      latency.histogram(stage: "total", population: $0)
    }
    let frames = plan.schedule == .offline ? [] : [alongClip(budget), misses(budget)]
    return histograms + (frames + [allocationTable]).compactMap { $0 } + operators.series
  }

  /// The time of each frame, or the slowest of a few in a row, beside the budget.
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
        ? "Response of frames along the run" : "Time of frames along the run",
      content: .curve(
        Series.Curve(
          xLabel: "frame", yLabel: "ms",
          lines: [
            Series.Line(label: name, x: starts.map(Double.init), y: slowest),
            Series.Line(label: "budget", x: [0, Double(count - 1)], y: [limit, limit]),
          ])))
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
      content: .table(
        Series.Table(
          columns: ["First frame", "Frames in a row", "Slowest, ms"],
          rows: sorted.prefix(100).map {
            ["\($0.first)", "\($0.count)", String(format: "%.2f", Double($0.worst) / 1e6)]
          })))
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
      content: .table(
        Series.Table(
          columns: ["Stage"] + populations.map { $0 ? "Detector ran" : "Tracked" },
          rows: PipelineStage.allCases.map { stage in
            [stage.name] + populations.map { median(stage, $0) }
          })))
  }

  /// Median calls and bytes of a steady frame, over all frames and, where there are both, each population.
  var allocationFigures: [Records.Measurement] {
    var rows: [(ran: Bool, count: AllocationCount)] = []
    for samples in steady.lanes.map(\.samples) {
      for row in 0..<samples.count {
        rows.append((samples.detectorRan[row], samples.allocations[row]))
      }
    }
    func figures(_ counts: [AllocationCount], slice: String?) -> [Records.Measurement] {
      [
        (ProfileFigure.allocations, counts.map(\.calls)),
        (ProfileFigure.allocatedBytes, counts.map(\.bytes)),
      ].map { definition, values in
        let sorted = values.map { Int64(clamping: $0) }.sorted()
        var figure: Records.Measurement =
          if !AllocationCount.isAvailable {
            definition.undefined("this build does not count allocations", n: 0)
          } else if let median = NearestRank.percentile(50, ofSorted: sorted) {
            definition.measurement(Double(median), n: sorted.count)
          } else {
            definition.undefined("no frame was timed", needs: 1, n: 0)
          }
        figure.slice = slice
        return figure
      }
    }
    let all = figures(rows.map(\.count), slice: nil)
    let apart = StageLatency.Population.allCases.map { population in
      (population, rows.filter { $0.ran == (population == .detectorRan) }.map(\.count))
    }
    guard apart.allSatisfy({ !$0.1.isEmpty }) else { return all }
    return all + apart.flatMap { figures($0.1, slice: $0.0.rawValue) }
  }
}
