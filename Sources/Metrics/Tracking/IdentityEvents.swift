/// What CLEAR-MOT and the ID measures count.
struct IdentityEvents: Sendable, Hashable {
  /// Labelled faces, over all frames.
  private(set) var labelled = 0
  /// Faces given out, over all frames.
  private(set) var given = 0
  /// Labelled faces with a track; of them `switches` with another than before.
  private(set) var found = 0
  private(set) var switches = 0
  /// Those of them that have a position, and the sum of 1 − IoU over these.
  private(set) var located = 0
  private(set) var distance = 0.0
  /// Times that a track of a person breaks off and goes on later.
  private(set) var fragmentations = 0
  /// Labelled people by sequence, and of them those found in 80 % or more, and under 20 %, of their frames.
  private(set) var people = 0
  private(set) var mostlyTracked = 0
  private(set) var mostlyLost = 0
  /// Faces of the one track that each person has under the best assignment of whole tracks.
  private(set) var identified = 0

  private static let minOverlap = 0.5

  var misses: Int { labelled - found }
  var falsePositives: Int { given - found }
  var partiallyTracked: Int { people - mostlyTracked - mostlyLost }

  /// Takes in one sequence, frames in their order.
  mutating func add(sequence: [IdentityTracking.Entry]) {
    var history: [Int: [Bool]] = [:]
    var trackOf: [Int: Int] = [:]
    var trackNumbers: [Int: Int] = [:]
    var trackCount = 0
    var shared: [Int: [Int: Int]] = [:]
    for frame in sequence {
      let tracks = frame.tracks.map { identity -> Int in
        if let identity, let number = trackNumbers[identity] { return number }
        if let identity { trackNumbers[identity] = trackCount }
        trackCount += 1
        return trackCount - 1
      }
      let columns = Self.assign(frame, tracks: tracks, before: trackOf)
      labelled += frame.people.count
      given += tracks.count
      for (row, person) in frame.people.enumerated() {
        history[person, default: []].append(columns[row] != nil)
        frame.overlaps.forEach(inRow: row) { column, iou in
          guard iou >= Self.minOverlap else { return }
          shared[person, default: [:]][tracks[column], default: 0] += 1
        }
        guard let column = columns[row] else { continue }
        found += 1
        if frame.isLocated {
          located += 1
          distance += 1 - frame.overlaps[row, column]
        }
        if let before = trackOf[person], before != tracks[column] { switches += 1 }
        trackOf[person] = tracks[column]
      }
    }
    for sightings in history.values { add(sightings) }
    identified += Self.identified(shared)
  }

  /// A person's frames of one sequence, found or not.
  private mutating func add(_ sightings: [Bool]) {
    people += 1
    let count = sightings.count { $0 }
    let ratio = Double(count) / Double(sightings.count)
    if ratio >= 0.8 { mostlyTracked += 1 }
    if ratio < 0.2 { mostlyLost += 1 }
    guard let first = sightings.firstIndex(of: true), let last = sightings.lastIndex(of: true)
    else { return }
    let span = sightings[first...last]
    fragmentations += zip(span, span.dropFirst()).count { $0 && !$1 }
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
  private static func identified(_ shared: [Int: [Int: Int]]) -> Int {
    let rows = shared.sorted { $0.key < $1.key }.map(\.value)
    let tracks = Set(rows.flatMap(\.keys)).sorted()
    var weights = PairWeights(columns: tracks.count)
    for row in rows { weights.addRow { Double(row[tracks[$0]] ?? 0) } }
    let assigned = MaximumAssignment.columns(weights)
    return assigned.enumerated().reduce(0) { sum, pair in
      sum + (pair.element.flatMap { rows[pair.offset][tracks[$0]] } ?? 0)
    }
  }
}

extension IdentityEvents: Packable {
  /// Adds what happened in other sequences so many times.
  mutating func add(_ other: IdentityEvents, times: Int) {
    labelled += other.labelled * times
    given += other.given * times
    found += other.found * times
    switches += other.switches * times
    located += other.located * times
    distance += other.distance * Double(times)
    fragmentations += other.fragmentations * times
    people += other.people * times
    mostlyTracked += other.mostlyTracked * times
    mostlyLost += other.mostlyLost * times
    identified += other.identified * times
  }

  package func pack(into row: inout RowWriter) {
    row.write(labelled, given, found, switches, located, distance, fragmentations)
    row.write(people, mostlyTracked, mostlyLost, identified)
  }

  package init(from row: inout RowReader) {
    labelled = row.read()
    given = row.read()
    found = row.read()
    switches = row.read()
    located = row.read()
    distance = row.read()
    fragmentations = row.read()
    people = row.read()
    mostlyTracked = row.read()
    mostlyLost = row.read()
    identified = row.read()
  }
}
