internal import Platform
import Records

extension ReportSection {
  /// Where the time of a frame goes: stages one after the other, percentiles, distribution.
  package static let latency = ReportSection(
    id: "latency", title: "Latency",
    claims: { $0.hasPrefix("latency.") },
    blocks: { record in
      let stages = LatencyStage.all(in: record)
      let others = record.measurements.filter {
        $0.slice == nil && $0.name.hasPrefix("latency.") && StageMetric($0.name) == nil
      }
      let series = record.series.filter { $0.name.hasPrefix("latency.") }
      let populations = FramePopulation.allCases.map { population in
        (population, LatencyStage.all(in: record, slice: population.rawValue))
      }
      .filter { !$0.1.isEmpty }
      guard !stages.isEmpty || !populations.isEmpty || !others.isEmpty || !series.isEmpty else {
        return []
      }
      var blocks: [Block] = []
      if record.tool.isDebug {
        blocks.append(
          .notes(["This is a debug build: its latencies do not apply to a release build."]))
      }
      if record.decodesNoFile {
        blocks.append(
          .notes(["No image file was decoded in these frames: the total has no decoding."]))
      }
      let drawn =
        populations.isEmpty
        ? [("a frame", stages)] : populations.map { ($0.0.words, $0.1) }
      blocks += drawn.compactMap { frames, stages in
        Figure("Stages of \(frames)", stages).map { .figure($0) }
      }
      blocks += series.map { series in
        series.block(
          caption: SeriesName.isOfFrameTimes(series.name) ? "One value per frame." : "",
          limits: record.limits(of: series))
      }
      if !stages.isEmpty { blocks.append(.table(stageTable("By stage", stages))) }
      for (population, stages) in populations {
        blocks.append(.table(stageTable("By stage, \(population.words)", stages)))
      }
      return blocks + [Block].metrics("Other latency metrics", others)
    })
}

extension Record {
  /// Whether the decoding of files would have been timed, and none was.
  fileprivate var decodesNoFile: Bool {
    func n(_ stage: String) -> Int? { measurement(MetricName.latency(stage, "mean"))?.n }
    return n(MetricName.decode) == 0 && n(MetricName.total) ?? 0 > 0
  }
}

extension Measurement {
  /// Whether it is of one of the populations of frames whose times are told apart.
  var isOfPopulation: Bool {
    StageMetric(name) != nil && slice.flatMap(FramePopulation.init(rawValue:)) != nil
  }
}

/// The stage and the metric in a name such as `latency.detect.infer.p90` or `latency.total.max`.
private struct StageMetric {
  var stage: String
  var metric: String

  init?(_ name: String) {
    let words = name.split(separator: ".", omittingEmptySubsequences: false)
    guard words.count >= 3, words[0] == "latency", let last = words.last,
      last == "mean" || last == "max" || Self.isPercentile(last)
    else { return nil }
    stage = words[1..<(words.count - 1)].joined(separator: ".")
    metric = String(last)
  }

  static func isPercentile(_ word: some StringProtocol) -> Bool {
    word.first == "p" && word.count > 1 && word.dropFirst().allSatisfy(\.isNumber)
  }
}

private struct LatencyStage {
  var name: String
  var metrics: [String: Measurement]

  /// The pipeline without decoding, the stages in the order of the record, the unaccounted time, the total.
  static func all(in record: Record, slice: String? = nil) -> [LatencyStage] {
    var stages: [LatencyStage] = []
    for measurement in record.measurements where measurement.slice == slice {
      guard let key = StageMetric(measurement.name) else { continue }
      if let index = stages.firstIndex(where: { $0.name == key.stage }) {
        stages[index].metrics[key.metric] = measurement
      } else {
        stages.append(LatencyStage(name: key.stage, metrics: [key.metric: measurement]))
      }
    }
    let last = [MetricName.unaccounted, MetricName.total]
    func named(_ name: String) -> LatencyStage? { stages.first { $0.name == name } }
    let pipeline = named(MetricName.pipeline)
    return [pipeline].compactMap { $0 }
      + stages.filter { !last.contains($0.name) && $0.name != MetricName.pipeline }
      + last.compactMap { name in
        var stage = named(name)
        if name == MetricName.total, pipeline != nil { stage?.suffix = ", with decoding" }
        return stage
      }
  }

