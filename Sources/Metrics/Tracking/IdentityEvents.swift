extension IdentityTracking {
  /// What CLEAR-MOT and the ID measures count.
  package enum Event: Int, SumName {
    /// Labelled faces, and faces given out, over all frames.
    case labelled, given
    /// Labelled faces with a track; of them those with another than before, and those that have a position.
    case found, switches, located
    /// Times that a track of a person breaks off and goes on later.
    case fragmentations
    /// Labelled people by sequence, and of them those found in 80 % or more, and under 20 %, of their frames.
    case people, mostlyTracked, mostlyLost
    /// Faces of the one track that each person has under the best assignment of whole tracks.
    case identified
    /// Frames with somebody labelled, and frames with an identity given out.
    case labelledFrames, givenFrames
  }
}

extension IdentityTracking.Sums {
  private static var minOverlap: Double { 0.5 }

  /// Whether there are identities on both sides.
  var hasIdentities: Bool { self[.labelledFrames] > 0 && self[.givenFrames] > 0 }
  var misses: Int { self[.labelled] - self[.found] }
  var falsePositives: Int { self[.given] - self[.found] }
  var partiallyTracked: Int { self[.people] - self[.mostlyTracked] - self[.mostlyLost] }

  /// Takes in one sequence, frames in their order.
  mutating func addEvents(of sequence: [IdentityTracking.Entry]) {
    var history: [Int: [Bool]] = [:]
    var trackOf: [Int: Int] = [:]
    var shared: [Int: [Int: Int]] = [:]
    for (frame, tracks) in zip(sequence, Self.numbered(sequence).tracks) {
      let columns = Self.assign(frame, tracks: tracks, before: trackOf)
      self[.labelled] += frame.people.count
      self[.given] += tracks.count
      for (row, person) in frame.people.enumerated() {
        history[person, default: []].append(columns[row] != nil)
        frame.overlaps.forEach(inRow: row) { column, iou in
          guard iou >= Self.minOverlap else { return }
          shared[person, default: [:]][tracks[column], default: 0] += 1
        }
        guard let column = columns[row] else { continue }
        self[.found] += 1
        if frame.isLocated {
          self[.located] += 1
          self[.distance] += 1 - frame.overlaps[row, column]
        }
        if let before = trackOf[person], before != tracks[column] { self[.switches] += 1 }
        trackOf[person] = tracks[column]
      }
    }
    for sightings in history.values { add(sightings) }
    self[.identified] += Self.identified(shared)
  }

  /// The number of each track, frame by frame, and how many there are; a face without identity is one of its own.
  static func numbered(_ sequence: [IdentityTracking.Entry]) -> (tracks: [[Int]], count: Int) {
    var numbers: [Int: Int] = [:]
    var count = 0
    let tracks = sequence.map { frame in
      frame.tracks.map { identity -> Int in
        if let identity, let number = numbers[identity] { return number }
        if let identity { numbers[identity] = count }
        count += 1
        return count - 1
      }
    }
    return (tracks, count)
  }

  /// A person's frames of one sequence, found or not.
  private mutating func add(_ sightings: [Bool]) {
    self[.people] += 1
    let count = sightings.count { $0 }
    let ratio = Double(count) / Double(sightings.count)
    if ratio >= 0.8 { self[.mostlyTracked] += 1 }
    if ratio < 0.2 { self[.mostlyLost] += 1 }
    guard let first = sightings.firstIndex(of: true), let last = sightings.lastIndex(of: true)
    else { return }
    let span = sightings[first...last]
    self[.fragmentations] += zip(span, span.dropFirst()).count { $0 && !$1 }
  }

  /// The column of each person: its track of before where they still overlap, then as many pairs as
  /// possible and of those the largest IoU in total.
  private static func assign(
    _ frame: IdentityTracking.Entry, tracks: [Int], before: [Int: Int]
  ) -> [Int?] {
    var columns = [Int?](repeating: nil, count: frame.people.count)
    var isTaken = [Bool](repeating: false, count: tracks.count)
    for (row, person) in frame.people.enumerated() {
      guard let track = before[person], let column = tracks.firstIndex(of: track),
        !isTaken[column],
        frame.overlaps[row, column] >= minOverlap
      else { continue }
      columns[row] = column
      isTaken[column] = true
    }
    let rows = frame.people.indices.filter { columns[$0] == nil }
    let pair = Double(min(rows.count, isTaken.count { !$0 }))
    var weights = PairWeights(columns: tracks.count)
    for row in rows {
      weights.addRow(row, of: frame.overlaps) { column, iou in
        iou >= minOverlap && !isTaken[column] ? pair + iou : 0
      }
    }
    let assigned = MaximumAssignment.columns(weights)
    for case (let row, let column?) in assigned.enumerated() { columns[rows[row]] = column }
    return columns
  }

  /// Most frames that people share with tracks when each has at most one of the others for good.
  ///
  /// People who share no track, directly or by way of others, are assigned apart: a sequence may have as many
  /// identities as frames.
  private static func identified(_ shared: [Int: [Int: Int]]) -> Int {
    var peopleOfTrack: [Int: [Int]] = [:]
    for (person, tracks) in shared {
      for track in tracks.keys { peopleOfTrack[track, default: []].append(person) }
    }
    var left = Set(shared.keys)
    return shared.keys.reduce(0) { sum, person in
      guard left.remove(person) != nil else { return sum }
      var (people, next) = ([person], 0)
      while next < people.count {
        for track in (shared[people[next]] ?? [:]).keys {
          for other in peopleOfTrack.removeValue(forKey: track) ?? []
          where left.remove(other) != nil {
            people.append(other)
          }
        }
        next += 1
      }
      return sum + identified(people.sorted().compactMap { shared[$0] })
    }
  }

  /// The same of some people, by the frames that each shares with tracks.
  private static func identified(_ rows: [[Int: Int]]) -> Int {
    let tracks = Set(rows.flatMap(\.keys)).sorted()
    var weights = PairWeights(columns: tracks.count)
    for row in rows { weights.addRow { Double(row[tracks[$0]] ?? 0) } }
    let assigned = MaximumAssignment.columns(weights)
    return assigned.enumerated().reduce(0) { sum, pair in
      sum + (pair.element.flatMap { rows[pair.offset][tracks[$0]] } ?? 0)
    }
  }
}
