internal import Records

/// Calibration of presence in draws of clusters, from presences that were sorted once.
///
/// A bin is a stretch of the sorted presences, so that a draw only weighs them. The metrics equal those of
/// `PresenceReliability` over the drawn frames, but for the order in which numbers are added up.
struct PresenceResampler: FamilyResampler {
  private struct Presence: Sendable {
    var cluster: Int
    var outcome: ConfidenceOutcome
  }

  /// What a bin of a draw holds.
  private struct Bin {
    var count = 0
    var confidence = 0.0
    var outcome = 0.0
    /// Squared differences of the two.
    var squares = 0.0

    var gap: Double { abs(confidence - outcome) }
  }

  /// Ascending.
  private let presences: [Presence]
  /// Where each of 10 and of 15 bins of equal width ends.
  private let ofTen, ofFifteen: [Int]
  /// The first score of a cluster that is no probability, ascending by cluster.
  private let strays: [(cluster: Int, score: Double)]

  /// Sorts the presences of all frames that are of a cluster.
  init(_ reliability: PresenceReliability, of clusters: FrameClusters) {
    var presences: [Presence] = []
    var strays: [Int: Double] = [:]
    for (frame, entry) in reliability.frames.keyed {
      guard let cluster = clusters.cluster(of: frame) else { continue }
      for outcome in entry.evaluated {
        presences.append(Presence(cluster: cluster, outcome: outcome))
      }
      if let stray = entry.stray, strays[cluster] == nil { strays[cluster] = stray }
    }
    presences.sort { $0.outcome.confidence < $1.outcome.confidence }
    func ends(_ bins: Int) -> [Int] {
      (1...bins).map { bin in
        let edge = Double(bin) / Double(bins)
        return presences.firstIndex { $0.outcome.confidence > edge } ?? presences.count
      }
    }
    self.presences = presences
    ofTen = ends(10)
    ofFifteen = ends(15)
    self.strays = strays.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  func measurements(of draw: ClusterDraw) -> [Measurement] {
    let copies = draw.copies
    let ten = bins(ofTen, copies)
    let n = ten.reduce(0) { $0 + $1.count }
    if let stray = strays.first(where: { copies[$0.cluster] > 0 }) {
      return PresenceReliability.measurements([], n: n, stray: stray.score)
    }
    guard n > 0 else {
      return PresenceReliability.measurements(
        PresenceReliability.definitions.map { _ in nil }, n: 0, stray: nil)
    }
    let total = Double(n)
    func expected(_ bins: [Bin]) -> Double { bins.reduce(0) { $0 + $1.gap } / total }
    let mean = ten.reduce(0) { $0 + $1.outcome } / total
    var (reliability, resolution) = (0.0, 0.0)
    for bin in ten where bin.count > 0 {
      let count = Double(bin.count)
      let spread = bin.outcome / count - mean
      reliability += bin.gap * bin.gap / count
      resolution += count * spread * spread
    }
    return PresenceReliability.measurements(
      [
        expected(ten), expected(bins(ofFifteen, copies)),
        expected(bins(ends(ofEqualMass: 10, n, copies), copies)),
        ten.lazy.filter { $0.count > 0 }.map { $0.gap / Double($0.count) }.max(),
        ten.reduce(0) { $0 + $1.squares } / total, reliability / total, resolution / total,
      ], n: n, stray: nil)
  }

  /// What stretches of the presences hold in a draw.
  private func bins(_ ends: [Int], _ copies: [Int32]) -> [Bin] {
    var start = 0
    return ends.map { end in
      var bin = Bin()
      for index in start..<end {
        let times = Int(copies[presences[index].cluster])
        guard times > 0 else { continue }
        let (outcome, weight) = (presences[index].outcome, Double(times))
        let difference = outcome.confidence - outcome.outcome
        bin.count += times
        bin.confidence += weight * outcome.confidence
        bin.outcome += weight * outcome.outcome
        bin.squares += weight * difference * difference
      }
      start = end
      return bin
    }
  }

  /// Where bins of as nearly equal numbers as ties allow end in a draw of `n` presences.
  private func ends(ofEqualMass bins: Int, _ n: Int, _ copies: [Int32]) -> [Int] {
    var ends: [Int] = []
    var seen = 0
    for (index, presence) in presences.enumerated() {
      seen += Int(copies[presence.cluster])
      let isLastOfTies =
        index + 1 == presences.count
        || presences[index + 1].outcome.confidence > presence.outcome.confidence
      guard isLastOfTies else { continue }
      while ends.count < bins - 1, seen >= ((ends.count + 1) * n + bins - 1) / bins {
        ends.append(index + 1)
      }
      if ends.count == bins - 1 { break }
    }
    return ends + [presences.count]
  }
}
