internal import Calibration
internal import Platform
internal import Records

extension RecommendedSettings {
  /// The metrics with these values and with the defaults, without a full stop.
  var evidence: String {
    guard let reached, !reached.isEmpty else {
      let value = metric?.text(decimals: 3) ?? "undefined"
      return "The objective's metric with these settings: \(value)\(Self.text(interval, unit: "1"))"
    }
    return reached.map(\.sentence).joined(separator: "; ")
  }

  fileprivate static func text(_ interval: Interval, unit: String) -> String {
    guard let low = interval.low, let high = interval.high else { return " without an interval" }
    return " (\((100 * interval.level).shortText()) % \(Measurement.text(of: low, unit: unit)) to "
      + "\(Measurement.text(of: high, unit: unit))\(interval.scopeText))"
  }
}

extension RecommendedSettings.Reached {
  fileprivate var sentence: String {
    let value = "\(title) \(text(here)) "
    guard !isDefault else { return value + "with these settings, the default" }
    guard let atDefault else { return value + "with these settings; the default was not tried" }
    return value + "with these settings, \(text(atDefault)) with the default"
      + difference(from: atDefault)
  }

  private func text(_ figure: Figure) -> String {
    guard let value = figure.value else { return "undefined" }
    return Measurement.text(of: value, unit: unit)
      + RecommendedSettings.text(figure.interval, unit: unit)
  }

  /// By how much the value on this data is better or worse; empty where that is not known.
  private func difference(from standard: Figure) -> String {
    guard let value = here.value, let other = standard.value else { return "" }
    guard value != other else { return ", the same" }
    guard better.isDirected, better != .closest || target != nil else { return "" }
    let change = target.map { abs(value - $0) - abs(other - $0) } ?? (value - other)
    guard change != 0 else { return ", as good" }
    return ", \(Measurement.text(of: change.magnitude, unit: unit)) "
      + ((change > 0) == (better == .higher) ? "better" : "worse")
  }
}
