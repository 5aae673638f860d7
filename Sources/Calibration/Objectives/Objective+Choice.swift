internal import Records

extension Objective {
  /// What an objective comes to among some settings.
  package enum Choice: Sendable, Hashable {
    /// The best setting's index, and its figure.
    case best(index: Int, value: Double)
    /// No setting will do, and why.
    case infeasible(String)
  }

  /// The share of a figure under which two settings count as equal; sums may be rounded so much.
  static let rounding = 1e-12

  /// The best of some settings, named by index; of equal ones the first that is named.
  ///
  /// `value` gives the figure at a place of `names` for a setting; nil or NaN where it is undefined. `bounds` are
  /// those of the limits, in their order; one with a confidence and without bounds is met by no setting.
  func choice(
    among settings: some Sequence<Int>, bounds: [LimitBounds?] = [],
    value: (_ place: Int, _ setting: Int) -> Double?
  ) -> Choice {
    func meets(_ index: Int, _ setting: Int) -> Bool {
      guard let found = value(index + 1, setting) else { return false }
      guard limits[index].confidence != nil else {
        return limits[index].relation.holds(found, limits[index].bound)
      }
      guard bounds.indices.contains(index), let bounds = bounds[index] else { return false }
      return bounds.keeps(found, at: setting)
    }
    var best: (index: Int, value: Double)?
    for setting in settings {
      let meetsAll = limits.indices.allSatisfy { meets($0, setting) }
      guard meetsAll, let found = value(0, setting), !found.isNaN else { continue }
      if let known = best {
        let gain = better == .higher ? found - known.value : known.value - found
        guard gain > Self.rounding * max(abs(found), abs(known.value)) else { continue }
      }
      best = (setting, found)
    }
    if let best { return .best(index: best.index, value: best.value) }
    return .infeasible(
      reason(among: Array(settings), bounds: bounds, meets: meets, value: value))
  }

  private func reason(
    among settings: [Int], bounds: [LimitBounds?],
    meets: (_ limit: Int, _ setting: Int) -> Bool,
    value: (_ place: Int, _ setting: Int) -> Double?
  ) -> String {
    let all = settings.count == 1 ? "1 setting" : "\(settings.count) settings"
    guard !settings.isEmpty else { return "there are no settings" }
    var meeting = settings
    for (index, limit) in limits.enumerated() {
      let known = settings.compactMap { value(index + 1, $0) }.filter { !$0.isNaN }
      guard let nearest = limit.relation.side == .higher ? known.max() : known.min() else {
        return "\(limit.figure) is undefined in all of \(all)"
      }
      guard settings.contains(where: { meets(index, $0) }) else {
        if limit.confidence == nil || !limit.relation.holds(nearest, limit.bound) {
          return "none of \(all) meets \(limit), the nearest has \(Self.text(nearest))"
        }
        let own = bounds.indices.contains(index) ? bounds[index] : nil
        if let reason = own?.reason { return "\(limit) cannot be shown: \(reason)" }
        let known = settings.compactMap { setting in
          value(index + 1, setting).flatMap { own?.bound(of: $0, at: setting) }
        }
        let bound = limit.relation.side == .higher ? known.max() : known.min()
        return "none of \(all) keeps \(limit); the nearest bound is "
          + (bound.map { $0.shortText() } ?? "undefined")
      }
      meeting.removeAll { !meets(index, $0) }
    }
    guard !meeting.isEmpty else {
      return "each limit is met by some of \(all), but no setting meets all limits"
    }
    return "\(figure) is undefined in "
      + (limits.isEmpty ? "all of \(all)" : "each of the \(meeting.count) that meet the limits")
  }
}
