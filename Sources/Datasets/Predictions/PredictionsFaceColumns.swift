internal import FaceCore
internal import HDF5

/// Writes the regions that a tracker examined: one row each, in order of frames.
final class PredictionsFaceColumns {
  private let tables: TableFile
  private let frames: Column<Int32>
  private let kept: Column<UInt8>
  private let tracked: Column<UInt8>
  private let detectionScores: Column<Float>
  private let presences: Column<Float>
  private let tongues: Column<Float>
  private let regions: Column<Float>
  private let boxes: Column<Float>
  private let identities: Column<Int32>
  private let faceAttributes: FaceAttributeColumns<FacePrediction>
  private var count = 0
  private var scheme: LandmarkScheme?
  private var points: Column<Float>?
  private var unsmoothed: Column<Float>?
  private var hidden: Column<UInt8>?

  /// Value in the table of hidden points for an unknown state.
  static let unknownState: UInt8 = 2
  /// Faces per chunk of the tables with many numbers per face.
  private static let chunkFaces = 64

  init(_ tables: TableFile) {
    self.tables = tables
    frames = Column(tables, "faces/frame")
    kept = Column(tables, "faces/kept")
    tracked = Column(tables, "faces/tracked")
    detectionScores = Column(tables, "faces/detection_score")
    presences = Column(tables, "faces/presence")
    tongues = Column(tables, "faces/tongue_out")
    regions = Column(tables, "faces/region", row: [5])
    boxes = Column(tables, "faces/box", row: [4])
    identities = Column(tables, "faces/identity")
    faceAttributes = FaceAttributeColumns(tables)
  }

  /// What a face takes in memory when it is read again.
  var cost: RowCost {
    var cost = RowCost(rows: count, path: "faces")
    cost.add(
      bytesPerRow: [
        detectionScores.bytesPerRow, presences.bytesPerRow, tongues.bytesPerRow,
        regions.bytesPerRow, boxes.bytesPerRow, identities.bytesPerRow,
      ], memory: 4)
    cost.add(bytesPerRow: [points?.bytesPerRow, unsmoothed?.bytesPerRow, hidden?.bytesPerRow])
    faceAttributes.add(to: &cost)
    return cost
  }

  /// The first value of a frame's faces that the tables cannot hold, or nil.
  func refusal(of faces: [FacePrediction]) -> String? {
    let expected = scheme ?? faces.lazy.compactMap(\.scheme).first
    for face in faces {
      let counts = [face.points.count, face.unsmoothedPoints.count]
      let count = face.scheme?.count ?? 0
      if let own = face.scheme, own != expected {
        return "expected points of \(expected?.name ?? "no scheme") as before, found \(own.name)"
      }
      if counts != [count, count] {
        return "expected \(count) points of \(face.scheme?.name ?? "no scheme"), found \(counts)"
      }
      if let hidden = face.hiddenPoints, hidden.count != count {
        return "expected \(count) states of hidden points, found \(hidden.count)"
      }
      if let box = face.ownBox, !box.isWellFormed {
        return "expected a box of finite numbers and a size that is not negative, found "
          + "\([box.x, box.y, box.width, box.height])"
      }
      if let refusal = faceAttributes.refusal(of: face) {
        return "expected \(refusal.expected), found \(refusal.found)"
      }
    }
    return nil
  }

  func append(
    _ face: FacePrediction, frame: Int, isKept: Bool
  ) throws(HDF5Error) {
    try frames.append(Int32(clamping: frame))
    try kept.append(isKept ? 1 : 0)
    try tracked.append(face.isTracked ? 1 : 0)
    try detectionScores.append(face.detectionScore ?? .nan)
    try presences.append(face.presence ?? .nan)
    try tongues.append(face.tongueOut ?? .nan)
    let region = face.region.map { [$0.xCenter, $0.yCenter, $0.width, $0.height, $0.rotation] }
    try regions.append(contentsOf: region ?? Array(repeating: .nan, count: 5))
    let box = face.box.map { [$0.x, $0.y, $0.width, $0.height].map(Float.init) }
    try boxes.append(contentsOf: box ?? Array(repeating: .nan, count: 4))
    try identities.append(Int32(clamping: face.identity ?? -1))
    try faceAttributes.append(face, row: count)
    try appendPoints(of: face)
    count += 1
  }

  private func appendPoints(of face: FacePrediction) throws(HDF5Error) {
    guard let scheme = scheme ?? face.scheme else { return }
    self.scheme = scheme
    let nowhere = [SIMD3<Float>](repeating: SIMD3(repeating: .nan), count: scheme.count)
    if points == nil { points = try column("points", scheme, rowsBefore: count) }
    if unsmoothed == nil, !Self.areSame(face.unsmoothedPoints, face.points) {
      let column = try column("unsmoothed", scheme, rowsBefore: 0)
      try points?.copyRows(to: column)
      unsmoothed = column
    }
    let hasPoints = face.scheme != nil
    try points?.append(contentsOf: Self.flat(hasPoints ? face.points : nowhere))
    try unsmoothed?.append(contentsOf: Self.flat(hasPoints ? face.unsmoothedPoints : nowhere))
    let unknownStates = [UInt8](repeating: Self.unknownState, count: scheme.count)
    if hidden == nil, face.hiddenPoints != nil {
      hidden = Column(
        tables, "faces/landmarks/\(scheme.name)/hidden", row: [scheme.count],
        chunkRows: Self.chunkFaces)
      for _ in 0..<count { try hidden?.append(contentsOf: unknownStates) }
    }
    try hidden?.append(
      contentsOf: face.hiddenPoints?.map { $0.map { $0 ? 1 : 0 } ?? Self.unknownState }
        ?? unknownStates)
  }

  /// Whether all numbers are equal; a NaN is equal to a NaN.
  private static func areSame(_ points: [SIMD3<Float>], _ others: [SIMD3<Float>]) -> Bool {
    zip(points, others).allSatisfy { one, other in
      one == other
        || zip(flat([one]), flat([other])).allSatisfy { $0 == $1 || $0.isNaN && $1.isNaN }
    }
  }

  private func column(
    _ name: String, _ scheme: LandmarkScheme, rowsBefore: Int
  ) throws(HDF5Error) -> Column<Float> {
    try Column(
      tables, "faces/landmarks/\(scheme.name)/\(name)", row: [scheme.count, 3],
      chunkRows: Self.chunkFaces, rowsBefore: rowsBefore)
  }

  private static func flat(_ points: [SIMD3<Float>]) -> [Float] {
    var values: [Float] = []
    values.reserveCapacity(3 * points.count)
    for point in points {
      values.append(point.x)
      values.append(point.y)
      values.append(point.z)
    }
    return values
  }
}
