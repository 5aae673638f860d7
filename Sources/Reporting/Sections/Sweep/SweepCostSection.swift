internal import Platform
import Records

extension ReportSection {
  /// How much the sweep computed, compared with full runs of all settings.
  package static let sweepCost = ReportSection(
    id: "sweep-cost", title: "Cost of the sweep", claims: { _ in false },
    blocks: { record in
      guard let cost = record.sweep?.cost else { return [] }
      guard cost.inferencesOfFullRuns > 0 else {
        return [
          .paragraph(
            "No model ran: \(counted(cost.settings, "setting")) were applied to the stored faces of "
              + "\(counted(cost.frames, "frame")).")
        ]
      }
      let saved =
        cost.inferences > 0
        ? ": \((Double(cost.inferencesOfFullRuns) / Double(cost.inferences)).text(significantDigits: 2))"
          + " times less" : ""
      var facts = [
        ("Settings", cost.settings.groupedText),
        ("Frames of one run", cost.frames.groupedText),
        ("Inferences of the detector", cost.detectorInferences.groupedText),
        ("Inferences of the landmark model", cost.landmarkInferences.groupedText),
        ("Inferences of the blendshape model", cost.blendshapeInferences.groupedText),
        ("All inferences", cost.inferences.groupedText),
        ("Inferences of full runs", cost.inferencesOfFullRuns.groupedText),
      ]
      if let tracks = cost.distinctTracks { facts.append(("Distinct tracks", tracks.groupedText)) }
      return [
        .paragraph(
          "\(counted(cost.inferences, "inference")) instead of "
            + "\(cost.inferencesOfFullRuns.groupedText)\(saved)."),
        .table(
          title: "What ran", columns: [.words("What"), .numbers("Count")],
          rows: facts.map { [.text($0.0), .text($0.1)] }),
      ]
    })
}
