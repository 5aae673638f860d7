internal import FaceCore
internal import Platform
package import Records
internal import Statistics

/// How well predicted blendshapes agree with labelled ones, coefficient by coefficient.
///
/// Over labelled faces with coefficients. A coefficient that is NaN on either side, or `_neutral`, takes
/// no part. Coefficients whose label hardly varies (variance < 1e-6) are dead: no mean holds them, and
/// they are listed by name. A prediction that hardly varies counts as it is: its concordance is 0.
/// Nothing is clamped to [0, 1].
package struct BlendshapeAccuracy: FrameMetric {
  /// The coefficients of one labelled face; nothing is predicted where it was missed.
  package struct Face: Sendable, Hashable {
    let labelled: [Float]
    let predicted: [Float]?
    /// Whether no labelled coefficient exceeds the limit.
    let isNeutral: Bool

    init(labelled: [Float], predicted: [Float]?) {
      (self.labelled, self.predicted) = (labelled, predicted)
      let left = Blendshape.neutral.index
      isNeutral = labelled.indices.allSatisfy { index in
        index == left || !labelled[index].isFinite
          || Double(labelled[index]) <= BlendshapeChannel.neutralLimit
      }
    }
  }

  package var frames = FrameTable<[Face]>()

  package init() {}

  package static var table: String { "blendshapes.mae" }

  /// Nil for a list of another length than `Blendshape` has.
  private static func whole(_ coefficients: [Float]?) -> [Float]? {
    coefficients.flatMap { values in
      values.count == Blendshape.allCases.count && values.contains { !$0.isNaN } ? values : nil
    }
  }
}

extension [Float] {
  /// The coefficient, or nil where it is not finite.
  func given(_ blendshape: Blendshape) -> Double? { given(blendshape.index) }

  /// The coefficient of an index, or nil where it is not finite.
  func given(_ index: Int) -> Double? {
    let value = self[index]
    return value.isFinite ? Double(value) : nil
  }
}

extension BlendshapeAccuracy {
  /// Error and concordance of each coefficient, in slices such as `coefficient=jawOpen`.
  ///
  /// Coefficients that no found face has both labelled and given are left out; one whose label is dead has no concordance.
  private static func metrics(of channels: [BlendshapeChannel], faces: Int) -> [Measurement] {
    channels.flatMap { channel in
      let n = channel.agreement.count
      return [
        (Self.meanAbsoluteError, channel.agreement.meanAbsoluteError),
        (Self.concordance, channel.isLabelDead ? nil : channel.agreement.concordance),
      ].flatMap { definition, value in
        definition.metrics(
          value, n: n, missed: faces - n, else: "the coefficient's label is dead (variance < 1e-6)")
      }
      .map { metric in
        var metric = metric
        metric.slice = "\(DimensionSlice.coefficient)=\(channel.blendshape.rawValue)"
        return metric
      }
    }
  }
}

extension BlendshapeAccuracy {
  /// The share found, errors and agreement with their `.conditional`, then what a tracker does wrong.
  package static let definitions: [MetricDefinition] =
    [foundShare] + agreements.flatMap { [$0.definition, $0.definition.conditional] }
    + [neutralBias, dynamicRange, crosstalkShare, deadChannels, outOfRange]

