internal import FaceCore
internal import Platform
package import Records
internal import Statistics

/// How far heads are turned from their labels.
///
/// Over labelled faces whose label has a rotation. A face that was missed, or found without a
/// rotation, leaves the metrics undefined; the metrics of the others are reported as `…conditional`.
package struct PoseAccuracy: FrameMetric {
  /// One labelled face; nothing is predicted where it was missed.
  package struct Face: Sendable, Hashable {
    var labelled: Rotation
    var predicted: Rotation?
  }

  package var frames = FrameTable<[Face]>()

  package init() {}

  package static var table: String { "pose.geodesic" }
}

extension PoseAccuracy {
  /// The share found, each error with its `.conditional`, and how many faces were left out.
  package static let definitions: [MetricDefinition] =
    [foundShare] + errors.flatMap { [$0, $0.conditional] } + [excluded]

  private static let foundShare = definition(
    "found_share", "Share of faces with a pose", .higher, in: .proportion,
    "labelled faces with a rotation whose prediction (option pairing) has one, over all of them; "
      + "in [0, 1]")
  private static let geodesic = definition(
    "geodesic", "Angle between poses", .lower, unit: "°",
    "mean over faces of arccos((tr(RᵀR̂) − 1) / 2); in [0, 180]")
  private static let aligned = definition(
    "geodesic.aligned", "Angle between poses but for one rotation", .lower, unit: "°",
    "as pose.geodesic of R̂·C and R, C the one rotation of the head's own frame with the least sum "
      + "of squared chordal distances; in [0, 180], needs 2 faces")
  private static let ofAxes: [MetricDefinition] = ["yaw", "pitch", "roll"].map { axis in
    definition(
      "mae.\(axis)", "Mean error of \(axis)", .lower, unit: "°",
      "mean over faces of the difference of \(axis) the shorter way round, R = X(−pitch) · "
        + "Y(−yaw) · Z(−roll); labels with an angle beyond 99° are out; in [0, 180]")
  }
  private static let errors = [geodesic] + ofAxes + [meanError, aligned]
  private static let meanError = definition(
    "mae", "Mean error of yaw, pitch and roll", .lower, unit: "°",
    "mean of pose.mae.yaw, pose.mae.pitch and pose.mae.roll; in [0, 180]")
  private static let excluded = definition(
    "excluded", "Faces beyond 99°", .neither, unit: "faces",
    "labelled faces with pitch, yaw or roll beyond 99°, which pose.mae leaves out")

  /// A face with its errors.
  package struct Compared: Sendable {
    let labelled: Rotation
    /// Whether no angle of the label is beyond the limit.
    let isCounted: Bool
    /// Of the found face.
    let found: Found?

    /// The prediction of a found face, and how far it is from the label.
    struct Found: Sendable {
      let predicted: Rotation
      /// The angle between both, in degrees.
      let degrees: Double
      /// The turn from the one to the other.
      let turn: Rotation
      /// The differences of yaw, pitch and roll, in degrees.
      let angles: SIMD3<Double>
    }
  }

  package static func compared(_ frames: FrameTable<[Face]>) -> [Compared] {
    frames.entries.flatMap { $0.map(compared) }
  }

  private static func compared(_ face: Face) -> Compared {
    let own = HeadAngles(face.labelled)
    return Compared(
      labelled: face.labelled, isCounted: !own.isBeyondLimit,
      found: face.predicted.map { predicted in
        let other = HeadAngles(predicted)
        return Compared.Found(
          predicted: predicted, degrees: face.labelled.degrees(to: predicted),
          turn: predicted.inverse * face.labelled,
          angles: SIMD3(
            HeadAngles.difference(own.yaw, other.yaw),
            HeadAngles.difference(own.pitch, other.pitch),
            HeadAngles.difference(own.roll, other.roll)))
      })
  }

  /// The metrics in the order of `definitions`.
  package func summarize() -> [Measurement] { measurements(inSlice: false) }

