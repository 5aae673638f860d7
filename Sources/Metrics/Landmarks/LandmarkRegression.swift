package import FaceCore

/// How much of the landmarks' error is the table's, not the tracker's: errors before and after a linear fit.
///
/// Of labelled faces whose points are compared by a table of `LandmarkCorrespondence`; points labelled
/// in the tracker's own scheme need none and do not count. What a table cannot follow (another spot of
/// the same part, an outline that moves as the head turns) a regression learns from the labels: in a
/// frame of the face (`FaceFrame`), from its seven anchors to the way from the table's point to the
/// label, point by point. Each face is judged by a fit to other pictures, of video to other sequences.
///
/// Retained of a found face are its anchors and those ways as floats, never the mesh: 68 points take
/// 0.6 kB.
package struct LandmarkRegression: FrameMetric {
  /// One labelled face that a table is needed for.
  package struct Face: Sendable, Hashable {
    /// The scheme of the labels.
    var scheme: LandmarkScheme
    /// Hash of the picture's name, of the sequence's in video: what is never on both sides of a fit.
    var group: UInt64
    /// Lengths in pixels in the order of `LandmarkNormalizer`; nil where the label lacks a point.
    var normalizers: [Double?]
    /// Where the points are; nil for a missed face.
    var shape: Shape?
    /// Errors in pixels by the table; nil for a missed face and before the fit.
    var table: Means?
    /// Errors in pixels after the fit; nil also where there is none.
    var regressed: Means?
  }

  /// The mean over the labelled points of a face, and over those of each part in the order of `FacePart`.
  struct Means: Sendable, Hashable {
    var whole: Double
    var parts: [Double?]
  }

  /// A predicted face beside its label.
  struct Shape: Sendable, Hashable {
    /// Coordinates of the anchors in the face's frame; none where there is no frame.
    var anchors: [Float] = []
    /// What the other lengths are in units of, in pixels.
    var scale: Double
    /// From the table's point to the label; infinite where there is no label.
    var offsets: [SIMD2<Float>]
  }

  /// The scheme of the predicted faces.
  package let scheme: LandmarkScheme
  /// What is kept of each frame.
  package var frames = FrameTable<[Face]>()
  /// Why schemes of labels have no fit; nil before it.
  private(set) var problems: [LandmarkScheme: String]?

  /// Starts without frames, for faces that are predicted in a scheme.
  package init(scheme: LandmarkScheme) {
    self.scheme = scheme
  }

  /// Whether no labelled face needs a table.
  package var isEmpty: Bool { frames.entries.allSatisfy(\.isEmpty) }

  /// Takes in the labelled faces of one frame; `video` names whose it is: its subject, or its sequence in video.
  ///
  /// Throws for a frame added before and a matched face in another scheme.
  package mutating func add(
    _ frame: Frame, video: String?, labels: [FaceLabel], faces: [FacePrediction],
    matching: FaceMatching
  ) throws(MetricError) {
    let group = Self.group(video ?? frame.name)
    var found: [Face] = []
    for (label, position) in matching.labelledFaces {
      guard let (landmarks, table) = LandmarkCorrespondence.target(of: labels[label], for: scheme),
        table.source != table.target
      else { continue }
      var entry = Face(
        scheme: landmarks.scheme, group: group,
        normalizers: LandmarkNormalizer.allCases.map { $0.pixels(of: landmarks) })
      if let face = position.map({ faces[$0] }) {
        guard face.scheme == scheme else {
          throw .otherScheme(
            face.scheme?.name ?? "no scheme", expected: scheme.name, frame: frame.index)
        }
        entry.shape = Shape(of: face, label: landmarks, by: table)
      }
      found.append(entry)
    }
    try add(found, for: frame.index)
    problems = nil
  }

  /// The figure that errors name.
  package static var table: String { "landmarks.bias_floor" }

  /// Throws where the schemes differ.
  package func check(_ other: LandmarkRegression) throws(MetricError) {
    guard scheme == other.scheme else { throw .schemesDiffer(scheme.name, other.scheme.name) }
  }

  /// Takes in other frames; throws where a frame is in both or the schemes differ.
  package mutating func merge(_ other: LandmarkRegression) throws(MetricError) {
    try check(other)
    try frames.merge(other.frames, in: Self.table)
    problems = nil
  }

  /// Judges every face by a fit to the others, which frames that are drawn or exchanged later keep.
  package mutating func fit() {
    guard problems == nil else { return }
    let all = faces
    var fits: [LandmarkScheme: CrossFit] = [:]
    for scheme in Set(all.map(\.scheme)) {
      fits[scheme] = CrossFit(to: all.filter { $0.scheme == scheme }, scheme)
    }
    problems = fits.compactMapValues(\.problem)
    frames.update { faces in
      for index in faces.indices { fits[faces[index].scheme]?.judge(&faces[index]) }
    }
  }

  /// The same after the fit.
  var fitted: LandmarkRegression {
    var fitted = self
    fitted.fit()
    return fitted
  }

  /// Every face in the order of the frames' keys and their labels.
  var faces: [Face] { frames.entries.flatMap { $0 } }

  /// FNV-1a of the name, mixed as SplitMix64 does: the same on every machine and in every order.
  private static func group(_ name: String) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
    hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
    return hash ^ (hash >> 31)
  }
}

extension LandmarkRegression.Shape {
  /// Nil for a face that `LandmarkDistances` cannot compare.
  fileprivate init?(
    of face: FacePrediction, label: Landmarks, by table: LandmarkCorrespondence
  ) {
    let points = table.points(of: face)
    guard LandmarkDistances(predicted: points, label: label) != nil else { return nil }
    let frame = FaceFrame(face)
    anchors = frame.map { $0.anchors.map { Float($0) } } ?? []
    scale = frame?.scale ?? 1
    offsets = zip(zip(points, label.points), label.visibility).map { pair, visibility in
      guard visibility != .notLabelled, let point = pair.0 else {
        return SIMD2(repeating: .infinity)
      }
      let way =
        frame?.offset(from: point, to: pair.1)
        ?? Point(x: pair.1.x - point.x, y: pair.1.y - point.y)
      return SIMD2(Float(way.x), Float(way.y))
    }
  }
}
