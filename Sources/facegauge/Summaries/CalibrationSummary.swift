import Calibration
import CommandSyntax
import Foundation
import Platform
import Records

/// The summary that `calibrate` prints.
enum CalibrationSummary {
  /// Before and after of each score, thresholds, blendshapes and clocks, notes, and where the files are.
  static func text(_ file: CalibrationFile, output: String, report: String?) -> String {
    var lines = ["\(file.dataset.name): \(file.dataset.frames) frames"]
    for score in file.scores {
      let chosen = score.attempts.first {
        $0.negativeLogLikelihood == score.after.negativeLogLikelihood
      }
      lines.append(
        "  \(score.of): \(chosen?.method ?? "–"), \(score.cases) cases of \(score.clusters) clusters; "
          + "held out in \(score.folds) folds")
      lines.append(
        "    ECE \(number(score.before?.expectedError)) → \(number(score.after.expectedError)), "
          + "Brier \(number(score.before?.brierScore)) → \(number(score.after.brierScore)), "
          + "NLL \(number(score.before?.negativeLogLikelihood)) → "
          + number(score.after.negativeLogLikelihood)
          + (score.gain.map { gain in
            " (falls by \(gain.value.shortText())\(range(gain.interval)))"
          } ?? ""))
    }
    if let one = file.detectionThreshold {
      lines.append(
        "  detection: score ≥ \(one.threshold)\(range(one.interval)), \(one.objective) "
          + "\(number(one.metric))\(range(one.metricInterval)), held out \(number(one.heldOut)), "
          + "at \(one.present) \(number(one.presentMetric))")
      lines += (one.warnings.map { "warning: \($0)" } + alone(one.limits)).map { "    \($0)" }
      lines.append("    apply it with --min-face-detection-confidence \(one.threshold)")
    }
    for one in file.thresholds {
      lines.append(
        "  \(one.name): \(one.value) \(one.isActiveAbove ? ">" : "≤") \(one.threshold)"
          + "\(range(one.interval)), \(one.objective) \(number(one.metric))"
          + "\(range(one.metricInterval)), held out "
          + "\(number(one.heldOut)), at \(one.present) \(number(one.presentMetric))")
      lines += (one.warnings.map { "warning: \($0)" } + alone(one.limits)).map { "    \($0)" }
    }
    if let blendshapes = file.blendshapes {
      if let before = blendshapes.before, let after = blendshapes.after {
        lines.append(
          "  blendshapes: MAE \(number(before.meanAbsoluteError)) → "
            + "\(number(after.meanAbsoluteError)), CCC \(number(before.concordance)) → "
            + "\(number(after.concordance)); \(blendshapes.faces) faces, held out in "
            + "\(blendshapes.folds) folds of \(blendshapes.heldOut)")
      } else {
        lines.append(
          "  blendshapes: at rest, from \(blendshapes.faces) faces; no faces were held out")
      }
    }
    for (name, offset) in file.timeOffsets.sorted(by: { $0.key < $1.key }) {
      let error = offset.standardError.map { " ± \(String(format: "%.4f", $0))" } ?? ""
      let evidence = offset.correlation.map {
        "correlation \(number($0)), next best \(number(offset.secondCorrelation)), "
          + "\(offset.agreeing) of \(offset.channels.count) coefficients agree"
      }
      lines.append(
        "  clock of \(name): \(String(format: "%+.3f", offset.seconds))\(error) s, "
          + (evidence ?? "given"))
      if let rate = offset.rate, let error = offset.rateStandardError {
        lines.append(
          "    its rate: "
            + (rate == 0
              ? "no significant difference" : String(format: "%+.4f %%", rate * 100))
            + String(format: " (± %.4f %%)", error * 100))
      }
    }
    if let settings = file.settings {
      let values = settings.values.sorted { $0.key < $1.key }.map {
        "\($0.key) \($0.value.plainText)"
      }
      lines.append(
        "  settings: \(values.joined(separator: ", ")); \(settings.objective ?? "no objective") "
          + number(settings.metric))
      lines.append("    verdict: \(settings.verdict)")
      lines += settings.warnings.map { "    warning: \($0)" }
    }
    lines += file.notes.map { "note: \($0)" }
    lines.append("calibration: \(output)")
    if let report { lines.append("report: \(report)/report.html") }
    return lines.printed
  }

  /// The best threshold on this data alone, if a limit has a confidence.
  private static func alone(_ limits: ThresholdLimits?) -> [String] {
    guard let limits, let plain = limits.plainThreshold else { return [] }
    let share = limits.brokenShare.map {
      "; a threshold chosen this way breaks a limit in \(($0 * 100).shortText()) % of resamples"
    }
    return ["on this data alone: \(plain), \(number(limits.plainMetric))\(share ?? "")"]
  }

  private static func range(_ interval: Interval) -> String {
    interval.endsText { $0.shortText() }.map { " (95 % \($0))" } ?? ""
  }

  private static func number(_ value: Double?) -> String {
    value.map { String(format: "%.3f", $0) } ?? "–"
  }
}
