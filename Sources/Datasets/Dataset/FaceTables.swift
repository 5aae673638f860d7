internal import FaceCore
internal import HDF5
internal import Platform

/// The labelled faces of a dataset, one row per face in order of frames.
struct FaceTables {
  /// Number of faces.
  let count: Int
  /// The landmark schemes with labels.
  let schemes: [LandmarkScheme]
  /// Coefficients, pose, attributes and optional columns.
  let faceAttributes: FaceAttributeTables<FaceLabel>
  /// Number of rows of another category than faces (1).
  let otherCount: Int
  /// What a face takes in memory.
  let cost: RowCost
  private let path: String
  private let frames: HDF5Dataset
  private let boxes: HDF5Dataset
  private let areas: HDF5Dataset?
  private let ignored: HDF5Dataset?
  private let crowds: HDF5Dataset?
  private let categories: HDF5Dataset?
  private let identities: HDF5Dataset?
  private let landmarks: [(points: HDF5Dataset, visible: HDF5Dataset)]

  /// Schemes whose points have a third number.
  var schemesWithDepth: Set<LandmarkScheme> {
    Set(zip(schemes, landmarks).filter { $1.points.shape.last == 3 }.map(\.0))
  }

  /// Opens the tables and checks their shapes.
  init(_ file: HDF5File) throws {
    path = file.path
    frames = try file.dataset("faces/frame", holding: Int32.self, shape: [nil])
    let rows = try TableCheck.rowCount(frames, in: file)
    count = rows
    boxes = try file.dataset("faces/box", holding: Double.self, shape: [rows, 4])
    areas = try file.optional("faces/area", holding: Double.self, shape: [rows])
    ignored = try file.optional("faces/ignore", holding: UInt8.self, shape: [rows])
    crowds = try file.optional("faces/crowd", holding: UInt8.self, shape: [rows])
    categories = try file.optional("faces/category", holding: Int32.self, shape: [rows])
    identities = try file.optional("faces/identity", holding: Int32.self, shape: [rows])
    let known = try file.optionalMembers(of: "faces/landmarks")
    schemes = known.compactMap(LandmarkScheme.named)
    landmarks = try schemes.map { scheme in
      let folder = "faces/landmarks/\(scheme.name)"
      let axes = try file.dataset("\(folder)/points").shape.last == 3 ? 3 : 2
      return (
        try file.dataset(
          "\(folder)/points", holding: Double.self, shape: [rows, scheme.count, axes]),
        try file.dataset("\(folder)/visible", holding: UInt8.self, shape: [rows, scheme.count])
      )
    }
    faceAttributes = try FaceAttributeTables(file, rows: rows)
    var cost = RowCost(rows: rows, path: "faces")
    cost.add([boxes, areas, ignored, crowds, categories, identities], memory: 4)
    for tables in landmarks { cost.add([tables.points, tables.visible]) }
    faceAttributes.add(to: &cost)
    try cost.check(in: file)
    self.cost = cost
    otherCount =
      try categories.map {
        try TableCheck.rows($0, otherThan: Int32(FaceCategories.face))
      } ?? 0
  }

  /// The first row of each frame, then the number of rows: N + 1 numbers.
  func firstRows(frames frameCount: Int) throws -> [Int] {
    try Self.firstRows(of: frames, file: path, frames: frameCount, cost: cost)
  }

  /// The first row of each frame in an ascending table, then the number of rows.
  static func firstRows(
    of frames: HDF5Dataset, file: String, frames frameCount: Int, cost: RowCost
  ) throws -> [Int] {
    var first = [Int](repeating: 0, count: frameCount + 1)
    var last = 0
    for rows in TableCheck.parts(of: frames) {
      for (row, frame) in zip(rows, try frames.readByValue(Int32.self, rows: rows)) {
        guard frame >= last, frame < frameCount else {
          throw FileError.wrongData(
            "cannot read '\(frames.path)'[\(row)] in \(file): expected \(last) to "
              + "\(frameCount - 1) in ascending order, found \(frame)")
        }
        last = Int(frame)
        first[last + 1] += 1
      }
    }
    for index in 0..<frameCount {
      try cost.check(first[index + 1], ofFrame: index, table: frames.path, file: file)
      first[index + 1] += first[index]
    }
    return first
  }

