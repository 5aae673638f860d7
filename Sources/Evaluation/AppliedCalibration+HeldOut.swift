internal import Calibration
internal import Records

extension AppliedCalibration {
  /// What a reader must know of figures on the data that the calibration was fitted on.
  struct HeldOut {
    /// One sentence, with the held-out figures.
    var warning: String
    /// The figures of the run beside the held-out ones (`calibration.held_out`).
    var table: Series
  }

  /// The held-out figures beside those of a record; nil where the calibration was fitted on another dataset.
  func heldOut(ifFittedOn sha256: String, beside record: Record) -> HeldOut? {
    guard file.dataset.sha256 == sha256 else { return nil }
    var rows: [Row] = []
    for score in file.scores {
      let figures = [
        ("ECE", "ece", score.after.expectedError), ("Brier score", "brier", score.after.brierScore),
      ]
      for (title, name, value) in figures {
        rows.append(
          Row(
            what: "\(score.of) \(title)", here: record.value("\(score.of).\(name)"),
            heldOut: value, how: "\(score.folds) folds"))
      }
    }
    for one in file.thresholds {
      rows.append(
        Row(
          what: "\(one.name), \(one.objective)", here: one.figure, heldOut: one.heldOut,
          how: "folds of the calibration"))
    }
    if let blendshapes = file.blendshapes {
      for (title, name, value) in [
        ("MAE", "mae", blendshapes.after?.meanAbsoluteError),
        ("CCC", "ccc", blendshapes.after?.concordance),
      ] {
        rows.append(
          Row(
            what: "blendshapes \(title)", here: record.value("blendshapes.\(name)"), heldOut: value,
            how: blendshapes.folds == 0
              ? "nothing was held out" : "\(blendshapes.folds) folds of \(blendshapes.heldOut)"))
      }
    }
    guard !rows.isEmpty else { return nil }
    let known = rows.compactMap { row in row.heldOut.map { "\(row.what) \($0.text(decimals: 3))" } }
    return HeldOut(
      warning:
        "WARNING: \(source) was fitted on this very dataset, so that figures of its scores, thresholds "
        + "and blendshapes look better here than they are. Held out: "
        + (known.isEmpty ? "nothing." : known.joined(separator: ", ") + "."),
      table: Series(
        name: "calibration.held_out",
        title: "Calibrated on the same data: figures of this run and held out",
        content: .table(
          Series.Table(
            columns: ["figure", "this run, on the data of the fit", "held out", "how"],
            rows: rows.map { [$0.what, Self.text($0.here), Self.text($0.heldOut), $0.how] }))))
  }

  private struct Row {
    var what: String
    var here, heldOut: Double?
    var how: String
  }

  private static func text(_ value: Double?) -> String { value?.text(decimals: 3) ?? "–" }
}

extension Record {
  /// The value of a measurement over the whole dataset; nil where there is none.
  fileprivate func value(_ name: String) -> Double? {
    measurements.first { $0.name == name && $0.slice == nil }?.value
  }
}
