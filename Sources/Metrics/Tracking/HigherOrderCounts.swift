/// What HOTA counts at each of its 19 overlaps .05, .10, …, .95.
///
/// In each sequence people and tracks are first aligned as wholes: over all frames the share of a pair in the
/// overlaps of both is added up, against the frames of either. A frame's pairs are then those with the
/// largest sum of alignment times IoU, and count at the overlaps that their IoU reaches. Identities without
/// a name are tracks of one frame.
///
/// Source: Luiten et al. 2020, HOTA; sequences are joined by adding up, as its evaluation kit does.
struct HigherOrderCounts: Sendable, Hashable {
  /// The overlaps.
  static let overlaps = (1...19).map { 0.05 * Double($0) }

  /// Pairs at each overlap.
  private var pairs = [Double](repeating: 0, count: 19)
  /// Pairs that have a position, and the sum over them of their IoU.
  private var located = [Double](repeating: 0, count: 19)
  private var locations = [Double](repeating: 0, count: 19)
  /// Sums over the pairs of the share of frames that person and track have together.
  private var associations = [Double](repeating: 0, count: 19)
  private var labelled = 0.0
  private var given = 0.0

  /// A person with a track.
  private struct Pair: Hashable {
    var person: Int
    var track: Int
  }

  /// Takes in one sequence, frames in their order.
  mutating func add(sequence: [IdentityTracking.Entry]) {
    var trackNumbers: [Int: Int] = [:]
    var trackCount = 0
    let tracks = sequence.map { frame in
      frame.tracks.map { identity -> Int in
        if let identity, let number = trackNumbers[identity] { return number }
        if let identity { trackNumbers[identity] = trackCount }
        trackCount += 1
        return trackCount - 1
      }
    }
    var framesOfPerson: [Int: Double] = [:]
    var framesOfTrack = [Double](repeating: 0, count: trackCount)
    var shared: [Pair: Double] = [:]
    for (frame, own) in zip(sequence, tracks) {
      labelled += Double(frame.people.count)
      given += Double(own.count)
      for person in frame.people { framesOfPerson[person, default: 0] += 1 }
      for track in own { framesOfTrack[track] += 1 }
      var ofPerson = [Double](repeating: 0, count: frame.people.count)
      var ofTrack = [Double](repeating: 0, count: own.count)
      for row in frame.people.indices {
        frame.overlaps.forEach(inRow: row) { column, overlap in
          ofPerson[row] += overlap
          ofTrack[column] += overlap
        }
      }
      for (row, person) in frame.people.enumerated() {
        frame.overlaps.forEach(inRow: row) { column, overlap in
          let either = ofPerson[row] + ofTrack[column] - overlap
          guard either > Self.rounding else { return }
          shared[Pair(person: person, track: own[column]), default: 0] += overlap / either
        }
      }
    }
    func frames(of pair: Pair) -> Double {
      (framesOfPerson[pair.person] ?? 0) + framesOfTrack[pair.track]
    }
    var together = [[Pair: Double]](repeating: [:], count: Self.overlaps.count)
    for (frame, own) in zip(sequence, tracks) {
      var weights = PairWeights(columns: own.count)
      for (row, person) in frame.people.enumerated() {
        weights.addRow(row, of: frame.overlaps) { column, overlap in
          let pair = Pair(person: person, track: own[column])
          let common = shared[pair] ?? 0
          return common / (frames(of: pair) - common) * overlap
        }
      }
      let assigned = MaximumAssignment.columns(weights)
      for case (let row, let column?) in assigned.enumerated() {
        let pair = Pair(person: frame.people[row], track: own[column])
        let overlap = frame.overlaps[row, column]
        for (position, minOverlap) in Self.overlaps.enumerated()
        where overlap >= minOverlap - Self.rounding {
          pairs[position] += 1
          if frame.isLocated {
            located[position] += 1
            locations[position] += overlap
          }
          together[position][pair, default: 0] += 1
        }
      }
    }
    for (position, counts) in together.enumerated() {
      // Sorted, so that the same frames give the same bytes.
      let ordered = counts.sorted {
        ($0.key.person, $0.key.track) < ($1.key.person, $1.key.track)
      }
      for (pair, count) in ordered {
        associations[position] += count * count / (frames(of: pair) - count)
      }
    }
  }

  private static let rounding = Double.ulpOfOne

  /// Mean over the overlaps of √(DetA · AssA); nil where nothing is labelled or given.
  var accuracy: Double? {
    mean { (detection(at: $0) * association(at: $0)).squareRoot() }
  }

  /// Mean over the overlaps of pairs / (pairs + misses + false positives).
  var detection: Double? { mean(detection(at:)) }

  /// Mean over the overlaps of the pairs' mean share of common frames, 0 without pairs.
  var association: Double? { mean(association(at:)) }

  /// Mean over the overlaps of the pairs' mean IoU, 1 without pairs; nil where there are pairs and none has a position.
  var localization: Double? {
    hasPairs && located[0] == 0
      ? nil : mean { located[$0] > 0 ? locations[$0] / located[$0] : 1 }
  }

  /// Whether there are pairs at the lowest overlap.
  var hasPairs: Bool { pairs[0] > 0 }

  private func detection(at position: Int) -> Double {
    pairs[position] / (labelled + given - pairs[position])
  }

  private func association(at position: Int) -> Double {
    pairs[position] > 0 ? associations[position] / pairs[position] : 0
  }

  private func mean(_ value: (Int) -> Double) -> Double? {
    guard labelled + given > 0 else { return nil }
    return Self.overlaps.indices.reduce(0) { $0 + value($1) } / Double(Self.overlaps.count)
  }
}

extension HigherOrderCounts: Packable {
  /// Adds what other sequences count so many times.
  mutating func add(_ other: HigherOrderCounts, times: Int) {
    let weight = Double(times)
    for position in Self.overlaps.indices {
      pairs[position] += weight * other.pairs[position]
      located[position] += weight * other.located[position]
      locations[position] += weight * other.locations[position]
      associations[position] += weight * other.associations[position]
    }
    labelled += weight * other.labelled
    given += weight * other.given
  }

  package func pack(into row: inout RowWriter) {
    row.write(pairs, located, locations, associations, labelled, given)
  }

  package init(from row: inout RowReader) {
    pairs = row.read()
    located = row.read()
    locations = row.read()
    associations = row.read()
    labelled = row.read()
    given = row.read()
  }
}
