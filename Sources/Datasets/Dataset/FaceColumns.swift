internal import FaceCore
internal import HDF5

/// Writes the labelled faces of a dataset: one row per face, in order of frames.
final class FaceColumns {
  /// Number of faces added.
  private(set) var count = 0
  /// Schemes that get depths from the first face on.
  var schemesWithDepth: Set<LandmarkScheme> = []
  private let tables: TableFile
  private let frames: Column<Int32>
  private let boxes: Column<Float>
  private let areas: Column<Float>
  private let ignored: Column<UInt8>
  private let crowds: Column<UInt8>
  private let categories: Column<Int32>
  private let identities: Column<Int32>
  private var landmarks: [LandmarkColumns] = []
  private let faceAttributes: FaceAttributeColumns<FaceLabel>

  init(_ tables: TableFile) {
    self.tables = tables
    frames = Column(tables, "faces/frame")
    boxes = Column(tables, "faces/box", row: [4])
    areas = Column(tables, "faces/area")
    ignored = Column(tables, "faces/ignore")
    crowds = Column(tables, "faces/crowd")
    categories = Column(tables, "faces/category")
    identities = Column(tables, "faces/identity")
    faceAttributes = FaceAttributeColumns(tables)
  }

  /// What a face takes in memory when it is read again.
  var cost: RowCost {
    var cost = RowCost(rows: count, path: "faces")
    cost.add(
      bytesPerRow: [
        boxes.bytesPerRow, areas.bytesPerRow, ignored.bytesPerRow, crowds.bytesPerRow,
        categories.bytesPerRow, identities.bytesPerRow,
      ], memory: 4)
    cost.add(bytesPerRow: landmarks.map(\.bytesPerRow))
    faceAttributes.add(to: &cost)
    return cost
  }

  /// The first value of some faces that the tables cannot hold, or nil.
  func refusal(of faces: [FaceLabel]) -> (expected: String, found: String)? {
    faces.lazy.compactMap { self.refusal(of: $0) }.first
  }

  private func refusal(of face: FaceLabel) -> (expected: String, found: String)? {
    let sides = [face.box.x, face.box.y, face.box.width, face.box.height]
    guard face.box.isWellFormed, sides.allSatisfy({ Float($0).isFinite }) else {
      return ("a box of finite numbers and a size that is not negative", "\(sides)")
    }
    guard Float(face.area).isFinite, face.area >= 0 else {
      return ("a finite area that is not negative", "\([face.area])")
    }
    for set in face.landmarks {
      for point in set.labelled where !Float(point.x).isFinite || !Float(point.y).isFinite {
        return ("labelled points of finite numbers", "\([point.x, point.y])")
      }
      if let depths = set.depths {
        for (depth, state) in zip(depths, set.visibility)
        where state != .notLabelled && Float(depth).isInfinite {
          return ("points of finite depth or NaN", "\(depth)")
        }
        if let columns = landmarks.first(where: { $0.scheme == set.scheme }), !columns.hasDepth {
          return ("points of \(set.scheme.name) without depth as before", "points with depth")
        }
      }
    }
    return faceAttributes.refusal(of: face)
  }

  /// Adds the faces of a frame.
  func append(_ faces: [FaceLabel], frame: Int) throws(HDF5Error) {
    for set in faces.lazy.flatMap(\.landmarks) where set.depths != nil {
      schemesWithDepth.insert(set.scheme)
    }
    for face in faces { try append(face, frame: frame) }
  }

  private func append(_ face: FaceLabel, frame: Int) throws(HDF5Error) {
    try frames.append(Int32(clamping: frame))
    let box = face.box
    try boxes.append(
      contentsOf: [Float(box.x), Float(box.y), Float(box.width), Float(box.height)])
    try areas.append(Float(face.area))
    try ignored.append(face.isIgnored ? 1 : 0)
    try crowds.append(face.isCrowd ? 1 : 0)
    try categories.append(Int32(clamping: face.category))
    try identities.append(Int32(clamping: face.identity ?? -1))
    for set in face.landmarks where !landmarks.contains(where: { $0.scheme == set.scheme }) {
      landmarks.append(
        try LandmarkColumns(
          tables, set.scheme, hasDepth: schemesWithDepth.contains(set.scheme), rowsBefore: count))
    }
    for columns in landmarks {
      try columns.append(face.landmarks.first { $0.scheme == columns.scheme })
    }
    try faceAttributes.append(face, row: count)
    count += 1
  }
}
