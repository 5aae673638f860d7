internal import FaceCore
internal import Platform
package import Records
internal import Statistics

/// How far heads are from their labelled positions before the camera, and how well their distance is told.
///
/// Over labelled faces whose label has a position. A face that was missed, or found without a position, leaves the metrics
/// undefined; the metrics of the others are reported as `…conditional`. Distance is that from the camera to the origin of
/// the canonical face, d = |t|, the translation t in centimetres.
package struct HeadPosition: FrameMetric {
  /// The labelled faces of one frame.
  package struct Entry: Sendable, Hashable, SequenceEntry {
    package var sequence: Int
    var isVideo: Bool
    var seconds: Double
    var faces: [Face]
  }

  /// One labelled face; nothing is predicted where it was missed.
  struct Face: Sendable, Hashable {
    var labelled: SIMD3<Float>
    var predicted: SIMD3<Float>?
    /// How the head is turned by the prediction.
    var turn: Rotation?
    var identity: Int?
  }

  package var frames = FrameTable<Entry>()

  /// The least ratio of the largest to the smallest labelled distance by which a line is fitted.
  private static let minSpread = 1.1

  package init() {}

  /// The translation of a pose; nil where it is not known.
  private static func position(_ pose: HeadPose) -> SIMD3<Float>? {
    let position = SIMD3(pose.matrix[3], pose.matrix[7], pose.matrix[11])
    return distance(position).isFinite && distance(position) > 0 ? position : nil
  }

  private static func distance(_ position: SIMD3<Float>) -> Double {
    (SIMD3<Double>(position) * SIMD3<Double>(position)).sum().squareRoot()
  }

  package var countedFrames: FrameRuns { frames.keys(where: { !$0.faces.isEmpty }) }
}

extension HeadPosition {
  /// Each with its `.conditional`.
  package static let definitions = [
    error, aligned, distanceError, relative, bias, slope, offset, drift,
  ].flatMap { [$0, $0.conditional] }

  private static let error = definition(
    "position", "Error of head position", .lower, unit: "cm", "mean over faces of |t̂ − t|")
  private static let aligned = definition(
    "position.aligned", "Error of head position but for one origin", .lower, unit: "cm",
    "as pose.position of t̂ + R̂·o, o the mean of R̂ᵀ·(t − t̂): one offset in the head's own frame, "
      + "as where a tracker's origin is another point of the head; needs 2 faces")
  private static let distanceError = definition(
    "distance", "Error of head distance", .lower, unit: "cm", "mean over faces of |d̂ − d|")
  private static let relative = definition(
    "distance.relative", "Error of head distance over distance", .lower,
    "mean over faces of |d̂ − d| / d")
  private static let bias = definition(
    "distance.bias", "Bias of head distance", .closest, in: .any, target: 0, unit: "cm",
    "mean over faces of d̂ − d")
  private static let slope = definition(
    "distance.slope", "Slope of reported over labelled head distance", .closest, in: .any,
    target: 1,
    "a of the least squares line d̂ = a·d + b; needs labelled distances of which the largest is "
      + "\(minSpread) times the smallest or more")
  private static let offset = definition(
    "distance.offset", "Offset of reported head distance", .closest, in: .any, target: 0,
    unit: "cm",
    "b of the same line")
  private static let drift = definition(
    "distance.drift", "Drift of head distance", .closest, in: .any, target: 0, unit: "cm/min",
    "least squares slope of d̂ − d over time with an intercept for each face of each video")

  private static let definition = DefinitionGroup(
    prefix: "pose.", ending: "; undefined without labelled positions", source: "FaceGauge")

  /// A face with its errors.
  package struct Compared: Sendable {
    /// Of the found face.
    let found: Found?

    /// The errors of a found face.
    struct Found: Sendable {
      /// The distances from the camera by the label and by the prediction.
      let labelled, told: Double
      /// From the predicted position to the labelled one.
      let gap: SIMD3<Double>
      let turn: Rotation?
      /// What it adds to the products and the squares of a line over time; 0 off videos.
      var drift = SIMD2<Double>.zero

      /// How much too far the prediction is.
      var error: Double { told - labelled }
    }
  }

  package static func compared(_ frames: FrameTable<Entry>) -> [Compared] {
    struct Track: Hashable {
      let sequence: Int
      let identity: Int?
    }
    var found: [Compared.Found?] = []
    var tracks: [Track: [(position: Int, seconds: Double)]] = [:]
    for entry in frames.entries {
      for face in entry.faces {
        if entry.isVideo, face.predicted != nil {
          tracks[Track(sequence: entry.sequence, identity: face.identity), default: []]
            .append((found.count, entry.seconds))
        }
        found.append(
          face.predicted.map { predicted in
            Compared.Found(
              labelled: distance(face.labelled), told: distance(predicted),
              gap: SIMD3<Double>(face.labelled) - SIMD3<Double>(predicted), turn: face.turn)
          })
      }
    }
    for track in tracks.values {
      guard let time = track.map(\.seconds).mean,
        let middle = track.map({ found[$0.position]?.error ?? .nan }).mean
      else { continue }
      for (position, seconds) in track {
        let (far, error) = (seconds - time, found[position]?.error ?? .nan)
        found[position]?.drift = SIMD2(far * (error - middle), far * far)
      }
    }
    return found.map { Compared(found: $0) }
  }