  /// What the label has after the name.
  var suffix = ""

  var label: String { words + suffix }

  private var words: String {
    switch name {
    case "decode": "Decode image"
    case "detect.preprocess": "Detect: preprocess"
    case "detect.infer": "Detect: infer"
    case "detect.decode": "Detect: decode boxes"
    case "landmark.crop": "Landmarks: crop"
    case "landmark.infer": "Landmarks: infer"
    case "landmark.decode": "Landmarks: decode points"
    case "blendshapes.infer": "Blendshapes: infer"
    case "geometry": "Head pose"
    case "smoothing": "Smoothing"
    case "unaccounted": "Unaccounted"
    case MetricName.total: "Total"
    case MetricName.pipeline: "Pipeline, without decoding files"
    default: name
    }
  }

  /// nil for what is no part of the total.
  var bar: StageBar? {
    guard name != "response", let median = metrics["p50"]?.value, median.isFinite else {
      return nil
    }
    return StageBar(
      label: label, median: median, p90: metrics["p90"]?.value,
      isTotal: [MetricName.total, MetricName.pipeline].contains(name))
  }
}

extension Figure {
  /// The stages as bars one after the other; nil for fewer than two.
  fileprivate init?(_ title: String, _ stages: [LatencyStage]) {
    let bars = stages.compactMap(\.bar)
    guard bars.count > 1 else { return nil }
    self.init(
      title: title,
      caption: "Medians; each bar starts at the end of the one above. Whiskers extend to p90."
        + " Medians need not add up to the median of the total.",
      chart: .stages(StageBars(bars: bars)))
  }

  /// The stages of tracked frames and of those in which the detector ran, else of all.
  static func stages(of record: Record) -> [Figure] {
    let populations = FramePopulation.allCases.reversed().compactMap { population in
      Figure(
        "Stages of \(population.words)",
        LatencyStage.all(in: record, slice: population.rawValue))
    }
    guard populations.isEmpty else { return populations }
    return [Figure("Stages of a frame", LatencyStage.all(in: record))].compactMap { $0 }
  }
}

private func stageTable(_ title: String, _ stages: [LatencyStage]) -> Table {
  let found = Set(stages.flatMap(\.metrics.keys))
  let names =
    found.filter { StageMetric.isPercentile($0) }.sorted { ($0.count, $0) < ($1.count, $1) }
    + ["mean", "max"].filter(found.contains)
  let measurements = stages.flatMap(\.metrics.values)
  let units = Set(measurements.map(\.unit))
  let sharedUnit = units.count == 1 ? units.first : nil
  let isFine = measurements.compactMap(\.value).contains { $0 != 0 && $0.magnitude < 0.1 }
  let rows = stages.map { stage -> [Table.Cell] in
    let cells = names.map { name -> Table.Cell in
      guard let measurement = stage.metrics[name] else { return .text("–") }
      let text =
        sharedUnit == nil
        ? measurement.valueText : measurement.value?.text(decimals: isFine ? 3 : 2) ?? "–"
      return .text(text, note: measurement.footnote)
    }
    let counts = Set(stage.metrics.values.map(\.n))
    let n = counts.sorted().map(\.groupedText).joined(separator: ", ")
    return [.text(stage.label)] + cells + [.text(n)]
  }
  return Table(
    title: title + (sharedUnit.map { ", \($0)" } ?? ""),
    columns: [.words("Stage")] + names.map { .numbers($0) } + [.numbers("n")],
    rows: rows, isWide: true)
}
