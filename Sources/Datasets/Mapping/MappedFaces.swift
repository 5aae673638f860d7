internal import FaceCore
internal import Foundation
internal import HDF5
internal import Platform

/// Labels that a mapping declares for faces, read face by face.
final class MappedFaces {
  private enum Expression {
    /// A path of texts, until the number of faces is known.
    case texts(String)
    case words([String])
    case numbers(MappedTable, names: [String], base: Int)
  }

  /// Number of faces.
  let count: Int
  /// What was assumed.
  var assumption: String { boxes.summary }
  private let isPadded: Bool
  /// Number of poses whose translation is left out.
  var translations: Int { pose?.hasTranslation ?? false ? count : 0 }
  /// The row of each face's image; nil if faces and images share their rows.
  let images: [Int]?

  private let file: MappedFile
  private let boxes: MappedBoxes
  private let points: [MappedPoints]
  private let pose: MappedPose?
  private let identities: MappedTable?
  private let ignored: MappedTable?
  private let scores: MappedTable?
  private let categories: MappedTable?
  private let category: Int
  private let blendshapes: (table: MappedTable, names: [String])?
  private var expression: Expression?
  private let attributes: [(name: String, table: MappedTable)]

  private static let keys = [
    "image", "box", "points", "pose", "identity", "ignore", "score", "category", "blendshapes",
    "expression", "attributes", "padded",
  ]

  /// Without `image`, all faces belong to the image of the group, or those of cell i and face i to image i.
  init(
    _ object: JSONNode, in file: MappedFile, imageNames: [String], rowsOf other: String,
    angleFactor: Double
  ) throws(FileError) {
    self.file = file
    try object.requireKeys(optional: Self.keys)
    isPadded = try object["padded"].flag()
    file.slots = isPadded ? try Self.slots(object, in: file) : nil
    defer { file.slots = nil }
    boxes = try MappedBoxes(object["box"], in: file)
    points = try (object["points"].given?.items() ?? []).map { (entry) throws(FileError) in
      try MappedPoints(entry, in: file)
    }
    pose = try object["pose"].given.map { (entry) throws(FileError) in
      try MappedPose(entry, in: file, angleFactor: angleFactor)
    }
    identities = try file.table("identity", of: object)
    ignored = try file.table("ignore", of: object)
    scores = try file.table("score", of: object)
    let fixed = object["category"].ifNumber
    category = fixed.flatMap { Int(exactly: $0) } ?? 1
    categories = fixed == nil ? try file.table("category", of: object) : nil
    blendshapes = try object["blendshapes"].given.map { (entry) throws(FileError) in
      try Self.blendshapes(entry, in: file)
    }
    expression = try Self.expression(object, in: file)
    var attributes: [(name: String, table: MappedTable)] = []
    if let entry = object["attributes"].given {
      let names = try entry.keys()
      guard names.count <= DatasetLayout.maxAttributes else {
        throw entry.wrong("at most \(DatasetLayout.maxAttributes)", found: "\(names.count)")
      }
      for name in names {
        guard DatasetLayout.isTableName(name) else {
          throw entry[name].wrong("a name of letters, digits, _, - and .")
        }
        if let table = try file.table(name, of: entry) { attributes.append((name, table)) }
      }
    }
    self.attributes = attributes
    let tables =
      (boxes.numbers + points.map(\.table) + [
        pose?.table, identities, ignored, scores, categories,
        blendshapes?.table,
      ] + attributes.map(\.table)).compactMap { $0 }
    let rows = tables.first { $0.cellStarts != nil } ?? tables.first { !$0.isSingle }
    if let entry = object["image"].given {
      guard !file.isImage else {
        throw entry.wrong("no 'image' where {image} is the image of its faces")
      }
      images = try Self.images(entry, in: file, names: imageNames)
    } else if let slots = file.slots {
      images = imageNames.indices.flatMap { [Int](repeating: $0, count: slots) }
    } else if file.isImage {
      images = [Int](repeating: 0, count: rows?.rows ?? 1)
    } else if let starts = rows?.cellStarts {
      guard starts.count == imageNames.count + 1 else {
        throw file.wrong(
          rows?.path ?? "", "\(imageNames.count) rows as in '\(other)'",
          found: "\(starts.count - 1)")
      }
      images = zip(starts, starts.dropFirst()).enumerated().flatMap { image, cell in
        [Int](repeating: image, count: cell.1 - cell.0)
      }
    } else {
      images = nil
    }
    count = images?.count ?? imageNames.count
    let source = images == nil ? other : rows?.path ?? other
    try requireRows(of: object["image"].isGiven ? "faces.image" : source)
    for table in tables where table.cellStarts != nil && !object["image"].isGiven {
      guard table.cellStarts == rows?.cellStarts else {
        throw file.wrong(
          table.path, "as many faces in each cell as in '\(rows?.path ?? "")'", found: "others")
      }
    }
  }

