internal import FaceCore
internal import HDF5
internal import Platform

/// Reads the regions that a tracker examined.
struct PredictionsFaceTables {
  /// Number of reported faces.
  let keptCount: Int
  /// Number of examined regions, the rejected ones included.
  let count: Int
  /// The scheme of the points; nil if the file has none.
  let scheme: LandmarkScheme?
  /// Names of the attributes of faces, sorted.
  var attributeNames: [String] { faceAttributes.attributeNames }
  /// What a region takes in memory.
  let cost: RowCost
  private let kept: HDF5Dataset
  private let tracked: HDF5Dataset
  private let detectionScores: HDF5Dataset
  private let presences: HDF5Dataset
  private let tongues: HDF5Dataset
  private let regions: HDF5Dataset
  private let boxes: HDF5Dataset
  private let identities: HDF5Dataset?
  private let faceAttributes: FaceAttributeTables<FacePrediction>
  private let points: HDF5Dataset?
  private let unsmoothed: HDF5Dataset?
  private let hidden: HDF5Dataset?
  private let firstRow: [Int]

  /// Opens the tables and checks their shapes, the order of their rows, flags and names.
  init(_ file: HDF5File, frames: Int) throws {
    let table = try file.dataset("faces/frame", of: Int32.self, shape: [nil])
    let rows = try TableCheck.rowCount(table, in: file)
    count = rows
    kept = try file.dataset("faces/kept", of: UInt8.self, shape: [rows])
    tracked = try file.dataset("faces/tracked", of: UInt8.self, shape: [rows])
    detectionScores = try file.dataset("faces/detection_score", of: Float.self, shape: [rows])
    presences = try file.dataset("faces/presence", of: Float.self, shape: [rows])
    tongues = try file.dataset("faces/tongue_out", of: Float.self, shape: [rows])
    regions = try file.dataset("faces/region", of: Float.self, shape: [rows, 5])
    boxes = try file.dataset("faces/box", of: Float.self, shape: [rows, 4])
    identities =
      try file.exists("faces/identity")
      ? file.dataset("faces/identity", of: Int32.self, shape: [rows]) : nil
    faceAttributes = try FaceAttributeTables(file, rows: rows)
    let schemes = try file.optionalMembers(of: "faces/landmarks")
    scheme = schemes.first.flatMap(LandmarkScheme.named)
    guard schemes.count <= 1, scheme != nil || schemes.isEmpty else {
      throw FileError.wrongData(
        "cannot read 'faces/landmarks' in \(file.path): expected one known scheme, found "
          + schemes.prefix(5).joined(separator: ", "))
    }
    let folder = "faces/landmarks/\(scheme?.name ?? "")"
    let shape = [rows, scheme?.count, 3]
    points =
      try scheme == nil ? nil : file.dataset("\(folder)/points", of: Float.self, shape: shape)
    unsmoothed =
      try scheme != nil && file.exists("\(folder)/unsmoothed")
      ? file.dataset("\(folder)/unsmoothed", of: Float.self, shape: shape) : nil
    hidden =
      try scheme != nil && file.exists("\(folder)/hidden")
      ? file.dataset("\(folder)/hidden", of: UInt8.self, shape: [rows, scheme?.count]) : nil
    var cost = RowCost(rows: rows, path: "faces")
    cost.add([detectionScores, presences, tongues, regions, boxes, identities], memory: 4)
    cost.add([points, unsmoothed, hidden])
    faceAttributes.add(to: &cost)
    try cost.check(in: file)
    self.cost = cost
    firstRow = try FaceTables.firstRows(
      of: table, file: file.path, frames: frames, cost: cost)
    keptCount = try TableCheck.counts(kept, upTo: 1, in: file)[1]
    _ = try TableCheck.counts(tracked, upTo: 1, in: file)
  }

  /// The reported and the rejected faces of each frame of a range.
  func faces(
    _ frames: Range<Int>
  ) throws -> [(given: [FacePrediction], rejected: [FacePrediction])] {
    let rows = firstRow[frames.lowerBound]..<firstRow[frames.upperBound]
    let isKept = try kept.read(UInt8.self, rows: rows)
    let all = try faces(rows: rows)
    return frames.map { frame in
      let own = (firstRow[frame] - rows.lowerBound)..<(firstRow[frame + 1] - rows.lowerBound)
      return (
        own.filter { isKept[$0] == 1 }.map { all[$0] },
        own.filter { isKept[$0] != 1 }.map { all[$0] }
      )
    }
  }

