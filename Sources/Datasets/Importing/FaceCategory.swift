/// Which of several categories of objects is a face.
enum FaceCategory {
  /// The category that the user names, by name or number, else the only one that is named face.
  ///
  /// Throws `.wrongData` with the names of all where none or several fit.
  static func chosen(
    _ word: String?, of known: [COCOFile.Category], in file: String
  ) throws(DatasetError) -> COCOFile.Category {
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
    throw DatasetError(
      .wrongData,
      "cannot read \(file): expected one category "
        + (word.map { "'\($0.prefix(40))' (--category)" }
          ?? "named face, or --category with the name or number of the one that is")
        + ", found \(list.isEmpty ? "none" : list.joined(separator: ", "))\(rest)")
  }
}
