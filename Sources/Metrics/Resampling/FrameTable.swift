/// What a metric keeps of each frame, in the order of the frames' keys, whatever order they came in.
package struct FrameTable<Entry: Packable>: Sendable, Hashable {
  /// The frames' keys.
  package private(set) var keys = FrameRuns()
  /// One entry a key.
  package private(set) var entries = PackedRows<Entry>()

  /// Starts without frames.
  package init() {}

  var isEmpty: Bool { keys.isEmpty }
  var count: Int { keys.count }

  /// The frames with their keys, ascending.
  var keyed: Zip2Sequence<FrameRuns, PackedRows<Entry>> { zip(keys, entries) }

  /// The frames for whose entries something holds.
  func keys(where holds: (Entry) -> Bool) -> FrameRuns {
    var runs = FrameRuns()
    for (key, entry) in keyed where holds(entry) { runs.append(key) }
    return runs
  }

  /// How many bytes the table takes.
  package var byteCount: Int { keys.byteCount + entries.byteCount }

  /// Whether a frame is there.
  func contains(_ key: Int) -> Bool { keys.contains(key) }

  /// What is kept of a frame; nil where it is not there.
  subscript(key: Int) -> Entry? {
    contains(key) ? entries[keys.position(of: key)] : nil
  }

  /// Adds a frame; throws where it is there already.
  package mutating func add(_ entry: Entry, for key: Int, in metric: String) throws(MetricError) {
    if contains(key) { throw .repeatedFrame(key, in: metric) }
    guard let last = keys.last, key < last else {
      append(entry, for: key)
      return
    }
    let whole = self
    let position = keys.position(of: key)
    self = FrameTable()
    append(whole, 0..<position)
    append(entry, for: key)
    append(whole, position..<whole.count)
  }

  /// Takes in the frames of another table; throws where one is in both, and then takes none.
  package mutating func merge(_ other: FrameTable, in metric: String) throws(MetricError) {
    guard let last = keys.last, let next = other.keys.first, next <= last else {
      append(other, 0..<other.count)
      return
    }
    let merged = try mixed(self, other) { own, others, key throws(MetricError) in
      if own == key, others == key { throw .repeatedFrame(key, in: metric) }
      return others == key
    }
    self = merged
  }

  /// The frames that a draw takes, under the keys that it gives them.
  package func drawn(by draw: FrameDraw) -> FrameTable {
    var drawn = FrameTable()
    for stretch in draw.stretches {
      drawn.append(self, positions(of: stretch.frames), shift: stretch.shift)
    }
    return drawn
  }

  /// The same with a change of each entry.
  func drawn(by draw: FrameDraw, _ adjust: (inout Entry, _ stretch: Int) -> Void) -> FrameTable {
    var drawn = FrameTable()
    for (number, stretch) in draw.stretches.enumerated() {
      var own = FrameTable()
      own.append(self, positions(of: stretch.frames), shift: stretch.shift)
      for (key, entry) in own.keyed {
        var entry = entry
        adjust(&entry, number)
        drawn.append(entry, for: key)
      }
    }
    return drawn
  }

  private func positions(of frames: Range<Int>) -> Range<Int> {
    keys.position(of: frames.lowerBound)..<keys.position(of: frames.upperBound)
  }

  /// Changes what is kept of the frames, one after the other.
  mutating func update(_ change: (inout Entry) -> Void) { update(from: 0, change) }

  /// The same for the frames from a key on.
  mutating func update(from first: Int, _ change: (inout Entry) -> Void) {
    let whole = self
    let start = keys.position(of: first)
    self = FrameTable()
    append(whole, 0..<start)
    var rest = FrameTable()
    rest.append(whole, start..<whole.count)
    for (key, entry) in rest.keyed {
      var entry = entry
      change(&entry)
      append(entry, for: key)
    }
  }

  /// Removes the frames from a key on.
  mutating func removeAll(from first: Int) {
    let (whole, rest) = (self, keys.position(of: first))
    guard rest < count else { return }
    self = FrameTable()
    append(whole, 0..<rest)
  }

  /// Swaps the frames that a choice names with another table's; a frame that is in one only moves over.
  package mutating func swapFrames(with other: inout FrameTable, where isChosen: (Int) -> Bool) {
    (self, other) = (
      mixed(self, other) { _, _, key in isChosen(key) },
      mixed(other, self) { _, _, key in isChosen(key) }
    )
  }

  /// The frames of two tables; `isSecond` tells where each key comes from, of the next one in each table.
  private func mixed<Failure: Error>(
    _ first: FrameTable, _ second: FrameTable,
    _ isSecond: (_ first: Int, _ second: Int, _ key: Int) throws(Failure) -> Bool
  ) throws(Failure) -> FrameTable {
    var mix = FrameTable()
    var (own, others) = (0, 0)
    var taken = (isSecond: false, positions: 0..<0)
    func take() { mix.append(taken.isSecond ? second : first, taken.positions) }
    var (firstKeys, secondKeys) = (first.keys.makeIterator(), second.keys.makeIterator())
    var (ownKey, othersKey) = (firstKeys.next() ?? .max, secondKeys.next() ?? .max)
    while own < first.count || others < second.count {
      let key = min(ownKey, othersKey)
      let isOthers = try isSecond(ownKey, othersKey, key)
      if key == (isOthers ? othersKey : ownKey) {
        let position = isOthers ? others : own
        if taken.isSecond == isOthers, taken.positions.upperBound == position {
          taken.positions = taken.positions.lowerBound..<position + 1
        } else {
          take()
          taken = (isOthers, position..<position + 1)
        }
      }
      if ownKey == key {
        own += 1
        ownKey = firstKeys.next() ?? .max
      }
      if othersKey == key {
        others += 1
        othersKey = secondKeys.next() ?? .max
      }
    }
    take()
    return mix
  }

  /// Adds a frame after those that are there.
  mutating func append(_ entry: Entry, for key: Int) {
    keys.append(key)
    entries.append(entry)
  }

  private mutating func append(_ other: FrameTable, _ positions: Range<Int>, shift: Int = 0) {
    for range in other.keys.ranges(at: positions) {
      keys.append(range.lowerBound + shift..<range.upperBound + shift)
    }
    entries.append(other.entries, positions)
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
    // Sequences come in their order but for draws, and sorting copies them.
    let isSorted = zip(sequences, sequences.dropFirst()).allSatisfy { $0.index < $1.index }
    return isSorted ? sequences : sequences.sorted { $0.index < $1.index }
  }
}
