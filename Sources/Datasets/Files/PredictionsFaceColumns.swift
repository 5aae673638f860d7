internal import FaceCore
internal import HDF5

/// The regions that a tracker looked at, as they are written: one row each, in order of frames.
struct PredictionsFaceColumns {
  private let file: HDF5File
  private var frames: Column<Int32>
  private var kept: Column<UInt8>
  private var tracked: Column<UInt8>
  private var detectionScores: Column<Float>
  private var presences: Column<Float>
  private var tongues: Column<Float>
  private var regions: Column<Float>
  private var boxes: Column<Float>
  private var blendshapes: Column<Float>
  private var poses: Column<Float>
  private var scheme: LandmarkScheme?
  private var points: Column<Float>?
  private var unsmoothed: Column<Float>?

  /// Faces a chunk of the tables with many numbers a face.
  private static let chunkFaces = 64

  init(_ file: HDF5File) throws(HDF5Error) {
    self.file = file
    frames = try Column(file, "faces/frame")
    kept = try Column(file, "faces/kept")
    tracked = try Column(file, "faces/tracked")
    detectionScores = try Column(file, "faces/detection_score")
    presences = try Column(file, "faces/presence")
    tongues = try Column(file, "faces/tongue_out")
    regions = try Column(file, "faces/region", row: [5])
    boxes = try Column(file, "faces/box", row: [4])
    blendshapes = try Column(
      file, "faces/blendshapes", row: [Blendshape.allCases.count], chunkRows: 256)
    try file.setAttribute("names", of: "faces/blendshapes", to: Blendshape.names)
    poses = try Column(file, "faces/pose", row: [4, 4], chunkRows: 256)
  }

  /// What one of a frame's faces has that the tables cannot hold, or nil.
  func refusal(of faces: [FacePrediction]) -> String? {
    let expected = scheme ?? faces.first?.scheme
    for face in faces {
      let counts = [face.points.count, face.unsmoothedPoints.count]
      if let expected, face.scheme != expected {
        return "expected points of \(expected.name) as before, found \(face.scheme.name)"
      }
      if counts != [face.scheme.count, face.scheme.count] {
        return "expected \(face.scheme.count) points of \(face.scheme.name), found \(counts)"
      }
      if let values = face.blendshapes, values.count != Blendshape.allCases.count {
        return "expected \(Blendshape.allCases.count) blendshapes, found \(values.count)"
      }
    }
    return nil
  }

  mutating func append(
    _ face: FacePrediction, frame: Int, isKept: Bool
  ) throws(HDF5Error) {
    try frames.append(Int32(clamping: frame))
    try kept.append(isKept ? 1 : 0)
    try tracked.append(face.isTracked ? 1 : 0)
    try detectionScores.append(face.detectionScore ?? .nan)
    try presences.append(face.presence)
    try tongues.append(face.tongueOut ?? .nan)
    let region = face.region
    try regions.append(
      contentsOf: [region.xCenter, region.yCenter, region.width, region.height, region.rotation])
    let box = face.box.map { [$0.x, $0.y, $0.width, $0.height].map(Float.init) }
    try boxes.append(contentsOf: box ?? Array(repeating: .nan, count: 4))
    try blendshapes.append(
      contentsOf: face.blendshapes ?? Array(repeating: .nan, count: Blendshape.allCases.count))
    let pose = face.pose?.matrix ?? SIMD16(repeating: .nan)
    try poses.append(contentsOf: pose.indices.map { pose[$0] })
    try appendPoints(of: face)
  }

  private mutating func appendPoints(of face: FacePrediction) throws(HDF5Error) {
    scheme = face.scheme
    if points == nil { points = try column("points", face.scheme) }
    if unsmoothed == nil, face.unsmoothedPoints != face.points {
      var column = try column("unsmoothed", face.scheme)
      try points?.copyRows(to: &column)
      unsmoothed = column
    }
    try points?.append(contentsOf: Self.flat(face.points))
    try unsmoothed?.append(contentsOf: Self.flat(face.unsmoothedPoints))
  }

  private func column(_ name: String, _ scheme: LandmarkScheme) throws(HDF5Error) -> Column<Float> {
    try Column(
      file, "faces/landmarks/\(scheme.name)/\(name)", row: [scheme.count, 3],
      chunkRows: Self.chunkFaces)
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

  mutating func flush() throws(HDF5Error) {
    try frames.flush()
    try kept.flush()
    try tracked.flush()
    try detectionScores.flush()
    try presences.flush()
    try tongues.flush()
    try regions.flush()
    try boxes.flush()
    try blendshapes.flush()
    try poses.flush()
    try points?.flush()
    try unsmoothed?.flush()
  }
}
