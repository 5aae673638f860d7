/// What a metric keeps of each frame, in the order of the frames' keys, whatever order they came in.
package struct FrameTable<Entry: Sendable & Hashable>: Sendable, Hashable {
  /// The frames' keys, ascending, none twice.
  package private(set) var keys: [Int] = []
  /// One entry a key.
  package private(set) var entries: [Entry] = []

  /// Starts without frames.
  package init() {}

  var isEmpty: Bool { keys.isEmpty }
  var count: Int { keys.count }

  /// The frames with their keys, ascending.
  var keyed: Zip2Sequence<[Int], [Entry]> { zip(keys, entries) }

  /// Whether a frame is there.
  func contains(_ key: Int) -> Bool {
    let index = position(of: key)
    return index < keys.count && keys[index] == key
  }

  /// What is kept of a frame; nil where it is not there.
  subscript(key: Int) -> Entry? {
    let index = position(of: key)
    return index < keys.count && keys[index] == key ? entries[index] : nil
  }

  /// Adds a frame; throws where it is there already.
  package mutating func add(_ entry: Entry, for key: Int, in metric: String) throws(MetricError) {
    let index = position(of: key)
    if index < keys.count, keys[index] == key { throw .repeatedFrame(key, in: metric) }
    keys.insert(key, at: index)
    entries.insert(entry, at: index)
  }

  /// Takes in the frames of another table; throws where one is in both, and then takes none.
  package mutating func merge(_ other: FrameTable, in metric: String) throws(MetricError) {
    guard let last = keys.last, let next = other.keys.first, next <= last else {
      keys += other.keys
      entries += other.entries
      return
    }
    var merged = FrameTable()
    merged.keys.reserveCapacity(keys.count + other.keys.count)
    merged.entries.reserveCapacity(keys.count + other.keys.count)
    var (own, others) = (0, 0)
    while own < keys.count || others < other.keys.count {
      if others == other.keys.count || (own < keys.count && keys[own] < other.keys[others]) {
        merged.append(entries[own], for: keys[own])
        own += 1
      } else {
        if own < keys.count, keys[own] == other.keys[others] {
          throw .repeatedFrame(keys[own], in: metric)
        }
        merged.append(other.entries[others], for: other.keys[others])
        others += 1
      }
    }
    self = merged
  }

  /// The frames that a draw takes, under the keys that it gives them.
  package func drawn(
    by draw: FrameDraw, _ adjust: (inout Entry, _ stretch: Int) -> Void = { _, _ in }
  ) -> FrameTable {
    var drawn = FrameTable()
    drawn.keys.reserveCapacity(keys.count)
    drawn.entries.reserveCapacity(keys.count)
    for (number, stretch) in draw.stretches.enumerated() {
      var index = position(of: stretch.frames.lowerBound)
      while index < keys.count, keys[index] < stretch.frames.upperBound {
        var entry = entries[index]
        adjust(&entry, number)
        drawn.append(entry, for: keys[index] + stretch.shift)
        index += 1
      }
    }
    return drawn
  }

  /// Changes what is kept of the frames, one after the other.
  mutating func update(_ change: (inout Entry) -> Void) {
    for index in entries.indices { change(&entries[index]) }
  }

  /// Swaps the frames that a choice names with another table's; a frame that is in one only moves over.
  package mutating func swapFrames(with other: inout FrameTable, where isChosen: (Int) -> Bool) {
    func mixed(_ kept: FrameTable, _ taken: FrameTable) -> FrameTable {
      var mix = FrameTable()
      var (first, second) = (0, 0)
      while first < kept.keys.count || second < taken.keys.count {
        let own = first < kept.keys.count ? kept.keys[first] : .max
        let others = second < taken.keys.count ? taken.keys[second] : .max
        let key = min(own, others)
        let source = isChosen(key) ? others : own
        if source == key {
          mix.append(isChosen(key) ? taken.entries[second] : kept.entries[first], for: key)
        }
        if own == key { first += 1 }
        if others == key { second += 1 }
      }
      return mix
    }
    (self, other) = (mixed(self, other), mixed(other, self))
  }

  private mutating func append(_ entry: Entry, for key: Int) {
    keys.append(key)
    entries.append(entry)
  }

  /// Where a key is, or would be.
  private func position(of key: Int) -> Int {
    guard let first = keys.first, let last = keys.last, last >= key else { return keys.count }
    if first <= key, key - first < keys.count, keys[key - first] == key { return key - first }
    var (low, high) = (0, keys.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// An entry that knows the sequence of its frame.
package protocol SequenceEntry {
  /// Index of the sequence.
  var sequence: Int { get set }
}

extension FrameTable where Entry: SequenceEntry {
  /// The frames that a draw takes; each sequence of each of its stretches gets a number of its own.
  func drawn(by draw: FrameDraw) -> FrameTable {
    var number = -1
    var last: (stretch: Int, sequence: Int)?
    return drawn(by: draw) { entry, stretch in
      if last.map({ $0 != (stretch, entry.sequence) }) ?? true { number += 1 }
      last = (stretch, entry.sequence)
      entry.sequence = number
    }
  }

  /// The frames of each sequence in the order of sequences, keys ascending.
  var sequences: [(index: Int, keys: [Int], entries: [Entry])] {
    var indices: [Int: Int] = [:]
    var sequences: [(index: Int, keys: [Int], entries: [Entry])] = []
    for (key, entry) in keyed {
      let index = indices[entry.sequence] ?? sequences.count
      if index == sequences.count {
        indices[entry.sequence] = index
        sequences.append((entry.sequence, [], []))
      }
      sequences[index].keys.append(key)
      sequences[index].entries.append(entry)
    }
    return sequences.sorted { $0.index < $1.index }
  }
}
