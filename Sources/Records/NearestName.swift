/// The name with the fewest edits, or nil where even that one has little in common with the word.
package func nearestName(to word: String, among names: some Sequence<String>) -> String? {
  let candidates = names.map { (distance: editDistance(word, $0), name: $0) }
  guard let best = candidates.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) })
  else { return nil }
  return best.distance * 2 <= max(word.count, best.name.count) ? best.name : nil
}

/// Levenshtein distance: insertions, deletions and substitutions of characters.
func editDistance(_ first: String, _ second: String) -> Int {
  let columns = Array(second.prefix(200))
  var row = Array(0...columns.count)
  for (i, character) in first.prefix(200).enumerated() {
    var diagonal = row[0]
    row[0] = i + 1
    for (j, other) in columns.enumerated() {
      let substitution = diagonal + (character == other ? 0 : 1)
      diagonal = row[j + 1]
      row[j + 1] = min(substitution, row[j] + 1, diagonal + 1)
    }
  }
  return row[columns.count]
}
