internal import Datasets
package import Records

/// One family of mistakes, tried on frames whose labels and predictions are joined.
package protocol FindingCheck: Sendable {
  /// The names of the findings that it makes.
  static var names: [String] { get }
  /// What it finds, at most one finding a name; a pure function of the sample.
  static func findings(in sample: JoinedSample) -> [Finding]
}

/// Every check, in the order in which their findings are shown.
package enum Findings {
  /// The checks.
  package static let all: [any FindingCheck.Type] = [
    EmptyCheck.self, CompletenessCheck.self, SameSidesCheck.self, CategoriesCheck.self,
    CoordinatesCheck.self, OtherImagesCheck.self, BoxesCheck.self, TimeShiftCheck.self,
    ScoresCheck.self, IdentitiesCheck.self, PointsCheck.self, CoefficientsCheck.self,
    AnglesCheck.self, PositionsCheck.self, FrozenCheck.self, LatencyCheck.self,
  ]

  /// What all checks find, suspect findings first.
  package static func of(_ sample: JoinedSample) -> [Finding] {
    var found = all.flatMap { $0.findings(in: sample) }
    if found.contains(where: { CoordinatesCheck.turned.contains($0.name) }) {
      // Motion to another side is compared first when the images are right.
      found.removeAll { TimeShiftCheck.names.contains($0.name) }
    }
    if found.contains(where: { CoordinatesCheck.scaled.contains($0.name) }) {
      // Motion of another size looks like that of another rate.
      found.removeAll { $0.name == TimeShiftCheck.rate }
    }
    if found.contains(where: { $0.name == TimeShiftCheck.shift }),
      let missing = found.firstIndex(where: { $0.name == EmptyCheck.missing })
    {
      found[missing].remedy?.append(
        " Where the predictions are moved as time.shift says, other frames lack rows: check again then."
      )
    }
    found = remedied(found, format: sample.format)
    if found.contains(where: { $0.name == CompletenessCheck.atMost }) {
      // Lower scores find no further face.
      found.removeAll { $0.name == ScoresCheck.cutOff }
    }
    if found.contains(where: { $0.name == ScoresCheck.first }) {
      // Boxes that begin with the score are on no face.
      found.removeAll { OtherImagesCheck.names.contains($0.name) }
    }
    let places = Set(CoordinatesCheck.names + OtherImagesCheck.names)
    if found.contains(where: { $0.severity == .suspect && places.contains($0.name) }) {
      // Detections that are wrong because of their place say nothing of scores.
      found.removeAll { $0.name == ScoresCheck.falling }
    }
    return found.filter { $0.severity == .suspect } + found.filter { $0.severity == .note }
  }

  /// The same where predictions of no format that is imported cannot be imported again; our own pipeline has none.
  package static func remedied(_ found: [Finding], format: String?) -> [Finding] {
    guard let format, DatasetFormats.named(format) == nil else { return found }
    return found.map {
      var finding = $0
      finding.remedy = finding.remedy?.replacing(importing, with: withoutImport)
      return finding
    }
  }

  /// How a remedy names an option of the import.
  private static let importing = "Import the predictions again with"
  /// The same where a tracker ran, or a program wrote the predictions.
  private static let withoutImport =
    "These predictions come from no import: let the tracker, or what wrote them, do what an import does with"

  /// The names of all findings.
  package static var names: [String] { all.flatMap { $0.names } }
}
