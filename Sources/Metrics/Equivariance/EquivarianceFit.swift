package import FaceCore
internal import Platform
internal import Records

/// How far the faces of transformed images are from those of their originals, moved along.
package struct EquivarianceFit: Sendable {
  /// A point of the face.
  package struct PointOffset: Sendable {
    /// Mean position on the original face and mean offset, in the frame of the face: x to the image's right of an upright
    /// face, y down, 1 is about half the distance from eyes to chin.
    package let position: Point, offset: Point
    /// Mean distance.
    package let distance: Double
  }

  /// A coefficient.
  package struct Channel: Sendable {
    /// The coefficient.
    package let coefficient: Blendshape
    /// Mean difference, transformed less original, and the mean of its size.
    package let difference: ResampledEstimate, magnitude: ResampledEstimate
  }

  /// Originals that were compared, faces that both images have, that only the original has, and that only the other has.
  package let images: Int, faces: Int, lost: Int, gained: Int
  /// Share of the original's faces that are lost.
  package let lostShare: ResampledEstimate
  /// Mean distance of all points.
  package let distance: ResampledEstimate
  /// Each point up to the last that faces have; empty where they have none, or not all before it.
  package let points: [PointOffset]
  /// The coefficients that both have.
  package let channels: [Channel]
  /// How many people or stills were resampled.
  package let sizes: ClusterSizes

  /// What gates can limit, and what can be compared with another run.
  package let metrics: ResampledMetrics

  /// Computes and resamples, for a transformation of that name; `advance` is told of finished draws.
  package init(
    _ sums: EquivarianceSums, of transformation: String, bootstrap: ClusterBootstrap,
    advance: (Int) throws -> Void = { _ in }
  ) rethrows {
    let keyed = sums.units
    let units = keyed.map(\.unit)
    var whole = EquivarianceSums.Unit()
    for unit in units { whole.add(unit, times: 1) }
    (faces, lost) = (Int(whole.counts.x), Int(whole.counts.y))
    (gained, images) = (Int(whole.counts.z), Int(whole.counts.w))
    let sizes = ClusterSizes(units.lazy.map { $0.counts.x + $0.counts.y })
    self.sizes = sizes
    let values = Self.numbers(of: whole)
    let draws = try bootstrap.resampled(units: units.count, advance: advance) { copies in
      var sum = EquivarianceSums.Unit()
      for (unit, times) in zip(units, copies) where times > 0 { sum.add(unit, times: times) }
      return Self.numbers(of: sum)
    }
    func estimate(_ index: Int, _ range: MetricRange) -> ResampledEstimate {
      bootstrap.estimate(of: values, at: index, draws, in: range, sizes: sizes)
    }
    lostShare = estimate(0, .proportion)
    distance = estimate(1, .atLeastZero)
    let slice = "transformation=\(transformation)"
    metrics = ResampledMetrics(
      [
        .init(
          definition: Self.lostShareDefinition, slice: slice, estimate: lostShare,
          n: faces + lost, place: 0),
        .init(
          definition: Self.distanceDefinition, slice: slice, estimate: distance, n: faces,
          place: 1),
      ], draws, units: keyed.map(\.key), sizes: sizes, bootstrap: bootstrap)
    channels = EquivarianceSums.channels.enumerated().compactMap { index, channel in
      guard whole.channels[3 * index] > 0 else { return nil }
      return Channel(
        coefficient: channel, difference: estimate(2 + 2 * index, .any),
        magnitude: estimate(3 + 2 * index, .atLeastZero))
    }
    points = Self.points(of: whole)
  }

  private static func points(of sums: EquivarianceSums.Unit) -> [PointOffset] {
    var points: [PointOffset] = []
    let width = EquivarianceSums.Unit.pointWidth
    for (index, start) in stride(from: 2, to: sums.points.count, by: width).enumerated() {
      let compared = sums.points[start + 5]
      guard compared > 0 else { continue }
      // A point is known by its place in the list.
      guard index == points.count else { return [] }
      let means = (0..<5).map { sums.points[start + $0] / compared }
      points.append(
        PointOffset(
          position: Point(x: means[3], y: means[4]), offset: Point(x: means[0], y: means[1]),
          distance: means[2]))
    }
    return points
  }

  /// Share of lost faces, mean distance, then mean difference and size of each coefficient; NaN for an undefined one.
  private static func numbers(of sums: EquivarianceSums.Unit) -> [Double] {
    let labelled = sums.counts.x + sums.counts.y
    var numbers: [Double] = [
      labelled > 0 ? sums.counts.y / labelled : .nan,
      sums.points.count > 1 && sums.points[0] > 0 ? sums.points[1] / sums.points[0] : .nan,
    ]
    for start in stride(from: 0, to: sums.channels.count, by: 3) {
      let faces = sums.channels[start]
      numbers.append(faces > 0 ? sums.channels[start + 1] / faces : .nan)
      numbers.append(faces > 0 ? sums.channels[start + 2] / faces : .nan)
    }
    return numbers
  }
}

extension EquivarianceFit: DefinedMetrics {
  /// Faces that are lost, and how far points move.
  package static let definitions = [lostShareDefinition, distanceDefinition]

  private static let lostShareDefinition = MetricDefinition(
    "equivariance.lost_share", "Faces lost in transformed images", .lower, in: .proportion,
    "share of the faces of originals without one of the transformed image, moved back, of IoU .30 or more; "
      + "in [0, 1]; in slices transformation=NAME", source: "FaceGauge")
  private static let distanceDefinition = MetricDefinition(
    "equivariance.distance", "Distance of points of transformed images", .lower,
    "mean distance of the points of the original's face and of the transformed image's, moved back, in the "
      + "frame of the face; in slices transformation=NAME", source: "FaceGauge")
}
