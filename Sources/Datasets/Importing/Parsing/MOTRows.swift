internal import FaceCore
internal import Foundation
internal import Platform

/// The rows of a MOT Challenge file as faces by frame, from 1.
///
/// The import decides what a file is: as predictions it is a tracker's output, whatever its number of columns.
struct MOTRows {
  /// The faces of each frame that has any; frames count from 1.
  private(set) var faces: [Int: [FaceLabel]] = [:]
  /// Number of the first frame in the files: 0 if a row has it, else 1.
  private(set) var firstNumber = 1
  private var isTruth = false
  private var isNamedTruth = false
  private var ignored = 0
  /// Values of an eighth column that is none of classes.
  private var others = 0
  private var categories: FaceCategories?
  private var classes: [Int: Int] = [:]

  /// Largest frame number in a file.
  private static let frameLimit = 1 << 20
  private static let classLimit = Int(Int32.max)

  /// Meaning of the columns after the confidence.
  private enum Layout {
    case world
    case classes
    case none
  }

  /// What the files of an import have in common, which one where a face comes late or has another class does not tell.
  struct Common {
    /// Number of the first frame: 0 if a row of any file has it, else 1.
    private(set) var firstNumber = 1
    /// The classes that rows have.
    private(set) var classes: Set<Int> = []
    /// Whether CVAT's `labels.txt` of any file names a face.
    private(set) var namesFace = false
    /// The rows of the first files, which are not parsed again.
    private(set) var rows: [URL: [[Double]]] = [:]

    /// How many rows are kept, about 30 MB.
    private static let rowLimit = 1 << 18

    /// Looks at files; `mayBeEmpty` tells those in which nobody may be.
    init(_ sources: [URL], mayBeEmpty: (URL) -> Bool) throws(FileError) {
      var count = 0
      for source in sources {
        let own = try MOTRows.rows(of: source, mayBeEmpty: mayBeEmpty(source))
        add(own)
        if try MOTRows.names(nextTo: source).contains(where: MOTRows.isFace) { namesFace = true }
        count += own.count
        if count <= Self.rowLimit { rows[source] = own }
      }
    }

    fileprivate init(_ rows: [[Double]]) { add(rows) }

    private mutating func add(_ rows: [[Double]]) {
      if rows.contains(where: { $0[0] == 0 }) { firstNumber = 0 }
      guard !rows.isEmpty, MOTRows.layout(rows) == .classes else { return }
      for row in rows where row[7] != -1 { classes.insert(Int(row[7])) }
    }
  }

  /// Reads a file, of several with what they have in common; throws `.wrongData` with the line of a row that is wrong.
  init(
    _ source: URL, _ common: Common?, options: ImportOptions, mayBeEmpty: Bool
  ) throws(FileError) {
    let rows: [[Double]]
    if let kept = common?.rows[source] {
      rows = kept
    } else {
      rows = try Self.rows(of: source, mayBeEmpty: mayBeEmpty)
    }
    let common = common ?? Common(rows)
    firstNumber = common.firstNumber
    let name = source.lastPathComponent.lowercased()
    isNamedTruth = name.hasPrefix("gt.") || name.hasPrefix("gt_")
    isTruth =
      !options.isPredictions
      && (isNamedTruth
        || (rows.first?.count == 9 && rows.allSatisfy { $0[6] == 0 || $0[6] == 1 }))
    guard !rows.isEmpty else { return }
    let layout = Self.layout(rows)
    if layout == .classes {
      for row in rows where row[7] != -1 { classes[Int(row[7]), default: 0] += 1 }
      categories = try Self.categories(
        classes.isEmpty ? [] : common.classes, namesFace: common.namesFace, of: source, options)
    }
    for row in rows {
      let base = options.indexBase(of: Array(row[2...5]))
      let box = BoundingBox(x: row[2] - base, y: row[3] - base, width: row[4], height: row[5])
      var label = FaceLabel(box: box, identity: row[1] < 0 ? nil : Int(row[1]))
      switch layout {
      case .classes:
        if row[7] != -1 {
          label.category = categories?.number(of: Int(row[7])) ?? Int(row[7])
          categories?.name(&label, of: Int(row[7]))
        }
        if row.count > 8, row[8] != -1 { label.attributes["visibility"] = row[8] }
      case .world where row[7...9].contains { $0 != -1 }:
        for (axis, value) in zip(["worldX", "worldY", "worldZ"], row[7...9]) {
          label.attributes[axis] = value
        }
      case .none: if row.count > 7, row[7] != -1 { others += 1 }
      case .world: break
      }
      if isTruth {
        label.isIgnored = row[6] == 0
        if label.isIgnored { ignored += 1 }
      } else {
        label.score = row[6] == -1 ? nil : row[6]
      }
      faces[Int(row[0]) - firstNumber + 1, default: []].append(label)
    }
  }

  /// The rows of a file, none only where nobody may be in it.
  private static func rows(of source: URL, mayBeEmpty: Bool) throws(FileError) -> [[Double]] {
    let bytes = try SourceFiles.bytes(of: source, limit: 256 << 20)
    let hasCommas = bytes.prefix { $0 != 0x0A && $0 != 0x0D }.contains(UInt8(ascii: ","))
    var file = DelimitedText(
      bytes, name: source.relativePath, separator: hasCommas ? "," : " ")
    let rows = try numbers(&file, hasCommas: hasCommas)
    guard !rows.isEmpty || mayBeEmpty else {
      throw FileError.wrongData("cannot read \(file.name): expected boxes, found none")
    }
    return rows
  }

