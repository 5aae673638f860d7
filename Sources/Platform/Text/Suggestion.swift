/// Finds what somebody who mistyped a name may have meant.
package enum Suggestion {
  /// `; did you mean 'a'?` for the nearest names, or nothing if none is near.
  package static func clause(for word: String, among names: [String]) -> String {
    let nearest = nearest(to: word, among: names).prefix(3).map { "'\($0)'" }
    switch nearest.count {
    case 0: return ""
    case 1: return "; did you mean \(nearest[0])?"
    default:
      return
        "; did you mean \(nearest.dropLast().joined(separator: ", ")) or \(nearest.last ?? "")?"
    }
  }

  /// `, perhaps 'a'` for the nearest name, within a sentence, or nothing if none is near.
  package static func perhaps(
    _ word: String, among names: [String], quote: Character = "'"
  ) -> String {
    nearest(to: word, among: names).first.map { ", perhaps \(quote)\($0)\(quote)" } ?? ""
  }

  /// `, perhaps "family.name"` for the keys of dotted names that a word may be short for, at most three, or nothing.
  ///
  /// A whole key that is near comes first; else what an alias stands for, and keys whose last part is nearest. An ending
  /// after `@` is no part of it.
  package static func perhapsKey(
    _ word: String, among keys: [String], aliases: [String: String] = [:]
  ) -> String {
    var found = Array(nearest(to: word, among: keys).prefix(1))
    if found.isEmpty {
      let short = Dictionary(grouping: keys) { key in
        let name = key.split(separator: "@").first ?? ""
        return String(name.split(separator: ".").last ?? "")
      }
      found = nearest(to: word, among: short.keys.sorted()).flatMap { short[$0] ?? [] }
        .sorted { ($0.split(separator: ".").count, $0) < ($1.split(separator: ".").count, $1) }
      if let key = aliases[word] { found = [key] + found.filter { $0 != key } }
    }
    let words = found.prefix(3).map { "\"\($0)\"" }
    guard let last = words.last else { return "" }
    return ", perhaps "
      + (words.count == 1 ? last : words.dropLast().joined(separator: ", ") + " or " + last)
  }

  /// The names at the minimum distance, if it is at most a third of the length; else those with the same beginning, else
  /// those with the same last words, such as `headYaw` for `yaw`.
  ///
  /// Words of more than 100 characters are not looked at.
  package static func nearest(to word: String, among names: [String]) -> [String] {
    guard word.count <= 100 else { return [] }
    let typed = kebabCase(word)
    let ranked = names.map { (name: $0, distance: distance(typed, kebabCase($0))) }
    let near = ranked.filter { 3 * $0.distance <= max(typed.count, $0.name.count) }
    if let minimum = near.map(\.distance).min() {
      return near.filter { $0.distance == minimum }.map(\.name)
    }
    let stem = typed.drop { $0 == "-" }
    guard stem.count >= 2 else { return [] }
    let begun = names.filter { kebabCase($0).hasPrefix(typed) }
    return begun.isEmpty ? names.filter { kebabCase($0).hasSuffix("-" + stem) } : begun
  }

  /// The Damerau-Levenshtein distance: insertions, deletions, substitutions and swaps of neighbours.
  ///
  /// Swapped characters may have others inserted between them (the unrestricted distance).
  package static func distance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a), Array(b))
    let far = a.count + b.count
    var lastRow: [Character: Int] = [:]
    var table = Array(repeating: Array(repeating: far, count: b.count + 2), count: a.count + 2)
    for i in 0...a.count { table[i + 1][1] = i }
    for j in 0...b.count { table[1][j + 1] = j }
    for i in 0..<a.count {
      var lastColumn = 0
      for j in 0..<b.count {
        let (row, column) = (lastRow[b[j]] ?? 0, lastColumn)
        let cost = a[i] == b[j] ? 0 : 1
        if cost == 0 { lastColumn = j + 1 }
        table[i + 2][j + 2] = min(
          table[i + 1][j + 1] + cost, table[i + 2][j + 1] + 1, table[i + 1][j + 2] + 1,
          table[row][column] + (i - row) + 1 + (j - column))
      }
      lastRow[a[i]] = i + 1
    }
    return table[a.count + 1][b.count + 1]
  }

  /// `numFaces` and `num_faces` as `num-faces`.
  private static func kebabCase(_ word: String) -> String {
    var result = ""
    for character in word {
      if character.isUppercase, let last = result.last, last.isLowercase || last.isNumber {
        result += "-"
      }
      result += character == "_" ? "-" : character.lowercased()
    }
    return result
  }
}
