internal import FaceCore
internal import Platform

/// Rows of a COCO annotation or result file, before any interpretation.
struct COCOFile {
  /// What an image or a row is known by.
  enum Identifier: Hashable, CustomStringConvertible {
    /// A whole number.
    case number(Int)
    /// A word.
    case text(String)

    var description: String {
      switch self {
      case .number(let number): "\(number)"
      case .text(let text): text
      }
    }
  }

  struct Image {
    /// Its number or word.
    var id: Identifier
    /// Its file name.
    var name: String
    /// Its width and height; nil if they are not both there.
    var size: ImageSize?
  }

  /// A class of objects.
  struct Category {
    var id: Int
    /// Its name, empty if there is none.
    var name = ""
    /// The names of its points; empty if there are none.
    var keypoints: [String] = []
    /// The name of the category that it is part of, empty if there is none.
    var parent = ""

    /// Categories with these names, whose numbers count from 1.
    static func numbered(_ names: [String]) -> [Category] {
      names.enumerated().map { Category(id: $0.offset + 1, name: $0.element) }
    }
  }

  /// An annotation or a result.
  struct Row {
    var image = Identifier.text("")
    /// The image's file, which some tools write of a result.
    var fileName: String?
    var category: Int?
    var box: BoundingBox?
    var area: Double?
    var isIgnored = false
    var isCrowd = false
    var identity: Int?
    var score: Double?
    /// x, y and a flag or score per point.
    var keypoints: [Double] = []
    var faceBox: BoundingBox?
    var faceKeypoints: [Double] = []
    var isFaceValid: Bool?
  }

  /// The file's name, for messages.
  let name: String
  /// Whether it is an array of results, which name images by id only.
  private(set) var isResults = false
  private(set) var images: [Image] = []
  private(set) var categories: [Category] = []
  private(set) var rows: [Row] = []
  /// Number of rows with a value for an unsupported key, by key.
  private(set) var leftOut: [String: Int] = [:]
  /// Number of rows whose id another row has.
  private(set) var repeatedIDs = 0
  /// Number of results whose box has a negative side.
  private(set) var negativeBoxes = 0
  /// Number of rows whose box was turned.
  private(set) var turnedBoxes = 0

  private var ids: Set<Identifier> = []
  private static let wholeNumbers = Int(Int32.min)...Int(Int32.max)

  /// The categories that rows are of.
  var usedCategories: Set<Int> {
    var used: Set<Int> = []
    for row in rows { if let category = row.category { used.insert(category) } }
    return used
  }

  /// Reads the JSON; throws `.wrongData` with the key path of the error.
  init(_ bytes: [UInt8], name: String) throws(FileError) {
    self.name = name
    var json = JSONText(bytes, name: name)
    var sections: Set<String> = []
    isResults = try json.kind() == .array
    if isResults {
      try readRows(&json)
    } else {
      try json.members { (json, key) throws(FileError) in
        sections.insert(key)
        switch key {
        case "images":
          try json.elements { (json) throws(FileError) in images.append(try Self.image(&json)) }
        case "categories":
          try json.elements { (json) throws(FileError) in
            categories.append(try Self.category(&json))
          }
        case "annotations": try readRows(&json)
        default: try json.skip()
        }
      }
      guard sections.isSuperset(of: ["images", "annotations"]) else {
        throw FileError.wrongData(
          "cannot read \(name): expected COCO's keys images and annotations, found "
            + (sections.isEmpty ? "none" : sections.sorted().prefix(8).joined(separator: ", ")))
      }
    }
    try json.finish()
    ids = []
  }

  private mutating func readRows(_ json: inout JSONText) throws(FileError) {
    try json.elements { (json) throws(FileError) in
      let row = try self.row(&json)
      if isResults, let box = row.box, box.width < 0 || box.height < 0 {
        negativeBoxes += 1
      } else {
        rows.append(row)
      }
    }
  }

  private static func image(_ json: inout JSONText) throws(FileError) -> Image {
    var (id, name): (Identifier?, String?)
    var (width, height): (Int?, Int?)
    try json.members { (json, key) throws(FileError) in
      switch key {
      case "id": id = try identifier(&json)
      case "file_name": name = try json.text()
      case "width": width = try json.numberOrSkip().flatMap { Int(exactly: $0) }
      case "height": height = try json.numberOrSkip().flatMap { Int(exactly: $0) }
      default: try json.skip()
      }
    }
    guard let id, let name, !name.isEmpty else {
      throw json.wrong("an id and a file_name", found: id == nil ? "no id" : "no file_name")
    }
    return Image(id: id, name: name, size: ImageSize(stated: width, height))
  }

