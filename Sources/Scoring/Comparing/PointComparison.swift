internal import FaceCore
internal import Metrics

/// Makes the points of runs the same thing before they are compared.
enum PointComparison {
  /// Where runs have points of different schemes, compares all of them with labels in one scheme; returns what a reader
  /// must know.
  ///
  /// Otherwise each run were compared with the labels that its own points fit best, one with 68 and one with five, and
  /// the difference were that of the labels.
  static func align(
    _ runs: inout [StoredRun.Opened], names: [String], isLabelled: Bool
  ) -> [String] {
    let withPoints = runs.indices.filter { runs[$0].tracker.noPoints == nil }
    let schemes = withPoints.map { runs[$0].tracker.scheme }
    guard Set(schemes).count > 1 else { return [] }
    let shared = LandmarkCorrespondence.shared(by: schemes)
    for index in withPoints { runs[index].tracker.comparedSchemes = shared }
    guard isLabelled else { return [] }
    let owners = withPoints.map { "\(names[$0]) \(runs[$0].tracker.scheme.name)" }
      .joined(separator: ", ")
    guard !shared.isEmpty else {
      return [
        "Landmarks are not compared with labels: no scheme has counterparts in the points of all runs (\(owners))."
      ]
    }
    let choice = shared.map(\.name).joined(separator: ", else ")
    return [
      "Landmarks are compared with labels in \(choice), for which all runs have points (\(owners)). "
        + "A run's own report can use labels in another scheme."
    ]
  }
}
