internal import FaceCore
internal import Foundation
internal import Platform

/// The categories of a source that are faces, and the numbers that all of them get in a dataset.
struct FaceCategories {
  /// The number of the category of faces in a dataset.
  static let face = 1

  /// How many of the labels are faces.
  static func faceCount(_ labels: [FaceLabel]) -> Int { labels.count { $0.category == face } }
  /// The word for all categories that rows use.
  static let all = "all"

  /// The categories that are faces, at least one.
  let faces: [COCOFile.Category]
  /// Their names by number.
  private let names: [Int: String]
  /// The numbers in the names of other categories, as exports write them, by their numbers here; empty for other names.
  private var exported: [Int: Int] = [:]
  private let isSeveral: Bool
  private let isOfExpressions: Bool

  /// Takes the categories that the user names, by name or number, or all; else those named face, or the only one.
  ///
  /// A category that no row uses is a candidate only if it is named. Throws `.wrongData` with all names if none fits, and
  /// with those in use if they are parts of it.
  init(
    _ words: [String], of known: [COCOFile.Category], used: Set<Int>, in file: String
  ) throws(FileError) {
    let inUse = known.filter { used.contains($0.id) }
    func named(_ word: String) -> [COCOFile.Category] {
      let found = known.filter { $0.name.lowercased() == word.lowercased() }
      let foundInUse = found.filter { used.contains($0.id) }
      return foundInUse.isEmpty ? found : foundInUse
    }
    var faces: [COCOFile.Category] = []
    for word in words.flatMap({ Self.words(in: $0, known) }) {
      var found = named(word)
      if found.isEmpty, word.lowercased() == Self.all { found = inUse.isEmpty ? known : inUse }
      if found.isEmpty { found = known.first { "\($0.id)" == word }.map { [$0] } ?? [] }
      guard !found.isEmpty else {
        throw Self.none("'\(word.prefix(40))' (--category)", of: known, in: file)
      }
      faces += found.filter { new in !faces.contains { $0.id == new.id } }
    }
    if words.isEmpty { faces = known.count == 1 ? known : named("face") }
    if faces.isEmpty, inUse.count == 1 { faces = inUse }
    guard !faces.isEmpty else {
      throw Self.none(
        "named face, or --category with the name or number of the one that is, or 'all'",
        of: known, in: file)
    }
    let parents = Set(faces.map { $0.name.lowercased() }).subtracting([""])
    let children = inUse.filter { parents.contains($0.parent.lowercased()) }
    if words.isEmpty, !children.isEmpty, !faces.contains(where: { used.contains($0.id) }) {
      throw FileError.wrongData(
        "cannot read \(file): expected faces in the category '\(faces[0].name.prefix(40))', or --category with the "
          + "names of those that are, or 'all', found only \(Self.list(children)), which are parts of it"
      )
    }
    self.faces = faces
    names = Dictionary(faces.map { ($0.id, $0.name) }) { first, _ in first }
    isSeveral = Set(faces.map(\.name)).count > 1
    isOfExpressions = faces.allSatisfy { ClassFolders.isExpression(folder: $0.name) }
  }

  /// The faces among labels, whose numbers count from 1; nil where there are no labels.
  init?(_ words: [String], ofLabels labels: [String], in file: String) throws(FileError) {
    guard !labels.isEmpty else { return nil }
    let numbers = labels.map { ExportSurvey.category(named: $0) }
    let hasNoFace = words.isEmpty && !numbers.contains(nil)
    try self.init(
      words, of: COCOFile.Category.numbered(hasNoFace ? labels + ["face"] : labels),
      used: Set(1...labels.count), in: file)
    let others = labels.indices.filter { !isFace($0 + 1) }
    let own = others.compactMap { numbers[$0] }
    guard own.count == others.count, Set(own).count == own.count else { return }
    exported = Dictionary(uniqueKeysWithValues: zip(others.map { $0 + 1 }, own))
  }

  /// The names in a list with commas, unless it is the name of a category itself.
  private static func words(in word: String, _ known: [COCOFile.Category]) -> [String] {
    guard !known.contains(where: { $0.name.lowercased() == word.lowercased() }) else {
      return [word]
    }
    return word.split(separator: ",", omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }

  private static func none(
    _ expected: String, of known: [COCOFile.Category], in file: String
  ) -> FileError {
    FileError.wrongData(
      "cannot read \(file): expected one category \(expected), found "
        + (known.isEmpty ? "none" : list(known)))
  }

  /// Numbers and names of at most eight categories.
  static func list(_ categories: [COCOFile.Category]) -> String {
    categories.map { category in
      category.name.isEmpty ? "\(category.id)" : "\(category.id) '\(category.name.prefix(40))'"
    }.listed(atMost: 8)
  }

  /// Whether a category is a face.
  func isFace(_ id: Int) -> Bool { names[id] != nil }

  /// The number of a category in the dataset: 1 for faces; the source's 1 gets the number of the first face.
  func number(of id: Int) -> Int {
    if isFace(id) { return Self.face }
    if let number = exported[id] { return number }
    return id == Self.face ? faces[0].id : id
  }

  /// Gives a face the name of its category where several are faces: as its expression if all names are of expressions.
  func name(_ face: inout FaceLabel, of id: Int) {
    guard isSeveral, let name = names[id], !name.isEmpty else { return }
    if isOfExpressions { face.expression = name } else { face.categoryName = name }
  }

  /// What was assumed of `count` labels.
  func remark(ofLabels count: Int) -> ImportRemark {
    remark ?? .assumed("of \(count) labels '\(faces[0].name.prefix(40))' is a face")
  }

  /// The remark on several categories of faces; nil for one.
  var remark: ImportRemark? {
    guard faces.count > 1 else { return nil }
    return .assumed(
      "\(faces.count) categories are faces: \(Self.list(faces))"
        + (isSeveral
          ? "; the name is the face's " + (isOfExpressions ? "expression" : "categoryName") : ""))
  }
}
