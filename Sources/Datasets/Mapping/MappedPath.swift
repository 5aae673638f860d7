internal import Platform

/// A path of a mapping: `group/array`, `{subject}/frames`, `table:field` or `group@attribute`.
///
/// A word in braces stands for the name of a link, or for a part of it.
struct MappedPath {
  private enum Piece {
    case text([UInt8])
    case word(String)
  }

  /// The words of one group, and what each stands for.
  typealias Values = [String: String]

  /// As it was written.
  let text: String
  /// The words in their order, each once.
  let words: [String]
  /// The name after `@`.
  let attribute: String?
  /// The names after `:` that lead to a field of a compound.
  let field: [String]
  private let links: [[Piece]]

  /// A path may have more links, but then it is no mapping's.
  private static let maxLinks = 64

  /// Takes a path apart; `isWhole` leaves `:` and `@` in the names of links.
  init(_ text: String, isWhole: Bool = false) throws(FileError) {
    self.text = text
    var path = Substring(text)
    var (attribute, field): (String?, [String]) = (nil, [])
    let last = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    if !isWhole, let at = path[last...].lastIndex(of: "@") {
      attribute = String(path[path.index(after: at)...])
      path = path[..<at]
    }
    if !isWhole, attribute == nil, let colon = path[last...].firstIndex(of: ":") {
      field = path[path.index(after: colon)...].split(
        separator: ":", omittingEmptySubsequences: false
      ).map(String.init)
      path = path[..<colon]
    }
    (self.attribute, self.field) = (attribute, field)
    var links: [[Piece]] = []
    var words: [String] = []
    for name in path.split(separator: "/") {
      let pieces = try Self.pieces(name, of: text)
      for case .word(let word) in pieces where !words.contains(word) { words.append(word) }
      links.append(pieces)
    }
    guard links.count <= Self.maxLinks, attribute?.isEmpty != true,
      !field.contains(where: \.isEmpty)
    else { throw Self.wrong(text) }
    (self.links, self.words) = (links, words)
  }

  private static func wrong(_ text: String) -> FileError {
    FileError.wrongData(
      "cannot use the path '\(text.prefix(100))': expected names with words in braces that stand "
        + "apart, such as '{subject}/image-{image}', '{image}@age' or 'table:box'")
  }

  private static func pieces(_ name: Substring, of path: String) throws(FileError) -> [Piece] {
    var pieces: [Piece] = []
    var rest = name
    while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
      if brace > rest.startIndex {
        pieces.append(.text(Array(rest[..<brace].utf8)))
      } else if case .word? = pieces.last {
        throw wrong(path)
      }
      guard rest[brace] == "{", let end = rest[brace...].firstIndex(of: "}") else {
        throw wrong(path)
      }
      let word = String(rest[rest.index(after: brace)..<end])
      guard DatasetLayout.isTableName(word) else { throw wrong(path) }
      pieces.append(.word(word))
      rest = rest[rest.index(after: end)...]
    }
    return rest.isEmpty ? pieces : pieces + [.text(Array(rest.utf8))]
  }

  /// The name of a link with the words replaced by their values; nil if a word has none.
  func name(_ link: Int, _ values: Values) -> String? {
    var bytes: [UInt8] = []
    for piece in links[link] {
      switch piece {
      case .text(let text): bytes += text
      case .word(let word):
        guard let value = values[word] else { return nil }
        bytes += value.utf8
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The path of a group's object; nil if a word has no value.
  func filled(_ values: Values) -> String? {
    guard !words.isEmpty else { return links.isEmpty ? "/" : plain }
    var names: [String] = []
    for link in links.indices {
      guard let name = name(link, values) else { return nil }
      names.append(name)
    }
    return names.joined(separator: "/")
  }

  private var plain: String {
    let end = attribute.map { $0.utf8.count + 1 } ?? field.reduce(0) { $0 + $1.utf8.count + 1 }
    return String(decoding: text.utf8.dropLast(end), as: UTF8.self)
  }

  /// Whether a link has words without a value.
  func isOpen(_ link: Int, _ values: Values) -> Bool {
    links[link].contains { if case .word(let word) = $0 { values[word] == nil } else { false } }
  }

  /// Whether links up to this one, and their words, are those of another path.
  func shares(_ count: Int, with other: MappedPath) -> Bool {
    guard links.count >= count, other.links.count >= count else { return false }
    return (0..<count).allSatisfy { link in
      zip(links[link], other.links[link]).allSatisfy {
        switch ($0, $1) {
        case (.text(let one), .text(let other)): one == other
        case (.word(let one), .word(let other)): one == other
        default: false
        }
      } && links[link].count == other.links[link].count
    }
  }

  /// The last link whose words do not all stand before it; nil if there are no words.
  var lastListedLink: Int? {
    guard let last = words.last else { return nil }
    return links.firstIndex { $0.contains { if case .word(last) = $0 { true } else { false } } }
  }

  /// The values with those that a link's name gives its words; nil if the name does not fit.
  ///
  /// A word is as short as the text after it allows, and never empty.
  func values(of name: String, at link: Int, with known: Values) -> Values? {
    var values = known
    var rest = Array(name.utf8)[...]
    var open: String?
    for (index, piece) in links[link].enumerated() {
      let isLast = index == links[link].count - 1
      let text: [UInt8]
      switch piece {
      case .text(let known): text = known
      case .word(let word):
        guard let value = values[word] else {
          open = word
          continue
        }
        text = Array(value.utf8)
      }
      guard let word = open else {
        guard rest.starts(with: text) else { return nil }
        rest = rest.dropFirst(text.count)
        continue
      }
      guard let start = Self.start(of: text, in: rest, atEnd: isLast), start > rest.startIndex
      else { return nil }
      values[word] = String(decoding: rest[..<start], as: UTF8.self)
      rest = rest[(start + text.count)...]
      open = nil
    }
    if let open {
      guard !rest.isEmpty else { return nil }
      values[open] = String(decoding: rest, as: UTF8.self)
      return values
    }
    return rest.isEmpty ? values : nil
  }

  /// Where a text first begins behind the first byte, or where it ends the bytes.
  private static func start(
    of text: [UInt8], in bytes: ArraySlice<UInt8>, atEnd: Bool
  ) -> Int? {
    let last = bytes.endIndex - text.count
    guard last > bytes.startIndex else { return nil }
    if atEnd { return bytes[last...].elementsEqual(text) ? last : nil }
    return (bytes.startIndex + 1...last).first { bytes[$0...].starts(with: text) }
  }
}
