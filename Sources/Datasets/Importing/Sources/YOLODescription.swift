internal import Foundation
internal import Platform

/// The YAML file of a YOLO dataset, or `obj.data` of Darknet: names of classes, and what its splits are made of.
struct YOLODescription {
  /// Names of the classes, in order of their numbers.
  let names: [String]
  /// Paths of folders and lists by split, as written.
  let splits: [String: [String]]
  /// The folder that paths are relative to, as written; empty for that of the file.
  let path: String

  /// Names of such files, in the order in which they are tried.
  static let files = ["data.yaml", "dataset.yaml", "data.yml", "obj.data"]
  private static let keys = ["train", "val", "valid", "test"]
  /// Maximum bytes of a list of images.
  private static let listLimit = 256 << 20
  /// Maximum folders and lists of a split.
  private static let valueLimit = 100
  /// Maximum folders of a path that are looked for one by one.
  private static let depth = 16

  /// The description in a folder; nil if there is none.
  init?(in folder: URL) throws(FileError) {
    let found = Self.files.map { folder.appendingPathComponent($0) }.first(where: \.isThere)
    guard let found else { return nil }
    try self.init(found)
  }

  /// Reads a file; what is neither names nor splits is left aside.
  init(_ file: URL) throws(FileError) {
    let text = ByteOrderMark.text(try SourceFiles.bytes(of: file, limit: 1 << 20))
    let isDarknet = file.pathExtension == "data"
    let rows = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { isDarknet ? Substring($0.replacing(/\s*=\s*/, with: ": ", maxReplacements: 1)) : $0 }
    names = isDarknet ? [] : Self.values(of: "names", in: rows)
    path = Self.values(of: "path", in: rows).first ?? ""
    var splits: [String: [String]] = [:]
    for key in Self.keys {
      let values = Self.values(of: key, in: rows).filter { $0 != "null" && $0 != "~" }
      guard values.count <= Self.valueLimit else {
        throw FileError.wrongData(
          "cannot read \(file.relativePath): expected at most \(Self.valueLimit) folders and lists in "
            + "'\(key)', found \(values.count)")
      }
      if !values.isEmpty { splits[key] = values }
    }
    self.splits = splits
  }

  /// Whether a file describes a dataset with images.
  static func describesImages(_ file: URL) -> Bool {
    files.contains(file.lastPathComponent) && (try? YOLODescription(file))?.splits.isEmpty == false
  }

  /// The value of a key: in brackets or braces, over several lines too, as lines with dashes or numbers, or alone.
  private static func values(of key: String, in rows: [Substring]) -> [String] {
    guard let start = rows.firstIndex(where: { rest(of: $0, after: key) != nil }),
      let first = rest(of: rows[start], after: key)
    else { return [] }
    let below = rows[(start + 1)...].lazy.map { withoutComment($0) }
    for (open, close) in [("[", "]"), ("{", "}")] where first.hasPrefix(open) {
      var text = first
      for row in below where !text.contains(close) { text += " " + row }
      let items = text.dropFirst().prefix { !close.contains($0) }
        .split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        .filter { !$0.isEmpty }
      return open == "[" ? items.map { bare($0) } : inOrder(items.map(numbered))
    }
    guard first.isEmpty else { return [bare(first)] }
    var (values, numbers): ([String], [(Int, String)?]) = ([], [])
    for row in below {
      let item = row.trimmingCharacters(in: .whitespaces)
      if item.isEmpty { continue }
      if item.hasPrefix("- ") {
        values.append(bare(item.dropFirst(2)))
      } else if row.first?.isWhitespace == true, let pair = numbered(item) {
        numbers.append(pair)
      } else {
        break
      }
    }
    return values.isEmpty ? inOrder(numbers) : values
  }

  /// What follows a key, which may be in quotes, and its colon; nil for another row.
  private static func rest(of row: Substring, after key: String) -> String? {
    guard let colon = row.firstIndex(of: ":"), row.first?.isWhitespace == false,
      bare(row[..<colon]) == key
    else { return nil }
    return withoutComment(row[row.index(after: colon)...]).trimmingCharacters(in: .whitespaces)
  }

