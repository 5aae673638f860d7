package import FaceCore
package import Records
internal import Statistics

/// How much the error of landmarks changes from frame to frame: jitter of a face that may move.
///
/// Over the video sequences of a labelled dataset. A labelled face is followed from one frame to the
/// very next by its identity, or else by its position among the labels without one; both frames need a
/// prediction of it (`FaceMatching`). Points count that both labels and both predictions have, by
/// `LandmarkCorrespondence`; labels of 68 points have those of a tracker of five.
package struct LabelledJitter: FrameMetric {
  /// A frame with who is who in it.
  package struct Sight: Sendable {
    let labels: [FaceLabel]
    /// What was predicted of the frame.
    package let prediction: FramePrediction
    let matching: FaceMatching

    /// Keeps what the next frame is compared with.
    package init(labels: [FaceLabel], prediction: FramePrediction, matching: FaceMatching) {
      self.labels = labels
      self.prediction = prediction
      self.matching = matching
    }
  }

  /// One analysed frame.
  package struct Entry: Sendable, Hashable, SequenceEntry {
    package var sequence: Int
    /// For each labelled face that goes on with points, the mean over them of the squared jitter in
    /// square hundredths of a pixel; nil where it has no prediction in both frames.
    var squares: [Double?]
  }

  package var frames = FrameTable<Entry>()
  package var videos = FrameTable<VideoSums<Sums>>()

  package init() {}

  /// The one metric.
  package static let definitions = [
    MetricDefinition(
      "jitter.nmj", "Normalised mean jitter against the labels", .lower, unit: "px/100",
      stage: "tracking",
      "δ = label − prediction of a point; RMS over points of 100·‖δ(t) − δ(t+1)‖ / "
        + "√(w·h / 256²), then RMS over the faces and frames of a sequence, then the mean over "
        + "sequences; w and h of the tight box of the labelled points at t; only faces found in "
        + "both frames; undefined where there are none",
      source: "labelled video sequences; jitter per box scaled to 256 by 256 pixels")
  ]

  /// Sums over sequences, from which the metric follows.
  package typealias Sums = NamedSums<Count, Mean, LandmarkJitter.Total>

  /// Labelled faces that go on with points.
  package enum Count: Int, SumName {
    case goingOn
  }

  /// Means over sequences, in hundredths of a pixel.
  package enum Mean: Int, SumName {
    case jitter
  }

  /// The frames that a labelled face goes on to.
  package var countedFrames: FrameRuns { frames.keys { !$0.squares.isEmpty } }

  package func sums() -> Sums {
    frames.sequences.reduce(into: Sums()) { sums, sequence in
      let squares = sequence.entries.flatMap(\.squares)
      sums[.goingOn] += squares.count
      let known = squares.compactMap { $0 }
      if let mean = known.mean { sums[.jitter].add(mean.squareRoot(), faces: known.count) }
    }
  }

  /// The metric of `definitions`; n is the number of faces that go on and are found in both frames.
  package func measurements(of sums: Sums) -> [Measurement] {
    let reason =
      sums[.goingOn] == 0
      ? "no face with labelled points goes on from one video frame to the next"
      : "no labelled face is found in two frames one after the other"
    return Self.definitions.map { $0.mean(of: sums[.jitter], else: reason) }
  }
}

extension LabelledJitter.Sight {
  /// Who a label is from frame to frame: its identity, or its position among those without.
  fileprivate enum Person: Hashable {
    case identity(Int)
    case position(Int)
  }

  /// The labels that count by who they are; the first of an identity.
  fileprivate var people: [Person: Int] {
    var people: [Person: Int] = [:]
    var position = 0
    for label in (matching.matches.map(\.label) + matching.missed).sorted() {
      if let identity = labels[label].identity {
        if people[.identity(identity)] == nil { people[.identity(identity)] = label }
      } else {
        people[.position(position)] = label
        position += 1
      }
    }
    return people
  }

