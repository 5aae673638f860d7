internal import FaceCore
internal import Platform

/// The rotation of each head, as a matrix or as three angles.
struct MappedPose {
  private enum Form: String, CaseIterable {
    case matrix, euler
  }

  private enum Unit: String, CaseIterable {
    case radians, degrees
  }

  private enum Axes: String, CaseIterable {
    case up = "y-up"
    case down = "y-down"
  }

  private let form: Form
  /// The array of the poses.
  let table: MappedTable
  private let order: [Int]
  private let signs: [Double]
  private let isDown: Bool
  private let side: Int

  init(_ object: JSONNode, in file: MappedFile, angleFactor: Double) throws(FileError) {
    try object.requireKeys(optional: ["path", "columns", "form", "order", "unit", "signs", "axes"])
    let form = try object["form"].choice(Form.self)
    let axes = try object["axes"].choice(Axes.self)
    self.form = form
    isDown = axes == .down
    table = try file.table(object, widths: form == .euler ? [3] : [9, 16])
    guard form == .euler || angleFactor == 1 else {
      throw object["form"].wrong("euler: a matrix has no angles, whose unit --repair changes")
    }
    guard form == .euler else {
      (order, signs) = ([], [])
      side = table.width == 16 ? 4 : 3
      guard [9, 16].contains(table.width) else {
        throw file.wrong(table.path, "matrices of 3 x 3 or 4 x 4", found: "\(table.width) numbers")
      }
      return
    }
    side = 3
    guard table.width == 3 else {
      throw file.wrong(table.path, "3 angles", found: "\(table.width)")
    }
    let unit = try object["unit"].choice(Unit.self)
    let letters = try object["order"].text()
    order = letters.compactMap { ["x": 0, "y": 1, "z": 2][$0] }
    guard letters.count == 3, Set(order).count == 3 else {
      throw object["order"].wrong("x, y and z once each")
    }
    let scale = angleFactor * (unit == .degrees ? Double.pi / 180 : 1)
    signs = (try object["signs"].given?.numbers(count: 3) ?? [1, 1, 1]).map { $0 * scale }
  }

  /// Whether the matrices have a translation, which is left out.
  var hasTranslation: Bool { side == 4 }

  /// The rotation of a face in FaceGauge's axes; nil if it contains NaN.
  func pose(_ row: Int) throws(FileError) -> HeadPose? {
    let numbers = try table.row(row)
    guard numbers.allSatisfy(\.isFinite) else { return nil }
    var rows: [SIMD3<Double>]
    switch form {
    case .euler:
      rows = HeadRotation.rows(
        zip(order, zip(numbers, signs)).map { (axis: $0, radians: $1.0 * $1.1) })
    case .matrix:
      rows = (0..<3).map { line in
        SIMD3(numbers[line * side], numbers[line * side + 1], numbers[line * side + 2])
      }
    }
    if isDown {
      let turn = SIMD3<Double>(1, -1, -1)
      rows = rows.enumerated().map { $0.element * turn * turn[$0.offset] }
    }
    return HeadRotation.pose(rows)
  }
}
