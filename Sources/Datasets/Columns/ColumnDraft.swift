internal import FaceCore
package import Foundation
package import Platform

/// A mapping of columns that is guessed from a table's header and its first rows.
package struct ColumnDraft {
  /// The mapping.
  package internal(set) var mapping = ColumnMapping([:])
  /// What was guessed from values, and what is left out.
  package internal(set) var notes: [String] = []

  let columns: ColumnSample
  let folder: URL
  /// How many images are looked at.
  static let mostImages = 50
  var used: Set<String> = []

  /// Guesses; throws where a table has no images and no frames.
  package init(_ source: URL) throws(FileError) {
    columns = try ColumnSample(source)
    folder = source.deletingLastPathComponent()
    if !columns.hasHeader {
      mapping["header"] = "no"
      notes.append("the first row is no header: columns have numbers")
    }
    try requireColumnsOfCoefficients(source)
    takeImage()
    if columns.hasHeader {
      takeBox()
    } else {
      takeUnnamedPoints()
      takeUnnamedBox()
    }
    takePoints()
    takeTime()
    takeWords()
    takeAngles()
    takeCoefficients()
    takeUnits()
    takeAttributes()
    guard mapping.firstProblem == nil else {
      throw FileError.wrongData(
        "cannot draft columns of \(source.relativePath): expected a column of images, or of frames of a "
          + "clip, found " + columns.names.prefix(16).joined(separator: ", ") + frameHint)
    }
    try checkPoints(source)
    let rest = columns.names.filter { !used.contains($0) }
    if !rest.isEmpty {
      notes.append(
        "left out: " + rest.prefix(16).joined(separator: ", ") + (rest.count > 16 ? ", …" : ""))
    }
    let commas = rest.filter { columns.hasDecimalCommas($0) }
    if !commas.isEmpty {
      notes.append(
        "numbers with a decimal comma are not read, write them with a point: "
          + commas.prefix(16).joined(separator: ", ") + (commas.count > 16 ? ", …" : ""))
    }
    if !["x", "cx", "box", "px", Self.key(0, "x")].contains(where: { mapping[$0] != nil }) {
      notes.append("no boxes and no points were recognised")
    }
  }

  /// How rows get frames, as a table of coefficients alone has none.
  private var frameHint: String {
    guard mapping["coefficients"] != nil else { return "" }
    return " (" + (columns.time.map { "write \($0) in seconds, or " } ?? "")
      + "add a column frame with the number of each row's frame, from 0)"
  }

  /// Throws for a table with a row for each coefficient of a face.
  private func requireColumnsOfCoefficients(_ source: URL) throws(FileError) {
    guard let named = columns.namesOfCoefficients else { return }
    throw FileError.wrongData(
      "cannot draft columns of \(source.relativePath): expected a row for each face with a column for each "
        + "coefficient, found the names of coefficients in the column \(named) (pandas: "
        + "table.pivot(index='frame', columns='\(named)', values='score').to_csv('wide.csv'))")
  }

  mutating func take(_ column: String?, as key: String) {
    guard let column else { return }
    mapping[key] = column
    used.insert(column)
  }

  mutating func take(_ columns: [String], as keys: [String]) {
    for (column, key) in zip(columns, keys) { take(column, as: key) }
  }

  /// A column of one of these names, the first of them that there is.
  func column(_ words: [String]) -> String? {
    for word in words {
      if let found = columns.names.first(where: {
        !used.contains($0) && ColumnWords.means($0, word)
      }) {
        return found
      }
    }
    return nil
  }

  private mutating func takeImage() {
    let isFile: (String) -> Bool = { SourceFiles.isImage($0) }
    let isClip: (String) -> Bool = {
      VideoContainer.allExtensions.contains(PathText($0).suffix.lowercased())
    }
    take(
      columns.names.first { columns.share(of: $0, where: isFile) > 0.8 }
        ?? columns.names.first { columns.share(of: $0, where: isClip) > 0.8 }
        ?? column(ColumnWords.image) ?? unnamedImage, as: "image")
  }

  /// Of a table without a header the words with the most values: names of images need no extension.
  private var unnamedImage: String? {
    guard !columns.hasHeader else { return nil }
    func count(_ name: String) -> Int { Set(columns.values(of: name)).count }
    let words = columns.names.filter { !columns.isNumeric($0) && count($0) > 1 }
    return words.max { count($0) < count($1) }
  }

  private mutating func takePoints() {
    if let point = column(ColumnWords.point), mapping["width"] == nil, mapping["x2"] == nil,
      let x = column(["x"]), let y = column(["y"])
    {
      take([point, x, y], as: ["point", "px", "py"])
      take(column(ColumnWords.visibility), as: "pv")
      take(column(ColumnWords.face), as: "face")
      return
    }
    guard let series = PointSeries(columns.names.filter { !used.contains($0) }) else { return }
    for (key, letter) in [("px", "x"), ("py", "y"), ("pv", "v")] {
      let patterns = key == "pv" ? ["v", "visible", "vis", "visibility"] : [letter]
      for letter in patterns {
        let pattern = series.pattern(letter)
        let found = ColumnMapping.expand(pattern, in: columns.names)
        guard !found.isEmpty, key != "pv" || found.count >= series.count else { continue }
        mapping[key] = pattern
        used.formUnion(found.map(\.column))
        break
      }
    }
    let depths = ColumnMapping.expand(series.pattern("z"), in: columns.names).map(\.column)
    if depths.count == series.count {
      used.formUnion(depths)
      notes.append("depths of points are left out")
    }
  }

  /// Leaves points out of which nothing is known.
  private mutating func checkPoints(_ source: URL) throws(FileError) {
    guard mapping["px"] != nil else { return }
    var table = try ColumnTable(source, hasHeader: columns.hasHeader)
    var faces = ColumnFaces(try ColumnPlan(mapping, of: table), title: "")
    for _ in 0..<ColumnSample.limit {
      guard let row = try table.next() else { break }
      try faces.add(row, of: table)
    }
    do throws(FileError) {
      let order = faces.pointOrder
      let decision = try ColumnFrames.decision(
        faces, order, ImportOptions(), in: source.relativePath)
      notes.append("sets of \(order.count) points \(decision.text)")
    } catch {
      let keys = ["px", "py", "pv", "point", "face"].filter { mapping[$0] != nil }
      let list = keys.map { "\($0)=\(mapping[$0] ?? "")" }.joined(separator: ",")
      for key in keys { mapping[key] = nil }
      notes.append("points (\(list)) are left out: \(error.description)")
    }
  }

  private mutating func takeTime() {
    take(column(ColumnWords.sequence), as: "sequence")
    let files = mapping["image"].map { columns.values(of: $0) } ?? []
    let frame = column(ColumnWords.frame)
    let areClips = files.first.map { !SourceFiles.isImage($0) } ?? true
    let isClip =
      areClips || mapping["sequence"] != nil
      || frame.map { columns.numbers(of: $0).elementsEqual(files.map(ColumnSample.lastNumber)) }
        ?? false
    guard isClip else { return }
    if let frame, columns.isNumeric(frame) {
      take(frame, as: "frame")
      // Rows of faces alone may lack a frame 0 that there is.
      if columns.numbers(of: frame).contains(0) {
        mapping["first-frame"] = "0"
      } else {
        notes.append("no \(frame) is 0: it is left open whether the first is 0 or 1 (first-frame)")
      }
    }
    if let time = column(ColumnWords.time), columns.isNumeric(time) {
      take(time, as: "time")
      let unit = ColumnWords.timeUnit(of: time) ?? columns.timeUnit(of: time)
      mapping["time-unit"] = unit
      notes.append("times of \(time) are taken as \(unit) (time-unit)")
    }
  }

  private mutating func takeWords() {
    if mapping["label"] == nil, mapping["expression"] == nil {
      take(column(ColumnWords.expression), as: "expression")
      let labels = columns.names.filter { name in
        !used.contains(name)
          && (ColumnWords.label + ["name"]).contains { ColumnWords.means(name, $0) }
      }
      let named = labels.first { columns.values(of: $0).contains { $0.lowercased() == "face" } }
      takeLabel(named ?? column(ColumnWords.label))
    }
    if mapping["score"] == nil, let score = column(ColumnWords.score), columns.isNumeric(score) {
      take(score, as: "score")
    }
    for (key, words) in [
      ("identity", ColumnWords.identity), ("subject", ColumnWords.subject),
      ("split", ColumnWords.split), ("ignore", ColumnWords.ignored),
      ("crowd", ColumnWords.crowd),
    ] {
      take(column(words), as: key)
    }
    if mapping["identity"] == nil, let id = column(["id"]), !columns.isUnique(id) {
      take(id, as: "identity")
    }
  }

  mutating func takeLabel(_ column: String?) {
    guard let column else { return }
    let names = Set(columns.values(of: column).map { $0.lowercased() })
    if names.count == 1 || names.contains("face") {
      take(column, as: "label")
    } else if names.allSatisfy({ ClassFolders.isExpression(folder: $0) }) {
      if mapping["expression"] == nil { take(column, as: "expression") }
    } else if !columns.isUnique(column) {
      take(column, as: "label")
      notes.append(
        "\(column) has \(names.count) values: --category NAME,NAME of the import names those that are faces, or 'all'"
      )
    }
  }

  private mutating func takeAngles() {
    for key in ["yaw", "pitch", "roll"] {
      if let name = column([key]), columns.isNumeric(name) { take(name, as: key) }
    }
    let names = ["yaw", "pitch", "roll"].compactMap { mapping[$0] }
    guard !names.isEmpty else { return }
    let largest = names.flatMap { columns.numbers(of: $0) }.map(abs).max() ?? 0
    let unit =
      ColumnWords.angleUnit(of: names[0]) ?? (largest > 3.2 ? "degrees" : "radians")
    mapping["angle-unit"] = unit
    notes.append("angles of up to \(largest.plainText) are taken as \(unit) (angle-unit)")
  }

  private mutating func takeCoefficients() {
    var prefixes: [String: Int] = [:]
    for name in columns.names where !used.contains(name) {
      for start in name.indices where Blendshape(spelled: String(name[start...])) != nil {
        prefixes[String(name[..<start]), default: 0] += 1
        break
      }
    }
    guard let most = prefixes.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), most.value > 4
    else { return }
    let pattern = most.key + ColumnMapping.blank
    mapping["coefficients"] = pattern
    for (word, name) in ColumnMapping.expand(pattern, in: columns.names)
    where Blendshape(spelled: word) != nil { used.insert(name) }
  }

  private mutating func takeUnits() {
    let names = ["x", "y", "width", "height", "x2", "y2", "cx", "cy"].compactMap { mapping[$0] }
    let words = mapping["px"].map { ColumnMapping.expand($0, in: columns.names) } ?? []
    var single: [String] = []
    while let name = mapping[Self.key(single.count, "x")] { single.append(name) }
    let all = names.isEmpty ? words.map(\.column) + single : names
    let numbers = all.flatMap { columns.numbers(of: $0) }
    guard !numbers.isEmpty, numbers.allSatisfy({ (-0.5...1.5).contains($0) }),
      numbers.contains(where: { $0 != $0.rounded() })
    else { return }
    mapping["space"] = "relative"
    notes.append("coordinates of up to 1.5 are taken as fractions of the image (space)")
  }

  private mutating func takeAttributes() {
    let most = 64
    var taken: Set<String> = []
    for name in columns.names where !used.contains(name) && columns.isNumeric(name) {
      let plain = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
      guard columns.hasHeader, taken.count < most, DatasetLayout.isTableName(plain),
        !columns.isCount(name), taken.insert(plain).inserted
      else { continue }
      take(name, as: "attribute.\(plain)")
    }
    let own = mapping.columns.filter { ColumnMapping.attribute($0.key) != nil }.map(\.value)
    if let note = ColumnWords.noteOnRig(columns.names.filter(own.contains)) { notes.append(note) }
  }
}
