internal import Platform
package import Records

/// Where a run is worst: a clip, a person, a motion, a slice and a frame, each with what is wrong there.
package struct WorstPlaces: Sendable, Hashable {
  /// One of them.
  package struct Place: Sendable, Hashable {
    /// What it is, such as `clip`.
    package var kind: String
    /// Its name.
    package var name: String
    /// What is wrong there.
    package var detail: String
    /// The worst frame in it; nil where it is one itself, or where none is known.
    package var frame: String?
    /// What selects its frames, or the worst one; nil for nothing.
    var selection: String?
  }

  /// Those that the record has, in that order.
  package let places: [Place]

  /// The places of a record.
  package init(_ record: Record) {
    let slices = SliceSearch(record)
    let known = [
      Self.clip(record), slices.place("person", dimension: "subject"),
      slices.place("motion", dimension: "motion"),
    ].compactMap { $0 }
    let slice = slices.place("slice").flatMap { place in
      known.contains { $0.selection == place.selection } ? nil : place
    }
    places = known + [slice, Self.frame(record)].compactMap { $0 }
  }

  /// A line for each place.
  package var lines: [String] {
    places.map { place in
      "worst \(place.kind): \(place.name), \(place.detail)"
        + (place.frame.map { ", at \($0)" } ?? "")
    }
  }

  /// The table of the places; nil without any.
  var table: Table? {
    guard !places.isEmpty else { return nil }
    return Table(
      title: "Where it is worst", columns: [.words("Worst"), .words("What is wrong there")],
      rows: places.map {
        [.text("\($0.kind) \($0.name)", selection: $0.selection), .text($0.detail)]
      }, isWide: true)
  }

  private static func error(_ text: String) -> String {
    Double(text) == nil ? "" : ", NME \(text)"
  }

  /// The first row of a table by column; nil where the record has none or another table.
  private static func worst<Column: RawRepresentable<String> & CaseIterable & Hashable>(
    _ name: String, in record: Record, _ columns: Column.Type
  ) -> [Column: String]? {
    guard case .table(let table)? = record.series(named: name)?.content, let row = table.rows.first,
      table.columns == columns.allCases.map(\.rawValue), row.count == table.columns.count
    else { return nil }
    return Dictionary(uniqueKeysWithValues: zip(columns.allCases, row))
  }

  private static func clip(_ record: Record) -> Place? {
    worst(SeriesName.clips, in: record, ClipColumn.self).map { row in
      func text(_ column: ClipColumn) -> String { row[column] ?? "" }
      return Place(
        kind: "clip", name: text(.clip),
        detail: "\(text(.missed)) of \(text(.labelled)) faces missed, \(text(.falseFaces)) false"
          + error(text(.error)),
        frame: text(.worst), selection: SelectionAxis.selection(ofFrame: text(.number)))
    }
  }

  private static func frame(_ record: Record) -> Place? {
    worst(SeriesName.worstFrames, in: record, WorstFrameColumn.self).map { row in
      func text(_ column: WorstFrameColumn) -> String { row[column] ?? "" }
      return Place(
        kind: "frame", name: text(.frame),
        detail: "\(text(.missed)) missed, \(text(.falseFaces)) false" + error(text(.error)),
        frame: nil, selection: SelectionAxis.selection(ofFrame: text(.number)))
    }
  }
}

/// Looks for the worst slice by the share of faces that are missed or off, then by the headline metrics.
struct SliceSearch {
  private let record: Record
  private let names: [String]

  /// The slices of a record.
  init(_ record: Record) {
    self.record = record
    let headlines = record.headlineMeasurements.filter {
      $0.better.isDirected && $0.value != nil && MetricTopic(ofMetric: $0.name) == .accuracy
    }.map(\.name)
    names =
      headlines.filter { $0.hasPrefix(MetricName.landmarkFailureRate) }
      + [MetricName.failureToAcquire] + headlines
  }

  /// The worst slice, of one dimension or of all: by the first metric in which one is worse than the whole and its gap to the
  /// best slice decisive, else by the first in which one is worse than the whole.
  func worst(in dimension: String? = nil) -> (whole: Measurement, slice: Measurement)? {
    func worst(of name: String, isDecisive: Bool) -> (whole: Measurement, slice: Measurement)? {
      let sliced = record.slices(of: name).filter {
        dimension == nil || $0.dimensionSlice?.dimension == dimension
      }
      guard sliced.count > 1, let whole = record.measurement(name), whole.value != nil else {
        return nil
      }
      let candidates =
        isDecisive
        ? sliced.filter { $0.isWorse(than: whole) && gap(of: $0)?[6] == "yes" } : sliced
      guard let worst = candidates.max(by: { $1.isWorse(than: $0) }) else { return nil }
      return (whole, worst)
    }
    if let decisive = names.lazy.compactMap({ worst(of: $0, isDecisive: true) }).first {
      return decisive
    }
    let found = names.lazy.compactMap { worst(of: $0, isDecisive: false) }
    return found.first { $0.slice.isWorse(than: $0.whole) } ?? found.first
  }

  /// The worst slice, of one dimension or of all; nil where none is worse than the whole.
  func place(_ kind: String, dimension: String? = nil) -> WorstPlaces.Place? {
    worst(in: dimension).flatMap { $0.slice.isWorse(than: $0.whole) ? place(kind, $0) : nil }
  }

  /// The row of the table of gaps in which it is the worst slice of its property.
  private func gap(of slice: Measurement) -> [String]? {
    guard case .table(let gaps)? = record.series(named: SeriesName.sliceGaps)?.content else {
      return nil
    }
    return gaps.rows.first { $0.count > 6 && $0[0] == slice.name && $0[1] == slice.slice }
  }

  /// Whether its gap to the best slice of its property is decisive among all slices; where that was not tested, how the
  /// intervals lie.
  private func evidence(_ slice: Measurement, _ whole: Measurement) -> String {
    guard let row = gap(of: slice) else { return slice.difference(from: whole) }
    return row[6] == "yes"
      ? "; its gap to \(row[2]) is decisive among all slices"
      : "; its gap to \(row[2]) is not decisive among all slices (p \(row[5]))"
  }

  private func place(
    _ kind: String, _ worst: (whole: Measurement, slice: Measurement)
  ) -> WorstPlaces.Place {
    let (whole, slice) = worst
    let name = slice.slice ?? ""
    return WorstPlaces.Place(
      kind: kind, name: kind == "slice" ? name : slice.dimensionSlice?.value ?? name,
      detail:
        "\(slice.title) \(slice.valueText) (\(slice.evidence)), against \(whole.valueText) over all"
        + evidence(slice, whole),
      frame: nil, selection: SelectionAxis.selection(ofSlice: name))
  }
}
