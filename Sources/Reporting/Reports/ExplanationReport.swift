package import FaceCore
internal import Platform
package import Records

/// What people read about why faces of an image were found or not, made from the explanation alone.
package struct ExplanationReport: Sendable {
  private let explanation: Explanation
  private let image: Record.Image

  /// A report with a drawing, by its file name and size.
  package init(_ explanation: Explanation, image: Record.Image) {
    self.explanation = explanation
    self.image = image
  }

  /// The answers and the drawing, then the candidates of each detector, then the settings.
  package var document: ReportDocument {
    var sections = [
      ReportDocument.Section(
        id: "answer", title: "Answer",
        blocks: explanation.sentences.map { .paragraph($0) } + [.gallery([image])]
          + (explanation.notes.isEmpty ? [] : [.notes(explanation.notes)]))
    ]
    for result in explanation.detectors {
      let tables = [leaders(of: result), suppressed(of: result)].compactMap(\.self)
      sections.append(
        ReportDocument.Section(
          id: result.detector, title: "Candidates of the \(result.detector) detector",
          blocks: tables.isEmpty
            ? [.paragraph("No candidate has a score of \(Explanation.candidateFloor) or more.")]
            : tables.map { .table($0) }))
    }
    sections.append(
      ReportDocument.Section(id: "settings", title: "Settings", blocks: [.table(settings)]))
    for index in sections.indices.dropFirst(2) { sections[index].isFolded = true }
    return ReportDocument(
      title: "FaceGauge explanation: \(explanation.source)",
      facts: ["\(explanation.size.width)x\(explanation.size.height) pixels"], sections: sections)
  }

  private func leaders(of result: Explanation.DetectorResult) -> Table? {
    let words = ExplanationWords(explanation.settings, result)
    let shown = result.candidates.filter { $0.suppressor == nil }
    guard !shown.isEmpty else { return nil }
    return Table(
      "Candidates that no better one suppresses", of: shown.prefix(Table.rowLimit),
      columns: [
        (.numbers("No."), { .text("\($0.number)") }),
        (.numbers("Score"), { .text($0.score.text()) }),
        (.words("Box, left, top, width, height"), { .text($0.box.rowText) }),
        (.words("Box after suppression"), { .text($0.look?.box.rowText ?? "–") }),
        (.numbers("Averaged"), { .text($0.look.map { "\($0.averaged)" } ?? "–") }),
        (
          .numbers("Largest threshold"),
          { .text($0.largestThreshold?.text(significantDigits: 6) ?? "–") }
        ),
        (
          .words("Region of the landmark model"),
          { .text($0.look?.region.map { $0.rowText(in: explanation.size) } ?? "–") }
        ),
        (.numbers("Presence"), { .text($0.look?.presence?.text() ?? "–") }),
        (.numbers("Points"), { .text($0.look.map { "\($0.points.count)" } ?? "–") }),
        (.words("What decided"), { .text(words.sentence(of: $0)) }),
      ],
      remark: remark(shown.count, of: result)
        + "The box after suppression, the region and the presence are those with the run's "
        + "settings, or with the lower threshold that the last column names. A candidate is a "
        + "detection with min-face-detection-confidence up to its largest threshold.",
      isWide: true)
  }

  private func suppressed(of result: Explanation.DetectorResult) -> Table? {
    let shown = result.candidates.filter { $0.suppressor != nil }
    guard !shown.isEmpty else { return nil }
    return Table(
      "Candidates that a better one suppresses", of: shown.prefix(Table.rowLimit),
      columns: [
        (.numbers("No."), { .text("\($0.number)") }),
        (.numbers("Score"), { .text($0.score.text()) }),
        (.words("Box, left, top, width, height"), { .text($0.box.rowText) }),
        (.numbers("Suppressed by"), { .text($0.suppressor.map { "\($0)" } ?? "–") }),
        (.numbers("IoU"), { .text($0.overlap?.text() ?? "–") }),
      ], remark: remark(shown.count, of: result) + "They are averaged into that candidate's box.")
  }

  private func remark(_ count: Int, of result: Explanation.DetectorResult) -> String {
    let left = count - Table.rowLimit
    return (left > 0 ? "And \(left.groupedText) more. " : "")
      + "Of \(result.answers.groupedText) answers those with a score of at least "
      + "\(Explanation.candidateFloor) are listed. "
  }

  private var settings: Table {
    let settings = explanation.settings
    var rows = [
      ("detector", settings.detector),
      ("min-face-detection-confidence", settings.minFaceDetectionConfidence.plainText),
      ("min-face-presence-confidence", settings.minFacePresenceConfidence.plainText),
      ("min-suppression-threshold", settings.minSuppressionThreshold.plainText),
      ("num-faces", "\(settings.numFaces)"), ("rotation", "\(settings.rotationDegrees)"),
    ]
    if let side = settings.minDecodedSide { rows.append(("min-decoded-side", "\(side)")) }
    return Table(
      title: "Settings", columns: [.words("Setting"), .numbers("Value")],
      rows: rows.map { [.code($0.0), .text($0.1)] })
  }
}

extension BoundingBox {
  /// Left, top, width and height in tenths of a pixel.
  package var rowText: String {
    [x, y, width, height].map { $0.text(decimals: 1) }.joined(separator: ", ")
  }
}

extension NormalizedRect {
  /// Centre, size and rotation, as in `120.0, 80.5, 64.0x64.0, turned 3.1°`.
  package func rowText(in size: ImageSize) -> String {
    let (w, h) = (Double(size.width), Double(size.height))
    let degrees = Double(rotation) * 180 / Double.pi
    return
      "\((Double(xCenter) * w).text(decimals: 1)), \((Double(yCenter) * h).text(decimals: 1)), "
      + "\((Double(width) * w).text(decimals: 1))x\((Double(height) * h).text(decimals: 1)), turned "
      + "\(degrees.text(decimals: 1))°"
  }
}
