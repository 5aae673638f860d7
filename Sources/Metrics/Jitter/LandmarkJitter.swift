package import FaceCore
package import Records
internal import Statistics

/// How much landmarks move from frame to frame, with and without smoothing, and how far smoothing lags.
///
/// Over the video sequences, needs no labels. Faces are followed from one analysed frame to the
/// very next by IoU .50 or more of their tight boxes. A displacement is jitter only where the subject
/// is still; where it moves, the metric holds the motion too. Lag needs motion, and jitter is never
/// read without it: a filter that freezes the points has no jitter.
package struct LandmarkJitter: FrameMetric {
  /// One face in one frame.
  struct Face: Sendable, Hashable {
    /// Its position in the frame before; nil where it is new.
    var earlier: Int?
    /// Mean over the points of the squared displacement since then, in square pixels.
    var smoothed = 0.0
    var unsmoothed = 0.0
    /// The same of the second difference; nil where the face is not in the two frames before.
    var second: Second?
    /// Distance of the outer eye corners in pixels, mean of both frames; 0 where it is unknown.
    var interocular = 0.0
    /// x and y of the anchors.
    var smoothedAnchors = SIMD16<Float>()
    var unsmoothedAnchors = SIMD16<Float>()
  }

  /// Mean over the points of the squared second difference, in square pixels.
  struct Second: Sendable, Hashable {
    var smoothed: Double
    var unsmoothed: Double
  }

  /// One analysed frame.
  package struct Entry: Sendable, Hashable, SequenceEntry {
    package var sequence: Int
    var time: Int64
    var faces: [Face]
  }

  package var frames = FrameTable<Entry>()
  package var videos = FrameTable<VideoSums<Sums>>()
  /// The spectra of whole videos.
  var clips = ClipSpectra()

  package init() {}

  /// Takes in one frame; frames that were not analysed and those of stills are left out.
  ///
  /// `previous` is the prediction of the frame before in the same sequence, nil for its first, and
  /// `beforePrevious` that of the frame before it. Faces with a point that is not finite or in a scheme without a layout are left out. Throws for a frame
  /// added before.
  package mutating func add(
    _ frame: Frame, isVideo: Bool, prediction: FramePrediction, previous: FramePrediction?,
    beforePrevious: FramePrediction?
  ) throws(MetricError) {
    guard isVideo, prediction.status == .analysed else { return }
    var earlier: [FacePrediction] = []
    if let previous, previous.status == .analysed, previous.frame == frame.index - 1 {
      earlier = previous.faces
    }
    var first: [FacePrediction] = []
    if let beforePrevious, beforePrevious.status == .analysed, !earlier.isEmpty,
      beforePrevious.frame == frame.index - 2
    {
      first = beforePrevious.faces
    }
    let weights = secondWeights(of: frame)
    let links = try FaceMatching.continuations(
      of: prediction.faces, from: earlier, frame: frame.index)
    let earlierLinks = try FaceMatching.continuations(
      of: earlier, from: first, frame: frame.index - 1)
    let entry = Entry(
      sequence: frame.sequence, time: frame.timestampMicroseconds,
      faces: prediction.faces.enumerated().map { position, face in
        let link = links[position].flatMap { link in
          earlier[link].scheme == face.scheme ? link : nil
        }
        var entry = Face(face, since: link.map { earlier[$0] }, at: link)
        if let link = entry.earlier, let start = earlierLinks[link],
          first[start].scheme == face.scheme, first[start].isComplete
        {
          entry.second = Second(face, earlier[link], first[start], weights)
        }
        return entry
      })
    try add(entry, for: frame.index)
  }

  /// What the second difference multiplies the points of a frame and of the two before by.
  ///
  /// Of unlike steps in time, as where a frame between was lost, it is the distance of the middle point from the line
  /// between the others, so that even motion has none, and scaled so that white noise has as much as with even steps.
  private func secondWeights(of frame: Frame) -> SIMD3<Double> {
    let even = SIMD3<Double>(1, -2, 1)
    guard let middle = frames[frame.index - 1]?.time, let first = frames[frame.index - 2]?.time
    else { return even }
    let now = Double(frame.timestampMicroseconds) - Double(middle)
    let before = Double(middle) - Double(first)
    // Clocks that count milliseconds round even steps.
    guard now > 0, before > 0, abs(now - before) > (now + before) / 8 else { return even }
    let (a, b) = (before / (now + before), now / (now + before))
    let scale = (6 / (1 + a * a + b * b)).squareRoot()
    return SIMD3(scale * a, -scale, scale * b)
  }

  /// The frames that a face goes on to.
  package var countedFrames: FrameRuns {
    frames.keys { $0.faces.contains { $0.earlier != nil } }
  }

  /// The faces that go on from the frame before, for each sequence in its order.
  func continued() -> [[Face]] {
    frames.sequences
      .map { $0.entries.flatMap(\.faces).filter { $0.earlier != nil } }
      .filter { !$0.isEmpty }
  }

  /// One face over frames without a break, in the order of its first frames.
  func tracks() -> [[(time: Int64, face: Face)]] {
    var tracks: [[(time: Int64, face: Face)]] = []
    var open: [Int: Int] = [:]
    var last: (key: Int, sequence: Int)?
    for (key, entry) in frames.keyed {
      let goesOn = last.map { $0 == (key - 1, entry.sequence) } ?? false
      var next: [Int: Int] = [:]
      for (position, face) in entry.faces.enumerated() where face.interocular > 0 {
        if goesOn, let earlier = face.earlier, let track = open[earlier] {
          tracks[track].append((entry.time, face))
          next[position] = track
        } else {
          tracks.append([(entry.time, face)])
          next[position] = tracks.count - 1
        }
      }
      open = next
      last = (key, entry.sequence)
    }
    return tracks
  }
}

