internal import FaceCore
package import Records

extension BlendshapeAccuracy {
  /// The share found, errors and agreement with their `.conditional`, then what a tracker does wrong.
  package static let definitions =
    [foundShare] + agreements.flatMap { [$0.definition, $0.definition.conditional] }
    + [neutralBias, dynamicRange, crosstalkShare, deadChannels, outOfRange]

  private static let foundShare = definition(
    "found_share", "Share of faces with blendshapes", .higher,
    "labelled faces with coefficients whose prediction (option pairing) has some, over all of "
      + "them; in [0, 1]"
  ).within(.proportion)
  static let meanAbsoluteError = definition(
    "mae", "Mean error of blendshapes", .lower, over: "mean of |p − g|")
  static let concordance = definition(
    "ccc", "Concordance of blendshapes", .higher, over: "2·cov / (σₚ² + σ_g² + (μₚ − μ_g)²)"
  ).within(.signedUnit)
  private static let agreements:
    [(definition: MetricDefinition, value: @Sendable (PairedAgreement) -> Double?)] = [
      (meanAbsoluteError, { $0.meanAbsoluteError }),
      (
        definition(
          "rmse", "RMS error of blendshapes", .lower, over: "√ of the mean of (p − g)²"),
        { $0.rootMeanSquareError }
      ),
      (
        definition(
          "pcc", "Correlation of blendshapes", .higher,
          over: "Pearson's correlation (none for a constant prediction)"
        ).within(.signedUnit),
        { $0.correlation }
      ),
      (concordance, { $0.concordance }),
      (
        definition(
          "icc31", "ICC(3,1) of blendshapes", .higher,
          over: "(MSR − MSE) / (MSR + MSE), consistency of single measurements"
        ).within(.signedUnit),
        { $0.intraclassCorrelation }
      ),
    ]
  private static let neutralBias = definition(
    "neutral_bias", "Bias of neutral faces", .lower,
    over: "|mean of p − g| over faces without a labelled coefficient above 0.1")
  private static let dynamicRange = definition(
    "dynamic_range", "Dynamic range of blendshapes", .closest, target: 1,
    over: "(max p − min p) / (max g − min g), 1 where both reach as far")
  private static let crosstalkShare = definition(
    "crosstalk", "Crosstalk between sides", .lower,
    "mean over pairs of sides, both ways, of |b| / (|a| + |b|) of the least squares "
      + "p = a·own + b·other + c over the labels; in [0, 1], undefined where the labels of no "
      + "pair vary apart"
  ).within(.unit)
  private static let deadChannels = definition(
    "dead_channels", "Dead blendshapes", .lower, unit: "channels",
    "coefficients whose label or prediction has a variance below 1e-6; those with a dead label are "
      + "in no mean, a stuck prediction counts as it is")
  private static let outOfRange = definition(
    "out_of_range", "Blendshapes out of range", .lower,
    "predicted coefficients outside [0, 1], infinite ones among them, over those that are given; "
      + "in [0, 1]"
  ).within(.proportion)

  /// The figures in the order of `definitions`.
  package func summarize() -> [Measurement] {
    let faces = self.faces
    let found = faces.count { $0.predicted != nil }
    let channels = self.channels()
    let live = channels.filter { !$0.isLabelDead }
    let reason = Self.reason(faces: faces.count, found: found, channels: channels.count)
    let noMean = reason ?? "all \(channels.count) coefficients have dead labels (variance < 1e-6)"
    func single(_ definition: MetricDefinition, _ values: [Double], else reason: String)
      -> Measurement
    {
      Self.mean(values).map { definition.measurement($0, n: found) }
        ?? definition.undefined(reason, n: found)
    }
    var figures = [
      faces.isEmpty
        ? Self.foundShare.undefined(noMean, n: 0)
        : Self.foundShare.measurement(Double(found) / Double(faces.count), n: faces.count)
    ]
    for (definition, value) in Self.agreements {
      figures += definition.figures(
        Self.mean(live.compactMap { value($0.agreement) }), n: found,
        missed: faces.count - found, else: noMean)
    }
    figures.append(
      single(
        Self.neutralBias, live.compactMap { $0.neutralBias?.magnitude },
        else: live.isEmpty ? noMean : "no found face is labelled neutral"))
    figures.append(single(Self.dynamicRange, live.compactMap(\.dynamicRange), else: noMean))
    figures.append(
      single(
        Self.crosstalkShare, crosstalk().map(\.share),
        else: reason ?? "the labels of no pair of sides vary apart"))
    figures.append(
      reason.map { Self.deadChannels.undefined($0, n: 0) }
        ?? Self.deadChannels.measurement(Double(channels.count(where: \.isDead)), n: channels.count)
    )
    let given = faces.compactMap(\.predicted).flatMap { values in
      Blendshape.allCases.filter { $0 != .neutral }.map { values[$0.index] }.filter { !$0.isNaN }
    }
    figures.append(
      given.isEmpty
        ? Self.outOfRange.undefined(
          reason ?? "no found face has a coefficient other than _neutral", n: 0)
        : Self.outOfRange.measurement(
          Double(given.count { $0 < 0 || $0 > 1 }) / Double(given.count), n: given.count))
    return figures
  }

