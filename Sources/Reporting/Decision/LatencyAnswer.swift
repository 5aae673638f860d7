internal import Platform
import Records

/// How fast a run is: the 95th percentile of a frame's time against its budget.
struct LatencyAnswer {
  let record: Record

  /// The gates on the time of a whole frame that have a limit, over all frames or over one population of them.
  static func limits(in record: Record) -> [GateResult] {
    record.gates.filter { result in
      result.gate.limit != nil && MetricName.isOfFrameTimes(result.gate.metric)
        && result.gate.slice.map { FramePopulation(rawValue: $0) != nil } ?? true
    }
  }

  /// The time of a frame at the frame rate of a timing run, in milliseconds; nil for other runs, and offline.
  static func budget(of record: Record) -> Double? {
    record.profile.flatMap { $0.schedule == .offline ? nil : 1000 / $0.framesPerSecond }
  }

  /// The sentences.
  var answer: Decision.Answer {
    Decision.Answer(
      question: "How fast?", sentences: sentences,
      verdict: record.verdict { MetricTopic(ofMetric: $0.metric) == .time })
  }

  private var sentences: [String] {
    let names = MetricName.frameTimes("p95")
    let measured = names.lazy.compactMap { record.measurement($0) }.first { $0.value != nil }
    guard let measured, let value = measured.value else { return unknown(names) }
    var sentences: [String] = []
    let interval = measured.intervalText(unit: " ms").map { "95 % interval \($0)" }
    let evidence = [interval, measured.footnote ?? "n = \(measured.n.groupedText)"]
      .compactMap { $0 }.joined(separator: "; ")
    let isPipeline = MetricName.isOfPipeline(measured.name)
    let first =
      "95 % of frames take at most \(measured.valueText)"
      + (isPipeline ? " without decoding files" : "") + " (\(evidence))"
    if let budget = Self.budget(of: record), let rate = record.profile?.framesPerSecond {
      let limit =
        "the budget of \(budget.text(significantDigits: 3)) ms at "
        + "\(rate.shortText()) frames per second"
      sentences.append(
        "\(first): \(Self.place(of: value, measured.interval, in: budget)) \(limit).")
    } else {
      sentences.append("\(first).")
    }
    if isPipeline, let total = record.measurement(MetricName.latency(MetricName.total, "p95")),
      total.value != nil
    {
      sentences.append("With decoding it is \(total.valueText).")
    }
    let limits = Self.limits(in: record)
    sentences += limits.map(\.message)
    if limits.isEmpty, record.profile == nil {
      sentences.append("No budget was given: neither a gate on latency nor a frame rate.")
    }
    if record.tool.isDebug { sentences.append("A debug build: not the speed of a release build.") }
    if record.profile?.machine.noise.isEmpty == false {
      sentences.append("The machine was noisy, so the times are too long.")
    }
    return sentences
  }

  /// What is known where a percentile of frames is not.
  private func unknown(_ names: [String]) -> [String] {
    if record.sweep != nil {
      return ["Not measured in a sweep: 'facegauge profile' times one setting."]
    }
    let middle = MetricName.frameTimes("p50").lazy
      .compactMap { record.measurement($0) }.first { $0.value != nil }
    let reason = names.lazy.compactMap { record.measurement($0) }.first
    let known = [middle, reason].compactMap { $0?.sentence }
    return known.isEmpty ? ["Not measured."] : known
  }

  /// Where a percentile with its interval lies to a budget.
  private static func place(of value: Double, _ interval: Interval, in budget: Double) -> String {
    guard let low = interval.low, let high = interval.high else {
      return value <= budget ? "within" : "over"
    }
    if high <= budget { return "within" }
    return low > budget ? "over" : "not told from"
  }
}
