/// What a metric keeps of each frame, in the order of the frames' keys, whatever order they came in.
package struct FrameTable<Entry: Packable>: Sendable, Hashable {
  private var rows = FrameRows()

  /// Starts without frames.
  package init() {}

  private init(_ rows: FrameRows) {
    self.rows = rows
  }

  /// The frames' keys.
  package var keys: FrameRuns { rows.keys }
  /// One entry a key.
  package var entries: PackedRows<Entry> { PackedRows(rows.bytes) }

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
  package var byteCount: Int { keys.byteCount + rows.bytes.byteCount }

  /// Whether a frame is there.
  func contains(_ key: Int) -> Bool { keys.contains(key) }

  /// What is kept of a frame; nil where it is not there.
  subscript(key: Int) -> Entry? {
    contains(key) ? entries[keys.position(of: key)] : nil
  }

  /// Adds a frame; throws where it is there already.
  package mutating func add(_ entry: Entry, for key: Int, in metric: String) throws(MetricError) {
    try rows.add(entry.packed[...], for: key, in: metric)
  }

  /// Takes in the frames of another table; throws where one is in both, and then takes none.
  package mutating func merge(_ other: FrameTable, in metric: String) throws(MetricError) {
    try rows.merge(other.rows, in: metric)
  }

  /// The frames that a draw takes, under the keys that it gives them.
  package func drawn(by draw: FrameDraw) -> FrameTable {
    FrameTable(rows.drawn(by: draw.stretches))
  }

  /// The same with a change of each entry.
  func drawn(by draw: FrameDraw, _ adjust: (inout Entry, _ stretch: Int) -> Void) -> FrameTable {
    var drawn = FrameTable()
    for (number, stretch) in draw.stretches.enumerated() {
      for (key, entry) in FrameTable(rows.drawn(by: [stretch])).keyed {
        var entry = entry
        adjust(&entry, number)
        drawn.append(entry, for: key)
      }
    }
    return drawn
  }

  /// Changes what is kept of the frames, one after the other.
  mutating func update(_ change: (inout Entry) -> Void) { update(from: 0, change) }

  /// The same for the frames from a key on.
  mutating func update(from first: Int, _ change: (inout Entry) -> Void) {
    let start = keys.position(of: first)
    let rest = FrameTable(rows.part(start..<count))
    rows = rows.part(0..<start)
    for (key, entry) in rest.keyed {
      var entry = entry
      change(&entry)
      append(entry, for: key)
    }
  }

  /// Removes the frames from a key on.
  mutating func removeAll(from first: Int) {
    let rest = keys.position(of: first)
    if rest < count { rows = rows.part(0..<rest) }
  }

  /// Swaps the frames that a choice names with another table's; a frame that is in one only moves over.
  package mutating func swapFrames(with other: inout FrameTable, where isChosen: (Int) -> Bool) {
    rows.swapFrames(with: &other.rows, where: isChosen)
  }

  /// Adds a frame after those that are there.
  mutating func append(_ entry: Entry, for key: Int) { rows.append(entry.packed[...], for: key) }
}

extension Packable {
  /// The value as bytes.
  fileprivate var packed: [UInt8] {
    var writer = RowWriter()
    pack(into: &writer)
    return writer.bytes
  }
}

/// The rows of a table of frames, whatever they are made of, so that the compiler makes this once for all types.
private struct FrameRows: Sendable, Hashable {
  private(set) var keys = FrameRuns()
  private(set) var bytes = PackedBytes()

  mutating func add(
    _ row: ArraySlice<UInt8>, for key: Int, in metric: String
  ) throws(MetricError) {
    if keys.contains(key) { throw .repeatedFrame(key, in: metric) }
    guard let last = keys.last, key < last else {
      append(row, for: key)
      return
    }
    let whole = self
    let position = keys.position(of: key)
    self = part(0..<position)
    append(row, for: key)
    append(whole, position..<whole.keys.count)
  }

  mutating func merge(_ other: FrameRows, in metric: String) throws(MetricError) {
    guard let last = keys.last, let next = other.keys.first, next <= last else {
      append(other, 0..<other.keys.count)
      return
    }
    let merged = try mixed(self, other) { own, others, key throws(MetricError) in
      if own == key, others == key { throw .repeatedFrame(key, in: metric) }
      return others == key
    }
    self = merged
  }

  func drawn(by stretches: [FrameDraw.Stretch]) -> FrameRows {
    var drawn = FrameRows()
    for stretch in stretches {
      let (first, end) = (stretch.frames.lowerBound, stretch.frames.upperBound)
      let positions = keys.position(of: first)..<keys.position(of: end)
      drawn.append(self, positions, shift: stretch.shift)
    }
    return drawn
  }

  /// The rows at some positions.
  func part(_ positions: Range<Int>) -> FrameRows {
    var part = FrameRows()
    part.append(self, positions)
    return part
  }

  mutating func swapFrames(with other: inout FrameRows, where isChosen: (Int) -> Bool) {
    (self, other) = (
      mixed(self, other) { _, _, key in isChosen(key) },
      mixed(other, self) { _, _, key in isChosen(key) }
    )
  }

  /// The frames of two tables; `isSecond` tells where each key comes from, of the next one in each table.
  private func mixed<Failure: Error>(
    _ first: FrameRows, _ second: FrameRows,
    _ isSecond: (_ first: Int, _ second: Int, _ key: Int) throws(Failure) -> Bool
  ) throws(Failure) -> FrameRows {
    var mix = FrameRows()
    var (own, others) = (0, 0)
    var taken = (isSecond: false, positions: 0..<0)
    func take() { mix.append(taken.isSecond ? second : first, taken.positions) }
    var (firstKeys, secondKeys) = (first.keys.makeIterator(), second.keys.makeIterator())
    var (ownKey, othersKey) = (firstKeys.next() ?? .max, secondKeys.next() ?? .max)
    while own < first.keys.count || others < second.keys.count {
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

  mutating func append(_ row: ArraySlice<UInt8>, for key: Int) {
    keys.append(key)
    bytes.append(row)
  }

  private mutating func append(_ other: FrameRows, _ positions: Range<Int>, shift: Int = 0) {
    for range in other.keys.ranges(at: positions) {
      keys.append(range.lowerBound + shift..<range.upperBound + shift)
    }
    bytes.append(other.bytes, positions)
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
