internal import HDF5
internal import Platform

/// One of the groups that the words of a mapping's paths stand for.
struct MappedGroup {
  /// The words in the order of the images' path.
  let words: [String]
  /// What each stands for.
  let values: MappedPath.Values

  /// The words that are no attributes of faces.
  static let known: Set<String> = ["subject", "sequence", "split", "image"]

  /// Whether it is one image, rather than a row for each.
  var isImage: Bool { values["image"] != nil }
  /// The values of all words.
  var name: String { joined(words) }
  /// The values of the words up to the sequence, as others may have sequences of the same name.
  var sequence: String? {
    words.firstIndex(of: "sequence").map { joined(words.prefix(through: $0)) }
  }
  /// Who is in it.
  var subject: String? { values["subject"] }
  /// The part of the dataset that it is in.
  var split: String? { values["split"] }

  /// A text with the words in braces replaced.
  func filled(_ text: String) -> String {
    values.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) }
  }

  private func joined(_ words: some Sequence<String>) -> String {
    words.compactMap { values[$0] }.joined(separator: "/")
  }
}

/// The groups of a file whose paths have words, in natural order or by an attribute.
struct MappedGroups {
  private let file: MappedFile
  /// The path of the images, which has all words.
  private let path: MappedPath
  /// The other paths with all words, each once.
  private let others: [MappedPath]
  private let order: String?

  /// nil if no path has words.
  init?(_ mapping: JSONNode, in file: MappedFile) throws(FileError) {
    self.file = file
    let images = mapping["images"]
    let main = try MappedImages.path(images)
    let path = try file.path(main)
    self.path = path
    var others: [MappedPath] = []
    var pending = ["images", "faces", "splits"].map { mapping[$0] }
    while let node = pending.popLast() {
      switch node.value {
      case .object?: pending += try node.keys().filter { $0 != "folder" }.map { node[$0] }
      case .array?: pending += try node.items()
      case .string(let text)? where text.contains("{") && text != main:
        let other = try file.path(text)
        if let word = other.words.first(where: { !path.words.contains($0) }) {
          throw node.wrong(
            "only words of '\(main)', where the images are, \(Self.list(path.words))",
            found: "{\(word)} in '\(text.prefix(100))'")
        }
        if other.attribute == nil, other.words.count == path.words.count { others.append(other) }
      default: break
      }
    }
    self.others = others
    order = try images["order"].given?.text("the name of an attribute, such as \"@index\"")
    guard order?.hasPrefix("@") ?? true, order?.utf8.count != 1 else {
      throw images["order"].wrong("the name of an attribute, such as \"@index\"")
    }
    guard !path.words.isEmpty else {
      guard order == nil else {
        throw images["order"].wrong("no order where the images' path has no words in braces")
      }
      return nil
    }
  }

  private static func list(_ words: [String]) -> String {
    words.isEmpty ? "which has none" : words.map { "{\($0)}" }.joined(separator: ", ")
  }

  /// The words that become attributes of faces.
  var attributes: [String] { path.words.filter { !MappedGroup.known.contains($0) } }
  /// Whether a word is the sequence of the images.
  var hasSequences: Bool { path.words.contains("sequence") }

  /// Calls `body` with each group, and tells what was left out.
  ///
  /// Throws if a group lacks the images and not the labels, or labels remain that belong to no images.
  func forEach(
    _ body: (MappedGroup) throws(FileError) -> Void
  ) throws(FileError) -> [ImportRemark] {
    var ignored: (count: Int, first: String) = (0, "")
    var count = 0
    try FileError.reading {
      try visit(path, order: order) { (values, name) in
        guard try exists(path, values) else {
          for other in others where hasSameGroups(other) {
            guard try !exists(other, values) else {
              throw file.wrong(
                path.filled(values) ?? "", "images next to '\(other.filled(values) ?? "")'",
                found: "none")
            }
          }
          if ignored.count == 0 { ignored.first = name }
          ignored.count += 1
          return
        }
        count += 1
        try body(MappedGroup(words: path.words, values: values))
      }
      guard count > 0 else {
        throw file.wrong(
          path.text, "one array or more",
          found: ignored.count == 0 ? "no name that fits" : "none in '\(ignored.first)'")
      }
      for other in others where !hasSameGroups(other) {
        var found = 0
        try visit(other, order: nil) { (values, _) in
          if try exists(other, values) { found += 1 }
        }
        guard found == count else {
          throw file.wrong(
            other.text, "\(count) arrays, one for each '\(path.text)'", found: "\(found)")
        }
      }
    }
    guard ignored.count > 0 else { return [] }
    return [
      .assumed(
        "\(file.title): \(ignored.count) names fit '\(path.text)' and have no array there, such as "
          + "'\(ignored.first)': taken as no images")
    ]
  }

