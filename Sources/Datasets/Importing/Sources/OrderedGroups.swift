/// Values by a key, in the order of the keys' first occurrence.
struct OrderedGroups<Key: Hashable, Value> {
  /// The keys, each once.
  private(set) var keys: [Key] = []
  private var values: [Key: [Value]] = [:]

  /// Adds a value of a key, or for nil the key without one.
  mutating func add(_ value: Value?, to key: Key) {
    if values[key] == nil { keys.append(key) }
    values[key, default: []] += value.map { [$0] } ?? []
  }

  /// The values of a key.
  subscript(key: Key) -> [Value] { values[key] ?? [] }
}