  /// The coefficients one by one (`blendshapes.channels`), the dead ones marked; nil without any.
  package func channelTable() -> Series? {
    let channels = self.channels()
    guard !channels.isEmpty else { return nil }
    let crosstalk = Dictionary(
      crosstalk().map { ($0.left, $0.share) }, uniquingKeysWith: { first, _ in first })
    func text(_ value: Double?) -> String { value.map { $0.text(decimals: 3) } ?? "–" }
    func text(_ range: ClosedRange<Double>) -> String {
      "\(text(range.lowerBound)) to \(text(range.upperBound))"
    }
    let rows = channels.map { channel in
      let agreement = channel.agreement
      let dead = [channel.isLabelDead ? "label" : "", channel.isPredictionDead ? "prediction" : ""]
      return [
        channel.blendshape.rawValue, "\(agreement.count)", text(agreement.meanAbsoluteError),
        text(agreement.rootMeanSquareError), text(agreement.correlation),
        text(agreement.concordance), text(agreement.intraclassCorrelation),
        text(channel.neutralBias), text(channel.dynamicRange), text(crosstalk[channel.blendshape]),
        text(channel.labelledRange), text(channel.predictedRange),
        dead.filter { !$0.isEmpty }.joined(separator: " and "),
      ]
    }
    return Series(
      name: "blendshapes.channels", title: "Blendshapes one by one",
      content: .table(
        Series.Table(
          columns: [
            "coefficient", "faces", "MAE", "RMSE", "PCC", "CCC", "ICC(3,1)", "bias when neutral",
            "dynamic range", "crosstalk", "labels", "predictions", "dead",
          ], rows: rows)))
  }

  /// The dead coefficients by name and how many labels are out of range, as sentences.
  package func notes() -> [String] {
    let faces = self.faces
    let channels = channels()
    let dead = channels.filter(\.isLabelDead).map(\.blendshape.rawValue)
    let stuck = channels.filter { $0.isPredictionDead && !$0.isLabelDead }
      .map(\.blendshape.rawValue)
    var notes: [String] = []
    if !dead.isEmpty {
      notes.append(
        "Dead blendshapes (variance below 1e-6 in labels), left out of the means: "
          + dead.joined(separator: ", ") + ".")
    }
    if !stuck.isEmpty {
      notes.append(
        "Stuck blendshapes (variance below 1e-6 in predictions while labels vary), counted as they "
          + "are: " + stuck.joined(separator: ", ") + ".")
    }
    let wild = faces.flatMap(\.labelled).filter { $0 < 0 || $0 > 1 }
    if let largest = wild.max(), let least = wild.min() {
      notes.append(
        "\(wild.count) labelled blendshapes are outside [0, 1] (\(least) to \(largest)); they are "
          + "taken as they are.")
    }
    return notes
  }

  private static func reason(faces: Int, found: Int, channels: Int) -> String? {
    if faces == 0 { return "no labelled face has blendshapes" }
    if found == 0 { return "no labelled face with blendshapes was found with some" }
    return channels == 0 ? "no coefficient is both labelled and given" : nil
  }

  private static func mean(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }

  private static func definition(
    _ name: String, _ title: String, _ direction: Direction, target: Double? = nil,
    over channel: String
  ) -> MetricDefinition {
    definition(
      name, title, direction, target: target,
      "mean over coefficients of \(channel), those with a dead label and _neutral out; undefined "
        + "where none is left")
  }

  private static func definition(
    _ name: String, _ title: String, _ direction: Direction, target: Double? = nil,
    unit: String = "1", _ formula: String
  ) -> MetricDefinition {
    MetricDefinition(
      name: "blendshapes.\(name)", title: title, stage: "blendshapes", unit: unit,
      direction: direction, target: target, formula: formula,
      source: "Lin 1989 (CCC); Shrout and Fleiss 1979 (ICC); p predicted, g labelled")
  }
}
