internal import FaceCore
internal import HDF5

/// Writes expression, head pose and attributes of faces; a table is created with its first value.
struct FaceAttributeColumns {
  private let file: HDF5File
  private var blendshapes: Column<Float>?
  private var poses: Column<Float>?
  private var meshes: Column<Float>?
  private var expressions: TextColumn?
  private var categoryNames: TextColumn?
  private var attributes: [String: Column<Double>] = [:]

  init(_ file: HDF5File) { self.file = file }

  /// Adds the tables to the cost of a face.
  func add(to cost: inout RowCost) {
    cost.add(bytesPerRow: [
      blendshapes?.bytesPerRow, poses?.bytesPerRow, meshes?.bytesPerRow,
      expressions.map { _ in TextColumn.bytesPerRow },
      categoryNames.map { _ in TextColumn.bytesPerRow },
    ])
    cost.addNamedValues(attributes.count)
  }

  /// The first value of a face that the tables cannot hold, or nil.
  func refusal(of face: FaceAttributes) -> (expected: String, found: String)? {
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
    if let mesh = face.arkitMesh {
      guard mesh.count == DatasetLayout.arkitVertices else {
        return ("a mesh of \(DatasetLayout.arkitVertices) vertices", "\(mesh.count)")
      }
      if let vertex = mesh.first(where: { !($0.x + $0.y + $0.z).isFinite }) {
        return ("a mesh of finite numbers", "\([vertex.x, vertex.y, vertex.z])")
      }
    }
    let more = face.attributes.keys.count { attributes[$0] == nil }
    guard attributes.count + more <= DatasetLayout.maxAttributes else {
      return ("at most \(DatasetLayout.maxAttributes) attributes", "\(attributes.count + more)")
    }
    for (name, number) in face.attributes {
      guard DatasetLayout.isTableName(name) else {
        return ("an attribute of a plain name", "'\(name.prefix(60))'")
      }
      if number.isInfinite { return ("a finite number or NaN for '\(name)'", "\(number)") }
    }
    return nil
  }

  mutating func append(_ face: FaceAttributes, row: Int) throws(HDF5Error) {
    let shapeCount = Blendshape.allCases.count
    if blendshapes == nil, face.blendshapes != nil {
      var column = Column<Float>(
        file, "faces/blendshapes", row: [shapeCount], chunkRows: 256,
        attributes: [("names", Blendshape.names)])
      for _ in 0..<row { try column.append(contentsOf: repeatElement(.nan, count: shapeCount)) }
      blendshapes = column
    }
    try blendshapes?.append(
      contentsOf: face.blendshapes ?? Array(repeating: .nan, count: shapeCount))
    if poses == nil, face.pose != nil {
      var column = Column<Float>(file, "faces/pose", row: [4, 4], chunkRows: 256)
      for _ in 0..<row { try column.append(contentsOf: repeatElement(.nan, count: 16)) }
      poses = column
    }
    let matrix = face.pose?.matrix ?? SIMD16(repeating: .nan)
    try poses?.append(contentsOf: matrix.indices.map { matrix[$0] })
    try append(face.arkitMesh, row: row)
    try append(face.expression, to: &expressions, "faces/expression", row: row)
    try append(face.categoryName, to: &categoryNames, DatasetLayout.categoryName, row: row)
    for name in face.attributes.keys.sorted() where attributes[name] == nil {
      var column = Column<Double>(file, "faces/attributes/\(name)")
      for _ in 0..<row { try column.append(.nan) }
      attributes[name] = column
    }
    for name in attributes.keys { try attributes[name]?.append(face.attributes[name] ?? .nan) }
  }

  private func append(
    _ text: String?, to texts: inout TextColumn?, _ name: String, row: Int
  ) throws(HDF5Error) {
    if texts == nil, text != nil {
      var column = TextColumn(file, name)
      for _ in 0..<row { try column.append("") }
      texts = column
    }
    try texts?.append(text ?? "")
  }

  private mutating func append(_ mesh: [SIMD3<Float>]?, row: Int) throws(HDF5Error) {
    let count = DatasetLayout.arkitVertices
    if meshes == nil, mesh != nil {
      var column = Column<Float>(
        file, DatasetLayout.arkitMesh, row: [count, 3], chunkRows: 16)
      for _ in 0..<row { try column.append(contentsOf: repeatElement(.nan, count: 3 * count)) }
      meshes = column
    }
    try meshes?.append(
      contentsOf: mesh?.flatMap { [$0.x, $0.y, $0.z] } ?? Array(repeating: .nan, count: 3 * count))
  }

  mutating func finish() throws(HDF5Error) {
    try blendshapes?.finish()
    try poses?.finish()
    try meshes?.finish()
    try expressions?.finish()
    try categoryNames?.finish()
    for name in attributes.keys.sorted() { try attributes[name]?.finish() }
  }
}
