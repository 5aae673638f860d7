/// A path in which words stand for many names, such as `{subject}/frames` or `image-{image}`.
struct PathPattern: Hashable, Sendable {
  /// A part of a path.
  enum Part: Hashable, Sendable {
    case text(String)
    /// The variable of that index.
    case variable(Int)
  }

  private(set) var parts: [Part] = []

  /// The variables in the order of the path.
  var variables: [Int] {
    parts.compactMap { if case .variable(let index) = $0 { index } else { nil } }
  }

  /// The pattern of members of a fixed name.
  func inner(_ name: String) -> PathPattern { inner(before: name, nil, after: "") }

  /// The pattern of members whose names have a variable between two texts.
  func inner(before: String, _ variable: Int?, after: String) -> PathPattern {
    var pattern = self
    pattern.append((parts.isEmpty ? "" : "/") + before)
    if let variable { pattern.parts.append(.variable(variable)) }
    pattern.append(after)
    return pattern
  }

  /// The same, followed by a text.
  func followed(by text: String) -> PathPattern {
    var pattern = self
    pattern.append(text)
    return pattern
  }

  private mutating func append(_ text: String) {
    if text.isEmpty { return }
    if case .text(let before)? = parts.last {
      parts[parts.count - 1] = .text(before + text)
    } else {
      parts.append(.text(text))
    }
  }

  /// The text before a variable in the same name.
  func prefix(of variable: Int) -> String {
    guard let index = parts.firstIndex(of: .variable(variable)), index > 0,
      case .text(let text) = parts[index - 1]
    else { return "" }
    return String(text.split(separator: "/", omittingEmptySubsequences: false).last ?? "")
  }

  /// The path with the variables' names in braces.
  func text(_ names: [Int: String]) -> String {
    parts.reduce(into: "") { text, part in
      switch part {
      case .text(let literal): text += literal
      case .variable(let index): text += "{\(names[index] ?? "name")}"
      }
    }
  }

  /// The last name of the path, without variables, in lower case.
  var leafWords: String {
    let whole = parts.map { if case .text(let text) = $0 { text } else { " " } }.joined()
    let last = whole.split(separator: "/").last.map(String.init) ?? ""
    return last.lowercased()
  }
}

/// The words that stand in one place of similar paths.
struct PathVariable: Sendable {
  /// Some of the words, in order.
  let words: [String]
  /// Whether all are names of splits.
  var isSplit: Bool { words.allSatisfy(Self.isSplit) }

  /// Whether a word is the name of a split.
  static func isSplit(_ word: String) -> Bool { splits.contains(word.lowercased()) }

  private static let splits: Set<String> = [
    "train", "training", "val", "valid", "validation", "test", "testing", "dev", "eval", "trainval",
  ]
}
