internal import FaceCore
internal import Metrics
internal import Records

/// The accumulators of a run or of one of its slices, one per family of the catalogue.
struct FamilyScores: Sendable {
  /// Why parts of a run have no metrics; nil where they have.
  struct Absence: Sendable {
    /// The dataset has no labels.
    var labels: String?
    /// Detections are not known for every frame.
    var detections: String?
    /// The scores of detections rank different boxes.
    var ranking: String?
    /// The tracker has no faces after its detector.
    var faces: String?
    /// The tracker has no points of faces.
    var points: String?
    /// Latencies belong to no one machine.
    var times: String?

    /// Why a family is undefined; nil where it is not.
    func reason(for requirements: MetricRequirements) -> String? {
      if requirements.contains(.times), let times { return times }
      if requirements.contains(.points), let points { return points }
      if !requirements.isDisjoint(with: [.faces, .attributes]), let faces { return faces }
      if requirements.contains(.labels), let labels { return labels }
      if !requirements.isDisjoint(with: [.detections, .ranking]), let detections {
        return detections
      }
      return requirements.contains(.ranking) ? ranking : nil
    }

    /// Whether a family takes a frame in.
    func admits(_ frame: ScoredFrame, for requirements: MetricRequirements) -> Bool {
      (labels == nil || !requirements.contains(.labels))
        && (faces == nil || !requirements.contains(.faces))
        && (points == nil || !requirements.contains(.points))
        && (frame.prediction.size != nil || !requirements.contains(.analysedFrames))
        && frame.counts(for: requirements)
    }
  }

  private var families: [any MetricFamily]
  private let undefinedNames: [String: String]
  /// Whether these are the labelled faces or the frames of a slice.
  private let isSlice: Bool
  private let isSliceOfFaces: Bool
  /// Whether a slice of frames reports headlines too, so that resamples need all measurements.
  private let hasHeadlines: Bool
  /// Why parts of the run have no metrics.
  var absence: Absence

  /// Starts without frames, with all families or with those that measure slices of faces.
  init(_ context: MetricContext, absence: Absence, isSliceOfFaces: Bool = false) {
    let types = MetricCatalog.families.filter {
      !isSliceOfFaces || $0.requirements.contains(.facesOfSlices)
    }
    var context = context
    context.isSlice = isSliceOfFaces
    families = types.map { $0.init(context) }
    undefinedNames = MetricCatalog.undefined(without: context.facts)
    isSlice = isSliceOfFaces
    self.isSliceOfFaces = isSliceOfFaces
    hasHeadlines = false
    self.absence = absence
  }

  private init(
    _ families: [any MetricFamily], of other: FamilyScores, isSlice: Bool, hasHeadlines: Bool
  ) {
    self.families = families
    undefinedNames = other.undefinedNames
    absence = other.absence
    self.isSlice = isSlice
    isSliceOfFaces = other.isSliceOfFaces
    self.hasHeadlines = hasHeadlines
  }