  /// The metrics of faces in the order of `definitions`.
  package static func measurements(of faces: [Compared], inSlice: Bool) -> [Measurement] {
    let found = faces.filter { $0.found != nil }
    let missed = faces.count - found.count
    let nothing =
      faces.isEmpty ? "no labelled face has a pose" : "no labelled face with a pose was found"
    let counted = faces.filter(\.isCounted)
    let evaluated = counted.compactMap { $0.found?.angles }
    let beyond =
      counted.isEmpty && !faces.isEmpty ? "every labelled pose has an angle beyond 99°" : nothing
    var metrics = [Self.foundShare.ratio(found.count, of: faces.count, else: nothing)]
    metrics += Self.geodesic.metrics(
      found.compactMap { $0.found?.degrees }.mean, n: found.count, missed: missed, else: nothing)
    for (axis, definition) in Self.ofAxes.enumerated() {
      metrics += definition.metrics(
        evaluated.map { $0[axis] }.mean, n: evaluated.count,
        missed: counted.count - evaluated.count, else: beyond)
    }
    metrics += Self.meanError.metrics(
      evaluated.flatMap { [$0.x, $0.y, $0.z] }.mean, n: evaluated.count,
      missed: counted.count - evaluated.count, else: beyond)
    metrics += Self.aligned.metrics(
      found.count < 2 ? nil : Self.aligned(found), n: found.count, missed: missed,
      else: found.count == 1 ? "one pose is its own reference" : nothing)
    metrics.append(
      Self.excluded.measurement(
        faces.isEmpty ? nil : Double(faces.count - counted.count), n: faces.count, else: nothing))
    return metrics
  }

  /// Mean angle by the label's yaw (`pose.by_yaw`), a row a bin; nil without faces.
  package func yawTable() -> Series? {
    let faces = self.faces
    guard !faces.isEmpty else { return nil }
    let binned = faces.map { ($0, YawBin(yawDegrees: HeadAngles($0.labelled).yaw)) }
    let rows = YawBin.allCases.map { bin in
      let own = binned.filter { $0.1 == bin }.map(\.0)
      let angles = own.compactMap { face in face.predicted.map { face.labelled.degrees(to: $0) } }
      return [
        bin.rawValue, "\(own.count)", "\(angles.count)",
        angles.mean.map { $0.shortText(significantDigits: 4) } ?? "–",
      ]
    }
    return Series(
      name: "pose.by_yaw", title: "Angle between poses by labelled yaw",
      columns: ["|yaw| (°)", "labelled", "found", "mean angle of found (°)"], rows: rows)
  }

  private static func aligned(_ found: [Compared]) -> Double? {
    Rotation.mean(found.compactMap { $0.found?.turn }).flatMap { turn in
      found.compactMap { face in
        face.found.map { face.labelled.degrees(to: $0.predicted * turn) }
      }.mean
    }
  }

  private static let definition = DefinitionGroup(
    prefix: "pose.", ending: "; undefined without labelled poses",
    source: "angle of the relative rotation; bins and limit of AFLW2000-3D's protocols")
}

extension PoseAccuracy: FacewiseFamily, FamilyWithoutSettings {
  package static let requirements: MetricRequirements = [
    .labels, .attributes, .analysedFrames, .facesOfSlices,
  ]

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    let entry = frame.pairs.labelledFaces.compactMap { label, face in
      frame.labels[label].pose.flatMap { Rotation($0) }.map { labelled in
        Face(
          labelled: labelled,
          predicted: face.flatMap { frame.faces[$0].pose }.flatMap { Rotation($0) })
      }
    }
    try addCounted(entry, for: frame.frame.index)
  }

  /// Whether a labelled face has a rotation.
  package var isPresent: Bool { frames.entries.contains { !$0.isEmpty } }

  package func series(_ context: SeriesContext) -> [Series] { [yawTable()].compactMap { $0 } }

  package static let presentation = MetricPresentation(
    sliced: [
      "pose.geodesic", "pose.geodesic.conditional", "pose.mae.yaw.conditional",
      "pose.mae.pitch.conditional", "pose.mae.roll.conditional",
    ], headlines: [.init(.pose, ["pose.geodesic.conditional"])])
}

extension PoseAccuracy.Face: Packable {
  package func pack(into row: inout RowWriter) { row.write(labelled, predicted) }
  package init(from row: inout RowReader) { self.init(labelled: row.read(), predicted: row.read()) }
}
