internal import Platform
import Records

extension ReportSection {
  /// A timing run: start, frames against the budget, what measuring costs, work and memory, operators.
  package static let timing = ReportSection(
    id: "timing", title: "Start, budget and cost",
    claims: { name in
      ["startup.", "budget.", "throughput.", "profiler.", "cost.", "profile."]
        .contains { name.hasPrefix($0) }
    },
    blocks: { record in
      guard let profile = record.profile else { return [] }
      func metrics(_ prefixes: String...) -> [Measurement] {
        record.measurements.filter { metric in
          prefixes.contains { metric.name.hasPrefix($0) }
        }
      }
      func table(_ title: String, _ metrics: [Measurement]) -> [Block] {
        metrics.isEmpty ? [] : [.table(costs(title, metrics))]
      }
      func drawn(_ prefix: String, caption: String = "") -> [Block] {
        record.series.filter { $0.name.hasPrefix(prefix) }.map { $0.block(caption: caption) }
      }
      var blocks: [Block] = [.paragraph(schedule(profile))]
      blocks.append(.table(startTable(record, profile)))
      blocks += drawn(
        "budget.frames",
        caption: "Frames above the budget line missed the budget.")
      blocks += table("Budget and throughput", metrics("budget.", "throughput."))
      blocks.append(.paragraph(stutter(profile)))
      blocks += drawn("budget.misses")
      blocks += table("The profiler itself", metrics("profiler."))
      blocks += table("Work and memory", metrics("cost."))
      blocks += drawn("profile.allocations")
      blocks += drawn("profile.operators.")
      return blocks
    })
}

private func schedule(_ profile: Record.Profile) -> String {
  let rate = profile.framesPerSecond.shortText()
  let budget = (1000 / profile.framesPerSecond).shortText(significantDigits: 5)
  let how =
    switch profile.schedule {
    case .paced:
      "Frames were due at \(rate) per second; the response time counts from the due time"
    case .offline:
      "\(counted(profile.workers, "worker")) processed frames as fast as possible"
    case .closed: "Each frame began when the previous one had finished"
    }
  return "\(how). \(counted(profile.steadyFrames, "steady frame")) after "
    + "\(counted(profile.warmUpFrames, "frame")) of warm-up; the budget of a frame is \(budget) ms."
}

private func stutter(_ profile: Record.Profile) -> String {
  profile.stutterPeriodFrames.map {
    "Frames over budget recur every \(counted($0, "frame"))."
  } ?? "No regular stutter: \(profile.stutterReason ?? "not searched")."
}

/// Cold, first, warm-up and steady, one row each.
private func startTable(_ record: Record, _ profile: Record.Profile) -> Table {
  func row(_ title: String, _ measurement: Measurement?) -> [Table.Cell] {
    [
      .text(title),
      .text(measurement?.valueText ?? "–", note: measurement?.footnote),
      .text((measurement?.n ?? 0).groupedText),
    ]
  }
  func steady(_ slice: String?) -> Measurement? {
    record.measurement(MetricName.latency(MetricName.total, "p50"), in: slice)
  }
  let populations = [
    ("detector_ran", "Steady, detector ran, median"), ("tracked", "Steady, tracked, median"),
  ].filter { steady($0.0) != nil }
  // Of the warm-up, which has percentiles, the median.
  let starts = record.measurements.filter { metric in
    metric.slice == nil && metric.name.hasPrefix("startup.")
      && (metric.name.hasSuffix(".p50") || metric.name.split(separator: ".").count == 2)
  }
  let rows =
    starts.map { row($0.title, $0) }
    + (populations.isEmpty
      ? [row("Steady, median", steady(nil))] : populations.map { row($0.1, steady($0.0)) })
  return Table(
    title: "From the cold start to steady frames",
    columns: [.words("What"), .numbers("Time"), .numbers("n")], rows: rows)
}

/// Metrics with their stage or population where the title does not tell them apart.
private func costs(_ title: String, _ metrics: [Measurement]) -> Table {
  Table(
    title, of: metrics,
    columns: [
      (.words("Metric"), { .text($0.title) }),
      (
        .words("Of"),
        { metric in
          let isOfModel = metric.name.split(separator: ".").count > 2
          return .text(metric.slice ?? (isOfModel ? metric.stage : "all"))
        }
      ),
      (.numbers("Value"), { .text($0.valueText, note: $0.footnote) }),
      (.numbers("95 % interval"), { $0.intervalText.map { .text($0) } }),
      (.numbers("n"), { .text($0.n.groupedText) }),
    ], isWide: true)
}
