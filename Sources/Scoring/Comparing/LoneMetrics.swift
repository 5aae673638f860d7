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
    var (seen, notes): (Set<String>, [(why: String, names: [String])]) = ([], [])
    for name in headlines where seen.insert(name).inserted && !Gate.isTime(name) {
      let own = metrics.map { run in run.first { $0.name == name } }
      let lacking = own.indices.filter { own[$0]?.value == nil }
      guard !lacking.isEmpty, lacking.count < own.count else { continue }
      let reasons = lacking.map { run in
        "\(names[run]) (\(own[run]?.reason ?? "not measured"))"
      }
      let why = reasons.joined(separator: ", ")
      if let known = notes.firstIndex(where: { $0.why == why }) {
        notes[known].names.append(name)
      } else {
        notes.append((why, [name]))
      }
    }
    return notes.map {
      "Not compared: \($0.names.joined(separator: ", ")), undefined in \($0.why)."
    }
  }
}
