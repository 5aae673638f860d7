internal import FaceCore
internal import HDF5

/// Writes coefficients, head pose, attributes and optional columns of faces; a table is created with its first value.
final class FaceAttributeColumns<Face: AttributedFace> {
  private let tables: TableFile
  private var blendshapes: Column<Float>?
  private var poses: Column<Float>?
  private var meshes: Column<Float>?
  private var attributes: [String: Column<Double>] = [:]
  private let columns: [OptionalColumn<Face>.Writer]
  /// Those of numbers, which are looked at before a face is taken.
  private let numbers: [(title: String, read: @Sendable (Face) -> Double?)]

  init(_ tables: TableFile) {
    self.tables = tables
    columns = Face.columns.map { .init($0) }
    numbers = Face.columns.compactMap { column in
      guard case .number(let read, _) = column.field else { return nil }
      return (column.title, read)
    }
  }

  /// Adds the tables to the cost of a face.
  func add(to cost: inout RowCost) {
    cost.add(bytesPerRow: [blendshapes?.bytesPerRow, poses?.bytesPerRow, meshes?.bytesPerRow])
    for one in columns { cost.add(bytesPerRow: [one.bytesPerRow], memory: one.column.memory) }
    cost.addNamedValues(attributes.count)
  }

  /// The first value of a face that the tables cannot hold, or nil.
  func refusal(of face: Face) -> (expected: String, found: String)? {
    for column in numbers {
      if let number = column.read(face), !Float(number).isFinite {
        return ("a finite \(column.title)", "\(number)")
      }
    }
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

  func append(_ face: Face, row: Int) throws(HDF5Error) {
    let shapeCount = Blendshape.allCases.count
    if blendshapes == nil, face.blendshapes != nil {
      blendshapes = try Column(
        tables, "faces/blendshapes", row: [shapeCount], chunkRows: 256,
        attributes: [("names", Blendshape.names)], rowsBefore: row)
    }
    try blendshapes?.append(
      contentsOf: face.blendshapes ?? Array(repeating: .nan, count: shapeCount))
    if poses == nil, face.pose != nil {
      poses = try Column(tables, "faces/pose", row: [4, 4], chunkRows: 256, rowsBefore: row)
    }
    let matrix = face.pose?.matrix ?? SIMD16(repeating: .nan)
    try poses?.append(contentsOf: matrix.indices.map { matrix[$0] })
    let vertices = DatasetLayout.arkitVertices
    if meshes == nil, face.arkitMesh != nil {
      meshes = try Column(
        tables, DatasetLayout.arkitMesh, row: [vertices, 3], chunkRows: 16, rowsBefore: row)
    }
    try meshes?.append(
      contentsOf: face.arkitMesh?.flatMap { [$0.x, $0.y, $0.z] }
        ?? Array(repeating: .nan, count: 3 * vertices))
    for column in columns { try column.append(face, row: row, in: tables) }
    for name in face.attributes.keys.sorted() where attributes[name] == nil {
      attributes[name] = try Column(tables, "faces/attributes/\(name)", rowsBefore: row)
    }
    for name in attributes.keys { try attributes[name]?.append(face.attributes[name] ?? .nan) }
  }
}