  /// All rows, each of 7 to 10 numbers, as many as the first.
  private static func numbers(
    _ file: inout DelimitedText, hasCommas: Bool
  ) throws(FileError) -> [[Double]] {
    var rows: [[Double]] = []
    while var fields = try file.next() {
      // A separator at the end of a line begins no column.
      while fields.count > 7, fields.last?.isEmpty == true { fields.removeLast() }
      if !hasCommas { fields = fields.filter { !$0.isEmpty } }
      let width = rows.first?.count
      guard (7...10).contains(fields.count), fields.count == width ?? fields.count else {
        throw file.wrong(width.map { "\($0) fields" } ?? "7 to 10 fields", found: "\(fields.count)")
      }
      var row: [Double] = []
      for (index, field) in fields.enumerated() {
        let isOptional = index > 5 && DelimitedText.isNoNumber(field)
        row.append(isOptional ? -1 : try file.number(field, in: "column \(index + 1)"))
      }
      guard let frame = Int(exactly: row[0]), (0...frameLimit).contains(frame) else {
        throw file.wrong("a frame of 0 to \(frameLimit)", found: fields[0])
      }
      guard let identity = Int(exactly: row[1]), (-1...Int(Int32.max)).contains(identity) else {
        throw file.wrong("a whole id of -1 or more", found: fields[1])
      }
      let box = BoundingBox(x: row[2], y: row[3], width: row[4], height: row[5])
      guard box.isWellFormed else {
        throw file.wrong("a box of non-negative size", found: fields[2...5].joined(separator: ","))
      }
      if fields.count == 9, !isClass(row[7]) {
        throw file.wrong("a class of 0 to \(classLimit)", found: fields[7])
      }
      rows.append(row)
    }
    return rows
  }

  private static func isClass(_ value: Double) -> Bool {
    Int(exactly: value).map { (-1...classLimit).contains($0) } ?? false
  }

  /// Ten columns have a class where the eighth is whole in every row, the ninth a share or -1, and the tenth -1; else
  /// they are of the world.
  private static func layout(_ rows: [[Double]]) -> Layout {
    switch rows[0].count {
    case 7: return .none
    case 8:
      let areClasses = rows.allSatisfy { isClass($0[7]) } && rows.contains { $0[7] != -1 }
      return areClasses ? .classes : .none
    case 9: return .classes
    default:
      let areClasses = rows.allSatisfy {
        isClass($0[7]) && $0[9] == -1 && ($0[8] == -1 || (0...1).contains($0[8]))
      }
      return areClasses && rows.contains { $0[7] != -1 } ? .classes : .world
    }
  }

  /// The classes that are faces, by the names in CVAT's `labels.txt` or the user's numbers; else the only one, or 1.
  ///
  /// Nothing is a face where no row is of the one that the names have, or those of another file alone have one.
  private static func categories(
    _ classes: Set<Int>, namesFace: Bool, of source: URL, _ options: ImportOptions
  ) throws(FileError) -> FaceCategories? {
    guard !classes.isEmpty else { return nil }
    let words = try names(nextTo: source)
    var known = classes.sorted().map { COCOFile.Category(id: $0) }
    for index in known.indices where words.indices.contains(known[index].id - 1) {
      known[index].name = words[known[index].id - 1]
    }
    let isChallenge = classes.contains(1) && !classes.contains(0)
    var hasFace = known.contains { isFace($0.name) }
    let named = words.firstIndex(where: isFace).map { $0 + 1 }
    let free = ((words.count + 1)...).first { !classes.contains($0) }
    if !hasFace, let id = named ?? (namesFace && !words.isEmpty ? free : nil) {
      known.append(COCOFile.Category(id: id, name: "face"))
      hasFace = true
    }
    let first = isChallenge && !hasFace && options.categories.isEmpty ? ["1"] : options.categories
    return try FaceCategories(first, of: known, used: classes, in: source.relativePath)
  }

  /// The names of the classes from 1 on in CVAT's `labels.txt` next to a file; empty where there is none.
  private static func names(nextTo source: URL) throws(FileError) -> [String] {
    let names = source.deletingLastPathComponent().appendingPathComponent("labels.txt")
    guard names.isThere else { return [] }
    let text = ByteOrderMark.text(try SourceFiles.bytes(of: names, limit: 1 << 20))
    return text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
  }

  private static func isFace(_ name: String) -> Bool { name.lowercased() == "face" }

  /// What was assumed.
  func remarks(_ title: String) -> [ImportRemark] {
    var remarks: [ImportRemark] = [
      .assumed(
        isTruth
          ? "\(title): taken as ground truth, where a confidence of 0 means to ignore the box: "
            + "\(ignored) boxes"
          : "\(title): taken as a tracker's output, where a confidence of -1 is none"
            + (isNamedTruth ? ", although it has the name of ground truth" : ""))
    ]
    remarks.drop(
      others, "values of the eighth column left out, as not all are classes", about: title)
    guard let categories else { return remarks }
    if let remark = categories.remark {
      remarks.append(remark.about(title))
    } else {
      let others = classes.filter { $0.key != categories.faces[0].id }.sorted { $0.key < $1.key }
      remarks.assume(
        "\(title): the class of a box is its category; faces are class "
          + FaceCategories.list(categories.faces)
          + (others.isEmpty ? "" : ", others are not (--category): ")
          + others.prefix(8).map { "\($0.key) (\($0.value))" }.joined(separator: ", "))
    }
    return remarks
  }
}
