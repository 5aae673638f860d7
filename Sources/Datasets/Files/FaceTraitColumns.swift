internal import FaceCore
internal import HDF5

/// Expression, head pose and attributes of the faces as they are written; a table exists once a face has a value.
struct FaceTraitColumns {
  private let file: HDF5File
  private var blendshapes: Column<Float>?
  private var poses: Column<Float>?
  private var expressions: TextColumn?
  private var attributes: [String: Column<Double>] = [:]

  init(_ file: HDF5File) { self.file = file }

  /// What a face has that the tables cannot hold, or nil.
  static func refusal(of face: FaceLabel) -> (expected: String, found: String)? {
    if let values = face.blendshapes {
      guard values.count == Blendshape.allCases.count else {
        return ("\(Blendshape.allCases.count) blendshapes", "\(values.count)")
      }
      if let infinite = values.first(where: \.isInfinite) {
        return ("blendshapes of finite numbers or NaN", "\(infinite)")
      }
    }
    if let pose = face.pose, !pose.isWellFormed {
      return ("a pose of finite rotation, with a last row of 0, 0, 0, 1", "\(pose.matrix)")
    }
    for (name, number) in face.attributes {
      guard DatasetLayout.isTableName(name) else {
        return ("an attribute of a plain name", "'\(name.prefix(60))'")
      }
      if number.isInfinite { return ("a finite number or NaN for '\(name)'", "\(number)") }
    }
    return nil
  }

  mutating func append(_ face: FaceLabel, row: Int) throws(HDF5Error) {
    let shapeCount = Blendshape.allCases.count
    if blendshapes == nil, face.blendshapes != nil {
      var column = try Column<Float>(
        file, "faces/blendshapes", row: [shapeCount], chunkRows: 256)
      try file.setAttribute("names", of: "faces/blendshapes", to: Blendshape.names)
      for _ in 0..<row { try column.append(contentsOf: repeatElement(.nan, count: shapeCount)) }
      blendshapes = column
    }
    try blendshapes?.append(
      contentsOf: face.blendshapes ?? Array(repeating: .nan, count: shapeCount))
    if poses == nil, face.pose != nil {
      var column = try Column<Float>(file, "faces/pose", row: [4, 4], chunkRows: 256)
      for _ in 0..<row { try column.append(contentsOf: repeatElement(.nan, count: 16)) }
      poses = column
    }
    let matrix = face.pose?.matrix ?? SIMD16(repeating: .nan)
    try poses?.append(contentsOf: matrix.indices.map { matrix[$0] })
    if expressions == nil, face.expression != nil {
      var column = try TextColumn(file, "faces/expression")
      for _ in 0..<row { try column.append("") }
      expressions = column
    }
    try expressions?.append(face.expression ?? "")
    for name in face.attributes.keys.sorted() where attributes[name] == nil {
      var column = try Column<Double>(file, "faces/attributes/\(name)")
      for _ in 0..<row { try column.append(.nan) }
      attributes[name] = column
    }
    for name in attributes.keys { try attributes[name]?.append(face.attributes[name] ?? .nan) }
  }

  mutating func flush() throws(HDF5Error) {
    try blendshapes?.flush()
    try poses?.flush()
    try expressions?.flush()
    for name in attributes.keys { try attributes[name]?.flush() }
  }
}
