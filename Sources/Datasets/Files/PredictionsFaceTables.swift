internal import FaceCore
internal import HDF5

/// The regions that a tracker looked at, as they are read.
struct PredictionsFaceTables {
  /// How many faces were given out.
  let keptCount: Int
  /// How many regions were looked at, the rejected ones included.
  let count: Int
  /// Names the points; nil where the file has none.
  let scheme: LandmarkScheme?
  private let kept: HDF5Dataset
  private let tracked: HDF5Dataset
  private let detectionScores: HDF5Dataset
  private let presences: HDF5Dataset
  private let tongues: HDF5Dataset
  private let regions: HDF5Dataset
  private let blendshapes: HDF5Dataset
  private let poses: HDF5Dataset
  private let points: HDF5Dataset?
  private let unsmoothed: HDF5Dataset?
  private let firstRow: [Int]

  /// Opens the tables and checks their shapes, the order of their rows, flags and names.
  init(_ file: HDF5File, frames: Int) throws {
    let table = try file.dataset("faces/frame", of: Int32.self, shape: [nil])
    let rows = table.shape[0]
    count = rows
    kept = try file.dataset("faces/kept", of: UInt8.self, shape: [rows])
    tracked = try file.dataset("faces/tracked", of: UInt8.self, shape: [rows])
    detectionScores = try file.dataset("faces/detection_score", of: Float.self, shape: [rows])
    presences = try file.dataset("faces/presence", of: Float.self, shape: [rows])
    tongues = try file.dataset("faces/tongue_out", of: Float.self, shape: [rows])
    regions = try file.dataset("faces/region", of: Float.self, shape: [rows, 5])
    try file.dataset("faces/box").require(Float.self, shape: [rows, 4])
    blendshapes = try file.dataset(
      "faces/blendshapes", of: Float.self, shape: [rows, Blendshape.allCases.count])
    let names = try file.attribute("names", of: "faces/blendshapes", as: [String].self)
    guard names == Blendshape.names else {
      throw DatasetError(
        .wrongData,
        "cannot read attribute 'names' of 'faces/blendshapes' in \(file.path): expected "
          + "\(Blendshape.names.count) names in MediaPipe's order, found \(names.count): "
          + names.prefix(3).map { "\($0.prefix(20))" }.joined(separator: ", ") + " …")
    }
    poses = try file.dataset("faces/pose", of: Float.self, shape: [rows, 4, 4])
    let schemes = try file.exists("faces/landmarks") ? file.members(of: "faces/landmarks") : []
    scheme = schemes.first.flatMap(LandmarkScheme.named)
    guard schemes.count <= 1, scheme != nil || (schemes.isEmpty && rows == 0) else {
      throw DatasetError(
        .wrongData,
        "cannot read 'faces/landmarks' in \(file.path): expected one known scheme, found "
          + (schemes.isEmpty ? "none" : schemes.prefix(5).joined(separator: ", ")))
    }
    let folder = "faces/landmarks/\(scheme?.name ?? "")"
    let shape = [rows, scheme?.count, 3]
    points =
      try scheme == nil ? nil : file.dataset("\(folder)/points", of: Float.self, shape: shape)
    unsmoothed =
      try scheme != nil && file.exists("\(folder)/unsmoothed")
      ? file.dataset("\(folder)/unsmoothed", of: Float.self, shape: shape) : nil
    firstRow = try FaceTables.firstRows(of: table, file: file.path, frames: frames)
    keptCount = try TableCheck.counts(kept, upTo: 1, in: file)[1]
    _ = try TableCheck.counts(tracked, upTo: 1, in: file)
  }

  /// For each frame of a range the faces that were given out, and those that were rejected.
  func faces(
    _ frames: Range<Int>
  ) throws(HDF5Error) -> [(given: [FacePrediction], rejected: [FacePrediction])] {
    let rows = firstRow[frames.lowerBound]..<firstRow[frames.upperBound]
    let isKept = try kept.read(UInt8.self, rows: rows)
    let all = try faces(rows: rows)
    return frames.map { frame in
      var result: (given: [FacePrediction], rejected: [FacePrediction]) = ([], [])
      for row in (firstRow[frame] - rows.lowerBound)..<(firstRow[frame + 1] - rows.lowerBound) {
        if isKept[row] == 1 {
          result.given.append(all[row])
        } else {
          result.rejected.append(all[row])
        }
      }
      return result
    }
  }

  private func faces(rows: Range<Int>) throws(HDF5Error) -> [FacePrediction] {
    guard let scheme, let points, !rows.isEmpty else { return [] }
    let isTracked = try tracked.read(UInt8.self, rows: rows)
    let score = try detectionScores.read(Float.self, rows: rows)
    let presence = try presences.read(Float.self, rows: rows)
    let tongue = try tongues.read(Float.self, rows: rows)
    let region = try regions.read(Float.self, rows: rows)
    let shapes = try blendshapes.read(Float.self, rows: rows)
    let matrices = try poses.read(Float.self, rows: rows)
    let smooth = try points.read(Float.self, rows: rows)
    let raw = try unsmoothed?.read(Float.self, rows: rows)
    let shapeCount = Blendshape.allCases.count
    return (0..<rows.count).map { row in
      let own = shapes[(shapeCount * row)..<(shapeCount * (row + 1))]
      var matrix = SIMD16<Float>()
      for lane in 0..<16 { matrix[lane] = matrices[16 * row + lane] }
      return FacePrediction(
        region: NormalizedRect(
          xCenter: region[5 * row], yCenter: region[5 * row + 1], width: region[5 * row + 2],
          height: region[5 * row + 3], rotation: region[5 * row + 4]),
        isTracked: isTracked[row] == 1, detectionScore: score[row].isNaN ? nil : score[row],
        presence: presence[row], tongueOut: tongue[row].isNaN ? nil : tongue[row], scheme: scheme,
        points: Self.points(smooth, row: row, count: scheme.count),
        unsmoothedPoints: raw.map { Self.points($0, row: row, count: scheme.count) },
        blendshapes: own.allSatisfy(\.isNaN) ? nil : Array(own),
        pose: (0..<16).allSatisfy { matrix[$0].isNaN } ? nil : HeadPose(matrix: matrix))
    }
  }

  private static func points(_ values: [Float], row: Int, count: Int) -> [SIMD3<Float>] {
    ((count * row)..<(count * (row + 1))).map {
      SIMD3(values[3 * $0], values[3 * $0 + 1], values[3 * $0 + 2])
    }
  }
}
