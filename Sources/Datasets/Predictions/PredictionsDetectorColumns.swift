internal import FaceCore
internal import HDF5

/// Writes a detector's output: its detections, and its candidates before suppression.
struct PredictionsDetectorColumns {
  private let frames: Column<Int32>
  private let boxes: Column<Float>
  private let scores: Column<Float>
  private let keypoints: Column<Float>
  private let offsets: Column<UInt64>
  private let anchors: Column<Int32>
  private let candidateScores: Column<Float>
  private let regressors: Column<Float>
  private var candidateCount: UInt64 = 0

  /// Largest number of keypoints of a detection; the rows of one with fewer end in NaN.
  static let keypointCount = 6

  init(_ tables: TableFile) throws(HDF5Error) {
    frames = Column(tables, "detections/frame")
    boxes = Column(tables, "detections/box", row: [4])
    scores = Column(tables, "detections/score")
    keypoints = Column(tables, "detections/keypoints", row: [Self.keypointCount, 2])
    offsets = Column(tables, "detector/offsets")
    anchors = Column(tables, "detector/anchor", chunkRows: 8192)
    candidateScores = Column(tables, "detector/score", chunkRows: 8192)
    regressors = Column(tables, "detector/regressors", row: [16])
    try offsets.append(0)
  }

  /// The first value of the detections that the tables cannot hold, or nil.
  func refusal(of detections: [FaceDetection]) -> String? {
    for count in detections.lazy.map(\.keypoints.count) where count > Self.keypointCount {
      return "expected at most \(Self.keypointCount) keypoints, found \(count)"
    }
    return nil
  }

  /// Adds the output for a frame; call it for every frame, in order.
  mutating func append(
    _ detections: [FaceDetection], _ candidates: [DetectorCandidate], frame: Int
  ) throws(HDF5Error) {
    for face in detections {
      try frames.append(Int32(clamping: frame))
      try boxes.append(
        contentsOf: [face.box.x, face.box.y, face.box.width, face.box.height].map(Float.init))
      try scores.append(Float(face.score))
      let points = face.keypoints.flatMap { [Float($0.x), Float($0.y)] }
      try keypoints.append(
        contentsOf: points
          + Array(repeating: .nan, count: 2 * Self.keypointCount - points.count))
    }
    for candidate in candidates {
      try anchors.append(Int32(clamping: candidate.anchor))
      try candidateScores.append(candidate.score)
      try regressors.append(contentsOf: (0..<16).map { candidate.regressors[$0] })
    }
    candidateCount += UInt64(candidates.count)
    try offsets.append(candidateCount)
  }
}
