internal import Platform

extension LandmarkRegression {
  /// What faces that a fit has scored come to.
  package struct Sums: ClusterSums {
    /// Of the faces with the points of one normaliser.
    struct Length: Packable {
      /// Labelled faces, those found, and those of them that the fit has scored.
      var labelled = 0, found = 0, fitted = 0
      /// Sums of the errors over the normaliser, by the table and after the fit.
      var table = 0.0, regressed = 0.0

      func pack(into row: inout RowWriter) { row.write(labelled, found, fitted, table, regressed) }

      init(from row: inout RowReader) {
        (labelled, found, fitted) = (row.read(), row.read(), row.read())
        (table, regressed) = (row.read(), row.read())
      }

      init() {}
    }

    /// Labelled faces.
    var labelled = 0
    /// In the order of `LandmarkNormalizer`.
    var lengths = LandmarkNormalizer.allCases.map { _ in Length() }

    package init() {}

    package mutating func add(_ other: Sums, times: Int) {
      labelled += times * other.labelled
      for (index, one) in other.lengths.enumerated() {
        lengths[index].labelled += times * one.labelled
        lengths[index].found += times * one.found
        lengths[index].fitted += times * one.fitted
        lengths[index].table += Double(times) * one.table
        lengths[index].regressed += Double(times) * one.regressed
      }
    }

    package var numbers: [Double] {
      [Double(labelled)]
        + lengths.flatMap {
          [Double($0.labelled), Double($0.found), Double($0.fitted), $0.table, $0.regressed]
        }
    }

    package init(numbers: inout ArraySlice<Double>) {
      labelled = Int(numbers.removeFirst())
      for index in lengths.indices {
        lengths[index].labelled = Int(numbers.removeFirst())
        lengths[index].found = Int(numbers.removeFirst())
        lengths[index].fitted = Int(numbers.removeFirst())
        lengths[index].table = numbers.removeFirst()
        lengths[index].regressed = numbers.removeFirst()
      }
    }

    package func pack(into row: inout RowWriter) { row.write(labelled, lengths) }

    package init(from row: inout RowReader) { (labelled, lengths) = (row.read(), row.read()) }
  }

  /// The sums over the faces that are there, as the fit has scored them.
  package func sums() -> Sums {
    var sums = Sums()
    for face in frames.entries.joined() {
      sums.labelled += 1
      for (index, length) in face.normalizers.enumerated() {
        guard let length else { continue }
        sums.lengths[index].labelled += 1
        guard let table = face.table else { continue }
        sums.lengths[index].found += 1
        sums.lengths[index].table += table.whole / length
        guard let regressed = face.regressed else { continue }
        sums.lengths[index].fitted += 1
        sums.lengths[index].regressed += regressed.whole / length
      }
    }
    return sums
  }
}
