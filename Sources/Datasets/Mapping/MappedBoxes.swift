internal import FaceCore
internal import Platform

/// The box of each face, in the form that the mapping declares.
struct MappedBoxes {
  private enum Form: String, CaseIterable {
    case xywh, xyxy, cxcywh
    /// Top, left, bottom and right, as TensorFlow's; top, right, bottom and left, as face_recognition's.
    case yxyx, trbl
    case centerScale = "center-scale"
    case image, points
  }

  /// What the coordinates of boxes and points are.
  enum Space: String, CaseIterable {
    case pixels, relative
  }

  private let form: Form
  private let isRelative: Bool
  private let base: Double
  private let unit: Double
  /// One array of all numbers of a box, or an array for each; none of a box that is no array.
  let numbers: [MappedTable]
  private let scales: MappedTable?

  /// Description of the form for a remark.
  let summary: String

  init(_ object: JSONNode, in file: MappedFile) throws(FileError) {
    try object.requireKeys(optional: [
      "form", "path", "columns", "center", "scale", "unit", "space", "base",
    ])
    let form = try object["form"].choice(Form.self)
    self.form = form
    isRelative = try object["space"].given?.choice(Space.self) == .relative
    base = try object["base"].given?.number() ?? 0
    unit = try object["unit"].given?.number() ?? 200
    switch form {
    case .image, .points: (numbers, scales) = ([], nil)
    case .centerScale:
      numbers = try file.table("center", of: object, widths: [2]).map { [$0] } ?? []
      scales = try file.table("scale", of: object)
      guard !numbers.isEmpty, scales != nil else {
        throw object.wrong("the keys center and scale", found: "one or none")
      }
    case .xywh, .xyxy, .cxcywh, .yxyx, .trbl:
      numbers = try Self.numbers(object, in: file)
      scales = nil
    }
    let position = isRelative ? "relative to the image's size" : "pixels from \(base)"
    summary =
      switch form {
      case .image: "boxes are the whole images"
      case .points: "boxes are the tight boxes of the points"
      case .centerScale: "boxes are squares of scale x \(unit) around their centers, \(position)"
      default: "boxes are \(form.rawValue), \(position)"
      }
  }

  /// An array of four numbers, or four arrays of one each.
  private static func numbers(
    _ object: JSONNode, in file: MappedFile
  ) throws(FileError) -> [MappedTable] {
    guard case .array? = object["path"].value else { return [try file.table(object, widths: [4])] }
    let paths = try object["path"].texts()
    guard paths.count == 4, !object["columns"].isGiven else {
      throw object["path"].wrong("one path, or four without 'columns'", found: "\(paths.count)")
    }
    return try paths.map { (path) throws(FileError) in
      try MappedTable(file, path, MappedAxes.Want())
    }
  }

  /// Throws unless there is a box for each of `rows` faces.
  func require(rows: Int, as other: String) throws(FileError) {
    let width = numbers.count > 1 ? 1 : form == .centerScale ? 2 : 4
    for table in numbers { try table.require(rows: rows, as: other, width: width) }
    try scales?.require(rows: rows, as: other, width: 1)
  }

  /// Whether the image's size is needed.
  var needsSize: Bool { form == .image || isRelative }

  /// The box of a face; nil if it contains NaN or has a negative size.
  func box(
    _ row: Int, size: ImageSize?, points: [Point]
  ) throws(FileError) -> BoundingBox? {
    let (width, height) = (Double(size?.width ?? 0), Double(size?.height ?? 0))
    var four: [Double]
    switch form {
    case .points: return BoundingBox(around: points)
    case .image: return BoundingBox(x: 0, y: 0, width: width, height: height)
    case .centerScale:
      guard let center = try numbers.first?.row(row), let scale = try scales?.single(row) else {
        return nil
      }
      let side = scale * unit
      four = [center[0] - side / 2, center[1] - side / 2, side, side]
    case .xywh, .xyxy, .cxcywh, .yxyx, .trbl:
      four = try numbers.map { (table) throws(FileError) in try table.row(row) }.flatMap { $0 }
      if form == .yxyx { four = [four[1], four[0], four[3], four[2]] }
      if form == .trbl { four = [four[3], four[0], four[1], four[2]] }
      if [.xyxy, .yxyx, .trbl].contains(form) {
        four = [four[0], four[1], four[2] - four[0], four[3] - four[1]]
      }
      if form == .cxcywh {
        four = [four[0] - four[2] / 2, four[1] - four[3] / 2, four[2], four[3]]
      }
    }
    let scale = isRelative ? [width, height, width, height] : [1, 1, 1, 1]
    let shift = isRelative ? 0 : base
    let box = BoundingBox(
      x: four[0] * scale[0] - shift, y: four[1] * scale[1] - shift, width: four[2] * scale[2],
      height: four[3] * scale[3])
    return box.isWellFormed ? box : nil
  }
}
