internal import Platform

/// Chooses the face category among categories of objects.
enum FaceCategory {
  /// The number of the category of faces in a dataset.
  static let face = 1

  /// The category that the user names, by name or number, else the only one that is named face.
  ///
  /// Throws `.wrongData` with all names if none or several match.
  static func chosen(
    _ word: String?, of known: [COCOFile.Category], in file: String
  ) throws(FileError) -> COCOFile.Category {
    let wanted = (word ?? "face").lowercased()
    let named = known.filter { $0.name.lowercased() == wanted }
    if let only = named.first, named.count == 1 { return only }
    if named.isEmpty, let word, let numbered = known.first(where: { "\($0.id)" == word }) {
      return numbered
    }
    let list = known.prefix(8).map { category in
      category.name.isEmpty ? "\(category.id)" : "\(category.id) '\(category.name.prefix(40))'"
    }
    let rest = known.count > 8 ? " and \(known.count - 8) more" : ""
    throw FileError(
      .wrongData,
      "cannot read \(file): expected one category "
        + (word.map { "'\($0.prefix(40))' (--category)" }
          ?? "named face, or --category with the name or number of the one that is")
        + ", found \(list.isEmpty ? "none" : list.joined(separator: ", "))\(rest)")
  }
}
