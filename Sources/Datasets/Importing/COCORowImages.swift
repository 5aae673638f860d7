internal import Platform

/// Which image each row of a COCO file is of: by its id, or a result by the name of a file.
struct COCORowImages {
  /// The position of each row's image; nil for one that the file does not list.
  private(set) var positions: [Int?]
  /// What was assumed, where ids alone do not tell.
  private(set) var remarks: [ImportRemark] = []

  /// Joins the rows with images of those ids and names.
  ///
  /// Results may name their files. Where none does, the names of images are their ids if these tell more rows apart than
  /// the ids of the annotations, as tools write that know no annotations.
  init(_ file: COCOFile, ids: [COCOFile.Identifier: Int], names: [String]) {
    positions = file.rows.map { ids[$0.image] }
    guard file.isResults else { return }
    let named = Self.named(
      names,
      byWords: file.rows.contains { row in
        if case .text = row.image { true } else { row.fileName != nil }
      })
    if file.rows.contains(where: { $0.fileName != nil }) {
      takeFiles(file.rows, named)
    } else {
      takeNames(file.rows, named)
    }
  }

  /// The images by their names, without folders and endings too, where these tell them apart: by numbers, and by words where
  /// rows have some.
  private static func named(_ names: [String], byWords: Bool) -> [COCOFile.Identifier: Int] {
    var named: [COCOFile.Identifier: Int?] = [:]
    func add(_ key: COCOFile.Identifier, _ position: Int) {
      named.updateValue(named[key] == nil ? position : .none, forKey: key)
    }
    for (position, image) in names.enumerated() {
      let name = PathText(image)
      if byWords {
        var words: Set<String> = [image, name.name, name.withoutSuffix, name.stem]
        words.remove("")
        for word in words { add(.text(word), position) }
      }
      if let number = Int(name.stem) { add(.number(number), position) }
    }
    return named.compactMapValues { $0 }
  }

  private mutating func takeFiles(
    _ rows: [COCOFile.Row], _ named: [COCOFile.Identifier: Int]
  ) {
    var moved = 0
    for (index, row) in rows.enumerated() {
      guard let file = row.fileName,
        let position = named[.text(file)] ?? named[.text(PathText(file).name)]
      else { continue }
      if positions[index] != position { moved += 1 }
      positions[index] = position
    }
    remarks.assume(moved, "results have a file_name whose image has another id: the name is taken")
  }

  private mutating func takeNames(
    _ rows: [COCOFile.Row], _ named: [COCOFile.Identifier: Int]
  ) {
    let others = rows.map { named[$0.image] }
    let (listed, told) = (positions.count { $0 != nil }, others.count { $0 != nil })
    if told > listed {
      remarks.assume(
        listed == 0
          ? "no image id of the results is listed: names of images are taken as ids"
          : "image ids of \(told) results are names of images, and of \(listed) ids: names are taken"
      )
      positions = others
    } else if listed > 0, told == listed, others != positions {
      remarks.assume(
        "image ids of the results are ids of the annotations, and numbers in names of other "
          + "images too: they are taken as ids")
    }
  }
}