  private static let foundShare = definition(
    "found_share", "Share of faces with blendshapes", .higher, in: .proportion,
    "labelled faces with coefficients whose prediction (option pairing) has some, over all of "
      + "them; in [0, 1]")
  static let meanAbsoluteError = mean(
    "mae", "Mean error of blendshapes", .lower, over: "mean of |p − g|")
  static let concordance = mean(
    "ccc", "Concordance of blendshapes", .higher, in: .signedUnit,
    over: "2·cov / (σₚ² + σ_g² + (μₚ − μ_g)²)")
  private static let agreements:
    [(definition: MetricDefinition, value: @Sendable (PairedAgreement) -> Double?)] = [
      (meanAbsoluteError, { $0.meanAbsoluteError }),
      (
        mean("rmse", "RMS error of blendshapes", .lower, over: "√ of the mean of (p − g)²"),
        { $0.rootMeanSquareError }
      ),
      (
        mean(
          "pcc", "Correlation of blendshapes", .higher, in: .signedUnit,
          over: "Pearson's correlation (none for a constant prediction)"),
        { $0.correlation }
      ),
      (concordance, { $0.concordance }),
      (
        mean(
          "icc31", "ICC(3,1) of blendshapes", .higher, in: .signedUnit,
          over: "(MSR − MSE) / (MSR + MSE), consistency of single measurements"),
        { $0.intraclassCorrelation }
      ),
    ]
  private static let neutralBias = mean(
    "neutral_bias", "Bias of neutral faces", .lower,
    over: "|mean of p − g| over faces without a labelled coefficient above 0.1")
  private static let dynamicRange = mean(
    "dynamic_range", "Dynamic range of blendshapes", .closest, target: 1,
    over: "(max p − min p) / (max g − min g), 1 where both reach as far")
  private static let crosstalkShare = definition(
    "crosstalk", "Crosstalk between sides", .lower, in: .unit,
    "mean over pairs of sides, both ways, of |b| / (|a| + |b|) of the least squares "
      + "p = a·own + b·other + c over the labels; in [0, 1], undefined where the labels of no "
      + "pair vary apart")
  private static let deadChannels = definition(
    "dead_channels", "Dead blendshapes", .lower, unit: "channels",
    "coefficients whose label or prediction has a variance below 1e-6; those with a dead label are "
      + "in no mean, a stuck prediction counts as it is")
  private static let outOfRange = definition(
    "out_of_range", "Blendshapes out of range", .lower, in: .proportion,
    "predicted coefficients outside [0, 1], infinite ones among them, over those that are given; "
      + "in [0, 1]")

  /// The metrics in the order of `definitions`.
  package func summarize() -> [Measurement] {
    let faces = self.faces
    let columns = BlendshapeColumns(faces)
    return Self.summary(of: faces, columns, columns.channels)
  }

  /// The metrics of faces; those of a slice have no coefficients one by one.
  package static func measurements(of faces: [Face], inSlice: Bool) -> [Measurement] {
    let columns = BlendshapeColumns(faces)
    let channels = columns.channels
    return summary(of: faces, columns, channels)
      + (inSlice ? [] : metrics(of: channels, faces: faces.count))
  }

  private static func summary(
    of faces: [Face], _ columns: BlendshapeColumns, _ channels: [BlendshapeChannel]
  ) -> [Measurement] {
    let found = faces.count { $0.predicted != nil }
    let live = channels.filter { !$0.isLabelDead }
    let reason = Self.reason(faces: faces.count, found: found, channels: channels.count)
    let constant =
      !live.isEmpty && live.allSatisfy(\.isPredictionDead)
      ? "every coefficient with live labels has a constant prediction" : nil
    let noMean =
      reason ?? constant ?? "all \(channels.count) coefficients have dead labels (variance < 1e-6)"
    var metrics = [Self.foundShare.ratio(found, of: faces.count, else: noMean)]
    for (definition, value) in Self.agreements {
      metrics += definition.metrics(
        live.compactMap { value($0.agreement) }.mean, n: found,
        missed: faces.count - found, else: noMean)
    }
    let biases = live.compactMap { $0.neutralBias?.magnitude }
    metrics.append(
      Self.neutralBias.measurement(
        biases.mean, n: found, else: live.isEmpty ? noMean : "no found face is labelled neutral"))
    metrics.append(
      Self.dynamicRange.measurement(live.compactMap(\.dynamicRange).mean, n: found, else: noMean))
    metrics.append(
      Self.crosstalkShare.measurement(
        columns.crosstalk.map(\.share).mean, n: found,
        else: reason ?? constant ?? "the labels of no pair of sides vary apart"))
    metrics.append(
      Self.deadChannels.measurement(
        reason == nil ? Double(channels.count(where: \.isDead)) : nil, n: channels.count,
        else: reason ?? noMean))
    let left = Blendshape.neutral.index
    var (given, outside) = (0, 0)
    for values in faces.lazy.compactMap(\.predicted) {
      for index in values.indices where index != left && !values[index].isNaN {
        given += 1
        if values[index] < 0 || values[index] > 1 { outside += 1 }
      }
    }
    metrics.append(
      Self.outOfRange.ratio(
        outside, of: given,
        else: reason ?? "no found face has a coefficient other than _neutral"))
    return metrics
  }

