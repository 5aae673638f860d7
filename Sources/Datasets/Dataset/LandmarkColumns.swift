internal import FaceCore
internal import HDF5

/// Writes the two tables of one landmark scheme.
final class LandmarkColumns {
  let scheme: LandmarkScheme
  /// Whether a point has three numbers.
  let hasDepth: Bool
  private let points: Column<Float>
  private let visible: Column<UInt8>

  init(
    _ tables: TableFile, _ scheme: LandmarkScheme, hasDepth: Bool, rowsBefore: Int
  ) throws(HDF5Error) {
    self.scheme = scheme
    self.hasDepth = hasDepth
    let path = "faces/landmarks/\(scheme.name)"
    points = Column(
      tables, "\(path)/points", row: [scheme.count, hasDepth ? 3 : 2], chunkRows: 256)
    visible = Column(tables, "\(path)/visible", row: [scheme.count], chunkRows: 256)
    for _ in 0..<rowsBefore { try append(nil) }
  }

  /// Bytes of a row in both tables.
  var bytesPerRow: Int { points.bytesPerRow + visible.bytesPerRow }

  func append(_ landmarks: Landmarks?) throws(HDF5Error) {
    guard let landmarks else {
      try points.append(contentsOf: repeatElement(.nan, count: scheme.count * (hasDepth ? 3 : 2)))
      try visible.append(contentsOf: repeatElement(0, count: scheme.count))
      return
    }
    for (index, (point, state)) in zip(landmarks.points, landmarks.visibility).enumerated() {
      let isLabelled = state != .notLabelled
      try points.append(isLabelled ? Float(point.x) : .nan)
      try points.append(isLabelled ? Float(point.y) : .nan)
      if hasDepth {
        try points.append(isLabelled ? Float(landmarks.depths?[index] ?? .nan) : .nan)
      }
      try visible.append(state.rawValue)
    }
  }
}