extension LandmarkJitter.Face {
  fileprivate init(_ face: FacePrediction, since previous: FacePrediction?, at position: Int?) {
    guard let layout = face.scheme.flatMap(LandmarkLayout.of), !layout.anchors.isEmpty,
      face.isComplete
    else { return }
    for (lane, point) in layout.anchors.enumerated() {
      smoothedAnchors[2 * lane] = face.points[point].x
      smoothedAnchors[2 * lane + 1] = face.points[point].y
      unsmoothedAnchors[2 * lane] = face.unsmoothedPoints[point].x
      unsmoothedAnchors[2 * lane + 1] = face.unsmoothedPoints[point].y
    }
    interocular = face.interocular(layout)
    guard let previous, previous.isComplete else { return }
    earlier = position
    smoothed = Self.meanSquare(face.points, previous.points)
    unsmoothed = Self.meanSquare(face.unsmoothedPoints, previous.unsmoothedPoints)
    interocular = (interocular + previous.interocular(layout)) / 2
  }

  /// Mean of the squared distances in the image.
  private static func meanSquare(_ points: [SIMD3<Float>], _ earlier: [SIMD3<Float>]) -> Double {
    let sum = zip(points, earlier).reduce(0.0) { sum, pair in
      let (dx, dy) = (Double(pair.0.x) - Double(pair.1.x), Double(pair.0.y) - Double(pair.1.y))
      return sum + dx * dx + dy * dy
    }
    return sum / Double(points.count)
  }
}

extension LandmarkJitter.Second {
  fileprivate init(
    _ face: FacePrediction, _ earlier: FacePrediction, _ first: FacePrediction,
    _ weights: SIMD3<Double>
  ) {
    smoothed = Self.meanSquare(face.points, earlier.points, first.points, weights)
    unsmoothed = Self.meanSquare(
      face.unsmoothedPoints, earlier.unsmoothedPoints, first.unsmoothedPoints, weights)
  }

  private static func meanSquare(
    _ points: [SIMD3<Float>], _ earlier: [SIMD3<Float>], _ first: [SIMD3<Float>],
    _ weights: SIMD3<Double>
  ) -> Double {
    let sum = points.indices.reduce(0.0) { sum, point in
      let (now, before, start) = (points[point], earlier[point], first[point])
      let dx: Double =
        weights.x * Double(now.x) + weights.y * Double(before.x) + weights.z * Double(start.x)
      let dy: Double =
        weights.x * Double(now.y) + weights.y * Double(before.y) + weights.z * Double(start.y)
      return sum + dx * dx + dy * dy
    }
    return sum / Double(points.count)
  }
}

extension FacePrediction {
  /// Whether all points of the scheme are there, before and after smoothing, and finite.
  fileprivate var isComplete: Bool {
    [points, unsmoothedPoints].allSatisfy { points in
      points.count == scheme?.count && points.allSatisfy { $0.x.isFinite && $0.y.isFinite }
    }
  }