  private static func withoutComment(_ row: Substring) -> String {
    guard let note = row.range(of: " #") ?? (row.hasPrefix("#") ? row.range(of: "#") : nil) else {
      return String(row)
    }
    return String(row[..<note.lowerBound])
  }

  private static func bare(_ word: some StringProtocol) -> String {
    word.trimmingCharacters(in: CharacterSet(charactersIn: " \t'\""))
  }

  /// A number and what it stands for.
  private static func numbered(_ item: String) -> (Int, String)? {
    guard let colon = item.firstIndex(of: ":"), let number = Int(bare(item[..<colon])),
      YOLORow.classes.contains(number)
    else { return nil }
    return (number, bare(item[item.index(after: colon)...]))
  }

  /// Names at their numbers, those of other numbers empty; none where an item has no number.
  private static func inOrder(_ items: [(Int, String)?]) -> [String] {
    let pairs = items.compactMap { $0 }
    guard pairs.count == items.count, let last = pairs.map(\.0).max() else { return [] }
    var names = [String](repeating: "", count: last + 1)
    for (number, name) in pairs { names[number] = name }
    return names
  }

  /// Names of the lists of images, in lower case.
  var lists: Set<String> {
    Set(
      splits.values.joined().map { PathText($0).name.lowercased() }.filter { $0.hasSuffix(".txt") })
  }

  /// The split of each image, by its path below the folder; an image may be in several.
  ///
  /// Splits of the same folders or lists are none: trainers ask for two, and nothing tells whose an image is.
  func splits(of images: [String], in root: URL) throws(FileError) -> [String: [String]] {
    guard !splits.isEmpty else { return [:] }
    var members: [String: [Int]] = [:]
    for (index, image) in images.enumerated() {
      members[image, default: []].append(index)
      let folders = PathText(image).components.dropLast()
      for count in 0...folders.count {
        members[folders.prefix(count).joined(separator: "/"), default: []].append(index)
      }
    }
    var found: [String: [String]] = [:]
    let counts = Dictionary(splits.values.map { ($0, 1) }, uniquingKeysWith: +)
    for (split, values) in splits.sorted(by: { $0.key < $1.key }) where counts[values] == 1 {
      for value in values {
        for index in try indices(of: value, in: members, images, root)
        where found[images[index]]?.last != split {
          found[images[index], default: []].append(split)
        }
      }
    }
    return found
  }

  /// The images of a folder, or of a list of paths, one a line.
  private func indices(
    of value: String, in members: [String: [Int]], _ images: [String], _ root: URL
  ) throws(FileError) -> [Int] {
    let paths = Self.readings(of: value, path)
    let list = paths.lazy.map { root.appendingPathComponent($0) }.first {
      $0.isThere && !$0.isFolder
    }
    guard PathText(value).suffix.lowercased() == "txt", let list else {
      return paths.lazy.compactMap { members[$0] }.first ?? []
    }
    let text = ByteOrderMark.text(try SourceFiles.bytes(of: list, limit: Self.listLimit))
    return text.split(whereSeparator: \.isNewline).compactMap { line in
      let paths = Self.readings(of: line.trimmingCharacters(in: .whitespaces), path)
      return paths.lazy.compactMap { path in
        members[path].flatMap { $0.count == 1 && images[$0[0]] == path ? $0[0] : nil }
      }.first
    }
  }

  /// A path as one below the folder: alone, or as the end of what it is with the stated folder before it, which may have
  /// another name here; without what leads out of it.
  private static func readings(of value: String, _ path: String) -> [String] {
    func inner(_ text: String) -> [String] {
      PathText(text).components.reduce(into: []) { parts, part in
        switch part {
        case ".": break
        case "..": _ = parts.popLast()
        default: parts.append(part)
        }
      }
    }
    let whole = inner(path + "/" + value).suffix(depth)
    let ends = whole.indices.map { whole[$0...].joined(separator: "/") }
    return [inner(value).joined(separator: "/")] + ends
  }
}