  /// The identities of a range of rows, nil where one is unknown or of another category than faces; nil for a dataset
  /// without any.
  func identities(_ rows: Range<Int>) throws -> [Int?]? {
    guard let identities else { return nil }
    let category = try categories?.readByValue(Int32.self, rows: rows)
    return try identities.readByValue(Int32.self, rows: rows).enumerated().map { offset, identity in
      let isFace = category.map { Int($0[offset]) == FaceCategories.face } ?? true
      return isFace && identity >= 0 ? Int(identity) : nil
    }
  }

  func labels(_ rows: Range<Int>) throws -> [FaceLabel] {
    guard !rows.isEmpty else { return [] }
    let box = try boxes.readByValue(Double.self, rows: rows)
    let area = try areas?.readByValue(Double.self, rows: rows)
    let ignore = try ignored?.readByValue(UInt8.self, rows: rows)
    let crowd = try crowds?.readByValue(UInt8.self, rows: rows)
    let category = try categories?.readByValue(Int32.self, rows: rows)
    let identity = try identities?.readByValue(Int32.self, rows: rows)
    var result: [FaceLabel] = []
    result.reserveCapacity(rows.count)
    for (offset, row) in rows.enumerated() {
      let sides = Array(box[(4 * offset)..<(4 * offset + 4)])
      let rectangle = BoundingBox(x: sides[0], y: sides[1], width: sides[2], height: sides[3])
      guard rectangle.isWellFormed else {
        throw FileError.wrongData(
          "cannot read 'faces/box'[\(row)] in \(path): expected finite numbers and a size that is "
            + "not negative, found \(sides)")
      }
      let size = area?[offset]
      guard size.map({ $0.isFinite && $0 >= 0 }) ?? true else {
        throw FileError.wrongData(
          "cannot read 'faces/area'[\(row)] in \(path): expected a finite number that is not "
            + "negative, found \(size ?? 0)")
      }
      result.append(
        FaceLabel(
          box: rectangle, area: size, isIgnored: (ignore?[offset] ?? 0) != 0,
          isCrowd: (crowd?[offset] ?? 0) != 0, category: category.map { Int($0[offset]) } ?? 1,
          identity: identity.flatMap { $0[offset] < 0 ? nil : Int($0[offset]) }))
    }
    try addLandmarks(to: &result, rows: rows)
    try faceAttributes.read(into: &result, rows: rows)
    return result
  }

  private func addLandmarks(to labels: inout [FaceLabel], rows: Range<Int>) throws {
    for (scheme, tables) in zip(schemes, landmarks) {
      let points = try tables.points.readByValue(Double.self, rows: rows)
      let visible = try tables.visible.readByValue(UInt8.self, rows: rows)
      let folder = "faces/landmarks/\(scheme.name)"
      let axes = tables.points.shape[2]
      for (offset, row) in rows.enumerated() {
        let first = offset * scheme.count
        let states = try (0..<scheme.count).map { k in
          let at = axes * (first + k)
          guard let state = PointVisibility(rawValue: visible[first + k]) else {
            throw FileError.wrongData(
              "cannot read '\(folder)/visible'[\(row), \(k)] in \(path): expected 0, 1 or 2, found "
                + "\(visible[first + k])")
          }
          guard
            state == .notLabelled
              || points[at].isFinite && points[at + 1].isFinite
                && !points[at + axes - 1].isInfinite
          else {
            throw FileError.wrongData(
              "cannot read '\(folder)/points'[\(row), \(k)] in \(path): expected finite numbers "
                + "where visible is \(visible[first + k]), found "
                + points[at..<(at + axes)].map { "\($0)" }.joined(separator: ", "))
          }
          return state
        }
        let positions = (first..<first + scheme.count).map {
          Point(x: points[axes * $0], y: points[axes * $0 + 1])
        }
        let depths =
          axes == 3 ? (first..<first + scheme.count).map { points[axes * $0 + 2] } : nil
        if states.contains(where: { $0 != .notLabelled }),
          let set = Landmarks(
            scheme: scheme, points: positions, visibility: states,
            depths: depths.flatMap { $0.allSatisfy(\.isNaN) ? nil : $0 })
        {
          labels[offset].landmarks.append(set)
        }
      }
    }
  }
}