  /// Whether the groups of another path are found together with those of the images.
  private func hasSameGroups(_ other: MappedPath) -> Bool {
    guard let last = path.lastListedLink, other.lastListedLink == last else { return false }
    return path.shares(last + 1, with: other)
  }

  /// Whether there is an array, or an attribute, where a path leads with these values.
  private func exists(_ path: MappedPath, _ values: MappedPath.Values) throws -> Bool {
    guard let place = path.filled(values) else { return false }
    if try file.cells(at: place) != nil { return true }
    do throws(HDF5Error) {
      if let attribute = path.attribute {
        return try file.file.hasAttribute(attribute, of: place)
      }
      return try file.file.kind(of: place) == .dataset
    } catch {
      guard error.kind == .wrongLayout else { throw error }
      return false
    }
  }

  /// Calls `body` with the values that names of links give to the words of a path, and the last name.
  private func visit(
    _ path: MappedPath, order: String?, _ body: (MappedPath.Values, String) throws -> Void
  ) throws {
    var visited = 0
    try visit(path, from: 0, of: "/", [:], order: order, &visited, body)
  }

  private func visit(
    _ path: MappedPath, from link: Int, of group: String, _ values: MappedPath.Values,
    order: String?, _ visited: inout Int,
    _ body: (MappedPath.Values, String) throws -> Void
  ) throws {
    func inner(_ name: String) -> String { group == "/" ? name : "\(group)/\(name)" }
    guard let last = path.lastListedLink else { return }
    guard path.isOpen(link, values) else {
      guard let name = path.name(link, values) else { return }
      return try visit(
        path, from: link + 1, of: inner(name), values, order: order, &visited, body)
    }
    guard try group == "/" || file.isGroup(group) else { return }
    var names = try file.file.members(of: group).filter {
      path.values(of: $0, at: link, with: values) != nil
    }
    // Links may lead back to groups above, and then there is no end of names.
    visited += names.count
    try file.requireFew(links: visited, of: path.text)
    names = names.map(NaturalOrder.init).sorted().map(\.name)
    if link == last, let order {
      names = try sorted(names, by: String(order.dropFirst()), of: inner) { name in
        guard let values = path.values(of: name, at: link, with: values) else { return false }
        return try exists(path, values)
      }
    }
    for name in names {
      guard let values = path.values(of: name, at: link, with: values) else { continue }
      if link == last {
        try body(values, inner(name))
      } else {
        try visit(path, from: link + 1, of: inner(name), values, order: order, &visited, body)
      }
    }
  }

  /// The names in the order of an attribute of their objects; those that are no group's come last.
  private func sorted(
    _ names: [String], by attribute: String, of inner: (String) -> String,
    where isGroup: (String) throws -> Bool
  ) throws -> [String] {
    var (groups, rest): ([(number: Double, name: String)], [String]) = ([], [])
    for name in names {
      if try isGroup(name) {
        let number = try file.file.attribute(attribute, of: inner(name), as: Double.self)
        groups.append((number, name))
      } else {
        rest.append(name)
      }
    }
    // The order of names decides among equal numbers.
    let order = groups.indices.sorted {
      (groups[$0].number, $0) < (groups[$1].number, $1)
    }
    return order.map { groups[$0].name } + rest
  }
}