  /// Distance of the outer eye corners in pixels, z does not count; 0 without corners.
  fileprivate func interocular(_ layout: LandmarkLayout) -> Double {
    guard let leftCorner = layout.leftOuterCorner, let rightCorner = layout.rightOuterCorner
    else { return 0 }
    let (left, right) = (points[leftCorner], points[rightCorner])
    return Point(x: Double(left.x), y: Double(left.y))
      .distance(to: Point(x: Double(right.x), y: Double(right.y)))
  }
}

extension LandmarkJitter {
  /// Jitter in pixels and relative to the face, the same without smoothing, and the lag.
  package static let definitions = [
    pixels, relative, unsmoothedPixels, unsmoothedRelative, second, unsmoothedSecond, spectrum,
    unsmoothedSpectrum, lag,
  ]

  /// The metrics that need the points before smoothing.
  package static let ofUnsmoothed = [
    unsmoothedPixels, unsmoothedRelative, unsmoothedSecond, unsmoothedSpectrum, lag,
  ]

  private static let formula =
    "√ of the mean over a sequence's frames and points of ‖x(t) − x(t−1)‖²"
  private static let end =
    ", then the mean over sequences; white noise of σ per axis gives 2σ; jitter only for a still "
    + "subject; undefined where no face goes on for two frames"

  /// As given out, in pixels.
  package static let pixels = definition(
    "jitter.static", "Motion per frame (jitter if still)", unit: "px", formula + end)
  /// As given out, over the interocular distance.
  package static let relative = definition(
    "jitter.static.interocular", "Motion per frame by interocular (jitter if still)", unit: "‰",
    formula + " over the squared distance of the predicted outer eye corners, times 1000" + end)
  /// Before smoothing, in pixels.
  package static let unsmoothedPixels = definition(
    "jitter.static.unsmoothed", "Motion per frame before smoothing", unit: "px",
    "as jitter.static, of the points before smoothing")
  /// Before smoothing, over the interocular distance.
  package static let unsmoothedRelative = definition(
    "jitter.static.unsmoothed.interocular", "Motion per frame before smoothing by interocular",
    unit: "‰",
    "as jitter.static.interocular, of the points before smoothing")
  /// Change of the motion, as given out, in pixels.
  package static let second = definition(
    "jitter.second", "Change of motion per frame", unit: "px",
    "√ of the mean over a sequence's frames and points of ‖x(t) − 2x(t−1) + x(t−2)‖², then the mean "
      + "over sequences; white noise of σ per axis gives √12·σ, even motion 0; of unlike steps in time the distance of "
      + "x(t−1) from the line between the others, scaled so that both hold; undefined where no "
      + "face goes on for three frames")
  /// Change of the motion before smoothing, in pixels.
  package static let unsmoothedSecond = definition(
    "jitter.second.unsmoothed", "Change of motion per frame before smoothing", unit: "px",
    "as jitter.second, of the points before smoothing")
  /// How far the points given out trail those before smoothing.
  package static let lag = definition(
    "lag.ms", "Lag of smoothing", .closest, in: .any, target: 0, unit: "ms",
    "delay of the largest correlation between seven points before and after smoothing, parabolic "
      + "between frames, times the median frame interval; mean over faces followed for "
      + "\(LagLimits.frames) frames or more that move by \(LagLimits.motion) of interocular (RMS) or "
      + "more; negative where smoothing leads")

  package func measurements(of sums: Sums) -> [Measurement] {
    let noNext = "no face of a video sequence goes on from one analysed frame to the next"
    let noThird = "no face of a video sequence goes on for 3 analysed frames"
    let notFollowed =
      sums[.followed] == 0
      ? "no face of a video sequence is followed for \(LagLimits.frames) frames" : nil
    let noSpectrum = notFollowed ?? "no face moves and is sampled evenly at over 8 Hz"
    let noLag =
      sums[.moving] == 0
      ? "no face moves by \(LagLimits.motion) of interocular or more: lag needs motion"
      : "no correlation has its peak within the delays tried"
    let metrics: [(MetricDefinition, Mean, reason: String)] = [
      (Self.pixels, .pixels, noNext), (Self.relative, .relative, noNext),
      (Self.unsmoothedPixels, .unsmoothedPixels, noNext),
      (Self.unsmoothedRelative, .unsmoothedRelative, noNext),
      (Self.second, .second, noThird), (Self.unsmoothedSecond, .unsmoothedSecond, noThird),
      (Self.spectrum, .spectrum, noSpectrum),
      (Self.unsmoothedSpectrum, .unsmoothedSpectrum, noSpectrum),
      (Self.lag, .lag, notFollowed ?? noLag),
    ]
    return metrics.map { definition, mean, reason in
      definition.mean(of: sums[mean], else: reason)
    }
  }

