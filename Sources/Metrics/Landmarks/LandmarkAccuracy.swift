package import FaceCore
package import Records
internal import Statistics

/// Normalised mean error (NME) of landmarks over all labelled faces, found or not.
///
/// A face's NME is the mean distance of its points from their labels over a length of the label; per
/// face first, then the mean over faces, as the scripts of 300-W do. Only points with a label count,
/// and of them those that the tracker's scheme has, by `LandmarkCorrespondence`. A labelled face
/// without a prediction has an NME of ∞: the mean is then undefined, failure rate, AUC and CED count
/// it, and the mean over the found ones is reported as `…conditional`.
package struct LandmarkAccuracy: FrameMetric {
  /// One labelled face; its error is nil where it has no prediction.
  package struct Face: Sendable, Hashable {
    var normalizers: [Double?]
    var hasVisiblePoints: Bool
    var mean: Double?
    var visibleMean: Double?
    var partMeans: [Double?] = []

    /// What the metrics of a slice need: errors over all points by those normalisers that slices report.
    var ofSlice: Face {
      Face(
        normalizers: zip(LandmarkNormalizer.allCases, normalizers).map {
          $0.isSliced ? $1 : nil
        }, hasVisiblePoints: false, mean: mean)
    }

    /// NME by the normaliser of that position, ∞ for a missed face; nil without the normaliser.
    func error(_ normalizer: Int) -> Double? {
      normalizers[normalizer].map { length in mean.map { $0 / length } ?? .infinity }
    }
  }

  /// The scheme of the predicted faces.
  package let scheme: LandmarkScheme
  package var frames = FrameTable<[Face]>()
  package var videos = FrameTable<VideoSums<Sums>>()
  private(set) var pointErrors: [String: PointErrors] = [:]
  /// How many faces have an error of each limit of the curve or less, but not of the one before.
  private(set) var curves = ErrorCounts()
  /// Whether errors are added up by point, and counted for curves; no slice shows them.
  private let keepsPoints: Bool
  /// Whether only what slices report is kept.
  private var isSlice = false

  /// Starts without frames, for faces that are predicted in a scheme.
  package init(scheme: LandmarkScheme, keepsPoints: Bool = true) {
    self.scheme = scheme
    self.keepsPoints = keepsPoints
  }

  /// Takes in the labelled faces of one frame with their predictions.
  ///
  /// Labels without points that the scheme has a counterpart of do not count. Throws for a frame
  /// added before and a matched face in another scheme.
  package mutating func add(
    frame: Int, labels: [FaceLabel], faces: [FacePrediction], matching: FaceMatching
  ) throws(MetricError) {
    try add(
      LandmarkErrors.all(
        frame: frame, labels: labels, faces: faces, matching: matching, scheme: scheme),
      for: frame)
  }

  /// Takes in the labelled faces of one frame, which were measured before.
  mutating func add(_ measured: [LandmarkErrors], for frame: Int) throws(MetricError) {
    if keepsPoints {
      for one in measured {
        guard let points = one.points else { continue }
        pointErrors[one.scheme, default: PointErrors()].add(points, at: one.places)
      }
      for one in measured { curves.add(one.face) }
    }
    try addCounted(measured.map { isSlice ? $0.face.ofSlice : $0.face }, for: frame)
  }

  package static var table: String { "landmarks.nme" }

  package func check(_ other: LandmarkAccuracy) throws(MetricError) {
    guard scheme == other.scheme else { throw .schemesDiffer(scheme.name, other.scheme.name) }
  }

  package mutating func mergeRest(_ other: LandmarkAccuracy) throws(MetricError) {
    try mergeVideos(other)
    for (name, errors) in other.pointErrors {
      pointErrors[name, default: PointErrors()].merge(errors)
    }
    curves.merge(other.curves)
  }

  package mutating func removeRest() {
    videos = FrameTable()
    pointErrors = [:]
    curves = ErrorCounts()
  }
}

extension LandmarkAccuracy {
  /// Mean NME by interocular distance, else by box, of the found faces of a frame; nil without any.
  package func meanError(ofFrame frame: Int) -> Double? {
    (frames[frame] ?? []).compactMap { face in
      face.mean.flatMap { mean in
        (face.normalizers[0] ?? face.normalizers.compactMap { $0 }.first).map { mean / $0 }
      }
    }.mean
  }

  /// NME by interocular distance of each labelled face that has one, ∞ for a missed face.
  package var interocularErrors: [Double] {
    faces.compactMap { $0.error(0) }
  }

  /// The share found, then the metrics of each normaliser.
  package static let definitions: [MetricDefinition] =
    [foundShare] + allDefinitions.flatMap(\.all)

