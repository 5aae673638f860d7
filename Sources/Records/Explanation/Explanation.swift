package import FaceCore

/// Why faces of an image were found or not: what the pipeline's detectors gave, and what decided.
package struct Explanation: Sendable, Hashable, Encodable {
  /// The settings that decide.
  package struct Settings: Sendable, Hashable, Encodable {
    /// Which detector runs, such as `short-range`.
    package var detector: String
    /// Minimum score of a detection, in [0, 1].
    package var minFaceDetectionConfidence: Double
    /// The presence that a face must exceed, in [0, 1].
    package var minFacePresenceConfidence: Double
    /// Intersection over union above which candidates are one face, in [0, 1].
    package var minSuppressionThreshold: Double
    /// Maximum number of faces.
    package var numFaces: Int
    /// How far the image has to be turned clockwise to be upright, in degrees.
    package var rotationDegrees: Int
    /// The pixels that the longer side of a JPEG kept at least when it was decoded; nil where it was decoded whole.
    package var minDecodedSide: Int?

    /// Joins settings.
    package init(
      detector: String, minFaceDetectionConfidence: Double, minFacePresenceConfidence: Double,
      minSuppressionThreshold: Double, numFaces: Int, rotationDegrees: Int,
      minDecodedSide: Int? = nil
    ) {
      self.detector = detector
      self.minFaceDetectionConfidence = minFaceDetectionConfidence
      self.minFacePresenceConfidence = minFacePresenceConfidence
      self.minSuppressionThreshold = minSuppressionThreshold
      self.numFaces = numFaces
      self.rotationDegrees = rotationDegrees
      self.minDecodedSide = minDecodedSide
    }
  }

  /// What became of a candidate, or what decided against it.
  package enum Outcome: String, Sendable, Hashable, Encodable {
    /// It is a face of the result.
    case found
    /// It is a detection; without a landmark model nothing decides further.
    case detected
    /// Its score is below the minimum.
    case belowThreshold
    /// A better candidate overlaps it.
    case suppressed
    /// There are more faces of a better score than are looked at.
    case beyondNumFaces
    /// The landmark model saw no face there.
    case lowPresence
    /// Its region has no size, so the landmark model did not look at it.
    case noRegion
    /// Suppression ended at a better candidate that does not overlap itself by more than its threshold.
    case notReached
  }

  /// What the landmark model gave for a candidate's region.
  package struct Look: Sendable, Hashable, Encodable {
    /// The minimum score of detections with which the region follows: the run's, or a lower one that it takes.
    package var minFaceDetectionConfidence: Double
    /// The box after suppression with that minimum, in pixels.
    package var box: BoundingBox
    /// How many candidates were averaged into it.
    package var averaged: Int
    /// The region that the landmark model looked at; nil without such a model.
    package var region: NormalizedRect?
    /// Probability that a face is there, in [0, 1]; nil where the model did not look.
    package var presence: Double?
    /// The landmarks, x and y in pixels; empty where the model did not look.
    package var points: [Point]

    /// Joins what the model gave.
    package init(
      minFaceDetectionConfidence: Double, box: BoundingBox, averaged: Int, region: NormalizedRect?,
      presence: Double?, points: [Point]
    ) {
      self.minFaceDetectionConfidence = minFaceDetectionConfidence
      self.box = box
      self.averaged = averaged
      self.region = region
      self.presence = presence
      self.points = points
    }
  }

  /// An answer of the detector before suppression.
  package struct Candidate: Sendable, Hashable, Encodable {
    /// Its position by descending score, from 1.
    package var number: Int
    /// Index of the anchor.
    package var anchor: Int
    /// Confidence in [0, 1].
    package var score: Double
    /// Its own box, before suppression, in pixels.
    package var box: BoundingBox
    /// What became of it.
    package var outcome: Outcome
    /// Number of the candidate that suppresses it; nil where none does.
    package var suppressor: Int?
    /// Intersection over union with that candidate; nil where there is none.
    package var overlap: Double?
    /// Its position among the candidates that no better one suppresses, from 1; nil where one does.
    package var rank: Int?
    /// The largest minimum score with which it is a detection; nil where a better candidate suppresses it.
    package var largestThreshold: Double?
    /// What the landmark model gave for it; nil where that was not asked for.
    package var look: Look?

    /// Names a candidate.
    package init(number: Int, anchor: Int, score: Double, box: BoundingBox, outcome: Outcome) {
      self.number = number
      self.anchor = anchor
      self.score = score
      self.box = box
      self.outcome = outcome
    }
  }

  /// What one detector, and the pipeline after it, gave.
  package struct DetectorResult: Sendable, Hashable {
    /// Which detector, such as `full-range`.
    package var detector: String
    /// How many answers it gives for any image.
    package var answers: Int
    /// Its answers of a score of at least `candidateFloor`, by descending score, and those that places name.
    package var candidates: [Candidate]
    /// How many detections the settings give.
    package var detections: Int
    /// How many faces.
    package var faces: Int
    /// What it gave at each place, in the order of places.
    package var places: [PlaceResult]

    /// Joins what a detector gave.
    package init(
      detector: String, answers: Int, candidates: [Candidate], detections: Int, faces: Int,
      places: [PlaceResult]
    ) {
      self.detector = detector
      self.answers = answers
      self.candidates = candidates
      self.detections = detections
      self.faces = faces
      self.places = places
    }
  }

  /// A place of the image that was asked about: a point or a box, in pixels.
  package struct Place: Sendable, Hashable, Encodable {
    /// What it is, such as `label 1`.
    package var name: String
    /// The point; nil for a box.
    package var point: Point?
    /// The box; nil for a point.
    package var box: BoundingBox?

    /// A point of the image.
    package init(_ name: String, point: Point) {
      self.name = name
      self.point = point
    }

    /// A box of the image.
    package init(_ name: String, box: BoundingBox) {
      self.name = name
      self.box = box
    }

    /// A candidate is at a box if it overlaps it by this IoU or more.
    package static let minOverlap = 0.5
  }

  /// What a detector gave at a place.
  package struct PlaceResult: Sendable, Hashable, Encodable {
    /// Number of the best candidate that is at the place; nil where none is.
    package var candidate: Int?
    /// Number of the best candidate that is near: that touches the box, or whose centre is closest to the point.
    package var nearest: Int?
    /// Its intersection over union with the box; nil for a point.
    package var overlap: Double?
    /// Pixels from its centre to the point; nil for a box.
    package var distance: Double?

    /// Joins what is there and near.
    package init(
      candidate: Int? = nil, nearest: Int? = nil, overlap: Double? = nil, distance: Double? = nil
    ) {
      self.candidate = candidate
      self.nearest = nearest
      self.overlap = overlap
      self.distance = distance
    }
  }

  /// Lowest score of a candidate that is listed without being asked for; that of stored candidates.
  package static let candidateFloor = 0.01

  /// The image, by path or by frame of a dataset.
  package var source: String
  /// The image's size.
  package var size: ImageSize
  /// The settings.
  package var settings: Settings
  /// What was asked about.
  package var places: [Place]
  /// The detector of the settings first, then the other one if its model is there.
  package var detectors: [DetectorResult]
  /// What a reader must know, a sentence each.
  package var notes: [String]

  /// Joins all of it.
  package init(
    source: String, size: ImageSize, settings: Settings, places: [Place],
    detectors: [DetectorResult], notes: [String]
  ) {
    self.source = source
    self.size = size
    self.settings = settings
    self.places = places
    self.detectors = detectors
    self.notes = notes
  }

  private enum CodingKeys: String, CodingKey {
    case source, size, settings, places, detectors, answers, notes
  }

  /// Writes all of it, with the sentences that people read.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(source, forKey: .source)
    try container.encode(size, forKey: .size)
    try container.encode(settings, forKey: .settings)
    try container.encode(places, forKey: .places)
    try container.encode(detectors.map { WordedDetector($0, of: self) }, forKey: .detectors)
    try container.encode(sentences, forKey: .answers)
    try container.encode(notes, forKey: .notes)
  }
}
