internal import Records

/// Calibration of presence in draws of clusters, from presences that were sorted once.
///
/// A bin is a stretch of the sorted presences, so that a draw only weighs them. The metrics equal those of
/// `PresenceReliability` over the drawn frames, but for the order in which numbers are added up.
struct PresenceResampler: BatchResampler {
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

  func measurements(of batch: DrawBatch) -> [[Measurement]] {
    let counted = batch.draws.map { counts.sums($0.copies)[0] }
    return zip(zip(batch.draws, counted), bins(counted, batch)).map { draw, bins in
      let stray = strays.first { draw.0.copies[$0.cluster] > 0 }
      return measurements(bins, n: draw.1, stray: stray?.score)
    }
  }

  private func measurements(_ bins: Bins, n: Int, stray: Double?) -> [Measurement] {
    guard stray == nil else {
      return PresenceReliability.measurements([], n: n, stray: stray)
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
    let ten = bins.ten
    let mean = ten.reduce(0) { $0 + $1.outcome } / total
    var (reliability, resolution) = (0.0, 0.0)
    for bin in ten where bin.count > 0 {
      let count = Double(bin.count)
      let spread = bin.outcome / count - mean
      reliability += bin.gap * bin.gap / count
      resolution += count * spread * spread
    }
    let largest = ten.lazy.filter { $0.count > 0 }.map { $0.gap / Double($0.count) }.max()
    let squares = ten.reduce(0) { $0 + $1.squares }
    return PresenceReliability.measurements(
      [
        expected(ten), expected(bins.fifteen), expected(bins.equalMass), largest, squares / total,
        reliability / total, resolution / total,
      ], n: n, stray: nil)
  }

  /// The bins of a draw: of equal width, and ten of as nearly equal numbers as ties allow.
  private struct Bins {
    var ten = [Bin](repeating: Bin(), count: 10)
    var fifteen = [Bin](repeating: Bin(), count: 15)
    var equalMass = [Bin](repeating: Bin(), count: 10)
    /// Which of equal numbers is open, and how many presences it and those before it are to have.
    var mass = 0
    var massEnd = 0

    /// Opens the first bin of equal numbers that is not full after so many of `n` presences.
    mutating func openMass(after seen: Int, of n: Int) {
      while mass < 9, seen >= ((mass + 1) * n + 9) / 10 { mass += 1 }
      massEnd = mass < 9 ? ((mass + 1) * n + 9) / 10 : .max
    }
  }

  /// What was passed since the last end of any bin, of each draw.
  private struct Piece {
    var count = DrawBatch.Numbers.zero
    var confidence = DrawBatch.Numbers.zero
    var outcome = DrawBatch.Numbers.zero
    var squares = DrawBatch.Numbers.zero

    /// Takes out what one draw has.
    mutating func take(_ lane: Int) -> Bin {
      defer {
        (count[lane], confidence[lane], outcome[lane], squares[lane]) = (0, 0, 0, 0)
      }
      return Bin(
        count: Int(count[lane]), confidence: confidence[lane], outcome: outcome[lane],
        squares: squares[lane])
    }
  }

  /// The bins of each draw, which have so many presences.
  private func bins(_ counted: [Int], _ batch: DrawBatch) -> [Bins] {
    var bins = counted.map { _ in Bins() }
    var (passed, massEnd) = (DrawBatch.Numbers.zero, DrawBatch.Numbers(repeating: .infinity))
    func openMass(_ lane: Int) {
      bins[lane].openMass(after: Int(passed[lane]), of: counted[lane])
      massEnd[lane] = bins[lane].massEnd == .max ? .infinity : Double(bins[lane].massEnd)
    }
    for lane in counted.indices where counted[lane] > 0 { openMass(lane) }
    var (ten, fifteen) = (0, 0)
    var piece = Piece()
    func end(_ lane: Int) {
      let own = piece.take(lane)
      bins[lane].ten[ten] += own
      bins[lane].fifteen[fifteen] += own
      bins[lane].equalMass[bins[lane].mass] += own
    }
    /// Where the next bin of equal width ends.
    var next = 0
    for index in presences.indices {
      let presence = presences[index]
      if index >= next {
        for lane in counted.indices { end(lane) }
        while ten < 9, index >= ofTen[ten] { ten += 1 }
        while fifteen < 14, index >= ofFifteen[fifteen] { fifteen += 1 }
        next = min(ten < 9 ? ofTen[ten] : .max, fifteen < 14 ? ofFifteen[fifteen] : .max)
      }
      let weight = DrawBatch.Numbers(batch.copies[Int(presence.cluster)])
      let outcome: Double = presence.isTrue ? 1 : 0
      let difference = presence.confidence - outcome
      piece.count += weight
      piece.confidence += weight * presence.confidence
      piece.outcome += weight * outcome
      piece.squares += weight * difference * difference
      passed += weight
      let isFull = passed .>= massEnd
      guard isFull.holdsForAny else { continue }
      let isLastOfTies =
        index + 1 == presences.count || presences[index + 1].confidence > presence.confidence
      guard isLastOfTies else { continue }
      for lane in counted.indices where isFull[lane] {
        end(lane)
        openMass(lane)
      }
    }
    for lane in counted.indices { end(lane) }
    return bins
  }
}
