internal import Platform
package import Records

/// What people read about how predicted coefficients respond to labelled ones.
package struct ResponseReport: Sendable {
  private let response: Response
  /// How many curves are drawn.
  private static let curves = 6

  /// A report of a measurement.
  package init(_ response: Response) {
    self.response = response
  }

  /// Each coefficient, then what else moves, then how it was measured.
  package var document: ReportDocument {
    ReportDocument(
      title: "FaceGauge response: \(response.source)",
      facts: [
        counted(response.faces, "face"), counted(response.units, "unit"), response.created,
        "\(response.tool.name) \(response.tool.version)",
      ], sections: [response.verdicts?.section].compactMap(\.self) + sections)
  }

  private var sections: [ReportDocument.Section] {
    let notes: [Block] = response.notes.isEmpty ? [] : [.notes(response.notes)]
    // Blocks have a type before they are joined: the compiler takes minutes for the whole at once.
    var each: [Block] = [.paragraph(sentence)]
    each += notes
    each.append(.table(gains))
    each += curves
    each += images
    var how: [Block] = [.paragraph(method)]
    if !response.leftOut.isEmpty { how.append(.table(leftOut)) }
    let others: [Block] = matrix + [.table(self.others)]
    return .init([
      ("gains", "Each coefficient", each),
      ("matrix", "What else moves", others),
      ("calibration", "What a calibration gains", [.table(calibration)]),
      ("method", "How it was measured", how),
    ])
  }

  /// What the numbers come to.
  package var sentence: String {
    let channels = response.channels
    let strong = channels.count { ($0.gain.value ?? 0) >= Response.strongGain }
    let weak = channels.count { ($0.gain.value ?? 0).magnitude < Response.weakGain }
    let first = channels.count { $0.ownRank == 1 }
    return "Of \(counted(channels.count, "coefficient")) \(strong) "
      + "\(strong == 1 ? "has" : "have") a gain of .5 or more, and \(weak) of less than .05 either "
      + "way. The mean gain is \(response.meanGain.text). For \(first) the own prediction moves most."
  }

  private var gains: Table {
    let delays = response.channels.contains { $0.clips > 0 }
    return Table(
      "How the prediction follows its label, largest gain first", of: response.ranked,
      columns: [
        (.words("Coefficient"), { .code($0.coefficient) }),
        (.numbers("Gain"), { .number($0.gain.value) }),
        (.numbers("Interval"), { .text($0.gain.intervalText, note: $0.gain.reason) }),
        (.numbers("Whole range"), { .number($0.wholeGain.value) }),
        (.numbers("At 0"), { .number($0.offset.value) }),
        (.numbers("Nonlinearity"), { .number($0.nonlinearity.value) }),
        (.numbers("Dead to"), { .number($0.deadZone.value, decimals: 2) }),
        (.numbers("Saturated from"), { .number($0.saturation.value, decimals: 2) }),
        (.numbers("Own rank"), { .text("\($0.ownRank)") }),
        (.numbers("Own share"), { .number($0.ownShare.value, decimals: 2) }),
        (
          .numbers("Delay in frames"),
          { delays ? .number($0.delayFrames.value, decimals: 2) : nil }
        ),
        (.numbers("in ms"), { delays ? .number($0.delayMilliseconds.value, decimals: 0) : nil }),
        (.numbers("Clips"), { delays ? .text("\($0.clips)") : nil }),
      ],
      remark:
        "Gain: change of the prediction per 1 of its label, all other labels and the head held; 1 "
        + "follows. Whole range: rise from the lowest level of the label to the highest, per 1. At 0: the "
        + "prediction where all labels are 0. Nonlinearity: largest distance from a straight line, over "
        + "the rise. Dead to, saturated from: labels at which a tenth and nine tenths of the rise are done; "
        + ".10 and .90 for a straight line. Own rank: 1 where no other prediction moves more with this label. "
        + "Own share: its squared slope over those of all predictions. – where the prediction rises by less "
        + "than .05. response.json has an interval for each number.",
      isWide: true)
  }

  private var curves: [Block] {
    let shown = response.ranked.filter { $0.curve.labels.count > 1 }.prefix(Self.curves)
    guard !shown.isEmpty else { return [] }
    let lines = shown.map {
      Series.Line(label: $0.coefficient, x: $0.curve.labels, y: $0.curve.predictions)
    }
    return [
      .figure(
        title: "Prediction over the label, the largest gains",
        caption: "Mean prediction at levels of the label, all other labels at 0. A tracker that "
          + "follows gives a straight line from 0 to 1.",
        chart: .curve(
          Series.Curve(xLabel: "label", yLabel: "prediction", lines: Array(lines))))
    ]
  }

  private var images: [Block] {
    response.images.isEmpty
      ? [] : [.heading("Smallest gains, each at its highest label"), .gallery(response.images)]
  }

  private var matrix: [Block] {
    guard response.channels.contains(where: { $0.gain.low != nil }) else { return [] }
    return [
      .figure(
        title: "How much a prediction (row) moves with a label (column)",
        caption:
          "Change per 1 of the label, or per 10° of a labelled angle, all others held. A cell without "
          + "colour may be within .02 of 0. Point at a cell for its interval.",
        chart: .slopes(SlopeMatrix(response.matrix, hasOwn: true)))
    ]
  }

  private var others: Table {
    let pairs = zip(response.matrix.rows, response.matrix.slopes).flatMap { row, slopes in
      zip(response.matrix.columns, slopes).filter { $0.0 != row }
        .map { (row: row, column: $0.0, slope: $0.1) }
    }
    let hasIntervals = pairs.contains { $0.slope.low != nil }
    func size(_ slope: Leakage.Slope) -> Double {
      hasIntervals ? slope.atLeast : slope.value.magnitude
    }
    let sure = pairs.filter { size($0.slope) > 0 }.enumerated()
      .sorted { (size($1.element.slope), $0.offset) < (size($0.element.slope), $1.offset) }
    return Table(
      "Largest moves of a prediction with another label, or with the head",
      of: sure.prefix(20).map(\.element),
      columns: [
        (.words("Prediction"), { .code($0.row) }),
        (.words("Moves with"), { .code($0.column) }),
        (.numbers("Change"), { .number($0.slope.value) }),
        (.words("Interval"), { .text($0.slope.intervalText, note: $0.slope.reason) }),
      ],
      remark: (hasIntervals
        ? "\(sure.count.groupedText) of \(counted(pairs.count, "slope")) have an interval without 0; of slopes "
          + "that are all 0 about 1 in 20 has one by chance. "
        : "No slope has an interval. ")
        + "Change per 1 of a label, or per 10° of an angle.",
      isWide: true)
  }

  private var calibration: Table {
    func gain(_ channel: Response.Channel) -> Double {
      (channel.rmsError.value ?? 0) - (channel.calibratedError ?? channel.rmsError.value ?? 0)
    }
    let ranked = response.channels.enumerated().sorted {
      (gain($1.element), $0.offset) < (gain($0.element), $1.offset)
    }.map(\.element)
    return Table(
      "RMS error, and after a straight line fitted to the other people or clips", of: ranked,
      columns: [
        (.words("Coefficient"), { .code($0.coefficient) }),
        (.numbers("RMS error"), { .number($0.rmsError.value) }),
        (.numbers("Calibrated"), { .number($0.calibratedError) }),
        (.numbers("Label = intercept"), { .number($0.calibration?.intercept) }),
        (.numbers("+ slope × prediction"), { .number($0.calibration?.slope) }),
      ],
      remark:
        "Over all faces as they are mixed in this dataset. Where most labels are 0, a line that "
        + "predicts 0 has a small error too.",
      isWide: true)
  }

  private var method: String {
    "Least squares of each predicted coefficient on all labelled ones and the labelled angles of the head, "
      + "within each person or clip; each slope with all others held. \(counted(response.faces, "face")) of "
      + "\(counted(response.frames, "frame")); \(response.missed.groupedText) labelled faces were missed. "
      + "Intervals of 95 % from resampling \(counted(response.units, "unit")) (\(response.resampled)), "
      + "\(response.resamples.groupedText) resamples, seed \(response.seed). Delays by the largest "
      + "correlation of prediction and label in each clip."
  }

  private var leftOut: Table {
    Table(
      title: "Coefficients without numbers", columns: [.words("Coefficient"), .words("Why")],
      rows: response.leftOut.map { [.code($0.coefficient), .text($0.reason)] })
  }
}