  /// Found faces over labelled faces.
  package static let foundShare = MetricDefinition(
    "landmarks.found_share", "Share of faces with landmarks", .higher, in: .proportion,
    "labelled faces with points that have a prediction of all of these (option pairing), "
      + "over all of them; in [0, 1], undefined without such faces",
    source: "assignment of maximum total IoU; ignored faces and crowds out")

  package func sums() -> Sums {
    var sums = Sums()
    for face in faces { sums.add(face) }
    return sums
  }

  /// All metrics in the order of `definitions`.
  package func measurements(of sums: Sums) -> [Measurement] {
    let (found, faces) = (sums[.found, Count.all], sums[.faces, Count.all])
    var all = [Self.foundShare.ratio(found, of: faces, else: Self.noFaces)]
    for (index, normalizer) in LandmarkNormalizer.allCases.enumerated()
    where !isSlice || normalizer.isSliced {
      all += metrics(of: sums, by: index)
    }
    return all
  }

  package static let thresholds = [0.08, 0.10]
  private static let noFaces = "no labelled face has points that the predicted scheme has"
  private static let allDefinitions = LandmarkNormalizer.allCases.map { MetricDefinitions($0) }

  private func metrics(of sums: Sums, by index: Int) -> [Measurement] {
    let definitions = Self.allDefinitions[index]
    let faces = sums[.faces, index]
    // Made when it is asked for: draws ask seldom.
    var noFaces: String {
      sums[.faces, Count.all] == 0
        ? Self.noFaces
        : "none of \(sums[.faces, Count.all]) labelled faces has the points of the normaliser"
    }
    func mean(
      _ definition: MetricDefinition, of count: Int, missed: Int, error: Double, found: Int
    ) -> Measurement {
      guard count > 0 else { return definition.undefined(noFaces, n: 0) }
      guard missed == 0 else {
        return definition.undefined(
          "\(missed) of \(count) labelled faces have no prediction of all their points, their error is infinite; "
            + "\(definition.name).conditional is the mean over the others", n: count)
      }
      return conditional(definition, of: count, error: error, found: found)
    }
    func conditional(
      _ definition: MetricDefinition, of count: Int, error: Double, found: Int
    ) -> Measurement {
      definition.ratio(
        error, of: found,
        else: count == 0 ? noFaces : "no labelled face with these points was found")
    }
    let visible = sums[.visible, index]
    var metrics = [
      mean(
        definitions.mean, of: faces, missed: sums[.missed, index], error: sums[.error, index].value,
        found: sums[.found, index]),
      conditional(
        definitions.conditional, of: faces, error: sums[.error, index].value,
        found: sums[.found, index]),
      mean(
        definitions.visible, of: visible, missed: sums[.visibleMissed, index],
        error: sums[.visibleError, index].value, found: sums[.visibleFound, index]),
      conditional(
        definitions.visibleConditional, of: visible, error: sums[.visibleError, index].value,
        found: sums[.visibleFound, index]),
    ]
    for (threshold, definition) in definitions.failureRates.enumerated() {
      metrics.append(
        definition.ratio(sums[.failures, index, threshold], of: faces, else: noFaces))
    }
    for (threshold, definition) in definitions.visibleFailureRates.enumerated() {
      metrics.append(
        definition.ratio(
          sums[.visibleFailures, index, threshold], of: visible,
          else: "no labelled face has points labelled as visible"))
    }
    for (threshold, definition) in definitions.areas.enumerated() {
      metrics.append(
        definition.ratio(sums[.area, index, threshold].value, of: faces, else: noFaces))
    }
    for (part, definition) in definitions.parts.enumerated() {
      metrics.append(
        conditional(
          definition, of: faces, error: sums[.part, index, part].value,
          found: sums[.part, index, part]))
    }
    let all = sums[.faces, Count.all]
    return metrics + [
      definitions.without.measurement(
        all == 0 ? nil : Double(all - faces), n: all, else: Self.noFaces)
    ]
  }
}

/// What the metrics of one normaliser are called and mean.
private struct MetricDefinitions {
  let mean, conditional, visible, visibleConditional, without: MetricDefinition
  let failureRates, visibleFailureRates, areas, parts: [MetricDefinition]

  /// Every definition, in the order of the metrics.
  var all: [MetricDefinition] {
    var all = [mean, conditional, visible, visibleConditional]
    for group in [failureRates, visibleFailureRates, areas, parts] { all += group }
    return all + [without]
  }

