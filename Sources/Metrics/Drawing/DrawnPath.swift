package import FaceCore
package import Records

/// How near a path drawn with a fingertip comes to the path that was to be drawn.
///
/// Each frame gives the point where the ray through the fingertip first meets a plane, the drawing plane or another
/// before it. The drawn path joins these points in the order of the frames by straight lines, also over frames
/// without one. Lengths in mm.
package struct DrawnPath: FrameMetric {
  /// The fingertip in one frame.
  package enum Entry: Sendable, Hashable {
    /// There was none.
    case noFingertip
    /// There was one, but its ray does not meet the plane.
    case noHit
    /// Where it is on the drawing plane, in metres in the world.
    case hit(SIMD3<Double>)
    /// Where it is on another plane, which its ray meets first.
    case otherHit(SIMD3<Double>)

    var point: SIMD3<Double>? {
      switch self {
      case .noFingertip, .noHit: nil
      case .hit(let point), .otherHit(let point): point
      }
    }
  }

  /// The path that was to be drawn: two points or more of the plane, in metres in the world.
  package let reference: [SIMD3<Double>]
  package var frames = FrameTable<Entry>()

  /// Starts without frames.
  package init(along reference: [SIMD3<Double>]) {
    self.reference = reference
  }

  /// Takes in one frame: its fingertip in pixels, or nil; throws for a frame added before.
  ///
  /// Of `planes` the first is the drawing plane.
  package mutating func add(
    frame: Int, fingertip: Point?, camera: PinholeCamera?, planes: [Plane]
  ) throws(MetricError) {
    let entry: Entry =
      if let fingertip {
        camera?.firstHit(fingertip, on: planes)
          .map { $0.plane == 0 ? .hit($0.point) : .otherHit($0.point) } ?? .noHit
      } else {
        .noFingertip
      }
    try add(entry, for: frame)
  }

  /// Throws where the references differ.
  package func check(_ other: DrawnPath) throws(MetricError) {
    guard reference == other.reference else { throw .referencesDiffer }
  }

  /// The points of the drawn path, in metres.
  package var hits: [SIMD3<Double>] { frames.entries.compactMap(\.point) }
}

extension DrawnPath {
  /// Drawn-path error, then what there was to draw with.
  package static let definitions = [
    meanError, tailError, hausdorff, frechet, lengthRatio, hitShare, otherPlaneShare,
  ]

  /// Points of a sampled path are no more than 1 mm apart, or a 2000th of the longer path.
  private static let step = 0.001
  private static let maxSteps = 2000.0

  private static let sampled =
    "corners and points between, at most 1 mm or a 2000th of the longer path apart"

  private static let meanError = definition(
    "error.mean", "Drawn-path error, mean",
    "mean distance from the drawn points to the nearest point of the reference's lines",
    source: "mean point-to-polyline distance")
  private static let tailError = definition(
    "error.p95", "Drawn-path error, 95th percentile",
    "distance from a drawn point to the nearest point of the reference's lines, the one of rank "
      + "⌈0.95 n⌉ (nearest rank)", source: "numpy.percentile, method inverted_cdf")
  private static let hausdorff = definition(
    "hausdorff", "Hausdorff distance",
    "largest distance from a point of either path to the nearest of the other, over \(sampled)",
    source: "scipy.spatial.distance.directed_hausdorff, both ways")
  private static let frechet = definition(
    "frechet", "Discrete Fréchet distance",
    "least possible longest distance of two points that walk the paths from end to end without "
      + "going back, over \(sampled)", source: "Eiter and Mannila 1994")
  private static let lengthRatio = MetricDefinition(
    "drawing.length_ratio", "Length of drawn over reference", .closest, target: 1,
    "length of the drawn path over that of the reference; over 1 where the path wavers, under 1 "
      + "where a part is missing" + "; under 2 points it is undefined",
    source: "ratio of the sums of distances from point to point")
  private static let hitShare = MetricDefinition(
    "drawing.hit_share", "Fingertips that meet a plane", .higher, in: .proportion,
    "share of the frames with a fingertip whose ray meets a plane, within its extent, before the camera"
      + "; in [0, 1]; undefined without a fingertip", source: "intersection of ray and plane")
  private static let otherPlaneShare = MetricDefinition(
    "drawing.other_plane_share", "Drawn points on another plane", .lower, in: .proportion,
    "share of the drawn points that lie on another plane than the drawing plane, which the ray meets "
      + "first" + "; in [0, 1]; undefined without drawn points",
    source: "intersection of ray and plane")

  private static let definition = DefinitionGroup(
    prefix: "drawing.", unit: "mm", ending: "; undefined without drawn points",
    source: "intersection of ray and plane")

  /// The metrics in the order of `definitions`; n is the number of drawn points, of the hit share of fingertips.
  package func summarize() -> [Measurement] {
    let (hits, fingertips) = (hits, frames.entries.count { $0 != .noFingertip })
    let noFingertip = "no frame has a fingertip"
    let share = Self.hitShare.ratio(hits.count, of: fingertips, else: noFingertip)
    guard !hits.isEmpty else {
      let reason = fingertips == 0 ? noFingertip : "no ray through a fingertip meets a plane"
      return Self.definitions.map {
        $0.name == Self.hitShare.name ? share : $0.undefined(reason, n: 0)
      }
    }
    let others = frames.entries.count { if case .otherHit = $0 { true } else { false } }
    let (drawn, wanted) = (Polyline(points: hits), Polyline(points: reference))
    let errors = hits.map { wanted.distance(to: $0) }.sorted()
    let (length, wantedLength) = (drawn.length, wanted.length)
    let step = max(Self.step, max(length, wantedLength) / Self.maxSteps)
    let (first, second) = (drawn.sampled(step: step), wanted.sampled(step: step))
    func millimetres(_ definition: MetricDefinition, _ metres: Double) -> Measurement {
      definition.measurement(1000 * metres, n: hits.count)
    }
    return [
      millimetres(Self.meanError, errors.reduce(0, +) / Double(errors.count)),
      millimetres(Self.tailError, errors[(errors.count * 95 + 99) / 100 - 1]),
      millimetres(Self.hausdorff, Polyline.hausdorff(first, second)),
      millimetres(Self.frechet, Polyline.discreteFrechet(first, second)),
      hits.count < 2
        ? Self.lengthRatio.undefined("one point has no length", needs: 2, n: 1)
        : Self.lengthRatio.measurement(length / wantedLength, n: hits.count),
      share,
      Self.otherPlaneShare.measurement(Double(others) / Double(hits.count), n: hits.count),
    ]
  }

  package static let presentation = MetricPresentation(
    headlines: [.init(.drawing, [meanError.name, lengthRatio.name])])
}

extension DrawnPath.Entry: Packable {
  package func pack(into row: inout RowWriter) {
    switch self {
    case .noFingertip: row.write(UInt8(0))
    case .noHit: row.write(UInt8(1))
    case .hit(let point): row.write(UInt8(2), point)
    case .otherHit(let point): row.write(UInt8(3), point)
    }
  }

  package init(from row: inout RowReader) {
    switch row.byte() {
    case 0: self = .noFingertip
    case 1: self = .noHit
    case 2: self = .hit(row.read())
    default: self = .otherHit(row.read())
    }
  }
}
