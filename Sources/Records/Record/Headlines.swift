internal import Platform

extension Record {
  /// The metrics that stand for the run, over all frames, in reading order; those without a value give why.
  package var headlineMeasurements: [Measurement] {
    let whole = measurements.filter { $0.slice == nil }
    return headlines.compactMap { name in whole.first { $0.name == name } }
  }
}

extension Measurement {
  /// Both ends of the interval, such as `0.93 to 0.97`, and whether it is of one clip only; nil without one.
  package var intervalText: String? { intervalText(unit: "") }

  /// The same with a unit after the ends, such as ` ms`.
  package func intervalText(unit suffix: String) -> String? {
    let (decimals, least) = unit == "1" ? (3, 0.01) : (2, 0.1)
    let text = interval.endsText { end in
      end != 0 && end.magnitude < least
        ? end.text(significantDigits: 3) : end.text(decimals: decimals)
    }
    return text.map { $0 + suffix + interval.scopeText }
  }

  /// Both ends, or why there are none; "no interval" of a metric that never has one.
  package var intervalNote: String {
    intervalText ?? (interval == .notComputed ? nil : interval.reason) ?? "no interval"
  }
}
