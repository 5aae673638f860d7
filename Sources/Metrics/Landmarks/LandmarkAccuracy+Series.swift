internal import FaceCore
package import Records

extension LandmarkAccuracy {
  /// Cumulative error distribution (`landmarks.ced.<normaliser>`) from 0 to 0.2; nil without faces.
  ///
  /// Share of labelled faces with an NME of x or less at 201 values of x; missed faces are in no x.
  package func cumulativeErrors(by normalizer: LandmarkNormalizer) -> Series? {
    guard let index = LandmarkNormalizer.allCases.firstIndex(of: normalizer),
      let shares = curves.shares(index)
    else { return nil }
    let x = ErrorCounts.limits
    func share(_ limit: Double) -> Double {
      x.lastIndex { $0 <= limit }.map { shares[$0] } ?? 0
    }
    return Series(
      name: SeriesName.cumulativeErrors + normalizer.rawValue,
      title: "Cumulative errors by \(normalizer.rawValue)",
      xLabel: "NME (by \(normalizer.rawValue))", yLabel: "share of labelled faces",
      lines: [Series.Line(label: "all labelled faces", x: x, y: shares)],
      marks: Self.thresholds.map { Series.Mark(label: "at \($0)", x: $0, y: share($0)) })
  }

  /// Mean error of each point over found faces, over the interocular distance; nil without any.
  ///
  /// `landmarks.points.interocular`: one line a scheme of labels; x is the point, counted from 0.
  package func pointCurve() -> Series? {
    let lines = pointLines { errors, known in
      (known.map(Double.init), known.compactMap { errors.mean($0) })
    }
    guard !lines.isEmpty else { return nil }
    return Series(
      name: SeriesName.pointErrors, title: "Mean error of each point by interocular",
      xLabel: "point", yLabel: "mean error of found faces (by interocular)", lines: lines)
  }

  /// Mean place of each point's labels over the same faces; nil without any.
  ///
  /// `landmarks.places.interocular`: lines and points as in `landmarks.points.interocular`. The outer eye corners
  /// lie at (−0.5, 0) and (0.5, 0), y points down.
  package func pointPlaces() -> Series? {
    let lines = pointLines { errors, known in
      let places = known.compactMap { errors.place($0) }
      return (places.map(\.x), places.map(\.y))
    }
    guard !lines.isEmpty else { return nil }
    return Series(
      name: SeriesName.pointPositions, title: "Mean place of each point by interocular",
      xLabel: "to the right (by interocular)", yLabel: "down (by interocular)", lines: lines)
  }

  /// A line a scheme of labels, over the points that some face has.
  private func pointLines(
    _ values: (PointErrors, [Int]) -> (x: [Double], y: [Double])
  ) -> [Series.Line] {
    pointErrors.sorted { $0.key < $1.key }.map { name, errors in
      let (x, y) = values(errors, errors.counts.indices.filter { errors.counts[$0] > 0 })
      return Series.Line(label: name, x: x, y: y)
    }
  }
}
