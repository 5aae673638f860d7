internal import Platform
import Records

/// How accurate a run is: its main metric, its worst slice and its change against the base.
struct AccuracyAnswer {
  let record: Record

  /// The headline metrics of accuracy, those with a value first.
  var metrics: [Measurement] {
    let known = record.headlineMeasurements.filter { metric in
      metric.better.isDirected && MetricTopic(ofMetric: metric.name) == .accuracy
    }
    return known.filter { $0.value != nil } + known.filter { $0.value == nil }
  }

  /// The metric that stands for the accuracy; nil without any.
  var main: Measurement? { metrics.first }

  /// The worst slice, as `SliceSearch` finds it; nil without slices.
  var worstSlice: (whole: Measurement, slice: Measurement)? { SliceSearch(record).worst() }

  /// The sentences.
  var answer: Decision.Answer {
    Decision.Answer(
      question: "How accurate?", sentences: sentences,
      verdict: record.verdict { MetricTopic(ofMetric: $0.metric) == .accuracy })
  }

  private var sentences: [String] {
    if let sweep = record.sweep { return Self.sentences(of: sweep) }
    guard let main else { return ["Not measured."] }
    var shown: [Measurement] = []
    func sentence(_ metrics: [Measurement]) -> String? {
      let texts = metrics.filter { $0.value != nil }.map { metric in
        // The level stands once: all intervals here have it.
        let evidence = shown.isEmpty ? metric.evidence : metric.shortEvidence
        shown.append(metric)
        let isOverAll = metric.name.hasPrefix(MetricName.landmarkFailureRate)
        return "\(metric.title) \(metric.valueText) (\(evidence)"
          + (isOverAll ? ", missed faces included)" : ")")
      }
      return texts.isEmpty ? nil : texts.joined(separator: ", ") + "."
    }
    let operating = metrics.filter { MetricName.operatingPoint.contains($0.name) }
    var sentences = [
      sentence(operating).map { "\(setting)\($0)" } ?? sentence([main]) ?? main.sentence
    ]
    sentences += [
      sentence(metrics.filter { MetricName.errorRates.contains($0.name) }),
      sentence(
        [MetricName.landmarkError, MetricName.landmarkFailureRate].compactMap { prefix in
          metrics.first { $0.name.hasPrefix(prefix) && $0.name != main.name }
        }),
    ].compactMap { $0 }
    if worstSlice == nil { sentences.append("No slice was measured.") }
    sentences += shown.filter { $0.interval.reason != nil }.inGroups(by: \.interval.reason).map {
      reason, metrics in
      let titles = metrics.count == shown.count ? [] : metrics.map(\.title)
      return "No interval\(titles.isEmpty ? "" : " for ")\(titles.joined(separator: ", ")): "
        + "\(reason ?? "")."
    }
    return sentences + [change]
  }

  /// The setting that ran, as the beginning of a sentence; empty where the record names none, or another tracker ran.
  private var setting: String {
    guard record.options["tracker"] == nil else { return "" }
    let used = ["min-face-detection-confidence", "num-faces"].compactMap { name in
      record.options[name].map { "\(name) \($0)" }
    }
    return used.isEmpty ? "" : "At \(used.joined(separator: ", ")): "
  }

  /// The change of the main metric, else of any that a gate compares with the base.
  private var change: String {
    let compared = record.gates.filter { $0.base != nil && $0.value != nil }
    guard
      let gate = compared.first(where: { $0.gate.metric == main?.name && $0.gate.slice == nil })
        ?? compared.first, let base = gate.base, let value = gate.value
    else {
      return record.options["base"] == nil
        ? "Not compared: no base run was given."
        : "No gate compares a value with the base."
    }
    let unit = record.measurement(gate.gate.metric, in: gate.gate.slice)?.unit ?? "1"
    let change = (value > base ? "+" : "") + Measurement.text(of: value - base, unit: unit)
    return "Against the base \(gate.gate.metric) changed by \(change), from "
      + "\(Measurement.text(of: base, unit: unit)) to \(Measurement.text(of: value, unit: unit))."
  }

  private static func sentences(of sweep: Sweep) -> [String] {
    guard !sweep.advice.isEmpty else { return ["No objective was given."] }
    return sweep.advice.filter { $0.setting != nil }.prefix(2).compactMap { advice in
      guard let choice = advice.metrics.first(where: { $0.name == advice.metric }),
        let metric = sweep.metric(advice.metric)
      else { return nil }
      let interval =
        metric.text(choice.interval).map { "95 % interval \($0)" }
        ?? "no interval: \(choice.interval.reason ?? "not computed")"
      let held = choice.heldOutMean.map { "; held out \(metric.text($0))" } ?? ""
      let base = sweep.defaultSetting.map {
        "; \(metric.text(sweep.value(metric.name, at: $0))) at the default"
      }
      return "\(metric.title) is \(metric.text(choice.value)) at the best setting (\(interval)"
        + "\(held)\(base ?? ""))."
    } + (sweep.advice.allSatisfy { $0.setting == nil } ? ["No setting meets an objective."] : [])
  }
}

extension Record {
  /// The slices of the dataset in which a metric has a value and enough observations.
  func slices(of metric: String) -> [Measurement] {
    measurements.filter {
      $0.name == metric && $0.dimensionSlice?.isOfDataset == true && $0.value != nil
        && $0.needs == nil
    }
  }

  /// The worst verdict of the gates that fit; nil without any.
  func verdict(of isAbout: (Gate) -> Bool) -> Verdict? {
    let results = gates.filter { isAbout($0.gate) }
    return results.isEmpty ? nil : Verdict.overall(results)
  }
}

extension Measurement {
  /// Whether its value is worse than that of the same metric elsewhere.
  func isWorse(than other: Measurement) -> Bool {
    guard let own = value, let value = other.value else { return false }
    switch better {
    case .higher: return own < value
    case .lower: return own > value
    case .closest: return (own - (target ?? 0)).magnitude > (value - (target ?? 0)).magnitude
    case .neither: return false
    }
  }

  /// The interval, if there is one, and n.
  var evidence: String {
    (intervalText.map { "95 % interval \($0); " } ?? "") + "n = \(n.groupedText)"
  }

  /// As `evidence`, where the level is known.
  var shortEvidence: String {
    (intervalText.map { "\($0); " } ?? "") + "n = \(n.groupedText)"
  }

  /// The metric with its value and evidence, or why it has none.
  var sentence: String {
    value == nil
      ? "\(title) is undefined: \(reason ?? "no reason is recorded")."
      : "\(title) is \(valueText) (\(evidence))."
  }

  /// How a slice's interval lies to that of the whole.
  func difference(from whole: Measurement) -> String {
    guard let low = interval.low, let high = interval.high, let wholeLow = whole.interval.low,
      let wholeHigh = whole.interval.high
    else { return "" }
    let isApart = high < wholeLow || low > wholeHigh
    return isApart ? "; the intervals are apart" : "; the intervals overlap"
  }
}
