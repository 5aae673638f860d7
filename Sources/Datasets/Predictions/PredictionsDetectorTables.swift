internal import FaceCore
internal import HDF5

/// Reads a detector's output: its detections, and its candidates before suppression.
struct PredictionsDetectorTables {
  let detectionCount: Int
  let candidateCount: Int
  private let path: String
  private let boxes: HDF5Dataset
  private let scores: HDF5Dataset
  private let keypoints: HDF5Dataset
  private let offsets: HDF5Dataset
  private let anchors: HDF5Dataset
  private let candidateScores: HDF5Dataset
  private let regressors: HDF5Dataset
  private let firstDetection: [Int]

  /// Opens the tables and checks their shapes and the order of their rows.
  init(_ file: HDF5File, frames: Int) throws {
    path = file.path
    let table = try file.dataset("detections/frame", of: Int32.self, shape: [nil])
    let rows = try TableCheck.rowCount(table, in: file)
    detectionCount = rows
    boxes = try file.dataset("detections/box", of: Float.self, shape: [rows, 4])
    scores = try file.dataset("detections/score", of: Float.self, shape: [rows])
    keypoints = try file.dataset(
      "detections/keypoints", of: Float.self,
      shape: [rows, PredictionsDetectorColumns.keypointCount, 2])
    var cost = RowCost(rows: rows, path: "detections")
    cost.add([boxes, scores, keypoints])
    try cost.check(in: file)
    firstDetection = try FaceTables.firstRows(of: table, file: path, frames: frames, cost: cost)
    offsets = try file.dataset("detector/offsets", of: UInt64.self, shape: [frames + 1])
    anchors = try file.dataset("detector/anchor", of: Int32.self, shape: [nil])
    let candidates = try TableCheck.rowCount(anchors, in: file)
    candidateCount = candidates
    candidateScores = try file.dataset("detector/score", of: Float.self, shape: [candidates])
    regressors = try file.dataset("detector/regressors", of: Float.self, shape: [candidates, 16])
    var candidateCost = RowCost(rows: candidates, path: "detector")
    candidateCost.add([anchors, candidateScores, regressors])
    try candidateCost.check(in: file)
    try TableCheck.offsets(
      offsets, total: candidates, what: "the number of candidates", in: file)
  }

  /// The lowest and the highest score of the detections; nil without any.
  func scoreRange() throws(HDF5Error) -> ClosedRange<Float>? { try TableCheck.range(scores) }

  /// Whether a detection has a box.
  func hasPositions() throws(HDF5Error) -> Bool {
    try TableCheck.range(boxes).map { $0 != 0...0 } ?? false
  }

  func detections(_ frames: Range<Int>) throws -> [[FaceDetection]] {
    let rows = firstDetection[frames.lowerBound]..<firstDetection[frames.upperBound]
    let box = try boxes.read(Float.self, rows: rows)
    let score = try scores.read(Float.self, rows: rows)
    let points = try keypoints.read(Float.self, rows: rows)
    let count = PredictionsDetectorColumns.keypointCount
    return frames.map { frame in
      (firstDetection[frame]..<firstDetection[frame + 1]).map { index in
        let row = index - rows.lowerBound
        let own = points[(2 * count * row)..<(2 * count * (row + 1))].map(Double.init)
        let known = own.lastIndex { !$0.isNaN }.map { $0 / 2 + 1 } ?? 0
        return FaceDetection(
          box: BoundingBox(
            x: Double(box[4 * row]), y: Double(box[4 * row + 1]), width: Double(box[4 * row + 2]),
            height: Double(box[4 * row + 3])),
          score: Double(score[row]),
          keypoints: (0..<known).map { Point(x: own[2 * $0], y: own[2 * $0 + 1]) })
      }
    }
  }

  func candidates(_ frames: Range<Int>) throws -> [[DetectorCandidate]] {
    let ends = try offsets.read(UInt64.self, rows: frames.lowerBound..<(frames.upperBound + 1))
      .map { Int($0) }
    for (offset, frame) in frames.enumerated() {
      try TableCheck.rowsOfFrame(
        ends[offset + 1] - ends[offset], frame, table: anchors.path, file: path)
    }
    let rows = ends[0]..<ends[frames.count]
    let anchor = try anchors.read(Int32.self, rows: rows)
    let score = try candidateScores.read(Float.self, rows: rows)
    let values = try regressors.read(Float.self, rows: rows)
    return frames.map { frame in
      let index = frame - frames.lowerBound
      return (ends[index]..<ends[index + 1]).map { candidate in
        let row = candidate - rows.lowerBound
        var regressors = SIMD16<Float>()
        for lane in 0..<16 { regressors[lane] = values[16 * row + lane] }
        return DetectorCandidate(
          anchor: Int(anchor[row]), score: score[row], regressors: regressors)
      }
    }
  }
}
