package import FaceCore
package import Records

/// Recall, precision, F1 and false positives at `minFaceDetectionConfidence` and `numFaces`.
///
/// Each image is matched as `DetectionOutcome` documents. A second matching without the clip to
/// `numFaces` tells which misses the limit caused.
package struct DetectionOperatingPoint: FrameMetric {
  /// One image.
  package struct Counts: Sendable, Hashable {
    var found = 0
    var missed = 0
    var falsePositives = 0
    var missedByLimit = 0
  }

  /// The most faces that the detector may return for an image.
  package let numFaces: Int
  package var frames = FrameTable<Counts>()
  package var videos = FrameTable<VideoSums<Sums>>()

  /// Starts without frames, for a limit of faces in an image.
  package init(numFaces: Int) {
    self.numFaces = numFaces
  }

  /// Matches one image's detections, thresholded and clipped, and returns who was found.
  ///
  /// `unclipped` are those before the clip to `numFaces`; nil means that the clip took none away.
  /// Throws for a frame added before, more detections than `numFaces`, and boxes or scores that are
  /// not well-formed.
  @discardableResult
  package mutating func add(
    frame: Int, labels: [FaceLabel], detections: [FaceDetection],
    unclipped: [FaceDetection]? = nil
  ) throws(MetricError) -> DetectionOutcome {
    let outcome = try DetectionOutcome(frame: frame, labels: labels, detections: detections)
    try add(
      frame: frame, outcome: outcome, labels: labels, detections: detections, unclipped: unclipped)
    return outcome
  }

  /// The same for an image whose detections were matched already.
  mutating func add(
    frame: Int, outcome: DetectionOutcome, labels: [FaceLabel], detections: [FaceDetection],
    unclipped: [FaceDetection]?
  ) throws(MetricError) {
    guard detections.count <= numFaces else {
      throw .overLimit(detections.count, limit: numFaces, frame: frame)
    }
    var counts = Counts(
      found: outcome.matches.count, missed: outcome.missed.count,
      falsePositives: outcome.falsePositives.count)
    if let unclipped, unclipped != detections {
      let whole = try DetectionOutcome(frame: frame, labels: labels, detections: unclipped)
      counts.missedByLimit = Set(outcome.missed).intersection(whole.matches.map(\.label)).count
    }
    try add(counts, for: frame)
  }

  /// Takes in how many labelled faces of one frame's part were found; false positives are of no part.
  package mutating func add(frame: Int, found: Int, missed: Int) throws(MetricError) {
    try add(Counts(found: found, missed: missed), for: frame)
  }

  /// Misses and false positives of a frame; nil for a frame that was not added.
  package func errors(inFrame frame: Int) -> Int? {
    frames[frame].map { $0.missed + $0.falsePositives }
  }

  package func check(_ other: DetectionOperatingPoint) throws(MetricError) {
    guard numFaces == other.numFaces else { throw .limitsDiffer(numFaces, other.numFaces) }
  }

  /// Sums over frames, from which the metrics follow.
  package typealias Sums = NamedCounts<Sum>

  /// What is counted.
  package enum Sum: Int, SumName {
    case frames, found, missed, falsePositives, missedByLimit, facesBeyondLimit, imagesBeyondLimit
  }

  package func sums() -> Sums {
    frames.entries.reduce(into: Sums()) { sums, counts in
      sums[.frames] += 1
      sums[.found] += counts.found
      sums[.missed] += counts.missed
      sums[.falsePositives] += counts.falsePositives
      sums[.missedByLimit] += counts.missedByLimit
      let beyond = max(0, counts.found + counts.missed - numFaces)
      sums[.facesBeyondLimit] += beyond
      sums[.imagesBeyondLimit] += beyond > 0 ? 1 : 0
    }
  }

  /// The metrics in the order of `definitions`; ratios without a denominator are undefined.
  package func measurements(of sums: Sums) -> [Measurement] {
    let (found, missed, falsePositives) = (sums[.found], sums[.missed], sums[.falsePositives])
    let (labelled, detected) = (found + missed, found + falsePositives)
    let noLabel = "no labelled face counts: there is none, or all are ignored or crowds"
    let noDetection = "no detection counts: there is none, or all lie on ignored faces or crowds"
    let noFrame = "no frame was evaluated"
    func count(_ definition: MetricDefinition, _ value: Int, n: Int) -> Measurement {
      definition.measurement(sums[.frames] == 0 ? nil : Double(value), n: n, else: noFrame)
    }
    return [
      Self.recall.ratio(found, of: labelled, else: noLabel),
      Self.precision.ratio(
        found, of: labelled == 0 ? 0 : detected, n: detected,
        else: labelled == 0 ? noLabel : noDetection),
      Self.f1.f1(found: found, decided: detected, positives: labelled, else: noLabel),
      Self.falsePositivesPerImage.ratio(falsePositives, of: sums[.frames], else: noFrame),
      count(Self.truePositives, found, n: labelled),
      count(Self.falsePositives, falsePositives, n: detected),
      count(Self.falseNegatives, missed, n: labelled),
      count(Self.facesBeyondLimit, sums[.facesBeyondLimit], n: labelled),
      count(Self.imagesBeyondLimit, sums[.imagesBeyondLimit], n: sums[.frames]),
      count(Self.missesByLimit, sums[.missedByLimit], n: missed),
    ]
  }
}

