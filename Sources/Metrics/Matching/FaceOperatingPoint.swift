internal import FaceCore
package import Records

/// Recall, precision, F1, errors an image and calibration of the faces that a tracker gives out, whatever found them.
///
/// Matched by `FaceMatching`. Unlike the metrics of `DetectionOperatingPoint` they are of faces, tracked ones
/// included, and not of the detector's boxes. They are what a sweep calls recall, precision, f1, detection_error and
/// presence_error.
package struct FaceOperatingPoint: FrameMetric {
  /// One analysed frame.
  package struct Entry: Sendable, Hashable {
    var found: Int
    var missed: Int
    var falsePositives: Int
    var scores: [ConfidenceOutcome]
    var presences: [ConfidenceOutcome]
    /// How many scores and presences are outside [0, 1].
    var strayScores = 0, strayPresences = 0
  }

  package var frames = FrameTable<Entry>()
  package var videos = FrameTable<VideoSums<Sums>>()

  package init() {}

  /// Recall, precision, F1, errors an image, then the calibration of both confidences.
  package static let definitions = [
    recall, precision, f1, missedPerImage, falsePerImage, scoreError, presenceError,
  ]

  /// Found faces over labelled faces.
  package static let recall = definition(
    "recall", "Recall of faces", .higher, in: .proportion,
    "labelled faces matched by a face given out, over labelled faces")
  /// Faces that match over faces given out.
  package static let precision = definition(
    "precision", "Precision of faces", .higher, in: .proportion,
    "faces given out that match a label, over faces given out")
  /// Harmonic mean of recall and precision.
  package static let f1 = definition(
    "f1", "F1 of faces", .higher, "2 TP / (2 TP + FP + FN) of faces given out and labelled faces")
  /// Missed faces over images.
  package static let missedPerImage = rate(
    "missed_per_image", "Missed faces per image", "labelled faces matched by no face given out")
  /// Faces given out that match no label, over images.
  package static let falsePerImage = rate(
    "false_per_image", "False faces per image", "faces given out that match no label")
  /// Whether detection scores are the chance that a face given out is one.
  package static let scoreError = definition(
    "score_ece", "ECE of the scores of faces", .lower,
    "sum over 10 bins (a, b], 0 in the first, of n_b / n |mean score - share of true| over faces "
      + "given out that the detector found in the same frame, less what chance adds; "
      + "undefined where one is outside [0, 1]")
  /// Whether presences are the chance that a face given out is one.
  package static let presenceError = definition(
    "presence_ece", "ECE of the presence of faces", .lower,
    "as faces.score_ece, of the presences of all faces given out; presence.ece has the rejected "
      + "ones too")

  /// Sums over frames, from which the metrics follow.
  package typealias Sums = NamedSums<Count, Confidence, ReliabilitySums>

  /// What is counted.
  package enum Count: Int, SumName {
    case frames, found, missed, falsePositives, strayScores, strayPresences
  }

  /// Which confidences are compared with what came of them.
  package enum Confidence: Int, SumName {
    case scores, presences
  }

  package func sums() -> Sums {
    frames.entries.reduce(into: Sums()) { sums, entry in
      sums[.frames] += 1
      sums[.found] += entry.found
      sums[.missed] += entry.missed
      sums[.falsePositives] += entry.falsePositives
      sums[.strayScores] += entry.strayScores
      sums[.strayPresences] += entry.strayPresences
      for confidence in entry.scores { sums[.scores].add(confidence) }
      for confidence in entry.presences { sums[.presences].add(confidence) }
    }
  }

  /// The metrics in the order of `definitions`; n is the denominator, of f1 the labelled faces.
  package func measurements(of sums: Sums) -> [Measurement] {
    let found = sums[.found]
    let (labelled, given) = (found + sums[.missed], found + sums[.falsePositives])
    let noLabel = "no labelled face counts: there is none, or all are ignored or crowds"
    let noFace =
      "no face given out counts: there is none over the thresholds, or all lie on ignored faces or crowds"
    func rate(_ definition: MetricDefinition, _ count: Int) -> Measurement {
      definition.ratio(count, of: sums[.frames], else: "no frame was analysed")
    }
    func error(
      _ definition: MetricDefinition, _ bins: ReliabilitySums, strays: Int
    ) -> Measurement {
      let all = bins.count + strays
      return definition.measurement(
        strays > 0 ? nil : bins.error?.value, n: all,
        else: strays > 0
          ? "they are no probabilities: \(strays) of \(all) are outside [0, 1]"
          : "no face given out has one")
    }
    return [
      Self.recall.ratio(found, of: labelled, else: noLabel),
      Self.precision.ratio(
        found, of: labelled == 0 ? 0 : given, n: given,
        else: labelled == 0 ? noLabel : noFace),
      Self.f1.f1(found: found, decided: given, positives: labelled, else: noLabel),
      rate(Self.missedPerImage, sums[.missed]), rate(Self.falsePerImage, sums[.falsePositives]),
      error(Self.scoreError, sums[.scores], strays: sums[.strayScores]),
      error(Self.presenceError, sums[.presences], strays: sums[.strayPresences]),
    ]
  }

  package var calibrationErrors: [String: ExpectedCalibrationError] {
    let sums = total
    return [
      Self.scoreError.name: sums[.scores].error, Self.presenceError.name: sums[.presences].error,
    ]
    .compactMapValues(\.self)
  }

  private static let definition = DefinitionGroup(
    prefix: "faces.", stage: "landmarks", range: .unit,
    ending: "; in [0, 1], undefined without labelled faces",
    source: "assignment of maximum total IoU, .50 or more (FaceMatching); Naeini et al. 2015")

  private static let rate = DefinitionGroup(
    prefix: "faces.", stage: "landmarks", range: .rate, unit: "1/image",
    ending: ", over analysed images; 0 or more, undefined without images",
    source: "assignment of maximum total IoU, .50 or more (FaceMatching)")
}

