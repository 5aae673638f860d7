internal import Running

/// The options of two runs that differ and change what is measured.
package enum OptionChanges {
  /// Options that change intervals, speed or provenance alone.
  private static let others: Set<String> = [
    "resamples", "seed", "jobs", "max-bad-frames", "base", "command", "input",
    RunOption.predictions, RunOption.blasCore, RunOption.kernels, TrackerRun.turns,
  ]

  /// The changes as `name old to new`, with commas between them; nil where nothing differs.
  ///
  /// Of two trackers only what both have can differ.
  package static func text(from base: [String: String], to candidate: [String: String]) -> String? {
    let areOthers = base[RunOption.tracker] != candidate[RunOption.tracker]
    let names = Set(base.keys).union(candidate.keys).subtracting(others).sorted()
    let changed = names.filter { name in
      guard !areOthers || base[name] != nil && candidate[name] != nil else { return false }
      return base[name] != candidate[name]
    }
    guard !changed.isEmpty else { return nil }
    return changed.map { "\($0) \(base[$0] ?? "unset") to \(candidate[$0] ?? "unset")" }
      .joined(separator: ", ")
  }
}
