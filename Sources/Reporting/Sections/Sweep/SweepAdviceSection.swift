internal import Platform
import Records

extension ReportSection {
  /// What each objective prefers, how sure that is, and what speaks against it.
  package static let sweepAdvice = ReportSection(
    id: "sweep-advice", title: "Best settings and verdicts",
    claims: { $0.hasPrefix("sweep.recommended.") },
    blocks: { record in
      guard let sweep = record.sweep, !sweep.advice.isEmpty else { return [] }
      return sweep.advice.enumerated().flatMap { index, advice in
        let number = sweep.advice.count > 1 ? "\(index + 1). " : ""
        return [.heading(number + advice.objective)] + recommendation(advice, in: sweep)
      }
    })
}

private func recommendation(_ advice: Sweep.Advice, in sweep: Sweep) -> [Block] {
  guard let setting = advice.setting else {
    return [
      .notes(
        ["No setting is recommended: \(advice.reason ?? "the record contains no reason")."]
          + limitSentences(of: advice, in: sweep))
    ]
  }
  var blocks: [Block] = [.headline(headline(of: advice, in: sweep))]
  if let verdict = sweep.verdict(of: advice) {
    blocks.append(.paragraph("Verdict: \(verdict.text)."))
  }
  let limits = limitSentences(of: advice, in: sweep)
  if !limits.isEmpty { blocks.append(.paragraph(limits.joined(separator: " "))) }
  if !advice.warnings.isEmpty { blocks.append(.notes(advice.warnings.map { $0.asSentence })) }
  blocks.append(.table(table(of: advice, at: setting, in: sweep)))
  return blocks
}

private func headline(of advice: Sweep.Advice, in sweep: Sweep) -> [HeadlineMetric] {
  var metrics = zip(sweep.parameters, advice.parameters).map { parameter, choice in
    var detail =
      choice.interval.text(parameter.text).map { "\(percent(choice.interval.level)): \($0)" }
      ?? "no interval"
    let position = sweep.parameters.firstIndex(of: parameter)
    if let position, !sweep.movedParameters.contains(position) {
      detail = "not moved"
    } else if let position, sweep.isEffective(position, for: advice) == false {
      detail = "no effect: keep the default"
    } else if let share = choice.share {
      detail += " · chosen in \(percent(share)) of resamples"
    }
    return HeadlineMetric(
      label: "\(parameter.name), best here", value: choice.value.shortText(significantDigits: 4),
      unit: parameter.unit == "1" ? "" : parameter.unit, detail: detail)
  }
  guard let goal = sweep.metric(advice.metric),
    let choice = advice.metrics.first(where: { $0.name == advice.metric })
  else { return metrics }
  let interval = goal.text(choice.interval).map { "\(percent(choice.interval.level)): \($0)" }
  metrics.append(
    HeadlineMetric(
      label: "\(goal.title), all data", value: goal.text(choice.value), unit: "",
      detail: interval ?? "no interval"))
  let held = choice.heldOut.compactMap { $0 }
  var detail = "no folds"
  if let low = held.min(), let high = held.max() {
    detail = "\(counted(held.count, "fold")): \(goal.text(low)) to \(goal.text(high))"
    if let optimism = advice.optimism { detail += " · optimism \(goal.text(optimism))" }
  } else if !choice.heldOut.isEmpty {
    detail = "undefined in each of \(counted(choice.heldOut.count, "fold"))"
  }
  metrics.append(
    HeadlineMetric(
      label: "\(goal.title), held out", value: goal.text(choice.heldOutMean), unit: "",
      detail: detail))
  return metrics
}

/// What a limit with a confidence costs, and how often it is broken without one.
private func limitSentences(of advice: Sweep.Advice, in sweep: Sweep) -> [String] {
  guard let evidence = advice.limits, advice.hasConfidence, let plain = evidence.plainSetting else {
    return []
  }
  let position = sweep.text(ofSetting: plain, parameters: Array(sweep.parameters.indices))
  let metric = sweep.metric(advice.metric)
  let value = metric.map { "\($0.title) \($0.text(evidence.plainValue))" } ?? ""
  let bounds = evidence.bounds.compactMap { $0.map { $0.shortText() } }
  return
    (bounds.isEmpty
    ? [] : ["The bound of the limit here: \(bounds.joined(separator: ", "))."])
    + ["On this data alone the best is \(position) (\(value))."]
    + (evidence.brokenShare.map {
      [
        "In \(percent($0)) of the resamples the setting chosen this way breaks a limit on all data."
      ]
    } ?? [])
}

private func table(of advice: Sweep.Advice, at setting: Int, in sweep: Sweep) -> Table {
  let hasFolds = !advice.foldSettings.isEmpty
  let base = sweep.defaultSetting
  let rows = advice.metrics.compactMap { choice -> [Table.Cell]? in
    guard let metric = sweep.metric(choice.name) else { return nil }
    var row: [Table.Cell] = [
      .text(metric.title, note: metric.note), .code(metric.name),
      .text(metric.text(choice.value)),
      metric.text(choice.interval).map {
        .text($0, note: choice.interval.method.map { "\(percent(choice.interval.level)) \($0)" })
      } ?? .text("–", note: choice.interval.reason),
    ]
    if hasFolds {
      row.append(.text(metric.text(choice.heldOutMean)))
      row.append(.text(choice.heldOut.map(metric.text).joined(separator: ", ")))
    }
    if let base { row.append(.text(metric.text(sweep.value(choice.name, at: base)))) }
    return row + [.text(metric.better.symbol(target: metric.target))]
  }
  return Table(
    title:
      "Metrics at \(sweep.text(ofSetting: setting, parameters: Array(sweep.parameters.indices)))",
    columns: [.words("Metric"), .words("Name"), .numbers("All data"), .numbers("Interval")]
      + (hasFolds ? [.numbers("Held out"), .words("Each fold")] : [])
      + (base == nil ? [] : [.numbers("Default")]) + [.words("Better")],
    rows: rows, isWide: true)
}

/// A share in per cent.
private func percent(_ share: Double) -> String { "\((share * 100).shortText()) %" }

extension String {
  /// With a capital at the start, unless it is an option's name, and a full stop.
  fileprivate var asSentence: String {
    let word = prefix { !$0.isWhitespace }
    return (word.contains("-") ? self : prefix(1).uppercased() + dropFirst()) + "."
  }
}
