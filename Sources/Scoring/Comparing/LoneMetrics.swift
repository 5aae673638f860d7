internal import Metrics
internal import Platform
internal import Records

/// Headline metrics that some of the compared runs have and others lack, which cannot be compared.
enum LoneMetrics {
  /// A note for the metrics that the same runs lack for the same reason; none where all runs have the same.
  ///
  /// `metrics` are those of each run over the whole dataset, undefined ones too.
  static func notes(_ metrics: [[Measurement]], names: [String]) -> [String] {
    let headlines = metrics.flatMap { MetricCatalog.headlines(among: $0, comparedOnly: true) }
    let lone = headlines.uniqued.filter { !Gate.isTime($0) }.compactMap {
      name -> (why: String, name: String)? in
      let own = metrics.map { run in run.first { $0.name == name } }
      let lacking = own.indices.filter { own[$0]?.value == nil }
      guard !lacking.isEmpty, lacking.count < own.count else { return nil }
      let reasons = lacking.map { run in
        "\(names[run]) (\(own[run]?.reason ?? "not measured"))"
      }
      return (reasons.joined(separator: ", "), name)
    }
    return lone.inGroups(by: \.why).map { why, metrics in
      "Not compared: \(metrics.map(\.name).joined(separator: ", ")), undefined in \(why)."
    }
  }
}
