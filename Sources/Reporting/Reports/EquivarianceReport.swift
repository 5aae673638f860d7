internal import Platform
package import Records

/// What people read about how far outputs follow known transformations of the image.
package struct EquivarianceReport: Sendable {
  private let result: Equivariance
  /// How many coefficients are listed of each transformation.
  private static let shown = 20

  /// A report of a measurement.
  package init(_ result: Equivariance) {
    self.result = result
  }

  /// All transformations, then each.
  package var document: ReportDocument {
    let notes: [Block] = result.notes.isEmpty ? [] : [.notes(result.notes)]
    return ReportDocument(
      title: "FaceGauge equivariance: \(result.source)",
      facts: [
        counted(result.units, "unit"), result.created,
        "\(result.tool.name) \(result.tool.version)",
      ],
      sections: [result.verdicts?.section].compactMap { $0 } + [
        ReportDocument.Section(
          id: "all", title: "All transformations",
          blocks: [.paragraph(sentence)] + notes + [.table(all), .paragraph(method)])
      ]
        + result.transformations.filter { $0.faces > 0 }.map { one in
          ReportDocument.Section(id: one.name, title: one.title, blocks: blocks(one))
        })
  }

  /// What the numbers come to.
  package var sentence: String {
    guard
      let worst = result.transformations.max(by: {
        ($0.distance.value ?? 0) < ($1.distance.value ?? 0)
      }),
      worst.distance.value != nil
    else { return "No face has points in an original and in its transformed image." }
    let biased = result.transformations.map { ($0, $0.biased.first) }
      .max { ($0.1?.difference.atLeast ?? 0) < ($1.1?.difference.atLeast ?? 0) }
    let points =
      "Points move most with \(worst.name): by \(worst.distance.text) of the face's unit on average."
    guard let biased, let channel = biased.1 else {
      return points
        + (missingIntervals.map { " No difference of a coefficient has an interval: \($0)." }
          ?? " No coefficient changes by an amount that can be told from 0.")
    }
    return points
      + " The surest change of a coefficient is that of \(channel.coefficient) with \(biased.0.name): "
      + "\(channel.difference.text)."
  }

  /// Why no difference of a coefficient has an interval; nil where one has, and without coefficients.
  package var missingIntervals: String? {
    let differences = result.transformations.flatMap(\.channels).map(\.difference)
    return differences.contains { $0.low != nil } ? nil : differences.first?.reason
  }

  private var method: String {
    "A tracker that does not depend on how the face lies in the image finds in the transformed image what it "
      + "finds in the original, moved along. Faces are the same if their boxes, moved back, overlap by .3 "
      + "(intersection over union). Points are in the frame of the original face: 1 is about half the "
      + "distance from eyes to chin, y is down, x to the image's right. Differences are transformed less "
      + "original; in a mirror image left and right are exchanged back. Intervals of 95 % from resampling "
      + "\(counted(result.units, "unit")) (subjects, else stills), \(result.resamples.groupedText) "
      + "resamples, seed \(result.seed)."
  }

  private var all: Table {
    Table(
      "Faces and points", of: result.transformations,
      columns: [
        (.words("Transformation"), { .code($0.name) }),
        (.words("The image is"), { .text($0.summary) }),
        (.numbers("Faces in both"), { .text($0.faces.groupedText) }),
        (.numbers("Lost"), { .text($0.lost.groupedText) }),
        (.numbers("Gained"), { .text($0.gained.groupedText) }),
        (.numbers("Mean distance of points"), { .number($0.distance.value, decimals: 4) }),
        (.words("Interval"), { .text($0.distance.intervalText, note: $0.distance.reason) }),
        (
          .numbers("Coefficients that change"),
          { .text("\($0.biased.count) of \($0.channels.count)") }
        ),
      ],
      remark:
        "Coefficients that change: those whose mean difference has an interval without 0; of coefficients "
        + "that do not change about 1 in 20 has one by chance.",
      isWide: true)
  }

  private func blocks(_ one: Equivariance.Transformation) -> [Block] {
    var blocks: [Block] = []
    if let map = PointMap(one.points) {
      blocks.append(
        .figure(
          title: "Where points move with \(one.name)",
          caption: "Mean distance of each point from where it should be, on the mean face.",
          chart: .points(map)))
    }
    if !one.points.isEmpty {
      let far = one.points.indices.sorted { one.points[$1].offset < one.points[$0].offset }
      blocks.append(
        .table(
          Table(
            "Points with the largest mean offset", of: far.prefix(10),
            columns: [
              (.numbers("Point"), { .text("\($0)") }),
              (.numbers("To the right"), { .number(one.points[$0].dx, decimals: 4) }),
              (.numbers("Down"), { .number(one.points[$0].dy, decimals: 4) }),
              (.numbers("Mean distance"), { .number(one.points[$0].distance, decimals: 4) }),
            ])))
    }
    guard !one.channels.isEmpty else { return blocks }
    blocks.append(
      .table(
        Table(
          "Coefficients, the surest change first", of: one.ranked.prefix(Self.shown),
          columns: [
            (.words("Coefficient"), { .code($0.coefficient) }),
            (.numbers("Mean difference"), { .number($0.difference.value) }),
            (.words("Interval"), { .text($0.difference.intervalText, note: $0.difference.reason) }),
            (.numbers("Mean size of the difference"), { .number($0.magnitude.value) }),
          ], isWide: true)))
    return blocks
  }
}

extension Equivariance.Transformation {
  fileprivate var title: String { name.prefix(1).uppercased() + name.dropFirst() + ": \(summary)" }

  /// The coefficients, the surest change first, then by size.
  package var ranked: [Equivariance.Channel] {
    channels.enumerated().sorted { first, second in
      let (a, b) = (first.element.difference, second.element.difference)
      return (b.atLeast, (b.value ?? 0).magnitude, first.offset)
        < (a.atLeast, (a.value ?? 0).magnitude, second.offset)
    }.map(\.element)
  }

  /// Those whose interval excludes 0.
  package var biased: [Equivariance.Channel] { ranked.filter { $0.difference.atLeast > 0 } }
}

extension Equivariance.PointOffset {
  fileprivate var offset: Double { (dx * dx + dy * dy).squareRoot() }
}

extension PointMap {
  /// The mean distances of points, where they lie on the mean face; nil without points.
  fileprivate init?(_ points: [Equivariance.PointOffset]) {
    self.init(
      errors: Series.Line(
        label: "points", x: points.indices.map(Double.init), y: points.map(\.distance)),
      positions: Series.Line(label: "points", x: points.map(\.x), y: points.map(\.y)))
    errorName = "mean distance"
  }
}