  /// The coefficients one by one (`blendshapes.channels`), the dead ones marked; nil without any.
  package func channelTable() -> Series? {
    let columns = BlendshapeColumns(faces)
    let channels = columns.channels
    guard !channels.isEmpty else { return nil }
    let crosstalk = Dictionary(
      columns.crosstalk.map { ($0.left, $0.share) }, uniquingKeysWith: { first, _ in first })
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
      columns: [
        "coefficient", "faces", "MAE", "RMSE", "PCC", "CCC", "ICC(3,1)", "bias when neutral",
        "dynamic range", "crosstalk", "labels", "predictions", "dead",
      ], rows: rows)
  }

  /// The dead coefficients by name and how many labels are out of range, as sentences.
  package func notes(_ context: SeriesContext) -> [String] {
    let faces = self.faces
    let channels = BlendshapeColumns(faces).channels
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
    if let highest = wild.max(), let lowest = wild.min() {
      notes.append(
        "\(wild.count) labelled blendshapes are outside [0, 1] (\(lowest) to \(highest)); they are "
          + "taken as they are.")
    }
    return notes
  }

  private static func reason(faces: Int, found: Int, channels: Int) -> String? {
    if faces == 0 { return "no labelled face has blendshapes" }
    if found == 0 { return "no labelled face with blendshapes was found with some" }
    return channels == 0 ? "no coefficient is both labelled and given" : nil
  }

  private static let definition = DefinitionGroup(
    prefix: "blendshapes.",
    source: "Lin 1989 (CCC); Shrout and Fleiss 1979 (ICC); p predicted, g labelled")

  private static func mean(
    _ name: String, _ title: String, _ direction: Direction, in range: MetricRange? = nil,
    target: Double? = nil, over channel: String
  ) -> MetricDefinition {
    definition(
      name, title, direction, in: range, target: target,
      "mean over coefficients of \(channel), those with a dead label and _neutral out; undefined "
        + "where none is left")
  }
}

extension BlendshapeAccuracy: FacewiseFamily, FamilyWithoutSettings {
  package static let requirements: MetricRequirements = [
    .labels, .attributes, .analysedFrames, .facesOfSlices,
  ]

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    let entry = frame.pairs.labelledFaces.compactMap { label, face in
      Self.whole(frame.labels[label].blendshapes).map { labelled in
        Face(
          labelled: labelled, predicted: Self.whole(face.flatMap { frame.faces[$0].blendshapes }))
      }
    }
    try addCounted(entry, for: frame.frame.index)
  }

  /// Whether a labelled face has coefficients.
  package var isPresent: Bool { frames.entries.contains { !$0.isEmpty } }

  package static func compared(_ frames: FrameTable<[Face]>) -> [Face] {
    frames.entries.flatMap { $0 }
  }

  package func series(_ context: SeriesContext) -> [Series] { [channelTable()].compactMap { $0 } }

  package static let presentation = MetricPresentation(
    sliced: ["blendshapes.mae", "blendshapes.mae.conditional"],
    headlines: [
      .init(.blendshapes, ["blendshapes.mae.conditional", "blendshapes.ccc.conditional"])
    ])
}

extension BlendshapeAccuracy.Face: Packable {
  package func pack(into row: inout RowWriter) { row.write(labelled, predicted) }
  package init(from row: inout RowReader) { self.init(labelled: row.read(), predicted: row.read()) }
}