  /// The lowest and the highest presence; nil where no face has one.
  func presenceRange() throws(HDF5Error) -> ClosedRange<Float>? { try TableCheck.range(presences) }

  /// Whether a face has a box or points.
  func hasPositions() throws(HDF5Error) -> Bool {
    if scheme != nil { return true }
    return try TableCheck.range(boxes).map { $0 != 0...0 } ?? false
  }

  /// Number of regions in a range of frames.
  func count(_ frames: Range<Int>) -> Int {
    firstRow[frames.upperBound] - firstRow[frames.lowerBound]
  }

  private func faces(rows: Range<Int>) throws -> [FacePrediction] {
    guard !rows.isEmpty else { return [] }
    let isTracked = try tracked.read(UInt8.self, rows: rows)
    let score = try detectionScores.read(Float.self, rows: rows)
    let presence = try presences.read(Float.self, rows: rows)
    let tongue = try tongues.read(Float.self, rows: rows)
    let region = try regions.read(Float.self, rows: rows)
    let box = try boxes.read(Float.self, rows: rows)
    let identity = try identities?.read(Int32.self, rows: rows)
    let smooth = try points?.read(Float.self, rows: rows)
    let raw = try unsmoothed?.read(Float.self, rows: rows)
    let states = try hidden?.read(UInt8.self, rows: rows)
    var faces = (0..<rows.count).map { row in
      let own = smooth.flatMap { Self.points($0, row: row, count: scheme?.count ?? 0) }
      var face = FacePrediction(
        region: Self.region(region[(5 * row)..<(5 * row + 5)]), isTracked: isTracked[row] == 1,
        detectionScore: score[row].isNaN ? nil : score[row],
        presence: presence[row].isNaN ? nil : presence[row],
        tongueOut: tongue[row].isNaN ? nil : tongue[row], scheme: own == nil ? nil : scheme,
        points: own ?? [],
        unsmoothedPoints: own == nil
          ? nil : raw.flatMap { Self.points($0, row: row, count: scheme?.count ?? 0) },
        identity: identity.flatMap { $0[row] < 0 ? nil : Int($0[row]) })
      if scheme?.spansFace == false || own?.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) != true {
        let sides = Array(box[(4 * row)..<(4 * row + 4)])
        let rectangle = BoundingBox(
          x: Double(sides[0]), y: Double(sides[1]), width: Double(sides[2]),
          height: Double(sides[3]))
        // The box of five or six points, as it was stored, is none of the tracker's own.
        let isOfPoints = face.box.map {
          [$0.x, $0.y, $0.width, $0.height].map(Float.init) == sides
        }
        face.ownBox =
          rectangle.isWellFormed && isOfPoints != true && sides != [0, 0, 0, 0] ? rectangle : nil
      }
      face.hiddenPoints = states.flatMap {
        Self.hiddenPoints($0, row: row, count: scheme?.count ?? 0)
      }
      return face
    }
    try faceAttributes.read(into: &faces, rows: rows)
    return faces
  }

  private static func region(_ values: ArraySlice<Float>) -> NormalizedRect? {
    let numbers = Array(values)
    return numbers.allSatisfy(\.isFinite)
      ? NormalizedRect(
        xCenter: numbers[0], yCenter: numbers[1], width: numbers[2], height: numbers[3],
        rotation: numbers[4]) : nil
  }

  /// Which points of a row are hidden; nil if all states are unknown.
  private static func hiddenPoints(_ states: [UInt8], row: Int, count: Int) -> [Bool?]? {
    let own = states[(count * row)..<(count * (row + 1))].map { state -> Bool? in
      state > 1 ? nil : state == 1
    }
    return own.allSatisfy { $0 == nil } ? nil : own
  }

  /// The points of a row; nil if all are NaN.
  private static func points(_ values: [Float], row: Int, count: Int) -> [SIMD3<Float>]? {
    let own = ((count * row)..<(count * (row + 1))).map {
      SIMD3(values[3 * $0], values[3 * $0 + 1], values[3 * $0 + 2])
    }
    return own.allSatisfy { $0.x.isNaN && $0.y.isNaN } ? nil : own
  }
}