  /// Root of the mean of squares.
  static func root<Item>(
    _ items: [Item], times scale: Double = 1, _ square: (Item) -> Double
  ) -> Double {
    scale * (items.reduce(0) { $0 + square($1) } / Double(items.count)).squareRoot()
  }

  /// RMS distance of the anchors from their mean positions, over the mean interocular distance.
  static func motion(of track: [(time: Int64, face: Face)]) -> Double {
    let signals = Self.signals(track, \.unsmoothedAnchors)
    let square = signals.reduce(0.0) { sum, signal in
      sum + signal.squaredDeviations / Double(signal.count)
    }
    let interocular = track.reduce(0) { $0 + $1.face.interocular } / Double(track.count)
    return (square / Double(LagLimits.anchors)).squareRoot() / interocular
  }

  static func milliseconds(of track: [(time: Int64, face: Face)]) -> Double? {
    let intervals = zip(track.dropFirst(), track).map { $0.time - $1.time }.sorted()
    let delay = CrossCorrelation.delay(
      of: signals(track, \.smoothedAnchors), after: signals(track, \.unsmoothedAnchors),
      range: min(LagLimits.range, track.count / 3))
    guard case .samples(let samples) = delay else { return nil }
    return samples * Double(intervals[(intervals.count - 1) / 2]) / 1000
  }

  static func signals(
    _ track: [(time: Int64, face: Face)], _ anchors: (Face) -> SIMD16<Float>
  ) -> [[Double]] {
    (0..<(2 * LagLimits.anchors)).map { lane in
      track.map { Double(anchors($0.face)[lane]) }
    }
  }

  private static let definition = DefinitionGroup(
    prefix: "", stage: "tracking",
    source: "displacement between frames of video sequences; x and y in pixels")
}

enum LagLimits {
  static let anchors = 7
  /// Fewest frames of a face.
  static let frames = 30
  /// Largest delay tried, in frames.
  static let range = 15
  /// Least RMS distance from the mean position, in interocular distances.
  static let motion = 0.02
}

extension LandmarkJitter: AdditiveFamily, FamilyWithoutSettings {
  package static let requirements: MetricRequirements = [.points]

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    try add(
      frame.frame, isVideo: frame.isVideo, prediction: frame.prediction,
      previous: frame.earlier.first?.prediction,
      beforePrevious: frame.earlier.count == 2 ? frame.earlier[1].prediction : nil)
  }

  package static let presentation = MetricPresentation(
    sliced: [relative.name, lag.name], needs: [.unsmoothed: Set(ofUnsmoothed.map(\.name))],
    headlines: [.init(.jitter, choice: 1, [relative.name]), .init(.lag, [lag.name])],
    aliases: ["motion": relative.name, "jitter": second.name, "lag": lag.name])
}

extension LandmarkJitter.Second: Packable {
  package func pack(into row: inout RowWriter) { row.write(smoothed, unsmoothed) }
  package init(from row: inout RowReader) {
    self.init(smoothed: row.read(), unsmoothed: row.read())
  }
}

extension LandmarkJitter.Face: Packable {
  package func pack(into row: inout RowWriter) {
    row.write(earlier, smoothed, unsmoothed, second, interocular)
    row.write(smoothedAnchors, unsmoothedAnchors)
  }

  package init(from row: inout RowReader) {
    self.init(
      earlier: row.read(), smoothed: row.read(), unsmoothed: row.read(), second: row.read(),
      interocular: row.read(), smoothedAnchors: row.read(), unsmoothedAnchors: row.read())
  }
}

extension LandmarkJitter.Entry: Packable {
  package func pack(into row: inout RowWriter) { row.write(sequence, time, faces) }
  package init(from row: inout RowReader) {
    self.init(sequence: row.read(), time: row.read(), faces: row.read())
  }
}
