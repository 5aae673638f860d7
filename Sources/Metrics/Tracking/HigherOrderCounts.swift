/// What HOTA counts at each of its 19 overlaps .05, .10, …, .95.
///
/// In each sequence people and tracks are first aligned as wholes: over all frames the share of a pair in the
/// overlaps of both is added up, against the frames of either. A frame's pairs are then those with the
/// largest sum of alignment times IoU, and count at the overlaps that their IoU reaches. Identities without
/// a name are tracks of one frame.
///
/// Source: Luiten et al. 2020, HOTA; sequences are joined by adding up, as its evaluation kit does.
extension IdentityTracking {
  /// What is added up at each overlap.
  package enum Pairing: Int, SumName {
    /// Pairs; those that have a position, and the sum over them of their IoU.
    case pairs, locatedPairs, locations
    /// Sums over the pairs of the share of frames that person and track have together.
    case associations
    /// Of CLEAR-MOT, at the first overlap alone: the sum of 1 − IoU over the found faces that have a position.
    case distance

    package static var sets: Int { 19 }
    static let overlaps = (1...sets).map { 0.05 * Double($0) }
    fileprivate static let rounding = Double.ulpOfOne
  }

  /// A person with a track.
  fileprivate struct Pair: Hashable {
    var person: Int
    var track: Int
  }
}

extension IdentityTracking.Sums {
  private typealias Pairing = IdentityTracking.Pairing
  private typealias Pair = IdentityTracking.Pair

  /// Takes in one sequence, frames in their order.
  mutating func addPairs(of sequence: [IdentityTracking.Entry]) {
    let (tracks, trackCount) = Self.numbered(sequence)
    var framesOfPerson: [Int: Double] = [:]
    var framesOfTrack = [Double](repeating: 0, count: trackCount)
    var shared: [Pair: Double] = [:]
    for (frame, own) in zip(sequence, tracks) {
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
          guard either > Pairing.rounding else { return }
          shared[Pair(person: person, track: own[column]), default: 0] += overlap / either
        }
      }
    }
    func frames(of pair: Pair) -> Double {
      (framesOfPerson[pair.person] ?? 0) + framesOfTrack[pair.track]
    }
    var together = [[Pair: Double]](repeating: [:], count: Pairing.overlaps.count)
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
        for (position, minOverlap) in Pairing.overlaps.enumerated()
        where overlap >= minOverlap - Pairing.rounding {
          self[.pairs, position] += 1
          if frame.isLocated {
            self[.locatedPairs, position] += 1
            self[.locations, position] += overlap
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
        self[.associations, position] += count * count / (frames(of: pair) - count)
      }
    }
  }

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
    hasPairs && self[.locatedPairs, 0] == 0
      ? nil
      : mean { self[.locatedPairs, $0] > 0 ? self[.locations, $0] / self[.locatedPairs, $0] : 1 }
  }

  /// Whether there are pairs at the lowest overlap.
  var hasPairs: Bool { self[.pairs, 0] > 0 }

  private func detection(at position: Int) -> Double {
    self[.pairs, position] / (faces - self[.pairs, position])
  }

  private func association(at position: Int) -> Double {
    self[.pairs, position] > 0 ? self[.associations, position] / self[.pairs, position] : 0
  }

  /// Faces that are labelled, and that are given out.
  private var faces: Double { Double(self[.labelled] + self[.given]) }

  private func mean(_ value: (Int) -> Double) -> Double? {
    guard faces > 0 else { return nil }
    return Pairing.overlaps.indices.reduce(0) { $0 + value($1) } / Double(Pairing.overlaps.count)
  }
}