  /// How many places for faces each image has, by the array of the boxes.
  private static func slots(_ object: JSONNode, in file: MappedFile) throws(FileError) -> Int {
    guard !file.isImage, !file.isMATLAB, !object["image"].isGiven else {
      throw object["padded"].wrong("no 'padded' where faces name their image, or of MATLAB")
    }
    let entry = object["box"]["path"]
    var path = ""
    if case .array? = entry.value { path = try entry.texts().first ?? "" }
    if path.isEmpty { path = try entry.text("the path of the boxes") }
    let shape = try file.dataset(path).shape
    guard shape.count > 1 else {
      throw file.wrong(
        path, "several boxes for each image, such as [N, M, 4]", found: MappedTable.text(shape))
    }
    return shape[1]
  }

  private func requireRows(of other: String) throws(FileError) {
    try boxes.require(rows: count, as: other)
    for set in points { try set.require(rows: count, as: other) }
    try pose?.table.require(rows: count, as: other)
    try identities?.require(rows: count, as: other, width: 1)
    try ignored?.require(rows: count, as: other, width: 1)
    try scores?.require(rows: count, as: other, width: 1)
    try categories?.require(rows: count, as: other, width: 1)
    try blendshapes?.table.require(rows: count, as: other, width: blendshapes?.names.count)
    for attribute in attributes { try attribute.table.require(rows: count, as: other, width: 1) }
    switch expression {
    case .texts(let path):
      expression = .words(try file.texts(path, count: count, as: other))
    case .numbers(let table, _, _): try table.require(rows: count, as: other, width: 1)
    case .words, nil: break
    }
  }

