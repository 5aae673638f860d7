package import FaceCore

/// How much landmarks move from frame to frame, with and without smoothing, and how far smoothing lags.
///
/// Over the video sequences, needs no labels. Faces are followed from one analysed frame to the
/// very next by IoU .50 or more of their tight boxes. A displacement is jitter only where the subject
/// is still; where it moves, the figure holds the motion too. Lag needs motion, and jitter is never
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
    /// Index of the sequence.
    package var sequence: Int
    var time: Int64
    var faces: [Face]
  }

  /// What is kept of each frame.
  package var frames = FrameTable<Entry>()

  /// Starts without frames.
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
    let links = FaceMatching.continuations(of: prediction.faces, from: earlier)
    let earlierLinks = FaceMatching.continuations(of: earlier, from: first)
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
          entry.second = Second(face, earlier[link], first[start])
        }
        return entry
      })
    try add(entry, for: frame.index)
  }

  /// The figure that errors name.
  package static var table: String { "jitter.static" }

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

  /// Mean of the squared distances in the picture.
  private static func meanSquare(_ points: [SIMD3<Float>], _ earlier: [SIMD3<Float>]) -> Double {
    let sum = zip(points, earlier).reduce(0.0) { sum, pair in
      let (dx, dy) = (Double(pair.0.x) - Double(pair.1.x), Double(pair.0.y) - Double(pair.1.y))
      return sum + dx * dx + dy * dy
    }
    return sum / Double(points.count)
  }
}

extension LandmarkJitter.Second {
  fileprivate init(_ face: FacePrediction, _ earlier: FacePrediction, _ first: FacePrediction) {
    smoothed = Self.meanSquare(face.points, earlier.points, first.points)
    unsmoothed = Self.meanSquare(
      face.unsmoothedPoints, earlier.unsmoothedPoints, first.unsmoothedPoints)
  }

  private static func meanSquare(
    _ points: [SIMD3<Float>], _ earlier: [SIMD3<Float>], _ first: [SIMD3<Float>]
  ) -> Double {
    let sum = points.indices.reduce(0.0) { sum, point in
      let dx = Double(points[point].x) - 2 * Double(earlier[point].x) + Double(first[point].x)
      let dy = Double(points[point].y) - 2 * Double(earlier[point].y) + Double(first[point].y)
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
