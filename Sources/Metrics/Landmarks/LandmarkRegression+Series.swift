internal import FaceCore
package import Records

extension LandmarkRegression {
  /// Errors of found faces by the table and regressed, for each scheme of labels and each part; nil without any.
  ///
  /// `landmarks.correspondence`: over the first normaliser that a face of the scheme has.
  package func comparison() -> Series? {
    let rows = schemes.flatMap { scheme -> [[String]] in
      let parts = ["all points"] + FacePart.allCases.map(\.rawValue)
      return parts.enumerated().compactMap { row, part in
        func pixels(_ means: Means?) -> Double? {
          row == 0 ? means?.whole : means.flatMap { $0.parts[row - 1] }
        }
        func error(_ pixels: (Face) -> Double?) -> Double? {
          Self.mean(scheme.found, scheme.length, pixels)
        }
        guard let table = error({ pixels($0.table) }) else { return nil }
        let regressed = error { pixels($0.regressed) }
        return [
          scheme.scheme.name, part, LandmarkNormalizer.allCases[scheme.length].rawValue,
          scheme.found.count { pixels($0.table) != nil }.groupedText,
          table.text(decimals: 4), regressed?.text(decimals: 4) ?? "–",
          regressed.map { (table - $0).text(decimals: 4) } ?? "–",
        ]
      }
    }
    guard !rows.isEmpty else { return nil }
    return Series(
      name: "landmarks.correspondence",
      title: "NME of found faces by the table of points and regressed",
      content: .table(
        Series.Table(
          columns: [
            "Labels", "Points", "Normaliser", "Faces", "By the table", "Regressed", "Difference",
          ], rows: rows)))
  }

  /// What a reader must know of errors that a table has a part in.
  package func notes() -> [String] {
    schemes.compactMap { scheme in
      let way =
        "Landmarks are compared with labels in \(scheme.scheme.name) by a table of points"
      if let problem = scheme.problem {
        return "\(way), whose part in the error is not known: \(problem)."
      }
      guard let table = Self.mean(scheme.found, scheme.length, { $0.table?.whole }), table > 0,
        let regressed = Self.mean(scheme.found, scheme.length, { $0.regressed?.whole })
      else { return nil }
      let share = ((table - regressed) / table * 100).text(decimals: 0)
      return "\(way), which has a part in the error: of an NME of \(table.text(decimals: 4)) by "
        + "\(LandmarkNormalizer.allCases[scheme.length].rawValue) over the found faces, "
        + "\((table - regressed).text(decimals: 4)) (\(share) %) goes when the points are fitted to "
        + "the labels of other pictures, \(regressed.text(decimals: 4)) stays."
    }
  }

  /// The faces found of one scheme of labels that have a normaliser, the first that one has.
  private struct SchemeFaces {
    let scheme: LandmarkScheme
    let found: [Face]
    let length: Int
    let problem: String?
  }

  private var schemes: [SchemeFaces] {
    let fitted = fitted
    let found = fitted.faces.filter { $0.table != nil }
    return LandmarkScheme.all.compactMap { scheme in
      let own = found.filter { $0.scheme == scheme }
      let length = LandmarkNormalizer.allCases.indices.first { index in
        own.contains { $0.normalizers[index] != nil }
      }
      return length.map { length in
        SchemeFaces(
          scheme: scheme, found: own.filter { $0.normalizers[length] != nil }, length: length,
          problem: fitted.problems?[scheme])
      }
    }
  }
}