extension FaceOperatingPoint: AdditiveFamily, FamilyWithoutSettings {
  package static let requirements: MetricRequirements = [.labels, .faces, .analysedFrames]

  /// Faces on ignored labels and crowds do not count.
  ///
  /// A score or presence outside [0, 1] is no probability, and then the tracker's others are none either.
  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    let right = Set(frame.matching.matches.map(\.face))
    let counted = right.sorted() + frame.matching.unmatched
    func confidences(_ confidence: (FacePrediction) -> Float?) -> [ConfidenceOutcome] {
      counted.compactMap { face in
        confidence(frame.faces[face]).flatMap {
          ConfidenceOutcome(Double($0), isTrue: right.contains(face))
        }
      }
    }
    func strays(_ confidence: (FacePrediction) -> Float?) -> Int {
      counted.count { face in confidence(frame.faces[face]).map { $0 < 0 || $0 > 1 } ?? false }
    }
    try add(
      Entry(
        found: right.count, missed: frame.matching.missed.count,
        falsePositives: frame.matching.unmatched.count, scores: confidences(\.detectionScore),
        presences: confidences(\.presence), strayScores: strays(\.detectionScore),
        strayPresences: strays(\.presence)), for: frame.frame.index)
  }

  /// Misses and false faces of a frame, also where the detector did not run.
  package func errors(inFrame frame: Int) -> Int? {
    frames[frame].map { $0.missed + $0.falsePositives }
  }

  package static let presentation = MetricPresentation(
    needs: [.scores: [scoreError.name], .presences: [presenceError.name]],
    headlines: [
      .init(.operatingPoint, [recall.name, precision.name]),
      .init(
        .errorRates, choice: 1, [missedPerImage.name, falsePerImage.name], isCompared: false),
    ],
    aliases: [
      "f1": f1.name, "recall": recall.name, "precision": precision.name,
      "detection_error": scoreError.name, "presence_error": presenceError.name,
    ])
}

extension FaceOperatingPoint.Entry: Packable {
  package func pack(into row: inout RowWriter) {
    row.write(found, missed, falsePositives, scores, presences, strayScores, strayPresences)
  }
  package init(from row: inout RowReader) {
    self.init(
      found: row.read(), missed: row.read(), falsePositives: row.read(), scores: row.read(),
      presences: row.read(), strayScores: row.read(), strayPresences: row.read())
  }
}
