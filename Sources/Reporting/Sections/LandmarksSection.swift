internal import Platform
import Records

extension ReportSection {
  /// Errors of the points by each normaliser, their distribution, and the parts of the face.
  package static let landmarks: ReportSection = ReportSection(
    id: "landmarks", title: "Landmark accuracy",
    claims: { $0.hasPrefix("landmarks.") },
    blocks: { record in
      let all = record.measurements(of: landmarks)
      let errors = all.compactMap { measurement in
        NormalizedMetric(measurement.name).map { (key: $0, measurement: measurement) }
      }
      let others = all.filter { NormalizedMetric($0.name) == nil }
      var blocks: [Block] = []
      let overall = errors.filter { $0.key.part == nil }
      if !overall.isEmpty {
        blocks.append(
          .paragraph(
            "A face's error (NME) is the mean distance of its points divided by the normaliser. A"
              + " missed face has an infinite error: it counts as a failure and adds nothing to"
              + " the area under the curve (AUC)."))
      }
      blocks += [Block].metrics("Faces", others)
      if !overall.isEmpty {
        blocks.append(
          .table(.byNormalizer("Errors by normaliser", "Metric", overall) { $0.title }))
      }
      let parts = errors.filter { $0.key.part != nil }
      if !parts.isEmpty {
        blocks.append(
          .table(
            .byNormalizer("Errors of found faces by part", "Part", parts) { $0.part ?? "" }))
      }
      let distributions = record.series.filter { $0.name.hasPrefix(SeriesName.cumulativeErrors) }
      if let figure = Figure(joining: distributions, limits: record.cumulativeErrorLimits) {
        blocks.append(.figure(figure))
      }
      blocks += Figure.pointMaps(of: record).map { .figure($0) }
      for series in record.series
      where landmarks.claims(series.name) && !series.name.hasPrefix(SeriesName.cumulativeErrors)
        && series.name != SeriesName.pointPositions
      {
        blocks.append(series.block(caption: ""))
      }
      return blocks
    })
}

extension Figure {
  /// The mean errors of each scheme's points on the mean labelled face; none where they were not measured.
  static func pointMaps(of record: Record) -> [Figure] {
    guard case .curve(let errors)? = record.series(named: SeriesName.pointErrors)?.content,
      case .curve(let places)? = record.series(named: SeriesName.pointPositions)?.content
    else { return [] }
    return zip(errors.lines, places.lines).compactMap { errors, places in
      PointMap(errors: errors, positions: places).map {
        Figure(
          title: "Mean error of each point, \($0.scheme)",
          caption: "On the mean labelled face; area and colour show the error of found faces.",
          chart: .points($0))
      }
    }
  }

  /// The distributions of all normalisers in one chart; nil without any.
  init?(joining series: [Series], limits: [ChartLimit]) {
    let lines = series.flatMap { series -> [Series.Line] in
      guard case .curve(let curve) = series.content else { return [] }
      let normalizer = String(series.name.dropFirst(SeriesName.cumulativeErrors.count))
      return curve.lines.map { line in
        let label = curve.lines.count > 1 ? "\(normalizer), \(line.label)" : normalizer
        return Series.Line(label: label, x: line.x, y: line.y)
      }
    }
    guard !lines.isEmpty else { return nil }
    self.init(
      title: "Cumulative errors",
      caption: "Share of labelled faces with an error of at most x; missed faces never count.",
      chart: .curve(
        Series.Curve(
          xLabel: "NME (over the normaliser)", yLabel: "share of labelled faces", lines: lines)),
      limits: limits, axis: series.first?.selectionAxis)
  }
}

/// The parts of a name such as `landmarks.nme.box.eyes.conditional` or `landmarks.fr.box@0.08`.
private struct NormalizedMetric: Hashable {
  var normalizer: String
  /// The name with `<d>` for the normaliser.
  var pattern: String
  var title: String
  /// The part of the face; nil for all points.
  var part: String?

  init?(_ name: String) {
    let words = name.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
    guard words.count == 3, let kind = Kind(rawValue: String(words[1])) else { return nil }
    let ends = words[2].firstIndex { $0 == "." || $0 == "@" } ?? words[2].endIndex
    normalizer = String(words[2][..<ends])
    let rest = String(words[2][ends...])
    guard !normalizer.isEmpty else { return nil }
    pattern = "landmarks.\(kind.rawValue).<d>\(rest)"
    switch (kind, rest) {
    case (.nme, ""): title = "NME, all labelled faces"
    case (.nme, ".conditional"): title = "NME, found faces"
    case (.nme, ".visible"): title = "NME of visible points, all labelled faces"
    case (.nme, ".visible.conditional"): title = "NME of visible points, found faces"
    case (.nme, ".regressed"): title = "NME after regression, all labelled faces"
    case (.nme, ".regressed.conditional"): title = "NME after regression, found faces"
    case (.floor, ""): title = "Correspondence's share of the NME, found faces"
    case (.nme, _) where rest.hasSuffix(".conditional"):
      title = "NME of a part, found faces"
      part = String(rest.dropFirst().dropLast(".conditional".count))
    case (.fr, _) where rest.hasPrefix("@"): title = "Failure rate at \(rest.dropFirst())"
    case (.auc, _) where rest.hasPrefix("@"): title = "AUC to \(rest.dropFirst())"
    case (.without, ""): title = "Faces without the normaliser"
    default: return nil
    }
  }

  private enum Kind: String {
    case nme, fr, auc
    case without = "faces_without"
    case floor = "bias_floor"
  }
}

extension Table {
  /// One row per metric and one column per normaliser, both in the order of the record.
  fileprivate static func byNormalizer(
    _ title: String, _ first: String,
    _ metrics: [(key: NormalizedMetric, measurement: Measurement)],
    label: (NormalizedMetric) -> String
  ) -> Table {
    let normalizers = metrics.map(\.key.normalizer).uniqued
    var patterns: [NormalizedMetric] = []
    for (key, _) in metrics where !patterns.contains(where: { $0.pattern == key.pattern }) {
      patterns.append(key)
    }
    let rows = patterns.map { row -> [Cell] in
      let own = metrics.filter { $0.key.pattern == row.pattern }
      let cells = normalizers.map { normalizer -> Cell in
        guard let found = own.first(where: { $0.key.normalizer == normalizer }) else {
          return .text("–")
        }
        let interval = found.measurement.intervalText.map { " (\($0))" } ?? ""
        return .text(
          found.measurement.shortValueText + interval, note: found.measurement.footnote)
      }
      let counts = Set(own.map(\.measurement.n)).sorted().map(\.groupedText)
      let first = own.first?.measurement
      return [.text(label(row)), .code(row.pattern)] + cells + [
        .text(counts.joined(separator: ", ")),
        .text(first?.better.symbol(target: first?.target) ?? "–"),
      ]
    }
    return Table(
      title: title,
      columns: [.words(first), .words("Name")] + normalizers.map { .numbers($0) }
        + [.numbers("n"), .words("Better")],
      rows: rows, isWide: true)
  }
}

extension Measurement {
  /// The value with four decimals for a ratio, as errors are quoted, else with its unit.
  fileprivate var shortValueText: String {
    unit == "1" ? value?.text(decimals: 4) ?? "–" : valueText
  }
}
