internal import Foundation
internal import Records
internal import Running

extension Record {
  private static let numericFacts = ["kernels", "OpenBLAS core", "BLAS"]

  /// What the run's predictions were computed with, by fact; empty where another program or a file gave them and does not say.
  private var numerics: [String: String] {
    let tracker = options[RunOption.tracker]
    let isOwnTracker = tracker.map { SeededTracker(rawValue: $0) != nil } ?? true
    if !isOwnTracker || options[RunOption.predictions] != nil {
      guard let core = options[RunOption.blasCore] else { return [:] }
      return ["kernels": options[RunOption.kernels] ?? "not recorded", "OpenBLAS core": core]
    }
    return [
      "kernels": host.kernels ?? "not recorded", "OpenBLAS core": host.blasCore,
      "BLAS": host.blasVersion.trimmingCharacters(in: .whitespaces),
    ]
  }

  /// A note where runs were computed with different instruction sets, OpenBLAS versions or cores.
  static func numericsNote(_ runs: [Record]) -> String? {
    let facts = runs.map(\.numerics)
    let differences = numericFacts.compactMap { fact -> String? in
      let values = Set(facts.compactMap { $0[fact] }).sorted()
      return values.count > 1 ? "\(fact) \(values.joined(separator: " and "))" : nil
    }
    guard !differences.isEmpty else { return nil }
    return
      "The runs were computed with different numerics (\(differences.joined(separator: "; "))). "
      + "On images that changes the last digits of points and scores. In tracked clips it moved "
      + "points by up to 3.3 pixels, and where a presence is close to its threshold it can change "
      + "which faces are found."
  }
}
