internal import Platform

extension Sweep {
  /// Which setting to use, and why: the same words in every output.
  package struct Verdict: Sendable, Hashable {
    /// Its position among the settings.
    package let setting: Int
    /// Whether it is the default.
    package let keepsDefault: Bool
    /// What to do and why, without a full stop.
    package let text: String
  }

  /// What follows from an objective; nil where no setting meets it.
  ///
  /// The default is kept unless another setting is shown to be better without finding fewer faces, or the default
  /// breaks a limit.
  package func verdict(of advice: Advice) -> Verdict? {
    guard let best = advice.setting, settings.indices.contains(best) else { return nil }
    let use = "use \(words(ofSetting: best, for: advice))"
    guard let base = defaultSetting, settings.indices.contains(base), let gain = advice.gain else {
      return Verdict(setting: best, keepsDefault: false, text: "\(use): the default was not tried")
    }
    let keep = "keep the default (\(words(ofSetting: base)))"
    func kept(_ why: String) -> Verdict {
      Verdict(setting: base, keepsDefault: true, text: "\(keep): \(why)")
    }
    let metric = metrics.first { $0.name == advice.metric }
    func number(_ value: Double) -> String {
      let text = value.text(significantDigits: 3)
      return metric.map { text + Measurement.unitSuffix($0.unit) } ?? text
    }
    let level = (gain.interval.level * 100).shortText()
    let range = gain.interval.text(number).map { " (\(level) %: \($0))" } ?? ""
    let amount = gain.value.map { "\(number($0))\(range)" } ?? "an unknown amount"
    let other = "the best on this data, \(words(ofSetting: best, for: advice)), gains \(amount)"
    switch gain.conclusion {
    case .isDefault: return kept("no setting that was tried is better on this data")
    case .noEvidence: return kept("no evidence that another setting is better; \(other)")
    case .losesFaces:
      return kept(
        "\(other), and finds fewer faces"
          + (loss(at: best, from: base).map { ": \($0)" } ?? ""))
    case .unknown:
      return kept("not tested, \(gain.interval.reason ?? "there is no interval"); \(other)")
    case .better:
      return Verdict(
        setting: best, keepsDefault: false,
        text: "\(use): better than the default (\(words(ofSetting: base))) in \(advice.metric) by "
          + amount)
    case .defaultBreaksLimit:
      return Verdict(
        setting: best, keepsDefault: false,
        text: "\(use): the default (\(words(ofSetting: base))) breaks a limit"
          + (Self.foundFaces.contains(where: advice.names)
            ? "" : loss(at: best, from: base).map { "; \($0)" } ?? ""))
    }
  }

  /// The metrics that tell how many faces are found, the better one first.
  package static let foundFaces = ["recall", "coverage"]

  /// By how much fewer faces a setting finds than another, such as `recall falls from 0.800 to 0.137`; nil for no fewer.
  private func loss(at setting: Int, from base: Int) -> String? {
    for name in Self.foundFaces {
      guard let column = columns[name], let before = column[base], let after = column[setting]
      else { continue }
      return after < before
        ? "\(name) falls from \(before.text(significantDigits: 3)) to \(after.text(significantDigits: 3))"
        : nil
    }
    return nil
  }

  /// Whether a parameter moves the metric of an objective or one of its limits, between any two settings that differ in
  /// it alone; nil where there are none.
  package func isEffective(_ parameter: Int, for advice: Advice) -> Bool? {
    let names = metrics.map(\.name).filter(advice.names)
    let lines = Dictionary(grouping: settings.indices) { setting in
      settings[setting].indices.filter { $0 != parameter }.map { settings[setting][$0] }
    }
    .values.filter { $0.count > 1 }
    guard !lines.isEmpty else { return nil }
    return lines.contains { line in
      names.contains { name in
        guard let column = columns[name] else { return false }
        return line.contains { column[$0] != column[line[0]] }
      }
    }
  }

  /// The values of a setting with the names of their parameters.
  ///
  /// If an objective is given, a parameter without effect is marked.
  private func words(ofSetting setting: Int, for advice: Advice? = nil) -> String {
    zip(parameters.indices, settings[setting]).map { parameter, value in
      let text =
        "\(parameters[parameter].name) \(value.plainText)\(Measurement.unitSuffix(parameters[parameter].unit))"
      guard let advice, isEffective(parameter, for: advice) == false else { return text }
      return text + " (no effect)"
    }
    .joined(separator: ", ")
  }
}