  init(_ normalizer: LandmarkNormalizer) {
    let name = normalizer.rawValue
    let error = "mean over a face's labelled points of ‖p − g‖ / d, d the \(normalizer.phrase)"
    let definition = DefinitionGroup(
      prefix: "landmarks.", source: "Sagonas et al. 2016, 300-W: per face, then over faces")
    mean = definition(
      "nme.\(name)", "NME by \(name)", in: .share,
      "mean over labelled faces of the \(error); 0 or more, undefined where a face was missed")
    conditional = definition(
      "nme.\(name).conditional", "NME of found faces by \(name)", in: .share,
      "mean over found faces of the \(error); 0 or more, undefined without found faces")
    visible = definition(
      "nme.\(name).visible", "NME of visible points by \(name)", in: .share,
      "as landmarks.nme.\(name), over the points labelled as visible")
    visibleConditional = definition(
      "nme.\(name).visible.conditional", "NME of visible points of found faces by \(name)",
      in: .share,
      "as landmarks.nme.\(name).conditional, over the points labelled as visible")
    failureRates = LandmarkAccuracy.thresholds.map {
      definition(
        "fr.\(name)@\(Self.text($0))", "Failure rate at \(Self.text($0)) by \(name)",
        in: .proportion,
        "labelled faces with an NME above \(Self.text($0)), missed ones included, over all; "
          + "in [0, 1], undefined without labelled faces")
    }
    visibleFailureRates = LandmarkAccuracy.thresholds.map {
      definition(
        "fr.\(name).visible@\(Self.text($0))",
        "Failure rate of visible points at \(Self.text($0)) by \(name)", in: .proportion,
        "as landmarks.fr.\(name)@\(Self.text($0)), over the points labelled as visible; the success "
          + "rate that benchmarks publish is 1 minus it")
    }
    areas = LandmarkAccuracy.thresholds.map {
      definition(
        "auc.\(name)@\(Self.text($0))", "AUC to \(Self.text($0)) by \(name)", .higher, in: .unit,
        "exact area under the CED: mean over labelled faces of max(0, τ − NME) / τ, "
          + "τ = \(Self.text($0)), 0 for a missed face; in [0, 1], undefined without labelled faces"
      )
    }
    parts = FacePart.allCases.map {
      definition(
        "nme.\(name).\($0.rawValue).conditional", "NME of \($0.rawValue) of found faces by \(name)",
        in: .share,
        "as landmarks.nme.\(name).conditional, over the points of the \($0.rawValue)")
    }
    without = definition(
      "faces_without.\(name)", "Faces without \(name)", .neither, unit: "faces",
      "labelled faces left out of the metrics by \(name), whose label lacks a point that d needs")
  }

  private static func text(_ threshold: Double) -> String { threshold == 0.08 ? "0.08" : "0.10" }
}

extension LandmarkAccuracy: AdditiveFamily {
  package static let requirements: MetricRequirements = [
    .labels, .points, .analysedFrames, .facesOfSlices,
  ]

  package init(_ context: MetricContext) {
    self.init(scheme: context.scheme, keepsPoints: !context.isSlice)
    isSlice = context.isSlice
  }

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    try add(frame.landmarkErrors(in: scheme), for: frame.frame.index)
  }

  package func series(_ context: SeriesContext) -> [Series] {
    (LandmarkNormalizer.allCases.map { cumulativeErrors(by: $0) } + [pointCurve(), pointPlaces()])
      .compactMap { $0 }
  }

  /// NME of found faces by the distance of the outer eye corners.
  package static let conditionalError = MetricDefinitions(.interocular).conditional
  /// Share of labelled faces with an NME above `thresholds[0]` by the same distance, missed ones included.
  package static let failureRate = MetricDefinitions(.interocular).failureRates[0]

  package static let presentation = MetricPresentation(
    sliced: [
      "landmarks.nme.interocular", "landmarks.nme.interocular.conditional", "landmarks.nme.box",
      "landmarks.nme.box.conditional", "landmarks.fr.interocular@0.08",
      "landmarks.fr.interocular@0.10", "landmarks.auc.interocular@0.08",
    ],
    headlines: zip(LandmarkNormalizer.allCases, allDefinitions).enumerated().map {
      choice, normalizer in
      .init(
        .landmarks, choice: choice,
        [normalizer.1.conditional.name, normalizer.1.failureRates[0].name])
    },
    aliases: ["nme": conditionalError.name, "failure_rate": failureRate.name])
}

extension LandmarkAccuracy.Face: Packable {
  package func pack(into row: inout RowWriter) {
    row.write(normalizers, hasVisiblePoints, mean, visibleMean, partMeans)
  }
  package init(from row: inout RowReader) {
    self.init(
      normalizers: row.read(), hasVisiblePoints: row.read(), mean: row.read(),
      visibleMean: row.read(), partMeans: row.read())
  }
}

extension LandmarkNormalizer {
  /// Whether slices report errors by it.
  fileprivate var isSliced: Bool { self == .interocular || self == .box }
}
