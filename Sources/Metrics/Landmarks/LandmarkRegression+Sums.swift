extension LandmarkRegression {
  /// What faces that a fit has scored come to.
  package typealias Sums = NamedSums<Count, Amount, Double>

  /// Faces with the points of each normaliser.
  package enum Count: Int, SumName {
    /// Labelled faces, those found, and those of them that the fit has scored.
    case labelled, found, fitted

    package static let sets = all + 1
    /// The set of all faces, after those of the normalisers.
    static let all = LandmarkNormalizer.allCases.count
  }

  /// Errors over each normaliser.
  package enum Amount: Int, SumName {
    /// By the table, and after the fit.
    case table, regressed

    package static let sets = LandmarkNormalizer.allCases.count
  }

  /// The sums over the faces that are there, as the fit has scored them.
  package func sums() -> Sums {
    var sums = Sums()
    for face in frames.entries.joined() {
      sums[.labelled, Count.all] += 1
      for (index, length) in face.normalizers.enumerated() {
        guard let length else { continue }
        sums[.labelled, index] += 1
        guard let table = face.table else { continue }
        sums[.found, index] += 1
        sums[.table, index] += table.whole / length
        guard let regressed = face.regressed else { continue }
        sums[.fitted, index] += 1
        sums[.regressed, index] += regressed.whole / length
      }
    }
    return sums
  }
}
