internal import Platform

extension AttributeAccuracy {
  /// Numbers that follow their labels on another scale, as intensities of 0 to 1 and of 0 to 5 do, or a class numbered the
  /// other way round.
  ///
  /// The correlation is .9 or more, either way, and the concordance less than .7: a tracker that is only inaccurate on the
  /// scale of its labels has a smaller difference between both.
  package var scaleNotes: [String] {
    zip(rules.rules, columns().columns).compactMap { rule, column in
      let found = column.found
      guard rule.kind == .number, rule.scale == 1, rule.offset == 0, !rule.isOfAngle,
        found.labelled.count >= Self.pairsOfScale,
        let agreement = PairedAgreement(predicted: found.predicted, labelled: found.labelled),
        let correlation = agreement.correlation, let concordance = agreement.concordance,
        correlation.magnitude >= 0.9, concordance < 0.7
      else { return nil }
      let scale =
        (agreement.labelledVariance / agreement.predictedVariance).squareRoot()
        * (correlation < 0 ? -1 : 1)
      let count = Double(found.labelled.count)
      let offset =
        zip(found.labelled, found.predicted).reduce(0.0) { $0 + $1.0 - scale * $1.1 } / count
      func text(_ value: Double) -> String { value.shortText(significantDigits: 3) }
      /// As JSON has it.
      func number(_ value: Double) -> String {
        text(value).replacing("−", with: "-").replacing(",", with: "")
      }
      return
        "Predictions of '\(rule.name)' follow their labels on another scale: their correlation is "
        + "\(text(correlation)), their concordance \(text(concordance)). If both define the number differently, "
        + "--attributes states it; \"scale\": \(number(scale)), \"offset\": \(number(offset)) fit these faces best."
    }
  }

  private static let pairsOfScale = 30
}
