internal import FaceCore
internal import HDF5
internal import Platform

/// Coefficients, head pose, attributes and optional columns of faces, each if the file has it.
struct FaceAttributeTables<Face: AttributedFace> {
  /// Names of the attributes, sorted.
  let attributeNames: [String]
  /// Names of what else there is.
  var otherNames: [String] {
    let tables = [("blendshapes", blendshapes), ("pose", poses), ("arkit1220", meshes)]
    let given = columns.map(\.column)
    return given.filter { !$0.isText }.map(\.title) + tables.filter { $0.1 != nil }.map(\.0)
      + given.filter(\.isText).map(\.title)
  }
  private let columns: [OptionalColumn<Face>.Reader]
  private let path: String
  private let blendshapes: HDF5Dataset?
  private let poses: HDF5Dataset?
  private let meshes: HDF5Dataset?
  private let attributes: [HDF5Dataset]
  /// All attributes by name, and where each is in it: copying it is faster than adding one by one.
  private let template: [String: Double]
  private let positions: [Dictionary<String, Double>.Index]

  /// Opens the tables and checks their shapes and names.
  init(_ file: HDF5File, rows: Int) throws {
    path = file.path
    let shapes = "faces/blendshapes"
    blendshapes = try file.optional(
      shapes, holding: Double.self, shape: [rows, Blendshape.allCases.count])
    if blendshapes != nil {
      let names = try file.attribute("names", of: shapes, as: [String].self)
      guard names == Blendshape.names else {
        throw FileError.wrongData(
          "cannot read attribute 'names' of '\(shapes)' in \(path): expected "
            + "\(Blendshape.names.count) names in MediaPipe's order, found \(names.count): "
            + names.prefix(3).map { "\($0.prefix(20))" }.joined(separator: ", ") + " …")
      }
    }
    poses = try file.optional("faces/pose", holding: Double.self, shape: [rows, 4, 4])
    meshes = try file.optional(
      DatasetLayout.arkitMesh, holding: Double.self, shape: [rows, DatasetLayout.arkitVertices, 3])
    columns = try Face.columns.compactMap { try .init($0, in: file, rows: rows) }
    attributeNames = try file.optionalMembers(of: "faces/attributes")
    try TableCheck.attributeCount(attributeNames.count, of: "faces", in: file)
    attributes = try attributeNames.map {
      try file.dataset("faces/attributes/\($0)", holding: Double.self, shape: [rows])
    }
    let template = Dictionary(attributeNames.map { ($0, 0.0) }) { $1 }
    self.template = template
    positions = attributeNames.compactMap { template.index(forKey: $0) }
  }

  /// Adds the tables to the cost of a face.
  func add(to cost: inout RowCost) {
    cost.add([blendshapes, poses, meshes])
    for column in columns { cost.add([column.table], memory: column.column.memory) }
    cost.addNamedValues(attributes.count)
  }

  /// Sets the values of the faces of a range of rows.
  func read(into faces: inout [Face], rows: Range<Int>) throws {
    for column in columns { try column.read(into: &faces, rows: rows) }
    if let blendshapes {
      let values = try blendshapes.readByValue(Double.self, rows: rows)
      let count = Blendshape.allCases.count
      for (offset, row) in rows.enumerated() {
        let own = values[(count * offset)..<(count * (offset + 1))].map { Float($0) }
        if let wrong = own.firstIndex(where: \.isInfinite) {
          throw wrongNumber(
            "blendshapes", "[\(row), \(wrong)]", "a finite number or NaN", own[wrong])
        }
        if !own.allSatisfy(\.isNaN) { faces[offset].blendshapes = own }
      }
    }
    if let poses {
      let values = try poses.readByValue(Double.self, rows: rows)
      for (offset, row) in rows.enumerated() {
        var pose = HeadPose(matrix: SIMD16())
        for lane in 0..<16 { pose.matrix[lane] = Float(values[16 * offset + lane]) }
        if pose.isUnlabelled { continue }
        guard pose.isWellFormed else {
          throw wrongNumber(
            "pose", "[\(row)]",
            "a finite rotation, a finite or NaN translation and a last row of 0, 0, 0, 1",
            pose.matrix.indices.map { pose.matrix[$0] })
        }
        faces[offset].pose = pose
      }
    }
    try addMeshes(to: &faces, rows: rows)
    try addAttributes(to: &faces, rows: rows)
  }

  private func addAttributes(to faces: inout [Face], rows: Range<Int>) throws {
    guard !attributes.isEmpty else { return }
    let columns = try attributes.map { try $0.readByValue(Double.self, rows: rows) }
    for (offset, row) in rows.enumerated() {
      var values = template
      var isComplete = true
      for (column, position) in zip(columns, positions) {
        if column[offset].isFinite {
          values.values[position] = column[offset]
        } else {
          isComplete = false
        }
      }
      if !isComplete {
        for (name, column) in zip(attributeNames, columns) where !column[offset].isFinite {
          guard column[offset].isNaN else {
            throw wrongNumber(
              "attributes/\(name)", "[\(row)]", "a finite number or NaN", column[offset])
          }
          values[name] = nil
        }
      }
      faces[offset].attributes = values
    }
  }

  private func addMeshes(to faces: inout [Face], rows: Range<Int>) throws {
    guard let meshes else { return }
    let count = 3 * DatasetLayout.arkitVertices
    let step = 16
    for start in stride(from: rows.lowerBound, to: rows.upperBound, by: step) {
      let part = start..<min(start + step, rows.upperBound)
      let values = try meshes.readByValue(Double.self, rows: part)
      for (offset, row) in part.enumerated() {
        let own = values[(count * offset)..<(count * (offset + 1))]
        if own.allSatisfy(\.isNaN) { continue }
        guard own.allSatisfy({ Float($0).isFinite }) else {
          throw wrongNumber(
            "meshes/arkit1220", "[\(row)]", "finite numbers, or NaN in all", "others")
        }
        faces[row - rows.lowerBound].arkitMesh = stride(
          from: own.startIndex, to: own.endIndex, by: 3
        ).map { SIMD3(Float(own[$0]), Float(own[$0 + 1]), Float(own[$0 + 2])) }
      }
    }
  }

  private func wrongNumber(
    _ table: String, _ position: String, _ expected: String, _ found: Any
  ) -> FileError {
    FileError.wrongData(
      "cannot read 'faces/\(table)'\(position) in \(path): expected \(expected), found \(found)")
  }
}

extension HeadPose {
  /// Whether all its values are NaN.
  var isUnlabelled: Bool { matrix.indices.allSatisfy { matrix[$0].isNaN } }

  /// Whether the rotation is finite, the translation finite or absent, and the last row 0, 0, 0, 1.
  var isWellFormed: Bool {
    let rotation = [0, 1, 2, 4, 5, 6, 8, 9, 10].allSatisfy { matrix[$0].isFinite }
    let translation = [3, 7, 11].map { matrix[$0] }
    return rotation
      && (translation.allSatisfy(\.isFinite) || translation.allSatisfy(\.isNaN))
      && (12..<16).allSatisfy { matrix[$0] == ($0 == 15 ? 1 : 0) }
  }
}
