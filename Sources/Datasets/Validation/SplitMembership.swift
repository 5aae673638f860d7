internal import FaceCore
internal import Platform

/// The splits of each frame, and the nesting of splits.
struct SplitMembership {
  /// Names of the splits.
  let names: [String]
  /// Those that commands which write splits refuse.
  let refused: [String]
  /// For each frame one bit per split; empty without splits.
  private let masks: [UInt64]
  /// For each split the splits that overlap it, other than those inside or around it.
  private(set) var overlaps: [(first: Int, second: Int, count: Int)] = []
  /// For each split a bit for itself and for every split inside or around it.
  private var nested: [UInt64]
  /// The splits inside others, for messages.
  private(set) var inside: [(inner: Int, outer: Int)] = []
  /// Whether there are more splits than are checked.
  let isCut: Bool

  private static let limit = 64

  init(of dataset: DatasetReader) throws(FileError) {
    let splits = dataset.splits.prefix(Self.limit)
    names = splits.map(\.name)
    refused = dataset.splits.map(\.name).filter { !DatasetLayout.isTableName($0) }
    isCut = dataset.splits.count > Self.limit
    nested = splits.indices.map { 1 << UInt64($0) }
    var masks = [UInt64](repeating: 0, count: splits.isEmpty ? 0 : dataset.frameCount)
    var shared = [Int](repeating: 0, count: splits.count * splits.count)
    for (index, split) in splits.enumerated() {
      for frame in try dataset.split(split.name) {
        var others = masks[frame]
        while others != 0 {
          shared[others.trailingZeroBitCount * splits.count + index] += 1
          others &= others - 1
        }
        masks[frame] |= 1 << UInt64(index)
      }
    }
    self.masks = masks
    for first in splits.indices {
      for second in splits.indices where second > first {
        let count = shared[first * splits.count + second]
        let (a, b) = (splits[first].count, splits[second].count)
        if count == 0 { continue }
        if count == min(a, b) {
          nested[first] |= 1 << UInt64(second)
          nested[second] |= 1 << UInt64(first)
          inside.append(count == a ? (first, second) : (second, first))
        } else {
          overlaps.append((first, second, count))
        }
      }
    }
  }

  /// A bit for each split that a frame is in.
  func splits(of frame: Int) -> UInt64 { masks.isEmpty ? 0 : masks[frame] }

  /// The names of a pair in two sets of splits that should be disjoint, or nil.
  func clashing(_ first: UInt64, _ second: UInt64) -> (String, String)? {
    var rest = first
    while rest != 0 {
      let index = rest.trailingZeroBitCount
      let others = second & ~nested[index]
      if others != 0 { return (names[index], names[others.trailingZeroBitCount]) }
      rest &= rest - 1
    }
    return nil
  }
}

/// Checks whether splits share frames.
struct SplitCheck: DatasetCheck {
  private var overlap = ChecklistLine(
    "splits-apart", .warning, holds: "splits share no frames",
    what: "frame in two splits", of: "pairs of splits")
  private var nested = ChecklistLine(
    "splits-beside", .note, holds: "no split lies inside another",
    what: "split inside another, assumed to be intended", of: "pairs of splits")
  private var plain = ChecklistLine(
    "splits-named", .warning,
    holds: "splits have plain names, of letters, digits, '_', '-' and '.'",
    what: "split whose name 'merge', 'split' and 'subset' refuse", of: "splits")
  var lines: [ChecklistLine] { [overlap, nested, plain] }

  init(_ splits: SplitMembership) {
    plain.look(at: splits.names.count)
    for name in splits.refused { plain.note("'\(name.prefix(60))'") }
    let pairs = splits.names.count * (splits.names.count - 1) / 2
    overlap.look(at: pairs)
    nested.look(at: pairs)
    for pair in splits.overlaps {
      overlap.note(
        "\(splits.names[pair.first]) and \(splits.names[pair.second]): \(pair.count) frames",
        count: pair.count)
    }
    for pair in splits.inside {
      nested.note("\(splits.names[pair.inner]) in \(splits.names[pair.outer])")
    }
    if splits.isCut { nested.note("only the first \(splits.names.count) splits are checked") }
  }

  mutating func look(at checked: CheckedFrame) {}
}

/// Checks whether a person or a subject is in two splits that should be disjoint.
struct LeakageCheck: DatasetCheck {
  private let splits: SplitMembership
  private var people: [Int: UInt64] = [:]
  private var subjects: [String: UInt64] = [:]
  private var identity = ChecklistLine(
    "splits-identities", .warning, holds: "no identity is in two splits",
    what: "identity in two splits", of: "identities in a dataset with two splits")
  private var subject = ChecklistLine(
    "splits-subjects", .warning, holds: "no sequence's subject is in two splits",
    what: "subject in two splits", of: "subjects in a dataset with two splits")
  var lines: [ChecklistLine] { [identity, subject] }

  init(_ splits: SplitMembership) {
    self.splits = splits
  }

  mutating func look(at checked: CheckedFrame) {
    let mask = splits.splits(of: checked.frame.index)
    guard mask != 0 else { return }
    for case let person? in checked.faces.map(\.identity) { people[person, default: 0] |= mask }
    if let name = checked.sequence?.subject, !name.isEmpty { subjects[name, default: 0] |= mask }
  }

  mutating func finish() {
    if splits.names.count > 1 {
      identity.look(at: people.count)
      subject.look(at: subjects.count)
    }
    for (person, mask) in people.sorted(by: { $0.key < $1.key }) {
      guard let (first, second) = splits.clashing(mask, mask) else { continue }
      identity.note("identity \(person) in \(first) and \(second)")
    }
    for (name, mask) in subjects.sorted(by: { $0.key < $1.key }) {
      guard let (first, second) = splits.clashing(mask, mask) else { continue }
      subject.note("'\(name)' in \(first) and \(second)")
    }
  }
}