  private static func category(_ json: inout JSONText) throws(FileError) -> Category {
    var id: Int?
    var (name, parent) = ("", "")
    var keypoints: [String] = []
    try json.members { (json, key) throws(FileError) in
      switch key {
      case "id": id = try json.integer(in: wholeNumbers)
      case "name": name = try json.text()
      case "supercategory" where try json.kind() == .text: parent = try json.text()
      case "keypoints" where try json.kind() == .array:
        try json.elements { (json) throws(FileError) in
          guard try json.kind() == .text else {
            try json.skip()
            return
          }
          keypoints.append(try json.text())
        }
      default: try json.skip()
      }
    }
    guard let id else { throw json.wrong("an id", found: "none") }
    return Category(id: id, name: name, keypoints: keypoints, parent: parent)
  }

  private mutating func row(_ json: inout JSONText) throws(FileError) -> Row {
    var row = Row()
    var image: Identifier?
    var turn = 0.0
    try json.members { (json, key) throws(FileError) in
      guard try !json.null() else { return }
      switch key {
      case "image_id": image = try Self.identifier(&json)
      case "id":
        if !ids.insert(try Self.identifier(&json)).inserted { repeatedIDs += 1 }
      case "category_id": row.category = try json.integer(in: Self.wholeNumbers)
      case "bbox": row.box = try box(&json)
      case "area": row.area = try json.number()
      case "iscrowd": row.isCrowd = try json.flag()
      case "ignore": row.isIgnored = try json.flag()
      case "track_id": row.identity = try json.integer(in: 0...Int(Int32.max))
      case "score": row.score = try json.number()
      case "keypoints": row.keypoints = try keypoints(&json)
      case "face_box": row.faceBox = try box(&json)
      case "face_kpts": row.faceKeypoints = try keypoints(&json)
      case "face_valid": row.isFaceValid = try json.flag()
      case "num_keypoints": try json.skip()
      case "file_name" where try json.kind() == .text:
        row.fileName = try json.text()
        if !isResults { leftOut[key, default: 0] += 1 }
      case "attributes" where try json.kind() == .object: turn = try attributes(&json, of: &row)
      default: if try json.skip() { leftOut[key, default: 0] += 1 }
      }
    }
    guard let image else { throw json.wrong("an image_id", found: "none") }
    if isResults, row.score == nil { throw json.wrong("a score", found: "none") }
    row.image = image
    if turn != 0, let box = row.box, box.isWellFormed {
      row.box = ShapeFaces.box(around: box, turnedBy: turn)
      row.area = row.area ?? box.area
      turnedBoxes += 1
    }
    return row
  }

  /// CVAT's attributes: degrees by which the box is turned about its centre, and the track; others are left out.
  private mutating func attributes(
    _ json: inout JSONText, of row: inout Row
  ) throws(FileError) -> Double {
    var (turn, track, isLeftOut) = (0.0, Int?.none, false)
    try json.members { (json, key) throws(FileError) in
      switch key {
      case "rotation": turn = try json.numberOrSkip() ?? 0
      case "track_id": track = try json.numberOrSkip().flatMap { Int(exactly: $0) }
      default: if try json.skip() { isLeftOut = true }
      }
    }
    if isLeftOut { leftOut["attributes", default: 0] += 1 }
    if let track, (0...Int(Int32.max)).contains(track) { row.identity = row.identity ?? track }
    return turn
  }

  /// The same number is the same identifier as a number and as a word.
  private static func identifier(_ json: inout JSONText) throws(FileError) -> Identifier {
    if try json.kind() == .text {
      let text = try json.text()
      return Int(text).flatMap { "\($0)" == text ? .number($0) : nil } ?? .text(text)
    }
    let limit = 1 << 53
    return .number(try json.integer(in: -limit...limit))
  }

  /// x, y, width and height; nil for an empty array, which means none.
  private func box(_ json: inout JSONText) throws(FileError) -> BoundingBox? {
    let numbers = try json.numbers()
    guard !numbers.isEmpty else { return nil }
    guard numbers.count == 4 else {
      throw json.wrong("4 numbers x, y, width, height", found: "\(numbers.count)")
    }
    guard isResults || (numbers[2] >= 0 && numbers[3] >= 0) else {
      throw json.wrong(
        "a width and height of 0 or more", found: "\(numbers[2]) and \(numbers[3])")
    }
    return BoundingBox(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
  }

  private func keypoints(_ json: inout JSONText) throws(FileError) -> [Double] {
    let numbers = try json.numbers()
    guard numbers.count.isMultiple(of: 3) else {
      throw json.wrong("3 numbers per point", found: "\(numbers.count) numbers")
    }
    if !isResults,
      let flag = stride(from: 2, to: numbers.count, by: 3).lazy.map({ numbers[$0] })
        .first(where: { ![0, 1, 2].contains($0) })
    {
      throw json.wrong("flags 0, 1 or 2 after x and y", found: flag.plainText)
    }
    return numbers
  }
}
