package import FaceCore

/// Normalised mean error (NME) of landmarks over all labelled faces, found or not.
///
/// A face's NME is the mean distance of its points from their labels over a length of the label; per
/// face first, then the mean over faces, as the scripts of 300-W do. Only points with a label count,
/// and of them those that the tracker's scheme has, by `LandmarkCorrespondence`. A labelled face
/// without a prediction has an NME of ∞: the mean is then undefined, failure rate, AUC and CED count
/// it, and the mean over the found ones stands beside it as `…conditional`.
package struct LandmarkAccuracy: FrameMetric {
  /// One labelled face; its error is nil where it has no prediction.
  package struct Face: Sendable, Hashable {
    var normalizers: [Double?]
    var hasVisiblePoints: Bool
    var mean: Double?
    var visibleMean: Double?
    var partMeans: [Double?] = []

    /// NME by the normaliser of that position, ∞ for a missed face; nil without the normaliser.
    func error(_ normalizer: Int) -> Double? {
      normalizers[normalizer].map { length in mean.map { $0 / length } ?? .infinity }
    }

    /// The same over the points labelled as visible; nil for a missed face too.
    func visibleError(_ normalizer: Int) -> Double? {
      guard let length = normalizers[normalizer] else { return nil }
      return visibleMean.map { $0 / length }
    }
  }

  /// The scheme of the predicted faces.
  package let scheme: LandmarkScheme
  /// What is kept of each frame.
  package var frames = FrameTable<[Face]>()
  private(set) var pointErrors: [String: PointErrors] = [:]

  /// Starts without frames, for faces that are predicted in a scheme.
  package init(scheme: LandmarkScheme) {
    self.scheme = scheme
  }

  /// Takes in the labelled faces of one frame with their predictions.
  ///
  /// Labels without points that the scheme has a counterpart of do not count. Throws for a frame
  /// added before and a matched face in another scheme.
  package mutating func add(
    frame: Int, labels: [FaceLabel], faces: [FacePrediction], matching: FaceMatching
  ) throws(MetricError) {
    let faceOfLabel = Dictionary(
      matching.matches.map { ($0.label, $0.face) }, uniquingKeysWith: { first, _ in first })
    var found: [Face] = []
    for label in (matching.matches.map(\.label) + matching.missed).sorted() {
      guard let (landmarks, table) = LandmarkCorrespondence.target(of: labels[label], for: scheme)
      else { continue }
      var entry = Face(
        normalizers: LandmarkNormalizer.allCases.map { $0.pixels(of: landmarks) },
        hasVisiblePoints: table.hasCounterpart(in: landmarks) { $0 == .visible })
      if let face = faceOfLabel[label] {
        guard faces[face].scheme == scheme else {
          throw .otherScheme(
            faces[face].scheme?.name ?? "no scheme", expected: scheme.name, frame: frame)
        }
        if let distances = LandmarkDistances(
          predicted: table.points(of: faces[face]), label: landmarks)
        {
          entry.mean = distances.mean
          entry.visibleMean = distances.visibleMean
          entry.partMeans = distances.partMeans
          if let length = entry.normalizers[0] {
            pointErrors[landmarks.scheme.name, default: PointErrors()]
              .add(distances.points, over: length)
          }
        }
      }
      found.append(entry)
    }
    try add(found, for: frame)
  }

  /// The figure that errors name.
  package static var table: String { "landmarks.nme" }

  /// Throws where the settings differ.
  package func check(_ other: LandmarkAccuracy) throws(MetricError) {
    guard scheme == other.scheme else { throw .schemesDiffer(scheme.name, other.scheme.name) }
  }

  /// Takes in other frames; throws where a frame is in both or the schemes differ.
  package mutating func merge(_ other: LandmarkAccuracy) throws(MetricError) {
    try check(other)
    try frames.merge(other.frames, in: Self.table)
    for (name, errors) in other.pointErrors {
      pointErrors[name, default: PointErrors()].merge(errors)
    }
  }

  /// Every face in the order of the frames' keys and their labels.
  var faces: [Face] { frames.entries.flatMap { $0 } }
}

/// Sums of the errors of each point, exact so that their order does not matter.
struct PointErrors: Sendable, Hashable {
  private var sums: [Int128] = []
  private(set) var counts: [Int] = []

  /// Adds distances in pixels over a length, each to 2⁻⁴⁰; over 2²⁰ counts as 2²⁰.
  mutating func add(_ distances: [Double?], over length: Double) {
    if sums.isEmpty {
      sums = Array(repeating: 0, count: distances.count)
      counts = Array(repeating: 0, count: distances.count)
    }
    for case (let point, let distance?) in distances.enumerated() {
      sums[point] += Int128((min(distance / length, 0x1p20) * 0x1p40).rounded())
      counts[point] += 1
    }
  }

  mutating func merge(_ other: PointErrors) {
    guard !sums.isEmpty else {
      self = other
      return
    }
    for point in other.sums.indices {
      sums[point] += other.sums[point]
      counts[point] += other.counts[point]
    }
  }

  /// The mean error of a point; nil where no face has it.
  func mean(_ point: Int) -> Double? {
    counts[point] == 0 ? nil : Double(sums[point]) / 0x1p40 / Double(counts[point])
  }
}