  /// Takes in one frame, or the part of it that is in the slice.
  mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    for index in families.indices
    where absence.admits(frame, for: type(of: families[index]).requirements) {
      try families[index].add(frame)
    }
  }

  /// Takes in the frames of the same part of another stretch of the dataset.
  mutating func merge(_ other: FamilyScores) throws(MetricError) {
    for index in families.indices { try families[index].merge(any: other.families[index]) }
  }

  /// The metrics by family, in the order of the catalogue; families that the dataset has nothing for are left out.
  func groups() -> [MeasurementGroup] {
    families.compactMap { family in
      let type = type(of: family)
      guard !type.definitions.isEmpty, family.isPresent else { return nil }
      let reason = absence.reason(for: type.requirements)
      if isSliceOfFaces, reason != nil, !type.requirements.contains(.detections) { return nil }
      var group = MeasurementGroup(
        metrics: family.measurements(inSlice: isSlice), frames: family.restingFrames,
        family: family
      ).undefined(because: reason)
      guard !undefinedNames.isEmpty else { return group }
      for index in group.metrics.indices where group.metrics[index].value != nil {
        if let reason = undefinedNames[group.metrics[index].name] {
          group.metrics[index] = group.metrics[index].undefined(reason)
        }
      }
      return group
    }
  }

  /// The families, ready to be resampled, that have measurements with a position by name and slice.
  func resampled(
    by clusters: FrameClusters, _ position: (_ name: String, _ slice: String?) -> Int?
  ) -> ResampledScores {
    var resampled = ResampledScores(clusters: clusters, isSlice: isSlice && !hasHeadlines)
    for family in families {
      let places = family.measurements(inSlice: isSlice).map { metric in
        (key: MeasurementKey(metric), position: position(metric.name, metric.slice))
      }
      if places.contains(where: { $0.position != nil }) { resampled.add(family, places) }
    }
    return resampled
  }

  /// What is resampled: families with metrics, after what depends on all frames.
  func prepared() -> FamilyScores {
    var kept = families.filter { !type(of: $0).definitions.isEmpty }
    for index in kept.indices { kept[index].prepare() }
    return FamilyScores(kept, of: self, isSlice: isSlice, hasHeadlines: hasHeadlines)
  }

  /// The frames of a slice, with the families that report slices, or that have headlines.
  ///
  /// `condensed` has what is kept in place of those that are of whole videos.
  func slice(
    of frames: FrameRuns, withHeadlines: Bool, condensed: FamilyScores?
  ) throws(MetricError) -> FamilyScores {
    var kept = sliced(withHeadlines: withHeadlines)
    let draw = FrameDraw(frames)
    for index in kept.families.indices { kept.families[index].draw(draw) }
    if let condensed { try kept.mergeCondensed(condensed) }
    return kept
  }

  /// What is kept in place of some frames of a video, by the families of a slice.
  func condensed(_ frames: FrameRuns, withHeadlines: Bool) -> FamilyScores {
    var kept = sliced(withHeadlines: withHeadlines)
    let draw = FrameDraw(frames)
    kept.families = kept.families.map { $0.condensed(draw) }
    return kept
  }

  private func sliced(withHeadlines: Bool) -> FamilyScores {
    FamilyScores(
      families.filter { family in
        let presentation = type(of: family).presentation
        return !presentation.sliced.isEmpty || !presentation.slicedByFrames.isEmpty
          || withHeadlines && !presentation.headlines.isEmpty
      }, of: self, isSlice: true, hasHeadlines: withHeadlines)
  }

  /// Keeps of a whole video, the last there is, only what is needed in place of its frames.
  mutating func condense(_ video: Range<Int>) {
    for index in families.indices { families[index].condense(video) }
  }

  /// Takes in what others keep in place of frames.
  mutating func mergeCondensed(_ other: FamilyScores) throws(MetricError) {
    for index in families.indices {
      try families[index].mergeCondensed(any: other.families[index])
    }
  }

  /// How many bytes what is kept takes.
  var byteCount: Int { families.reduce(0) { $0 + $1.byteCount } }

  /// The intervals of metrics that are not resampled; nil for others.
  func intervals(of metrics: [Measurement], in clusters: FrameClusters) -> [Interval?] {
    families.reduce(into: metrics.map { _ in nil }) { intervals, family in
      for (index, interval) in family.intervals(of: metrics, in: clusters).enumerated() {
        if let interval { intervals[index] = interval }
      }
    }
  }

  /// The calibration errors among the metrics by name, as they were corrected.
  var calibrationErrors: [String: ExpectedCalibrationError] {
    families.reduce(into: [:]) { $0.merge($1.calibrationErrors) { own, _ in own } }
  }

  /// How many samples are over the limit of a gate that counts frames; nil for other gates.
  func count(beyondLimitOf gate: Gate) -> LimitCount? {
    families.lazy.compactMap { $0.count(beyondLimitOf: gate) }.first
  }

  /// How many errors a frame has, and the mean error of its found faces, nil without points.
  func errors(inFrame frame: Int) -> (count: Int, nme: Double?) {
    (
      families.lazy.compactMap { $0.errors(inFrame: frame) }.first ?? 0,
      families.lazy.compactMap { $0.meanError(ofFrame: frame) }.first
    )
  }

  /// The landmark errors of the labelled faces; nil where they are undefined.
  var landmarks: LandmarkAccuracy? {
    defined.lazy.compactMap { $0 as? LandmarkAccuracy }.first
  }

  /// The curves, histograms and tables of the defined families.
  func series(_ context: SeriesContext) throws -> [Series] {
    try defined.flatMap { try $0.series(context) }
  }

  /// What a reader must know of the defined families.
  func notes(_ context: SeriesContext) -> [String] { defined.flatMap { $0.notes(context) } }

  private var defined: [any MetricFamily] {
    families.filter { absence.reason(for: type(of: $0).requirements) == nil }
  }
}