  fileprivate func face(of label: Int) -> FacePrediction? {
    matching.matches.first { $0.label == label }.map { prediction.faces[$0.face] }
  }
}

/// The labelled points of one face in two frames.
private struct LabelledPair {
  private typealias Choice = (earlier: Landmarks, later: Landmarks)

  private let choices: [Choice]

  /// Nil where no scheme has points of both.
  init?(_ earlier: FaceLabel, _ later: FaceLabel) {
    choices =
      Self.choices(earlier.comparedLandmarks, later.comparedLandmarks)
      + Self.choices(
        LandmarkCorrespondence.derived(from: earlier), LandmarkCorrespondence.derived(from: later))
    if choices.isEmpty { return nil }
  }

  private static func choices(_ earlier: [Landmarks], _ later: [Landmarks]) -> [Choice] {
    earlier.compactMap { first -> Choice? in
      later.first { $0.scheme == first.scheme }.map { (first, $0) }
    }
    .filter { first, second in
      zip(first.visibility, second.visibility).contains {
        $0 != .notLabelled && $1 != .notLabelled
      }
    }
  }

  /// In square hundredths of a pixel; the tracker's own scheme goes first, nil without a point to compare.
  func square(of earlier: FacePrediction, _ later: FacePrediction) -> Double? {
    guard let scheme = later.scheme, earlier.scheme == scheme else { return nil }
    let known = choices.compactMap { choice in
      LandmarkCorrespondence.between(scheme, choice.earlier.scheme).map { (choice, $0) }
    }
    guard
      let (labels, table) = known.first(where: { $0.0.earlier.scheme == scheme }) ?? known.first,
      let box = BoundingBox(around: labels.earlier.labelled), box.isWellFormed, box.area > 0
    else { return nil }
    let (before, now) = (table.points(of: earlier), table.points(of: later))
    var (sum, count) = (0.0, 0)
    for point in labels.earlier.points.indices
    where labels.earlier.visibility[point] != .notLabelled
      && labels.later.visibility[point] != .notLabelled
    {
      guard let first = before[point], let second = now[point] else { continue }
      let (from, to) = (labels.earlier.points[point], labels.later.points[point])
      let dx = (from.x - first.x) - (to.x - second.x)
      let dy = (from.y - first.y) - (to.y - second.y)
      guard dx.isFinite, dy.isFinite else { continue }
      sum += dx * dx + dy * dy
      count += 1
    }
    guard count > 0 else { return nil }
    return 1e4 * sum / Double(count) / (box.area / (256 * 256))
  }
}

extension LabelledJitter: AdditiveFamily, FamilyWithoutSettings {
  package static let requirements: MetricRequirements = [.labels, .points]

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    guard frame.isVideo, frame.prediction.status == .analysed else { return }
    var squares: [Double?] = []
    if let previous = frame.earlier.first, previous.prediction.status == .analysed,
      previous.prediction.frame == frame.frame.index - 1
    {
      let earlier = previous.people
      for (person, label) in frame.sight.people.sorted(by: { $0.value < $1.value }) {
        guard let before = earlier[person],
          let pair = LabelledPair(previous.labels[before], frame.labels[label])
        else { continue }
        guard let face = frame.sight.face(of: label), let faceBefore = previous.face(of: before)
        else {
          squares.append(nil)
          continue
        }
        squares.append(pair.square(of: faceBefore, face))
      }
    }
    try add(Entry(sequence: frame.frame.sequence, squares: squares), for: frame.frame.index)
  }

  /// Whether a face with labelled points goes on from one frame of a video sequence to the next.
  package var isPresent: Bool { total[.goingOn] > 0 }

  package static let presentation = MetricPresentation(
    sliced: Set(definitions.map(\.name)), headlines: [.init(.jitter, definitions.map(\.name))])
}

extension LabelledJitter.Entry: Packable {
  package func pack(into row: inout RowWriter) { row.write(sequence, squares) }
  package init(from row: inout RowReader) { self.init(sequence: row.read(), squares: row.read()) }
}
