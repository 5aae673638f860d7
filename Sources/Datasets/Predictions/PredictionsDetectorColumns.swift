internal import FaceCore
internal import HDF5

/// Writes a detector's output: its detections, and its candidates before suppression.
struct PredictionsDetectorColumns {
  private var frames: Column<Int32>
  private var boxes: Column<Float>
  private var scores: Column<Float>
  private var keypoints: Column<Float>
  private var offsets: Column<UInt64>
  private var anchors: Column<Int32>
  private var candidateScores: Column<Float>
  private var regressors: Column<Float>
  private var candidateCount: UInt64 = 0

  /// Number of keypoints of a detection that has any.
  static let keypointCount = 6

  init(_ file: HDF5File) throws(HDF5Error) {
    frames = Column(file, "detections/frame")
    boxes = Column(file, "detections/box", row: [4])
    scores = Column(file, "detections/score")
    keypoints = Column(file, "detections/keypoints", row: [Self.keypointCount, 2])
    offsets = Column(file, "detector/offsets")
    anchors = Column(file, "detector/anchor", chunkRows: 8192)
    candidateScores = Column(file, "detector/score", chunkRows: 8192)
    regressors = Column(file, "detector/regressors", row: [16])
    try offsets.append(0)
  }

  /// The first value of the detections that the tables cannot hold, or nil.
  func refusal(of detections: [FaceDetection]) -> String? {
    for count in detections.lazy.map(\.keypoints.count)
    where ![0, Self.keypointCount].contains(count) {
      return "expected \(Self.keypointCount) keypoints or none, found \(count)"
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
        contentsOf: points.isEmpty
          ? Array(repeating: .nan, count: 2 * Self.keypointCount) : points)
    }
    for candidate in candidates {
      try anchors.append(Int32(clamping: candidate.anchor))
      try candidateScores.append(candidate.score)
      try regressors.append(contentsOf: (0..<16).map { candidate.regressors[$0] })
    }
    candidateCount += UInt64(candidates.count)
    try offsets.append(candidateCount)
  }

  mutating func finish() throws(HDF5Error) {
    try frames.finish()
    try boxes.finish()
    try scores.finish()
    try keypoints.finish()
    try offsets.finish()
    try anchors.finish()
    try candidateScores.finish()
    try regressors.finish()
  }
}
