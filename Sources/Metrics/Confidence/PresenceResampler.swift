internal import Records

/// Calibration of presence in draws of clusters, from presences that were sorted once.
///
/// A bin is a stretch of the sorted presences, so that a draw only weighs them. The metrics equal those of
/// `PresenceReliability` over the drawn frames, but for the order in which numbers are added up.
struct PresenceResampler: FamilyResampler {
  private struct Presence: Sendable {
    var confidence: Double
    var cluster: Int32
    var isTrue: Bool
  }

  /// What a bin of a draw holds.
  private struct Bin {
    var count = 0
    var confidence = 0.0
    var outcome = 0.0
    /// Squared differences of the two.
    var squares = 0.0

    var gap: Double { abs(confidence - outcome) }

    static func += (sum: inout Bin, other: Bin) {
      sum.count += other.count
      sum.confidence += other.confidence
      sum.outcome += other.outcome
      sum.squares += other.squares
    }
  }

  /// Ascending.
  private let presences: [Presence]
  /// How many presences a cluster has.
  private let counts: ClusterCounts
  /// Where each of 10 and of 15 bins of equal width ends.
  private let ofTen, ofFifteen: [Int]
  /// The first score of a cluster that is no probability, ascending by cluster.
  private let strays: [(cluster: Int, score: Double)]

  /// Sorts the presences of all frames that are of a cluster.
  init(_ reliability: PresenceReliability, of clusters: FrameClusters) {
    var presences: [Presence] = []
    presences.reserveCapacity(reliability.frames.entries.reduce(0) { $0 + $1.evaluated.count })
    var counts = ClusterCounts(width: 1)
    var strays: [Int: Double] = [:]
    for (frame, entry) in reliability.frames.keyed {
      guard let cluster = clusters.cluster(of: frame) else { continue }
      counts.add(to: cluster) { $0[$0.startIndex] += Int32(entry.evaluated.count) }
      for one in entry.evaluated {
        presences.append(
          Presence(
            confidence: one.confidence, cluster: Int32(cluster), isTrue: one.outcome == 1))
      }
      if let stray = entry.stray, strays[cluster] == nil { strays[cluster] = stray }
    }
    presences.sort { $0.confidence < $1.confidence }
    func ends(_ bins: Int) -> [Int] {
      (1...bins).map { bin in
        let edge = Double(bin) / Double(bins)
        return presences.firstIndex { $0.confidence > edge } ?? presences.count
      }
    }
    self.presences = presences
    self.counts = counts
    ofTen = ends(10)
    ofFifteen = ends(15)
    self.strays = strays.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  func measurements(of draw: ClusterDraw) -> [Measurement] {
    let copies = draw.copies
    let n = counts.sums(copies)[0]
    if let stray = strays.first(where: { copies[$0.cluster] > 0 }) {
      return PresenceReliability.measurements([], n: n, stray: stray.score)
    }
    guard n > 0 else {
      return PresenceReliability.measurements(
        PresenceReliability.definitions.map { _ in nil }, n: 0, stray: nil)
    }
    let total = Double(n)
    func expected(_ bins: [Bin]) -> Double? {
      ExpectedCalibrationError(
        bins.map {
          ExpectedCalibrationError.Bin(
            count: $0.count, confidence: $0.confidence, outcome: $0.outcome)
        })?.value
    }
    let (ten, fifteen, equalMass) = bins(of: n, copies)
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
        expected(ten), expected(fifteen), expected(equalMass),
        ten.lazy.filter { $0.count > 0 }.map { $0.gap / Double($0.count) }.max(),
        ten.reduce(0) { $0 + $1.squares } / total, reliability / total, resolution / total,
      ], n: n, stray: nil)
  }

  /// The bins of equal width, and ten of as nearly equal numbers as ties allow, in a draw of `n` presences.
  private func bins(
    of n: Int, _ copies: [Int32]
  ) -> (ten: [Bin], fifteen: [Bin], equalMass: [Bin]) {
    var bins = (
      ten: [Bin](repeating: Bin(), count: 10), fifteen: [Bin](repeating: Bin(), count: 15),
      equalMass: [Bin](repeating: Bin(), count: 10)
    )
    var (ten, fifteen, mass) = (0, 0, 0)
    /// What was passed since the last end of any bin, and how many before.
    var piece = Bin()
    var seen = 0
    func end() {
      bins.ten[ten] += piece
      bins.fifteen[fifteen] += piece
      bins.equalMass[mass] += piece
      seen += piece.count
      piece = Bin()
    }
    /// Where the next bin of equal width ends.
    var next = 0
    for (index, presence) in presences.enumerated() {
      if index >= next {
        end()
        while ten < 9, index >= ofTen[ten] { ten += 1 }
        while fifteen < 14, index >= ofFifteen[fifteen] { fifteen += 1 }
        next = min(ten < 9 ? ofTen[ten] : .max, fifteen < 14 ? ofFifteen[fifteen] : .max)
      }
      let times = Int(copies[Int(presence.cluster)])
      if times > 0 {
        let (outcome, weight) = (presence.isTrue ? 1.0 : 0, Double(times))
        let difference = presence.confidence - outcome
        piece.count += times
        piece.confidence += weight * presence.confidence
        piece.outcome += weight * outcome
        piece.squares += weight * difference * difference
      }
      guard mass < 9, seen + piece.count >= ((mass + 1) * n + 9) / 10 else { continue }
      let isLastOfTies =
        index + 1 == presences.count || presences[index + 1].confidence > presence.confidence
      guard isLastOfTies else { continue }
      end()
      while mass < 9, seen >= ((mass + 1) * n + 9) / 10 { mass += 1 }
    }
    end()
    return bins
  }
}
