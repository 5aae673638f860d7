extension LandmarkJitter {
  /// A sum over sequences or faces, and how many they are.
  package struct Total: Sendable, Hashable {
    /// The sum.
    package var sum = 0.0
    /// How many were summed.
    package var count = 0
  }

  /// Sums whose means are metrics; those of sequences add up to those of all.
  package struct Totals: Sendable, Hashable {
    /// Of `jitter.static.interocular`, over sequences, in thousandths.
    package var relative = Total()
    /// Of `jitter.second`, over sequences, in pixels.
    package var second = Total()
    /// Of `lag.ms`, over faces that are followed and move, in milliseconds.
    package var lag = Total()
  }

  /// The sums over all frames so far.
  package func totals() -> Totals {
    var totals = Totals()
    for faces in continued() {
      let known = faces.filter { $0.interocular > 0 }
      if !known.isEmpty {
        totals.relative.sum += Self.root(known, times: 1000) {
          $0.smoothed / ($0.interocular * $0.interocular)
        }
        totals.relative.count += 1
      }
      let further = faces.filter { $0.second != nil }
      if !further.isEmpty {
        totals.second.sum += Self.root(further) { $0.second?.smoothed ?? 0 }
        totals.second.count += 1
      }
    }
    for lag in lags(of: tracks()) ?? [] {
      totals.lag.sum += lag
      totals.lag.count += 1
    }
    return totals
  }
}