  private static func images(
    _ object: JSONNode, in file: MappedFile, names: [String]
  ) throws(FileError) -> [Int] {
    try object.requireKeys(optional: ["path", "columns", "base", "names"])
    if let path = try object["names"].given?.text() {
      let rows = Dictionary(
        names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
      return try file.texts(path).map { (name) throws(FileError) in
        guard let row = rows[name] else {
          throw file.wrong(path, "the name of an image", found: "'\(name.prefix(60))'")
        }
        return row
      }
    }
    let table = try file.table(object)
    let base = try object["base"].number()
    try file.keep(table.rows, ofBytes: MemoryLayout<Int>.stride, at: table.path)
    return try (0..<table.rows).map { (row) throws(FileError) in
      let number = try table.single(row) - base
      guard let image = Int(exactly: number), names.indices.contains(image) else {
        let last = (base + Double(names.count) - 1).plainText
        throw file.wrong(
          table.path, "images from \(base.plainText) to \(last)",
          found: "\((number + base).plainText) in row \(row)")
      }
      return image
    }
  }

  private static func blendshapes(
    _ object: JSONNode, in file: MappedFile
  ) throws(FileError) -> (table: MappedTable, names: [String]) {
    try object.requireKeys(optional: ["path", "columns", "names"])
    let given: [String]
    if let path = object["names"].ifText {
      given = try file.texts(path, isForAll: true)
    } else {
      given = try object["names"].texts()
    }
    var names: [String] = []
    for name in given {
      let shape = Blendshape(spelled: name)
      guard shape != nil || Blendshape.isTongue(spelled: name) else {
        throw object["names"].wrong(
          "names of blendshapes such as jawOpen", found: "\"\(name.prefix(60))\"")
      }
      let own = shape?.rawValue ?? "tongueOut"
      guard !names.contains(own) else {
        throw object["names"].wrong("each name once", found: "\"\(name)\" twice")
      }
      names.append(own)
    }
    return (try file.table(object, widths: [names.count]), names)
  }

  private static func expression(
    _ object: JSONNode, in file: MappedFile
  ) throws(FileError) -> Expression? {
    if let path = object["expression"].ifText {
      return .texts(path)
    }
    guard let entry = object["expression"].given else { return nil }
    try entry.requireKeys(optional: ["path", "columns", "names", "base"])
    let names = try entry["names"].texts()
    let base = try entry["base"].given?.number() ?? 0
    return .numbers(try file.table(entry), names: names, base: Int(exactly: base) ?? 0)
  }

  /// Whether an image's size is needed to read its faces.
  var needsSize: Bool { boxes.needsSize || points.contains(where: \.needsSize) }

  /// A face; nil if it has neither a box nor the points to derive one from, which is counted.
  func face(
    _ row: Int, size: ImageSize?, _ lost: inout MappedRun.Lost
  ) throws(FileError) -> FaceLabel? {
    var sets: [Landmarks] = []
    for set in points {
      if let landmarks = try set.landmarks(row, size: size) { sets.append(landmarks) }
    }
    if sets.count < points.count, !isPadded { lost.points += 1 }
    guard
      let box = try boxes.box(row, size: size, points: sets.first.map(\.labelled) ?? [])
    else {
      if isPadded { lost.empty += 1 } else { lost.boxes += 1 }
      return nil
    }
    var face = FaceLabel(box: box, landmarks: sets)
    face.pose = try pose?.pose(row)
    face.category = category
    if let categories { face.category = try whole(categories, row) }
    if let identities {
      let identity = try whole(identities, row)
      face.identity = identity < 0 ? nil : identity
    }
    if let ignored { face.isIgnored = try ignored.single(row) != 0 }
    if let score = try scores?.single(row), score.isFinite { face.score = score }
    if box.width == 0 || box.height == 0, !boxes.numbers.isEmpty, sets.isEmpty, !face.isIgnored,
      face.pose == nil, blendshapes == nil
    {
      if isPadded { lost.empty += 1 } else { lost.sizes += 1 }
      return nil
    }
    if let blendshapes {
      var values = [Float](repeating: .nan, count: Blendshape.allCases.count)
      for (name, value) in zip(blendshapes.names, try blendshapes.table.row(row)) {
        if let shape = Blendshape(spelled: name) {
          values[shape.index] = Float(value)
        } else {
          face.attributes[name] = value
        }
      }
      face.blendshapes = values
    }
    for (name, table) in attributes { face.attributes[name] = try table.single(row) }
    face.expression = try word(row)
    return face
  }

  private func word(_ row: Int) throws(FileError) -> String? {
    switch expression {
    case .texts, nil: return nil
    case .words(let words): return words[row].isEmpty ? nil : words[row]
    case .numbers(let table, let names, let base):
      let index = try whole(table, row) - base
      guard names.indices.contains(index) else {
        throw file.wrong(
          table.path, "classes of \(base) to \(names.count - 1 + base)",
          found: "\(index + base) in row \(row)")
      }
      return names[index]
    }
  }

  private func whole(_ table: MappedTable, _ row: Int) throws(FileError) -> Int {
    let value = try table.single(row)
    guard let whole = Int(exactly: value), Int32(exactly: whole) != nil else {
      throw file.wrong(table.path, "whole numbers of 32 bits", found: "\(value) in row \(row)")
    }
    return whole
  }
}