extension DetectionOperatingPoint {
  /// Ratios, counts, and what `numFaces` cuts off.
  package static let definitions = [
    recall, precision, f1, falsePositivesPerImage, truePositives, falsePositives,
    falseNegatives, facesBeyondLimit, imagesBeyondLimit, missesByLimit,
  ]

  /// Found faces over labelled faces.
  package static let recall = definition(
    "recall@score", "Recall", .higher, in: .proportion,
    "TP / (TP + FN); in [0, 1], undefined without labels")
  /// True detections over all detections.
  package static let precision = definition(
    "precision@score", "Precision", .higher, in: .proportion,
    "TP / (TP + FP); in [0, 1], undefined without labels or detections")
  /// Harmonic mean of recall and precision.
  package static let f1 = definition(
    "f1@score", "F1", .higher, in: .unit,
    "2 TP / (2 TP + FP + FN); in [0, 1], undefined without labels")
  /// False detections over images.
  package static let falsePositivesPerImage = definition(
    "fp_per_image@score", "False positives per image", .lower, in: .rate, unit: "1/image",
    "FP / images; 0 or more, undefined without images")
  /// Labelled faces that a detection found.
  package static let truePositives = definition(
    "true_positives@score", "True positives", .higher, unit: "faces",
    "labelled faces matched by a detection at IoU of .50 or more")
  /// Detections on no labelled face.
  package static let falsePositives = definition(
    "false_positives@score", "False positives", .lower, unit: "detections",
    "detections matching no label, duplicates included")
  /// Labelled faces that no detection found.
  package static let falseNegatives = definition(
    "false_negatives@score", "Missed faces", .lower, unit: "faces",
    "labelled faces matched by no detection")
  /// Labelled faces that `numFaces` makes unreachable.
  package static let facesBeyondLimit = definition(
    "faces_beyond_limit", "Faces beyond numFaces", .neither, unit: "faces",
    "sum over images of max(0, labelled faces - numFaces)")
  /// Images with more labelled faces than `numFaces`.
  package static let imagesBeyondLimit = definition(
    "images_beyond_limit", "Images beyond numFaces", .neither, unit: "images",
    "images with more labelled faces than numFaces")
  /// Missed faces that were found without the clip.
  package static let missesByLimit = definition(
    "misses_by_limit", "Misses caused by numFaces", .lower, unit: "faces",
    "missed faces that are found when detections are not clipped to numFaces")

  private static let definition = DefinitionGroup(
    prefix: "detection.",
    source: "greedy matching at IoU .50 as in COCO (Lin et al. 2014); crowds and ignored faces out")
}

extension DetectionOperatingPoint: AdditiveFamily {
  package static let requirements: MetricRequirements = [
    .labels, .detections, .analysedFrames, .facesOfSlices,
  ]

  package init(_ context: MetricContext) {
    self.init(numFaces: context.numFaces)
  }

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    guard let detections = frame.detections else { return }
    guard let isInSlice = frame.isInSlice else {
      try add(
        frame: frame.frame.index, outcome: detections.outcome, labels: frame.labels,
        detections: detections.kept, unclipped: detections.unclipped)
      return
    }
    try add(
      frame: frame.frame.index,
      found: detections.outcome.matches.count { isInSlice($0.label) },
      missed: detections.outcome.missed.count(where: isInSlice))
  }

  package func notes(_ context: SeriesContext) -> [String] {
    let metrics = summarize()
    func count(_ definition: MetricDefinition) -> Int {
      Int(metrics.first { $0.name == definition.name }?.value ?? 0)
    }
    let beyond = count(Self.facesBeyondLimit)
    guard beyond > 0 else { return [] }
    let labelled = count(Self.truePositives) + count(Self.falseNegatives)
    return [
      "num-faces \(context.numFaces) cuts off labelled faces: \(beyond) of \(labelled) are beyond "
        + "the limit, in \(count(Self.imagesBeyondLimit)) images; \(count(Self.missesByLimit)) of the "
        + "misses were found by the detector and cut off. Recall cannot reach 1 with this setting."
    ]
  }

  package static let presentation = MetricPresentation(
    sliced: [recall.name], slicedByFrames: [precision.name],
    headlines: [
      .init(.operatingPoint, choice: 1, [recall.name, precision.name]),
      .init(.errorRates, choice: 2, [falsePositivesPerImage.name], isCompared: false),
    ])
}

extension DetectionOperatingPoint.Counts: Packable {
  package func pack(into row: inout RowWriter) {
    row.write(found, missed, falsePositives, missedByLimit)
  }
  package init(from row: inout RowReader) {
    self.init(
      found: row.read(), missed: row.read(), falsePositives: row.read(), missedByLimit: row.read())
  }
}