  /// The metrics in the order of `definitions`.
  package func summarize() -> [Measurement] { measurements(inSlice: false) }

  /// The metrics of faces in the order of `definitions`.
  package static func measurements(of faces: [Compared], inSlice: Bool) -> [Measurement] {
    let found = faces.compactMap(\.found)
    let nothing =
      faces.isEmpty
      ? "no labelled face has a position" : "no labelled face with a position was found"
    func metrics(
      _ definition: MetricDefinition, _ value: Double?, else reason: String? = nil
    ) -> [Measurement] {
      definition.metrics(
        value, n: found.count, missed: faces.count - found.count,
        else: found.isEmpty ? nothing : reason ?? nothing)
    }
    let errors = found.map(\.error)
    let line = Self.line(found)
    let isFlat = "the labelled distances are too much alike"
    var all = metrics(Self.error, found.map { Self.length($0.gap) }.mean)
    all += metrics(
      Self.aligned, Self.alignedError(found),
      else: "needs two faces or more with a predicted rotation")
    all += metrics(Self.distanceError, errors.map(abs).mean)
    all += metrics(Self.relative, zip(errors, found).map { abs($0) / $1.labelled }.mean)
    all += metrics(Self.bias, errors.mean)
    all += metrics(Self.slope, line?.slope, else: isFlat)
    all += metrics(Self.offset, line?.offset, else: isFlat)
    let drift = found.reduce(SIMD2<Double>()) { $0 + $1.drift }
    all += metrics(
      Self.drift, drift.y > 0 ? drift.x / drift.y * 60 : nil,
      else: "no face was found at two times of a video")
    return all
  }

  private static func length(_ vector: SIMD3<Double>) -> Double {
    (vector * vector).sum().squareRoot()
  }

  /// The mean error after one offset in the head's frame; nil for fewer than two faces, or one without a rotation.
  private static func alignedError(_ found: [Compared.Found]) -> Double? {
    let turned = found.compactMap { face in face.turn.map { (turn: $0, gap: face.gap) } }
    guard turned.count > 1, turned.count == found.count else { return nil }
    let sum = turned.reduce(SIMD3<Double>()) { $0 + $1.turn.inverse.turned($1.gap) }
    let offset = sum / Double(turned.count)
    return turned.map { length($0.gap - $0.turn.turned(offset)) }.mean
  }

  private static func line(
    _ pairs: [Compared.Found]
  ) -> (slope: Double, offset: Double)? {
    let labelled = pairs.map(\.labelled)
    guard let low = labelled.min(), let high = labelled.max(), high >= minSpread * low,
      let x = labelled.mean, let y = pairs.map(\.told).mean
    else { return nil }
    let products = pairs.reduce((xy: 0.0, xx: 0.0)) { sums, pair in
      let far = pair.labelled - x
      return (sums.xy + far * (pair.told - y), sums.xx + far * far)
    }
    let slope = products.xy / products.xx
    return (slope, y - slope * x)
  }
}

extension HeadPosition: FacewiseFamily, FamilyWithoutSettings {
  package static let requirements: MetricRequirements = [
    .labels, .attributes, .analysedFrames, .facesOfSlices,
  ]

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    let found = frame.pairs.labelledFaces.compactMap { label, face -> Face? in
      guard let labelled = frame.labels[label].pose.flatMap(Self.position) else { return nil }
      let pose = face.flatMap { frame.faces[$0].pose }
      return Face(
        labelled: labelled, predicted: pose.flatMap(Self.position),
        turn: pose.flatMap { Rotation($0) }, identity: frame.labels[label].identity)
    }
    guard !found.isEmpty || frames.contains(frame.frame.index) else { return }
    try add(
      Entry(
        sequence: frame.frame.sequence, isVideo: frame.isVideo,
        seconds: Double(frame.frame.timestampMicroseconds) / 1e6, faces: found),
      for: frame.frame.index)
  }

  /// Whether a labelled face has a position.
  package var isPresent: Bool { frames.entries.contains { !$0.faces.isEmpty } }

  package static let presentation = MetricPresentation(
    sliced: [error.conditional.name, distanceError.conditional.name, bias.conditional.name])
}

extension HeadPosition.Face: Packable {
  func pack(into row: inout RowWriter) { row.write(labelled, predicted, turn, identity) }

  init(from row: inout RowReader) {
    self.init(
      labelled: row.read(), predicted: row.read(), turn: row.read(), identity: row.read())
  }
}

extension HeadPosition.Entry: Packable {
  package func pack(into row: inout RowWriter) { row.write(sequence, isVideo, seconds, faces) }

  package init(from row: inout RowReader) {
    self.init(
      sequence: row.read(), isVideo: row.read(), seconds: row.read(), faces: row.read())
  }
}
