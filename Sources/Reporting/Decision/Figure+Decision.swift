internal import Platform
import Records

extension Figure {
  /// The main metric over its threshold: the operating point or the distribution of errors; nil without such data.
  init?(mainMetricOf record: Record) {
    let main = AccuracyAnswer(record: record).main
    if !ReportSection.landmarks.claims(main?.name ?? ""),
      let series = record.series(named: SeriesName.precisionRecall),
      case .curve(let curve) = series.content
    {
      self.init(
        title: series.title, caption: "", chart: .curve(curve), limits: record.limits(of: series),
        axis: series.selectionAxis)
      return
    }
    self.init(
      joining: record.series.filter { $0.name.hasPrefix(SeriesName.cumulativeErrors) },
      limits: record.cumulativeErrorLimits)
  }

  /// The slices of the dimension in which the main metric is worst; nil without slices.
  init?(worstSliceOf record: Record) {
    guard let (whole, worst) = AccuracyAnswer(record: record).worstSlice,
      let dimension = worst.dimensionSlice?.dimension
    else { return nil }
    let bars = record.slices(of: whole.name).filter { $0.dimensionSlice?.dimension == dimension }
    let limits = record.gates.filter {
      $0.gate.metric == whole.name
        && ($0.gate.slice == nil || bars.map(\.slice).contains($0.gate.slice))
    }
    self.init(
      title: "\(whole.title) by \(dimension)",
      caption: "Values with 95 % intervals where there are any.",
      chart: .slices(
        SliceBars(
          dimension: dimension, whole: whole,
          bars: bars.map {
            SliceBars.Bar(
              label: $0.dimensionSlice?.value ?? "", measurement: $0,
              isWorst: $0.slice == worst.slice)
          })),
      limits: limits.compactMap { ChartLimit($0, unit: whole.unit, axis: .horizontal) })
  }

  /// The times of frames with their budget; nil where they were not measured.
  init?(latencyOf record: Record) {
    guard let series = SeriesName.frameTimes.lazy.compactMap({ record.series(named: $0) }).first,
      case .histogram(let histogram) = series.content
    else { return nil }
    self.init(
      title: series.title, caption: "One value per frame.", chart: .histogram(histogram),
      limits: record.limits(of: series), axis: series.selectionAxis)
  }

  /// The metric of an objective along the parameter that moves it most; nil where no parameter has two values.
  init?(objective advice: Sweep.Advice, in sweep: Sweep) {
    guard let center = sweep.center, let metric = sweep.metric(advice.metric) else { return nil }
    let candidates = sweep.movedParameters.map {
      (parameter: $0, line: sweep.line(along: $0, through: center))
    }
    func span(_ line: [Int]) -> Double {
      let values = line.compactMap { sweep.value(metric.name, at: $0) }
      return (values.max() ?? 0) - (values.min() ?? 0)
    }
    guard let (parameter, line) = candidates.max(by: { span($0.line) < span($1.line) }),
      line.count > 1
    else { return nil }
    let known = line.filter { sweep.value(metric.name, at: $0) != nil }
    let marks = sweep.roles.filter { known.contains($0.setting) }
    let others = sweep.movedParameters.filter { $0 != parameter }
    self.init(
      title: "\(metric.title) along \(sweep.parameters[parameter].name)",
      caption: others.isEmpty ? "" : "At \(sweep.text(ofSetting: center, parameters: others)).",
      chart: .curve(
        Series.Curve(
          xLabel: sweep.parameters[parameter].label, yLabel: metric.axisLabel,
          lines: [
            Series.Line(
              label: metric.title, x: known.map { sweep.settings[$0][parameter] },
              y: known.compactMap { sweep.value(metric.name, at: $0) })
          ],
          marks: marks.compactMap { setting, label in
            sweep.value(metric.name, at: setting).map {
              Series.Mark(label: label, x: sweep.settings[setting][parameter], y: $0)
            }
          })), limits: sweep.limits(of: [metric.name]),
      axis: sweep.axis(along: parameter, over: known))
  }
}

extension Record {
  /// The limits of gates, and the budget, that lie on the chart of a series.
  func limits(of series: Series) -> [ChartLimit] {
    if SeriesName.isOfFrameTimes(series.name) {
      let population = SeriesName.population(of: series.name)
      let gates = LatencyAnswer.limits(in: self).compactMap { result -> ChartLimit? in
        let slice = result.gate.slice.flatMap(FramePopulation.init(rawValue:))
        // A chart of all frames has the limits of each population; that of a population has those of all frames too.
        guard slice == nil || population == nil || slice == population,
          SeriesName.frameStage(of: series.name) == MetricName.frameStage(of: result.gate.metric)
        else { return nil }
        var limit = ChartLimit(result, unit: "ms", axis: .horizontal)
        let percentile = result.gate.metric.split(separator: ".").last ?? ""
        let frames = slice == population ? "" : slice.map { "\($0.rawValue) " } ?? "all frames "
        limit?.label = "gate \(frames)\(percentile) ≤ \(result.gate.limit?.shortText() ?? "")"
        return limit
      }
      let budget = LatencyAnswer.budget(of: self).map {
        ChartLimit(label: "budget \($0.shortText())", axis: .horizontal, value: $0, verdict: nil)
      }
      return gates + (budget.map { [$0] } ?? [])
    }
    if series.name == SeriesName.precisionRecall {
      return gates.filter { $0.gate.slice == nil }.compactMap { result in
        switch result.gate.metric {
        case MetricName.detectionRecall: ChartLimit(result, unit: "1", axis: .horizontal)
        case MetricName.detectionPrecision: ChartLimit(result, unit: "1", axis: .vertical)
        default: nil
        }
      }
    }
    return []
  }

  /// Gates on the failure rate, as the shares that cumulative errors must reach.
  var cumulativeErrorLimits: [ChartLimit] {
    gates.compactMap { result in
      guard result.gate.metric.hasPrefix(MetricName.landmarkFailureRate),
        let failure = result.gate.metric.dropFirst(MetricName.landmarkFailureRate.count)
          .firstMatch(of: /^(\w+)@([0-9.]+)$/),
        let limit = result.gate.limit, result.gate.slice == nil
      else { return nil }
      return ChartLimit(
        label: "gate: \((1 - limit).shortText()) at \(failure.2) by \(failure.1)", axis: .vertical,
        value: 1 - limit, verdict: result.verdict)
    }
  }
}

extension Sweep {
  /// The metrics of the objectives along a parameter, then two metrics against each other.
  var decisiveFigures: [Figure] {
    let objectives = advice.map(\.metric).uniqued.compactMap { metric in
      advice.first { $0.metric == metric }
    }
    return objectives.prefix(2).compactMap { Figure(objective: $0, in: self) }
      + fronts.lazy.compactMap { $0.figure(in: self) }.prefix(1)
  }

  /// The limits that objectives set on metrics that a chart shows.
  func limits(of metrics: [String]) -> [ChartLimit] {
    let limits = /([\w.@:-]+)\s*([<>]=?)\s*([0-9.eE+-]+)/
    return advice.flatMap { $0.objective.matches(of: limits) }.compactMap { match in
      guard metrics.contains(String(match.1)), let value = Double(match.3) else { return nil }
      return ChartLimit(
        label: "objective: \(match.1) \(match.2) \(match.3)", axis: .vertical, value: value)
    }.uniqued
  }
}
